import AppStoreModel
import SQLiteDriver
import TillLedger

extension LedgerConnection {
    /// Reads what is recorded about a customer.
    mutating func customer(
        _ id: CustomerID, limit: Int
    ) throws(SQLiteError) -> CustomerFacts {
        var facts = try holdings(of: id, limit: limit)
        for name in facts.names {
            facts.orders += try orders(name, limit)
            facts.refusals += try refusals(name, limit)
        }
        if facts.names.count > 1 { facts.joinNames(limit: limit) }
        return facts
    }

    /// Reads a customer's purchases and wallet.
    mutating func holdings(
        of id: CustomerID, limit: Int
    ) throws(SQLiteError) -> CustomerFacts {
        guard let facts = try holdings(of: id, limit: limit, within: Int.max) else {
            throw .unreadable("a customer of endless purchases")
        }
        return facts
    }

    /// Reads a customer's purchases and wallet.
    ///
    /// - Parameters:
    ///   - id: The customer.
    ///   - limit: The most purchases that are no subscription's and entitle to nothing.
    ///   - most: The most purchases at all.
    ///   - outcome: What is known to be recorded, and need not be read.
    /// - Returns: What the customer has; nil when there are more purchases.
    /// - Throws: What keeps the database from being read.
    mutating func holdings(
        of id: CustomerID, limit: Int, within most: Int, knowing outcome: FactSnapshot? = nil
    ) throws(SQLiteError) -> CustomerFacts? {
        let names = try everyName(of: id).all
        let asked = min(limit, most) + (most < limit ? 1 : 0)
        // Whether the newest purchases are all that there are.
        var isWhole = true
        var places: [PlaceRow] = []
        var seen: Set<PlaceRow> = []
        var facts = CustomerFacts()
        facts.customer = names[0]
        facts.names = Set(names)
        var shared: Set<OriginalRow> = []
        for name in names {
            let newest = try newestPlaces(name, asked)
            guard newest.count <= most else { return nil }
            for place in newest where seen.insert(place).inserted { places.append(place) }
            if newest.count == asked {
                isWhole = false
                for place in try lastingPlaces(name) where seen.insert(place).inserted {
                    places.append(place)
                }
            }
            let originals = try sharedOriginals(name)
            shared.formUnion(originals)
            for place in sharedPlaces(originals) where seen.insert(place).inserted {
                places.append(place)
            }
            guard places.count <= most else { return nil }
            facts.balances += try balances(name)
            facts.promotions += try promotions(of: name)
        }
        var originals = shared
        for place in places {
            let purchase = try purchase(place, knowing: outcome)
            guard let first = purchase.transactions.first else { continue }
            facts.purchases.append(purchase)
            guard place.key.isPeriod else { continue }
            originals.insert(OriginalRow(book: place.book, id: first.originalID))
        }
        if !isWhole {
            for name in names { originals.formUnion(try subscriptions(of: name)) }
        }
        for (original, subscription) in try subscriptions(originals, knowing: facts.purchases) {
            facts.subscriptions.append(subscription)
            for period in subscription.purchases
            where shared.contains(original) || period.isHeld(by: facts.names) {
                guard seen.insert(PlaceRow(book: original.book, key: period.key)).inserted else {
                    continue
                }
                facts.purchases.append(period)
            }
        }
        if names.count > 1 { facts.joinNames(limit: limit) }
        return facts
    }

    private mutating func purchase(
        _ place: PlaceRow, knowing outcome: FactSnapshot?
    ) throws(SQLiteError) -> PurchaseFacts {
        if let outcome, let known = outcome.purchase(place.key, in: try book(place.book)) {
            return known
        }
        return try purchase(place)
    }

    /// Everything about one purchase but its wallet entries.
    mutating func purchase(_ place: PlaceRow) throws(SQLiteError) -> PurchaseFacts {
        let transactions = try transactions(place.book, place.key)
        var found: [Observation] = []
        for transaction in transactions {
            found += try observations(place.book, transaction.id)
        }
        let grant = try grant(place.book, place.key)
        return PurchaseFacts(
            book: try book(place.book), key: place.key, transactions: transactions,
            observations: found, grant: grant,
            changes: grant == nil ? [] : try changes(place.book, place.key))
    }

