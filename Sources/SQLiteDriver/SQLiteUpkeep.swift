import CSQLite

extension SQLiteDatabase {
    /// The version of the library in use, such as `3.40.1`.
    public static var libraryVersion: String {
        unsafe sqlite3_libversion().map { unsafe String(cString: $0) } ?? ""
    }

    /// Whether something else, or nothing, is where the file was when it was opened: what is written goes
    /// into a file that nobody finds again.
    ///
    /// See `SQLITE_FCNTL_HAS_MOVED` in <https://sqlite.org/c3ref/c_fcntl_begin_atomic_write.html>; it
    /// compares the file's number with that of its path.
    public func hasMoved() throws(SQLiteError) -> Bool {
        var hasMoved: Int32 = 0
        let code = unsafe sqlite3_file_control(handle, "main", SQLITE_FCNTL_HAS_MOVED, &hasMoved)
        guard code == SQLITE_OK else { throw failure(code) }
        return hasMoved != 0
    }

    /// Moves everything from the write-ahead log into the file, and empties the log.
    ///
    /// - Returns: False when readers kept it from finishing; the rest follows later by itself.
    public mutating func checkpoint() throws(SQLiteError) -> Bool {
        try number("PRAGMA wal_checkpoint(TRUNCATE)") == 0
    }

    /// Writes a consistent copy of the database into a new file, while others go on using it.
    ///
    /// - Throws: `cannotOpen` or `other` when the file exists and is not empty.
    public mutating func backUp(to path: String) throws(SQLiteError) {
        // VACUUM INTO takes an expression, so the path is bound and never part of the text.
        try run("VACUUM INTO ?1") { statement throws(SQLiteError) in try statement.bind(path) }
    }

    /// Looks for damage in the file.
    ///
    /// - Returns: What is damaged, at most a hundred lines; none when all is well. Takes time in proportion
    ///   to the size of the database.
    public mutating func damage() throws(SQLiteError) -> [String] {
        do {
            return try withStatement("PRAGMA integrity_check(100)") {
                statement throws(SQLiteError) in
                var lines: [String] = []
                while try statement.step() { lines.append(statement.text()) }
                return lines == ["ok"] ? [] : lines
            }
        } catch  where error.kind == .corrupt || error.kind == .notADatabase {
            // Some damage keeps SQLite from looking any further.
            return [error.message]
        }
    }
}
