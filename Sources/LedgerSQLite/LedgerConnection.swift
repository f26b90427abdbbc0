import AppStoreModel
import SQLiteDriver
import TillLedger

/// A connection to a ledger's database, with what is worth remembering between two uses of it.
struct LedgerConnection: ~Copyable {
    var database: SQLiteDatabase
    private var bookIDs: [Book: Int64] = [:]
    private var booksByID: [Int64: Book] = [:]
    var goods = GoodsText()
    var headers = ProofHeaders()
    var moment = Moment()
    /// When a check last saw something reach the disk; nil after a fault.
    var provenAt: ContinuousClock.Instant?

    private init(_ database: consuming SQLiteDatabase) { self.database = database }

    /// Opens the file for the one who writes, and brings its tables up to date.
    static func writing(
        _ path: String, options: SQLiteLedgerStore.Options
    ) throws(LedgerError) -> LedgerConnection {
        var database = try opened(path, .create, options)
        try database.bringUpToDate()
        try database.ledgerCall { database throws(SQLiteError) in
            // A commit is answered only when it is on the disk, so the log is synced at each.
            try database.execute(
                """
                PRAGMA synchronous = FULL;
                PRAGMA wal_autocheckpoint = 8000;
                PRAGMA journal_size_limit = 67108864;
                PRAGMA cache_size = -65536;
                PRAGMA temp_store = MEMORY;
                """)
            if let pages = options.mostPages {
                try database.execute("PRAGMA max_page_count = \(pages)")
            }
        }
        return LedgerConnection(database)
    }

    /// Opens the file for one who reads.
    static func reading(
        _ path: String, options: SQLiteLedgerStore.Options
    ) throws(LedgerError) -> LedgerConnection {
        var database = try opened(path, .readWrite, options)
        try database.ledgerCall { database throws(SQLiteError) in
            try database.execute(
                "PRAGMA query_only = ON; PRAGMA cache_size = -16384; PRAGMA temp_store = MEMORY")
        }
        return LedgerConnection(database)
    }

    private static func opened(
        _ path: String, _ access: SQLiteDatabase.Access, _ options: SQLiteLedgerStore.Options
    ) throws(LedgerError) -> SQLiteDatabase {
        do {
            return try SQLiteDatabase(
                path: path, access: access, busyTimeout: options.busyTimeout)
        } catch {
            throw LedgerError(error)
        }
    }

    // MARK: Books

    /// The number of a book; nil when nothing was ever recorded in it.
    mutating func bookID(_ book: Book) throws(SQLiteError) -> Int64? {
        if let known = bookIDs[book] { return known }
        let sql =
            "SELECT book_id FROM books WHERE bundle_id = ? AND environment = ? AND anchor = ?"
        let found = try database.number(sql) { statement throws(SQLiteError) in
            try statement.bind(book.bundleID.rawValue)
            try statement.bind(book.environment.rawValue)
            try statement.bind(book.anchor ?? "")
        }
        if let found { remember(book, found) }
        return found
    }

    /// The number of a book, which is entered if it is new.
    mutating func enteredBookID(_ book: Book) throws(SQLiteError) -> Int64 {
        if let known = try bookID(book) { return known }
        try database.run("INSERT INTO books (bundle_id, environment, anchor) VALUES (?, ?, ?)") {
            statement throws(SQLiteError) in
            try statement.bind(book.bundleID.rawValue)
            try statement.bind(book.environment.rawValue)
            try statement.bind(book.anchor ?? "")
        }
        let made = database.lastInsertedRow
        remember(book, made)
        return made
    }

    /// The book of a number.
    mutating func book(_ id: Int64) throws(SQLiteError) -> Book {
        if let known = booksByID[id] { return known }
        let sql = "SELECT bundle_id, environment, anchor FROM books WHERE book_id = ?"
        let book = try database.withStatement(sql) { statement throws(SQLiteError) -> Book in
            try statement.bind(id)
            guard try statement.step() else {
                throw SQLiteError(code: 11, message: "a row names a book that is not there")
            }
            let bundleID = BundleID(statement.text())
            let environment = AppStoreEnvironment(rawValue: statement.text())
            let anchor = statement.text()
            return Book(
                bundleID: bundleID, environment: environment,
                anchor: anchor.isEmpty ? nil : anchor)
        }
        remember(book, id)
        return book
    }

    private mutating func remember(_ book: Book, _ id: Int64) {
        bookIDs[book] = id
        booksByID[id] = book
    }

    // MARK: Forgetting

    /// Forgets numbers of rows that a rollback may have undone.
    mutating func forgetUndone() {
        bookIDs = [:]
        booksByID = [:]
        headers = ProofHeaders()
        moment = Moment()
    }
}