    private mutating func newestPlaces(
        _ customer: CustomerID, _ limit: Int
    ) throws(SQLiteError) -> [PlaceRow] {
        // In the order of the index, which needs no sorting.
        let sql = """
            SELECT book_id, grant_key FROM transactions WHERE holder_id = ?
            ORDER BY purchase_date_ms DESC, book_id DESC, transaction_id DESC LIMIT ?
            """
        return try database.withStatement(sql) { statement throws(SQLiteError) in
            try statement.bind(customer.rawValue)
            try statement.bind(Int64(limit))
            return try statement.places()
        }
    }

    /// What entitles a customer to something and is no period of a subscription.
    private mutating func lastingPlaces(
        _ customer: CustomerID
    ) throws(SQLiteError) -> [PlaceRow] {
        let sql = """
            SELECT book_id, grant_key FROM grants INDEXED BY lasting_grants
            WHERE holder_id = ? AND entitlements <> '[]' AND grant_key < 'period/'
            """
        return try database.withStatement(sql) { statement throws(SQLiteError) in
            try statement.bind(customer.rawValue)
            return try statement.places()
        }
    }

    private mutating func balances(_ customer: CustomerID) throws(SQLiteError) -> [Balance] {
        let sql = "SELECT book_id, currency, amount, debt FROM balances WHERE customer_id = ?"
        let rows = try database.withStatement(sql) { statement throws(SQLiteError) in
            try statement.bind(customer.rawValue)
            var rows: [(book: Int64, currency: WalletCurrency, amount: Int64, debt: Int64)] = []
            while try statement.step() {
                rows.append(
                    (
                        statement.int64(), WalletCurrency(statement.text()), statement.int64(),
                        statement.int64()
                    ))
            }
            return rows
        }
        var balances: [Balance] = []
        for row in rows {
            balances.append(
                Balance(
                    book: try book(row.book), currency: row.currency, amount: row.amount,
                    debt: row.debt))
        }
        return balances
    }

    private mutating func orders(
        _ customer: CustomerID, _ limit: Int
    ) throws(SQLiteError) -> [OrderFacts] {
        let sql = """
            SELECT order_id FROM orders WHERE customer_id = ?
            ORDER BY opened_at_ms DESC, order_id DESC LIMIT ?
            """
        let ids = try database.withStatement(sql) { statement throws(SQLiteError) in
            try statement.bind(customer.rawValue)
            try statement.bind(Int64(limit))
            var ids: [OrderID] = []
            while try statement.step() { ids.append(try statement.word("an order's id")) }
            return ids
        }
        var orders: [OrderFacts] = []
        for id in ids {
            if let order = try order(id) { orders.append(order) }
        }
        return orders
    }

    private mutating func refusals(
        _ customer: CustomerID, _ limit: Int
    ) throws(SQLiteError) -> [BookedRefusal] {
        let sql = """
            SELECT book_id, transaction_id, reason, at_ms FROM refusals WHERE customer_id = ?
            ORDER BY at_ms DESC, transaction_id DESC LIMIT ?
            """
        let rows = try database.withStatement(sql) { statement throws(SQLiteError) in
            try statement.bind(customer.rawValue)
            try statement.bind(Int64(limit))
            var rows: [(book: Int64, refusal: RecordedRefusal)] = []
            while try statement.step() {
                let book = statement.int64()
                let refusal = RecordedRefusal(
                    transactionID: TransactionID(statement.text()), customer: customer,
                    reason: try statement.word("a reason"), at: statement.time())
                rows.append((book, refusal))
            }
            return rows
        }
        var refusals: [BookedRefusal] = []
        for row in rows {
            refusals.append(BookedRefusal(book: try book(row.book), refusal: row.refusal))
        }
        return refusals
    }
}

/// A purchase by its book's number.
struct PlaceRow: Hashable {
    let book: Int64
    let key: GrantKey
}

extension SQLiteStatement {
    mutating func places() throws(SQLiteError) -> [PlaceRow] {
        var places: [PlaceRow] = []
        while try step() {
            places.append(PlaceRow(book: int64(), key: GrantKey(rawValue: text())))
        }
        return places
    }
}
