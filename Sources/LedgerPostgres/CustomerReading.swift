import AppStoreModel
import PostgresDriver
import TillLedger

/// Reads what is recorded about a customer whose places were found.
struct CustomerReading {
    let queries: [PostgresQuery]
    private let places: CustomerPlaces.Found
    private let limit: Int
    private let purchases: PurchaseReading

    /// - Parameters:
    ///   - places: What is the customer's.
    ///   - limit: The most orders and refusals.
    ///   - isWhole: Whether orders and refusals are wanted too.
    init(_ places: CustomerPlaces.Found, limit: Int, isWhole: Bool) {
        self.places = places
        self.limit = limit
        let periods = places.periods.flatMap { original, periods in
            periods.keys.map { PlaceRow(book: original.book, key: $0) }
        }
        let wanted = Array(places.held.union(periods))
        purchases = PurchaseReading(
            places: "SELECT * FROM unnest($1::bigint[], $2::text[]) AS p (book_id, grant_key)",
            [.int64s(wanted.map(\.book)), .words(wanted.map(\.key.rawValue))], .nothingMore)
        let names = PostgresValue.words(places.names.map(\.rawValue))
        let subscriptions = Array(places.periods.keys)
        let book = Columns.of("b", Columns.book)
        var queries =
            purchases.queries + [
                PostgresQuery(
                    """
                    SELECT r.book_id, \(Columns.of("r", Columns.renewal))
                    FROM unnest($1::bigint[], $2::text[]) AS s (book_id, original_transaction_id)
                    CROSS JOIN LATERAL (
                        SELECT max(m.signed_at_ms) AS time FROM renewals m
                        WHERE m.book_id = s.book_id
                            AND m.original_transaction_id = s.original_transaction_id) last
                    JOIN renewals r ON r.book_id = s.book_id
                        AND r.original_transaction_id = s.original_transaction_id
                        AND r.signed_at_ms = last.time
                    ORDER BY r.number
                    """,
                    [
                        .int64s(subscriptions.map(\.book)),
                        .words(subscriptions.map(\.id.rawValue)),
                    ]),
                PostgresQuery(
                    """
                    SELECT \(book), w.currency, w.amount, w.debt
                    FROM unnest($1::text[]) AS n (name)
                    JOIN balances w ON w.customer_id = n.name JOIN books b USING (book_id)
                    """, [names]),
                PostgresQuery(
                    """
                    SELECT \(PostgresRows.promotionColumns)
                    FROM unnest($1::text[]) AS n (name)
                    JOIN promotions p ON p.customer_id = n.name JOIN books b USING (book_id)
                    """, [names]),
            ]
        if isWhole { queries += Self.history(names, limit) }
        self.queries = queries
    }

    private static func history(_ names: PostgresValue, _ limit: Int) -> [PostgresQuery] {
        let parameters = [names, .int64(Int64(limit))]
        let newest = """
            WITH newest AS (
                SELECT o.* FROM unnest($1::text[]) AS n (name) CROSS JOIN LATERAL (
                    SELECT * FROM orders WHERE customer_id = n.name
                    ORDER BY opened_at_ms DESC, order_id DESC LIMIT $2) o)
            """
        return [
            PostgresQuery(
                """
                \(newest) SELECT \(Columns.of("newest", Columns.order)) FROM newest
                ORDER BY opened_at_ms DESC, order_id DESC
                """, parameters),
            PostgresQuery(
                """
                \(newest)
                SELECT \(OrderEvents.columns) FROM newest
                JOIN order_events e USING (order_id) LEFT JOIN books b USING (book_id)
                ORDER BY e.number
                """, parameters),
            PostgresQuery(
                """
                SELECT \(Columns.of("b", Columns.book)), r.transaction_id, r.customer_id, r.reason,
                    r.at_ms
                FROM unnest($1::text[]) AS n (name) CROSS JOIN LATERAL (
                    SELECT * FROM refusals WHERE customer_id = n.name
                    ORDER BY at_ms DESC, transaction_id DESC LIMIT $2) r
                JOIN books b USING (book_id) ORDER BY r.at_ms DESC, r.transaction_id DESC
                """, parameters),
        ]
    }

