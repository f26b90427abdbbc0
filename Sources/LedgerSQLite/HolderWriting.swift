import AppStoreModel
import SQLiteDriver
import TillLedger

extension LedgerConnection {
    /// Gives a transaction that nobody owns its customer; throws a duplicate key when somebody does.
    mutating func append(_ claim: Claim, in book: Int64) throws(SQLiteError) {
        let sql = """
            UPDATE transactions
            SET customer_id = ?1, holder_id = ?1, binding = ?2, order_id = ?3, claimed_at_ms = ?4
            WHERE book_id = ?5 AND transaction_id = ?6 AND holder_id IS NULL
            """
        try database.run(sql) { statement throws(SQLiteError) in
            try statement.bind(claim.customer.rawValue)
            try statement.bind(claim.binding.rawValue)
            try statement.bind(claim.orderID?.rawValue)
            try statement.bind(claim.at.milliseconds)
            try statement.bind(book)
            try statement.bind(claim.transactionID.rawValue)
        }
        guard database.changedRows == 1 else {
            throw .duplicateKey("a transaction that was claimed already")
        }
    }

    /// Gives what was recorded of an original to its new owner.
    mutating func hand(_ ownership: Ownership, in book: Int64) throws(SQLiteError) {
        for range in ownership.originalID.purchaseKeys {
            let transactions = """
                UPDATE transactions SET holder_id = ?
                WHERE book_id = ? AND grant_key >= ? AND grant_key < ?
                    AND holder_id IS NOT NULL AND owner_number < ?
                """
            try database.run(transactions) { statement throws(SQLiteError) in
                try statement.bind(ownership.customer.rawValue)
                try statement.bind(book)
                try statement.bind(range.lowerBound)
                try statement.bind(range.upperBound)
                try statement.bind(Int64(ownership.number))
            }
            let grants = """
                UPDATE grants SET holder_id = ?
                WHERE book_id = ? AND grant_key >= ? AND grant_key < ?
                """
            try database.run(grants) { statement throws(SQLiteError) in
                try statement.bind(ownership.customer.rawValue)
                try statement.bind(book)
                try statement.bind(range.lowerBound)
                try statement.bind(range.upperBound)
            }
        }
    }

    /// Every purchase of an original transaction that is known.
    mutating func purchases(
        ofOriginal id: TransactionID, in book: Int64
    ) throws(SQLiteError) -> Set<GrantKey> {
        var keys: Set<GrantKey> = []
        for range in id.purchaseKeys {
            let sql = """
                SELECT grant_key FROM transactions INDEXED BY transactions_by_purchase
                WHERE book_id = ? AND grant_key >= ? AND grant_key < ?
                """
            try database.withStatement(sql) { statement throws(SQLiteError) in
                try statement.bind(book)
                try statement.bind(range.lowerBound)
                try statement.bind(range.upperBound)
                while try statement.step() {
                    keys.insert(GrantKey(rawValue: statement.text()))
                }
            }
        }
        return keys
    }
}
