import SQLiteDriver
import TillLedger

extension LedgerError {
    /// What a call after the end is told.
    static let closed = LedgerError(.closed, "the ledger was closed")

    /// What a refusal of SQLite means for the ledger.
    init(_ error: SQLiteError) {
        let code: Code =
            switch error.kind {
            case .busy: .busy
            case .full: .full
            case .readOnly: .readOnly
            case .corrupt, .notADatabase: .damaged
            case .cannotOpen: .cannotOpen
            case .inputOutput: .inputOutput
            case .constraint, .tooBig, .other: .unexpected
            }
        self.init(code, error.description)
    }
}

extension SQLiteDatabase {
    /// Does something with the database, and says in the ledger's terms what went wrong.
    mutating func ledgerCall<Value>(
        _ body: (inout SQLiteDatabase) throws(SQLiteError) -> Value
    ) throws(LedgerError) -> Value {
        do {
            return try body(&self)
        } catch {
            throw LedgerError(error)
        }
    }
}