    /// Puts the facts together out of what the statements gave, in their order.
    ///
    /// Nil where the periods that were read do not decide.
    func facts(_ results: ArraySlice<PostgresRows>) throws(PostgresError) -> CustomerFacts? {
        let count = purchases.queries.count
        let found = try purchases.found(results.prefix(count))
        let rest = Array(results.dropFirst(count))
        let names = Set(places.names)
        var held = places.held
        for (original, periods) in places.periods {
            let mine = periods.keys.map { PlaceRow(book: original.book, key: $0) }
            held.formUnion(
                places.shared.contains(original)
                    ? mine
                    : mine.filter {
                        found[$0]?.transactions.contains {
                            $0.holder.map(names.contains) == true
                        } == true
                    })
        }
        let purchases = held.compactMap { found[$0]?.facts($0.key) }
        var facts = CustomerFacts(purchases: purchases.sorted(by: Self.isNewer))
        facts.customer = places.customer
        facts.names = names
        for (original, subscription) in try subscriptions(found, rest[0]) {
            guard let read = places.periods[original], subscription.isDecided(by: read) else {
                return nil
            }
            facts.subscriptions.append(subscription)
        }
        let (balances, promotions) = (rest[1], rest[2])
        while balances.step() {
            facts.balances.append(
                Balance(
                    book: balances.book(), currency: WalletCurrency(balances.word()),
                    amount: balances.int64(), debt: balances.int64()))
        }
        while promotions.step() { facts.promotions.append(try promotions.promotion()) }
        if rest.count == 6 {
            facts.orders = try Self.orders(rest[3], rest[4])
            let refusals = rest[5]
            while refusals.step() { facts.refusals.append(try refusals.refusal()) }
        }
        if places.names.count > 1 { facts.joinNames(limit: limit) }
        return facts
    }

    private func subscriptions(
        _ found: [PlaceRow: PurchaseReading.Found], _ rows: PostgresRows
    ) throws(PostgresError) -> [(OriginalRow, SubscriptionFacts)] {
        var renewals: [OriginalRow: [RenewalObservation]] = [:]
        while rows.step() {
            let book = rows.int64()
            let renewal = try rows.renewal()
            renewals[OriginalRow(book: book, id: renewal.originalID), default: []].append(renewal)
        }
        return places.periods.compactMap { original, periods in
            let purchases = periods.keys.sorted().compactMap {
                found[PlaceRow(book: original.book, key: $0)]?.facts($0)
            }
            guard let book = purchases.first?.book else { return nil }
            let subscription = SubscriptionFacts(
                book: book, originalID: original.id, purchases: purchases,
                renewals: renewals[original] ?? [])
            return (original, subscription)
        }
    }

    private static func isNewer(_ left: PurchaseFacts, _ right: PurchaseFacts) -> Bool {
        guard let leftDate = left.transactions.first?.purchaseDate,
            let rightDate = right.transactions.first?.purchaseDate
        else { return false }
        return (leftDate, left.key) > (rightDate, right.key)
    }

    /// Puts orders and their events together.
    static func orders(
        _ orders: PostgresRows, _ events: PostgresRows
    ) throws(PostgresError) -> [OrderFacts] {
        var eventsOf: [OrderID: [OrderEvent]] = [:]
        while events.step() {
            let event = try events.event()
            eventsOf[event.orderID, default: []].append(event)
        }
        var found: [OrderFacts] = []
        while orders.step() {
            let order = try orders.order()
            found.append(OrderFacts(order: order, events: eventsOf[order.id] ?? []))
        }
        return found
    }
}

extension PostgresRows {
    /// A refusal; its columns are book, transaction, customer, reason, time.
    fileprivate func refusal() throws(PostgresError) -> BookedRefusal {
        let book = book()
        let refusal = RecordedRefusal(
            transactionID: TransactionID(word()), customer: try word("a refusal's customer"),
            reason: try word("a reason"), at: time())
        return BookedRefusal(book: book, refusal: refusal)
    }
}

extension Session {
    /// Reads what is recorded about a customer, orders and refusals too or not, as of one moment.
    mutating func customer(
        _ id: CustomerID, limit: Int, isWhole: Bool
    ) throws(PostgresError) -> CustomerFacts {
        var count = DecidingPeriods.first
        while true {
            let places = CustomerPlaces(id, limit: limit, count: count)
            let found = try places.found(try run([Self.begin] + places.queries).dropFirst())
            let reading = CustomerReading(found, limit: limit, isWhole: isWhole)
            let results = try run(reading.queries + [PostgresQuery("COMMIT")])
            // Seldom nothing: where so much was refunded in a row that nothing of the newest counts.
            if let facts = try reading.facts(results.dropLast()) { return facts }
            count *= DecidingPeriods.growth
        }
    }
}

/// Reads one order.
struct OrderReading {
    let queries: [PostgresQuery]

    init(_ id: OrderID) {
        queries = [
            PostgresQuery(
                "SELECT \(Columns.of("o", Columns.order)) FROM orders o WHERE o.order_id = $1",
                [.word(id.rawValue)]),
            PostgresQuery(
                """
                SELECT \(OrderEvents.columns) FROM order_events e LEFT JOIN books b USING (book_id)
                WHERE e.order_id = $1 ORDER BY e.number
                """, [.word(id.rawValue)]),
        ]
    }

    func facts(_ results: [PostgresRows]) throws(PostgresError) -> OrderFacts? {
        try CustomerReading.orders(results[0], results[1]).first
    }
}
