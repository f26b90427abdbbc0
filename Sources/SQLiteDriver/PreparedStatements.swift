import CSQLite

/// A prepared statement, given back to SQLite when nobody holds it.
@safe final class PreparedStatement {
    let sql: String
    let handle: OpaquePointer
    /// Whether somebody binds, steps or reads it just now.
    var isLent = false

    init(sql: String, handle: OpaquePointer) {
        self.sql = sql
        unsafe self.handle = handle
    }

    deinit { unsafe sqlite3_finalize(handle) }
}

/// Prepared statements by their text.
///
/// Hashing a text costs more than running some of the statements. Few texts have the same length, and
/// two strings over the same storage, as a literal is at every use, are seen to be equal at a glance.
struct PreparedStatements {
    private static let lengths = 1_024
    private var byLength = [[PreparedStatement]](repeating: [], count: lengths)

    /// The statement of a text.
    func find(_ sql: String) -> PreparedStatement? {
        for known in byLength[Self.place(sql)] where known.sql == sql { return known }
        return nil
    }

    /// What was prepared so far.
    var texts: [String] { byLength.flatMap { $0.map(\.sql) } }

    /// Keeps a statement, whose text must not be there yet.
    mutating func keep(_ statement: PreparedStatement) {
        byLength[Self.place(statement.sql)].append(statement)
    }

    private static func place(_ sql: String) -> Int { sql.utf8.count % lengths }
}
