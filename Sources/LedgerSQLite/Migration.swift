import SQLiteDriver
import TillLedger

extension SQLiteDatabase {
    /// Makes sure that the file is a ledger in the present form, bringing an empty or older one there.
    ///
    /// A file that is something else, or that a newer program wrote, is left as it is.
    mutating func bringUpToDate(
        _ steps: [LedgerSchema.Step] = LedgerSchema.steps
    ) throws(LedgerError) {
        let isEmpty = try checkKind()
        try ledgerCall { database throws(SQLiteError) in
            let mode = try database.text("PRAGMA journal_mode = WAL")
            guard mode == "wal" || mode == "memory" else {
                throw SQLiteError(code: 8, message: "write-ahead logging is not possible here")
            }
            try database.execute("BEGIN IMMEDIATE")
        }
        do throws(LedgerError) {
            try takeSteps(steps, isEmpty: isEmpty)
            try ledgerCall { database throws(SQLiteError) in try database.execute("COMMIT") }
        } catch {
            if isInTransaction { try? execute("ROLLBACK") }
            throw error
        }
    }

    /// Whether the file is empty; anything but an empty file and a ledger is refused.
    private mutating func checkKind() throws(LedgerError) -> Bool {
        let kind = try ledgerCall { database throws(SQLiteError) in
            (
                tables: try database.number("SELECT count(*) FROM sqlite_schema") ?? 0,
                application: try database.number("PRAGMA application_id") ?? 0
            )
        }
        if kind.application == LedgerSchema.applicationID { return false }
        guard kind.tables == 0, kind.application == 0 else {
            throw LedgerError(.foreign, "the file is a database of another program")
        }
        return true
    }

    private mutating func takeSteps(
        _ steps: [LedgerSchema.Step], isEmpty: Bool
    ) throws(LedgerError) {
        // Looked up again under the lock: another process may have been first.
        let version = try ledgerCall { database throws(SQLiteError) in
            Int(try database.number("PRAGMA user_version") ?? 0)
        }
        guard version <= steps.count else {
            throw LedgerError(
                .newer,
                "the database has form \(version), and this program knows \(steps.count)")
        }
        try checkHistory(steps.prefix(version))
        guard version < steps.count else { return }
        try ledgerCall { database throws(SQLiteError) in
            if version == 0 {
                try database.execute(
                    """
                    PRAGMA application_id = \(LedgerSchema.applicationID);
                    CREATE TABLE schema_steps (
                        number INTEGER PRIMARY KEY,
                        name TEXT NOT NULL,
                        checksum TEXT NOT NULL
                    ) STRICT;
                    """)
            }
            for (place, step) in steps.enumerated().dropFirst(version) {
                try database.execute(step.sql)
                try database.run("INSERT INTO schema_steps VALUES (?, ?, ?)") {
                    statement throws(SQLiteError) in
                    try statement.bind(Int64(place + 1))
                    try statement.bind(step.name)
                    try statement.bind(step.checksum)
                }
            }
            try database.execute("PRAGMA user_version = \(steps.count)")
        }
    }

    /// Compares the steps that made the database with those that this program knows.
    private mutating func checkHistory(
        _ steps: ArraySlice<LedgerSchema.Step>
    ) throws(LedgerError) {
        guard !steps.isEmpty else { return }
        let recorded = try ledgerCall { database throws(SQLiteError) in
            try database.withStatement("SELECT checksum FROM schema_steps ORDER BY number") {
                statement throws(SQLiteError) in
                var checksums: [String] = []
                while try statement.step() { checksums.append(statement.text()) }
                return checksums
            }
        }
        guard recorded == steps.map(\.checksum) else {
            throw LedgerError(
                .foreign, "the database was made by steps that this program does not know")
        }
    }
}
