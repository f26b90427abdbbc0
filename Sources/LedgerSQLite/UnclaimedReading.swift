import AppStoreModel
import SQLiteDriver
import TillLedger

extension LedgerConnection {
    /// Transactions of an app that nobody owns, by the numbers of its books.
    mutating func unclaimed(
        of app: BundleID, after place: TransactionReference?, limit: Int
    ) throws(SQLiteError) -> [UnclaimedTransaction] {
        let books = try database.withStatement(
            "SELECT book_id FROM books WHERE bundle_id = ? ORDER BY book_id"
        ) { statement throws(SQLiteError) in
            try statement.bind(app.rawValue)
            var books: [Int64] = []
            while try statement.step() { books.append(statement.int64()) }
            return books
        }
        var start: Int64 = 0
        if let place {
            guard let book = try bookID(place.book) else { return [] }
            start = book
        }
        var found: [UnclaimedTransaction] = []
        for number in books where number >= start && found.count < limit {
            let after = number == start ? place?.id.rawValue ?? "" : ""
            let book = try book(number)
            for transaction in try unclaimed(in: number, after: after, limit - found.count) {
                found.append(UnclaimedTransaction(book: book, transaction: transaction))
            }
        }
        return found
    }

    private mutating func unclaimed(
        in book: Int64, after id: String, _ limit: Int
    ) throws(SQLiteError) -> [RecordedTransaction] {
        let sql = """
            SELECT \(Columns.transaction)
            FROM transactions INDEXED BY transactions_unclaimed
            WHERE book_id = ? AND holder_id IS NULL AND transaction_id > ?
            ORDER BY transaction_id LIMIT ?
            """
        return try database.withStatement(sql) { statement throws(SQLiteError) in
            try statement.bind(book)
            try statement.bind(id)
            try statement.bind(Int64(limit))
            var found: [RecordedTransaction] = []
            while try statement.step() { found.append(try statement.transaction()) }
            return found
        }
    }

    /// Every introductory offer that a customer has or had.
    mutating func introductoryOffers(
        of customer: CustomerID
    ) throws(SQLiteError) -> [IntroductoryOfferUse] {
        var found: [IntroductoryOfferUse] = []
        for name in try everyName(of: customer).all {
            for (number, use) in try introductoryRows(of: name) {
                found.append(use(try book(number)))
            }
        }
        return found
    }

    /// The originals with which a customer took a group's introductory offer, in one book.
    mutating func introductoryUses(
        of customer: CustomerID, _ groups: Set<SubscriptionGroupID>, in book: Int64
    ) throws(SQLiteError) -> [SubscriptionGroupID: Set<TransactionID>] {
        let here = try self.book(book)
        var found: [SubscriptionGroupID: Set<TransactionID>] = [:]
        for name in try everyName(of: customer).all {
            for (number, use) in try introductoryRows(of: name) where number == book {
                let use = use(here)
                guard let group = use.groupID, groups.contains(group) else { continue }
                found[group, default: []].insert(use.originalID)
            }
        }
        return found
    }

    private mutating func introductoryRows(
        of name: CustomerID
    ) throws(SQLiteError) -> [(Int64, (Book) -> IntroductoryOfferUse)] {
        // A person has few transactions; those of one whom another has followed lie in an index of their own.
        let sql = """
            SELECT t.book_id, max(o.subscription_group_id), t.product_id, t.transaction_id,
                t.original_transaction_id, t.purchase_date_ms
            FROM (
                SELECT book_id, transaction_id FROM transactions WHERE holder_id = ?1
                UNION
                SELECT book_id, transaction_id FROM transactions
                WHERE customer_id = ?1 AND holder_id <> customer_id) mine
            JOIN transactions t USING (book_id, transaction_id)
            JOIN observations o USING (book_id, transaction_id)
            GROUP BY t.book_id, t.transaction_id HAVING max(o.offer_type = ?2) = 1
            """
        return try database.withStatement(sql) { statement throws(SQLiteError) in
            try statement.bind(name.rawValue)
            try statement.bind(OfferType.introductory.rawValue)
            var found: [(Int64, (Book) -> IntroductoryOfferUse)] = []
            while try statement.step() {
                let book = statement.int64()
                let group = statement.optionalText().map { SubscriptionGroupID($0) }
                let product = ProductID(statement.text())
                let id = TransactionID(statement.text())
                let original = TransactionID(statement.text())
                let date = statement.time()
                found.append(
                    (
                        book,
                        {
                            IntroductoryOfferUse(
                                book: $0, groupID: group, productID: product, transactionID: id,
                                originalID: original, purchaseDate: date)
                        }
                    ))
            }
            return found
        }
    }
}
