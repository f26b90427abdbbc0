import SQLiteDriver
import TillLedger

/// What was found out about the database since the open transaction began: nobody else can change it
/// until the transaction ends.
struct Moment {
    /// Whether two names were ever merged, or one erased; nil while nobody has looked.
    var hasAliases: Bool?
    /// Whether a purchase was ever shared.
    var hasShares: Bool?
    /// Whether a transaction waits for somebody to own it.
    var hasUnclaimed: Bool?
    /// The orders that the last decision read.
    var orders: [OrderID: Order] = [:]
}

extension LedgerConnection {
    /// Whether any name has another; looked up once a transaction, as most ledgers know none.
    mutating func hasAliases() throws(SQLiteError) -> Bool {
        if let known = moment.hasAliases { return known }
        let found =
            try database.number(
                "SELECT EXISTS (SELECT 1 FROM aliases WHERE customer_id >= '')") == 1
        moment.hasAliases = found
        return found
    }

    /// Whether any transaction is nobody's.
    mutating func hasUnclaimed() throws(SQLiteError) -> Bool {
        if let known = moment.hasUnclaimed { return known }
        let found =
            try database.number(
                "SELECT EXISTS (SELECT 1 FROM transactions WHERE holder_id IS NULL)") == 1
        moment.hasUnclaimed = found
        return found
    }

    /// Whether any purchase is shared.
    mutating func hasShares() throws(SQLiteError) -> Bool {
        if let known = moment.hasShares { return known }
        let found =
            try database.number(
                "SELECT EXISTS (SELECT 1 FROM shares WHERE book_id >= 0)") == 1
        moment.hasShares = found
        return found
    }
}
