import AppStoreModel
import SQLiteDriver
import TillLedger

extension LedgerConnection {
    /// Reads purchases with their wallet entries, in the order of their books' numbers and keys.
    mutating func purchases(
        after place: PurchasePlace?, limit: Int
    ) throws(SQLiteError) -> [PurchaseFacts] {
        var start = PlaceRow(book: 0, key: GrantKey(rawValue: ""))
        if let place {
            guard let book = try bookID(place.book) else { return [] }
            start = PlaceRow(book: book, key: place.key)
        }
        let sql = """
            SELECT DISTINCT book_id, grant_key FROM transactions
            WHERE (book_id, grant_key) > (?, ?) ORDER BY book_id, grant_key LIMIT ?
            """
        let places = try database.withStatement(sql) { statement throws(SQLiteError) in
            try statement.bind(start.book)
            try statement.bind(start.key.rawValue)
            try statement.bind(Int64(limit))
            return try statement.places()
        }
        var purchases: [PurchaseFacts] = []
        for place in places {
            var purchase = try purchase(place)
            purchase.entries = try entries(place)
            if let original = purchase.transactions.first?.originalID {
                purchase.owners = try owners(place.book, original)
            }
            purchases.append(purchase)
        }
        return purchases
    }

    mutating func entries(_ place: PlaceRow) throws(SQLiteError) -> [WalletEntry] {
        let sql = """
            SELECT customer_id, currency, amount, debt, turn, at_ms FROM wallet_entries
            WHERE book_id = ? AND grant_key = ? ORDER BY turn, currency
            """
        return try database.withStatement(sql) { statement throws(SQLiteError) in
            try statement.bind(place.book)
            try statement.bind(place.key.rawValue)
            var entries: [WalletEntry] = []
            while try statement.step() {
                entries.append(
                    WalletEntry(
                        customer: try statement.word("a wallet's customer"),
                        currency: WalletCurrency(statement.text()), amount: statement.int64(),
                        debt: statement.int64(), key: place.key, turn: Int(statement.int64()),
                        at: statement.time()))
            }
            return entries
        }
    }
}
