import CSQLite

/// A statement while it is lent: bind the values in order, step, read the columns in order.
@safe public struct SQLiteStatement: ~Copyable {
    private let handle: OpaquePointer
    private var nextParameter: Int32 = 1
    private var nextColumn: Int32 = 0
    private var columns: Int32 = 0
    /// Whether a value was bound that is worth giving back.
    private var holdsMuch = false
    /// How many parameters the statement has: all are bound at each use, as they keep their last values.
    private let parameters: Int32

    init(handle: OpaquePointer) {
        unsafe self.handle = handle
        parameters = unsafe sqlite3_bind_parameter_count(handle)
    }

    deinit {
        unsafe sqlite3_reset(handle)
        // Small values are left to be bound over, in the memory that they have.
        if holdsMuch { unsafe sqlite3_clear_bindings(handle) }
    }

    // MARK: Binding

    /// Binds the next parameter to a number; nil is NULL.
    public mutating func bind(_ value: Int64?) throws(SQLiteError) {
        if let value {
            try check(unsafe sqlite3_bind_int64(handle, takeParameter(), value))
        } else {
            try check(unsafe sqlite3_bind_null(handle, takeParameter()))
        }
    }

    /// Binds the next parameter to text, NUL characters included; nil is NULL.
    public mutating func bind(_ value: String?) throws(SQLiteError) {
        let place = takeParameter()
        guard var value else { return try check(unsafe sqlite3_bind_null(handle, place)) }
        if value.utf8.count > Self.muchInBytes { holdsMuch = true }
        let code = value.withUTF8 { bytes in
            // An empty buffer may have no address, and no address would be NULL.
            guard let start = bytes.baseAddress else {
                return unsafe sqlite3_bind_text(handle, place, "", 0, Self.copied)
            }
            return unsafe sqlite3_bind_text64(
                handle, place, UnsafeRawPointer(start).assumingMemoryBound(to: CChar.self),
                UInt64(bytes.count), Self.copied, UInt8(SQLITE_UTF8))
        }
        try check(code)
    }

    /// Binds the next parameter to bytes; nil is NULL, and no bytes are a blob of length zero.
    public mutating func bind(_ value: [UInt8]?) throws(SQLiteError) {
        guard let value else { return try check(unsafe sqlite3_bind_null(handle, takeParameter())) }
        try bind(value[...])
    }

    /// Binds the next parameter to bytes; no bytes are a blob of length zero.
    public mutating func bind(_ value: ArraySlice<UInt8>) throws(SQLiteError) {
        let place = takeParameter()
        guard !value.isEmpty else {
            return try check(unsafe sqlite3_bind_zeroblob(handle, place, 0))
        }
        if value.count > Self.muchInBytes { holdsMuch = true }
        let code = unsafe value.withUnsafeBytes { bytes in
            unsafe sqlite3_bind_blob64(
                handle, place, bytes.baseAddress, UInt64(bytes.count), Self.copied)
        }
        try check(code)
    }

    private static let muchInBytes = 16 << 10

    /// `SQLITE_TRANSIENT`, a macro that Swift does not import: SQLite makes its own copy.
    private static var copied: sqlite3_destructor_type {
        unsafe unsafeBitCast(-1, to: sqlite3_destructor_type.self)
    }

    private mutating func takeParameter() -> Int32 {
        defer { nextParameter += 1 }
        return nextParameter
    }

    // MARK: Stepping

    /// Goes to the next row; false at the end.
    public mutating func step() throws(SQLiteError) -> Bool {
        nextColumn = 0
        // It would have the value of the statement's last use.
        guard nextParameter > parameters else {
            throw SQLiteError(code: SQLITE_MISUSE, message: "a parameter is not bound")
        }
        switch unsafe sqlite3_step(handle) {
        case SQLITE_ROW:
            columns = unsafe sqlite3_data_count(handle)
            return true
        case SQLITE_DONE:
            columns = 0
            return false
        case let code: throw failure(code)
        }
    }

    // MARK: Reading

    /// The next column as a number; nil for NULL.
    public mutating func optionalInt64() -> Int64? {
        let place = takeColumn()
        guard unsafe sqlite3_column_type(handle, place) != SQLITE_NULL else { return nil }
        return unsafe sqlite3_column_int64(handle, place)
    }

    /// The next column as a number; 0 for NULL.
    public mutating func int64() -> Int64 { unsafe sqlite3_column_int64(handle, takeColumn()) }

    /// The next column as text, NUL characters included; nil for NULL.
    public mutating func optionalText() -> String? {
        let place = takeColumn()
        // The text first: asking for it may convert, and only then is the length right.
        guard let start = unsafe sqlite3_column_text(handle, place) else { return nil }
        let count = Int(unsafe sqlite3_column_bytes(handle, place))
        return unsafe String(
            decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
    }

    /// The next column as text; empty for NULL.
    public mutating func text() -> String { optionalText() ?? "" }

    /// The next column as bytes; nil for NULL.
    public mutating func optionalBytes() -> [UInt8]? {
        let place = takeColumn()
        guard unsafe sqlite3_column_type(handle, place) != SQLITE_NULL else { return nil }
        guard let start = unsafe sqlite3_column_blob(handle, place) else { return [] }
        let count = Int(unsafe sqlite3_column_bytes(handle, place))
        return unsafe [UInt8](UnsafeRawBufferPointer(start: start, count: count))
    }

    /// The next column as bytes; none for NULL.
    public mutating func bytes() -> [UInt8] { optionalBytes() ?? [] }

    private mutating func takeColumn() -> Int32 {
        precondition(nextColumn < columns, "the row has no such column")
        defer { nextColumn += 1 }
        return nextColumn
    }

    private func check(_ code: Int32) throws(SQLiteError) {
        guard code != SQLITE_OK else { return }
        throw failure(code)
    }

    private func failure(_ code: Int32) -> SQLiteError {
        unsafe SQLiteError(
            code: code, message: SQLiteDatabase.message(sqlite3_db_handle(handle), code))
    }
}
