import CSQLite

/// A connection to a database file, closed when it goes out of scope.
///
/// It has no lock of its own (`SQLITE_OPEN_NOMUTEX`): whoever owns it uses it from one place at a time,
/// which the compiler sees to. Prepared statements are kept and used again.
@safe public struct SQLiteDatabase: ~Copyable {
    /// How a file is opened.
    public enum Access: Sendable, Hashable {
        /// Reads and writes, and makes the file if there is none.
        case create
        /// Reads and writes a file that is there.
        case readWrite
        /// Reads a file that is there.
        case readOnly
    }

    /// The longest text or blob that is taken, in bytes.
    public static let longestValue: Int32 = 64 * 1024 * 1024

    /// Runs once, before the library is used for the first time; a library in use stays as it is.
    private static let isConfigured = till_sqlite3_count_no_memory() == SQLITE_OK

    let handle: OpaquePointer
    private var statements = PreparedStatements()

    /// Opens a file.
    ///
    /// - Parameters:
    ///   - path: The file, or `:memory:`.
    ///   - access: How it is opened.
    ///   - busyTimeout: How long a statement waits for other connections, in milliseconds.
    /// - Throws: What SQLite says; a damaged file is noticed at the first statement only.
    public init(path: String, access: Access, busyTimeout: Int32 = 5_000) throws(SQLiteError) {
        let mode =
            switch access {
            case .create: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
            case .readWrite: SQLITE_OPEN_READWRITE
            case .readOnly: SQLITE_OPEN_READONLY
            }
        let flags = mode | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE
        _ = Self.isConfigured
        var opened: OpaquePointer?
        let code = unsafe sqlite3_open_v2(path, &opened, flags, nil)
        guard code == SQLITE_OK, let handle = unsafe opened else {
            let message = unsafe Self.message(opened, code)
            // SQLite hands out a handle even when it fails, to carry the message.
            unsafe sqlite3_close_v2(opened)
            throw SQLiteError(code: code, message: message)
        }
        unsafe self.handle = handle
        unsafe sqlite3_busy_timeout(handle, busyTimeout)
        unsafe sqlite3_limit(handle, SQLITE_LIMIT_LENGTH, Self.longestValue)
    }

    deinit {
        // The handle lives on until the last prepared statement is gone.
        unsafe sqlite3_close_v2(handle)
    }

    /// Whether a transaction is open; a fault can end one by itself.
    public var isInTransaction: Bool { unsafe sqlite3_get_autocommit(handle) == 0 }

    /// How many rows the last statement inserted, changed or deleted.
    public var changedRows: Int64 { unsafe sqlite3_changes64(handle) }

    /// The key of the last row inserted into a table that has row ids.
    public var lastInsertedRow: Int64 { unsafe sqlite3_last_insert_rowid(handle) }

    /// Runs statements without parameters, and drops their rows.
    public mutating func execute(_ script: String) throws(SQLiteError) {
        let code = unsafe sqlite3_exec(handle, script, nil, nil, nil)
        guard code == SQLITE_OK else { throw failure(code) }
    }

    /// Lends a statement, prepared at its first use; afterwards it is reset.
    ///
    /// Every parameter is bound at every use.
    public mutating func withStatement<Value>(
        _ sql: String, _ body: (inout SQLiteStatement) throws(SQLiteError) -> Value
    ) throws(SQLiteError) -> Value {
        let prepared = try prepared(sql)
        // Marked while it is lent, so that the same text used within gets a statement of its own.
        prepared.isLent = true
        defer { prepared.isLent = false }
        var statement = unsafe SQLiteStatement(handle: prepared.handle)
        return try body(&statement)
    }

    /// Runs a statement that gives no rows.
    public mutating func run(
        _ sql: String, _ bind: (inout SQLiteStatement) throws(SQLiteError) -> Void = { _ in }
    ) throws(SQLiteError) {
        try withStatement(sql) { statement throws(SQLiteError) in
            try bind(&statement)
            while try statement.step() {}
        }
    }

    /// The first column of the first row as a number; nil when there is no row, or NULL in it.
    public mutating func number(
        _ sql: String, _ bind: (inout SQLiteStatement) throws(SQLiteError) -> Void = { _ in }
    ) throws(SQLiteError) -> Int64? {
        try withStatement(sql) { statement throws(SQLiteError) in
            try bind(&statement)
            return try statement.step() ? statement.optionalInt64() : nil
        }
    }

    /// The first column of the first row as text; nil when there is no row, or NULL in it.
    public mutating func text(
        _ sql: String, _ bind: (inout SQLiteStatement) throws(SQLiteError) -> Void = { _ in }
    ) throws(SQLiteError) -> String? {
        try withStatement(sql) { statement throws(SQLiteError) in
            try bind(&statement)
            return try statement.step() ? statement.optionalText() : nil
        }
    }

    private mutating func prepared(_ sql: String) throws(SQLiteError) -> PreparedStatement {
        let known = statements.find(sql)
        if let known, !known.isLent { return known }
        var made: OpaquePointer?
        let bytes = Int32(clamping: sql.utf8.count + 1)
        let code = unsafe sqlite3_prepare_v3(
            handle, sql, bytes, UInt32(SQLITE_PREPARE_PERSISTENT), &made, nil)
        guard code == SQLITE_OK, let statement = unsafe made else {
            // No statement and no error: the text was empty or a comment.
            throw code == SQLITE_OK
                ? SQLiteError(code: SQLITE_MISUSE, message: "no statement in the text")
                : failure(code)
        }
        let prepared = unsafe PreparedStatement(sql: sql, handle: statement)
        if known == nil { statements.keep(prepared) }
        return prepared
    }

    /// The statements that were used so far; tests look at how each is run.
    var preparedTexts: [String] { statements.texts }

    func failure(_ code: Int32) -> SQLiteError {
        unsafe SQLiteError(code: code, message: Self.message(handle, code))
    }

    static func message(_ handle: OpaquePointer?, _ code: Int32) -> String {
        if let handle = unsafe handle, let text = unsafe sqlite3_errmsg(handle) {
            return unsafe String(cString: text)
        }
        return unsafe sqlite3_errstr(code).map { unsafe String(cString: $0) } ?? "no message"
    }
}
