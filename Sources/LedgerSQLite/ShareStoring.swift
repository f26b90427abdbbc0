import AppStoreModel
import SQLiteDriver
import TillLedger

extension LedgerConnection {
    mutating func append(_ share: Share, in book: Int64) throws(SQLiteError) {
        let sql = """
            INSERT INTO shares (book_id, original_transaction_id, number, customer_id, since_ms)
            VALUES (?, ?, ?, ?, ?)
            """
        try database.run(sql) { statement throws(SQLiteError) in
            try statement.bind(book)
            try statement.bind(share.originalID.rawValue)
            try statement.bind(Int64(share.number))
            try statement.bind(share.customer.rawValue)
            try statement.bind(share.since.milliseconds)
        }
        moment.hasShares = true
    }

    /// Who shares an original; none for nobody.
    mutating func shares(
        _ book: Int64, _ original: TransactionID
    ) throws(SQLiteError) -> [Share] {
        guard try hasShares() else { return [] }
        let sql = """
            SELECT number, customer_id, since_ms FROM shares
            WHERE book_id = ? AND original_transaction_id = ? ORDER BY number
            """
        return try database.withStatement(sql) { statement throws(SQLiteError) in
            try statement.bind(book)
            try statement.bind(original.rawValue)
            var found: [Share] = []
            while try statement.step() {
                found.append(
                    Share(
                        originalID: original, number: Int(statement.int64()),
                        customer: try statement.word("one who shares"),
                        since: statement.time()))
            }
            return found
        }
    }

    /// The original transactions that a customer shares.
    mutating func sharedOriginals(
        _ customer: CustomerID
    ) throws(SQLiteError) -> Set<OriginalRow> {
        guard try hasShares() else { return [] }
        let sql = "SELECT book_id, original_transaction_id FROM shares WHERE customer_id = ?"
        return try database.withStatement(sql) { statement throws(SQLiteError) in
            try statement.bind(customer.rawValue)
            return try statement.originals()
        }
    }

    /// What is shared and is no period of a subscription.
    func sharedPlaces(_ originals: Set<OriginalRow>) -> [PlaceRow] {
        // Of an original that is bought once there is one key.
        originals.map {
            PlaceRow(book: $0.book, key: GrantKey(rawValue: "once/\($0.id)"))
        }
    }
}

/// An original transaction by its book's number.
struct OriginalRow: Hashable {
    let book: Int64
    let id: TransactionID
}

extension SQLiteStatement {
    mutating func originals() throws(SQLiteError) -> Set<OriginalRow> {
        var originals: Set<OriginalRow> = []
        while try step() {
            originals.insert(OriginalRow(book: int64(), id: TransactionID(text())))
        }
        return originals
    }
}
