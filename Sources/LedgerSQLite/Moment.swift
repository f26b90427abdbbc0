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
    /// Whether anybody was ever given something without a purchase.
    var hasPromotions: Bool?
    /// The orders that the last decision read.
    var orders: [OrderID: Order] = [:]
}

extension LedgerConnection {
    /// Whether any name has another.
    mutating func hasAliases() throws(SQLiteError) -> Bool {
        try isThere(
            \.hasAliases, "SELECT EXISTS (SELECT 1 FROM aliases WHERE customer_id >= '')")
    }

    /// Whether any transaction is nobody's.
    mutating func hasUnclaimed() throws(SQLiteError) -> Bool {
        try isThere(
            \.hasUnclaimed, "SELECT EXISTS (SELECT 1 FROM transactions WHERE holder_id IS NULL)")
    }

    /// Whether there is any promotional grant.
    mutating func hasPromotions() throws(SQLiteError) -> Bool {
        try isThere(
            \.hasPromotions, "SELECT EXISTS (SELECT 1 FROM promotions WHERE customer_id >= '')")
    }

    /// Whether any purchase is shared.
    mutating func hasShares() throws(SQLiteError) -> Bool {
        try isThere(\.hasShares, "SELECT EXISTS (SELECT 1 FROM shares WHERE book_id >= 0)")
    }

    /// Looks once a transaction, as most ledgers have none of it.
    private mutating func isThere(
        _ known: WritableKeyPath<Moment, Bool?>, _ sql: String
    ) throws(SQLiteError) -> Bool {
        if let known = moment[keyPath: known] { return known }
        let found = try database.number(sql) == 1
        moment[keyPath: known] = found
        return found
    }
}
