import SQLiteDriver
import TillLedger

extension LedgerWriter {
    /// Finds out, in turn, whether something could be written.
    nonisolated func checkWriting() async throws(LedgerError) {
        try await alone { connection throws(LedgerError) in try connection.checkWriting() }
    }
}

extension LedgerConnection {
    /// How long what reached the disk tells that the disk takes more.
    private static let proofLasts: Duration = .seconds(10)

    fileprivate mutating func checkWriting() throws(LedgerError) {
        do throws(LedgerError) {
            try beginWriting()
            do throws(SQLiteError) { try writeAndRemove() } catch { throw LedgerError(error) }
        } catch {
            provenAt = nil
            throw error
        }
    }

    /// Begins a transaction that writes, unless the file is no longer the one that others find.
    ///
    /// What is committed into a file that was moved, replaced or deleted is gone with the process, though apps
    /// were told to finish it. To look costs one call of the system.
    mutating func beginWriting() throws(LedgerError) {
        let hasMoved = try database.ledgerCall { database throws(SQLiteError) in
            try database.hasMoved()
        }
        if hasMoved {
            throw LedgerError(
                .cannotOpen, "the database's file was moved, replaced or deleted while in use")
        }
        try database.ledgerCall { database throws(SQLiteError) in
            try database.run("BEGIN IMMEDIATE")
        }
        moment = Moment()
    }

    /// Writes a row that needs pages of its own, and removes it again.
    ///
    /// Mostly it is undone before it reaches the disk, which costs the line next to nothing however often
    /// somebody asks. But a disk that is full, or takes nothing more, refuses only what reaches it.
    private mutating func writeAndRemove() throws(SQLiteError) {
        try database.run(
            """
            INSERT INTO proofs (digest, kind, bytes, received_at_ms)
            VALUES (zeroblob(32), 'check', zeroblob(16384), 0)
            """)
        if let provenAt, provenAt.duration(to: .now) < Self.proofLasts {
            return try database.run("ROLLBACK")
        }
        try database.run("DELETE FROM proofs WHERE digest = zeroblob(32)")
        try database.run("COMMIT")
        provenAt = .now
    }
}
