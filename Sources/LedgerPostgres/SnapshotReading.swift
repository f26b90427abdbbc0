import AppStoreModel
import PostgresDriver
import TillLedger

/// Reads what a decision needs: statements to send, and how to understand what they give.
struct SnapshotReading {
    private(set) var queries: [PostgresQuery] = []
    private let query: FactQuery
    private let books: [Int64: Book]
    private let purchases: PurchaseReading?
    private var readers: [(PostgresRows, inout FactSnapshot) throws(PostgresError) -> Void] = []

    /// - Parameters:
    ///   - query: What is wanted.
    ///   - bookIDs: The numbers of the books; of one without a number, nothing is recorded.
    init(_ query: FactQuery, bookIDs: [Book: Int64]) {
        self.query = query
        var keys = PurchaseKeys()
        var books: [Int64: Book] = [:]
        for (book, wanted) in query.books {
            guard let id = bookIDs[book] else { continue }
            books[id] = book
            keys.add(wanted, id)
        }
        self.books = books
        purchases =
            keys.isEmpty ? nil : PurchaseReading(places: keys.sql, keys.parameters, .entries)
        if let purchases { queries += purchases.queries }
        readNames()
        readOwners(bookIDs)
        readShares(bookIDs)
        readNews(bookIDs)
        readRefusals(bookIDs)
        readIntroductoryOffers()
        readBalances(keys)
        readWallet(bookIDs)
        readOrders(keys)
        if let key = query.idempotency { readAnswer(key) }
    }

    /// Puts the snapshot together out of what the statements gave, in their order.
    func snapshot(_ results: ArraySlice<PostgresRows>) throws(PostgresError) -> FactSnapshot {
        var results = results
        var snapshot = FactSnapshot()
        for book in query.books.keys { snapshot.books[book] = BookFacts() }
        if let purchases {
            let count = purchases.queries.count
            for (place, found) in try purchases.found(results.prefix(count)) {
                snapshot.include(found, place.key)
            }
            results = results.dropFirst(count)
        }
        for (reader, rows) in zip(readers, results) {
            while rows.step() { try reader(rows, &snapshot) }
        }
        return snapshot
    }

    /// Adds a statement, and what each of its rows means.
    private mutating func read(
        _ sql: String, _ parameters: [PostgresValue],
        _ reader: @escaping (PostgresRows, inout FactSnapshot) throws(PostgresError) -> Void
    ) {
        queries.append(PostgresQuery(sql, parameters))
        readers.append(reader)
    }

    /// All names of those whom the query names.
    private mutating func readNames() {
        let customers = query.everyCustomer
        guard !customers.isEmpty else { return }
        let names = NameReading.query(customers)
        read(names.sql, names.parameters) { rows, snapshot throws(PostgresError) in
            snapshot.names.include(try rows.alias())
        }
    }

    // MARK: Books

    private mutating func readOwners(_ bookIDs: [Book: Int64]) {
        for (book, wanted) in query.books where !wanted.originals.isEmpty {
            guard let id = bookIDs[book] else { continue }
            let sql = """
                SELECT DISTINCT ON (original_transaction_id)
                    \(Columns.of("owners", Columns.owner)) FROM owners
                WHERE book_id = $1 AND original_transaction_id = ANY ($2::text[])
                ORDER BY original_transaction_id, number DESC
                """
            read(sql, [.int64(id), .words(wanted.originals.map(\.rawValue))]) {
                rows, snapshot throws(PostgresError) in
                let owner = try rows.owner()
                snapshot.books[book]?.owners[owner.originalID] = owner
            }
        }
    }

    /// Who shares what nobody owns or somebody else than the viewer.
    private mutating func readShares(_ bookIDs: [Book: Int64]) {
        for (book, wanted) in query.books where !wanted.originals.isEmpty {
            guard let id = bookIDs[book] else { continue }
            let sql = """
                SELECT \(Columns.of("shares", Columns.share)) FROM shares
                WHERE book_id = $1 AND original_transaction_id = ANY ($2::text[])
                ORDER BY original_transaction_id, number
                """
            read(sql, [.int64(id), .words(wanted.originals.map(\.rawValue))]) {
                rows, snapshot throws(PostgresError) in
                let share = try rows.share()
                let owner = snapshot.books[book]?.owners[share.originalID]?.customer
                guard owner == nil || (wanted.viewer != nil && owner != wanted.viewer) else {
                    return
                }
                snapshot.books[book]?.shares[share.originalID, default: []].append(share)
            }
        }
    }

    /// What Apple said of renewals, and its notifications.
    private mutating func readNews(_ bookIDs: [Book: Int64]) {
        for (book, wanted) in query.books {
            guard let id = bookIDs[book] else { continue }
            let renewals = wanted.renewals.union(wanted.subscriptions)
            if !renewals.isEmpty {
                let sql = """
                    SELECT \(Columns.of("renewals", Columns.renewal)) FROM renewals
                    WHERE book_id = $1 AND original_transaction_id = ANY ($2::text[])
                    ORDER BY original_transaction_id, number
                    """
                read(sql, [.int64(id), .words(renewals.map(\.rawValue))]) {
                    rows, snapshot throws(PostgresError) in
                    let renewal = try rows.renewal()
                    snapshot.books[book]?.renewals[renewal.originalID, default: []]
                        .append(renewal)
                }
            }
            if !wanted.subscriptions.isEmpty {
                let sql = """
                    SELECT original_transaction_id, number, told FROM subscription_tales
                    WHERE book_id = $1 AND original_transaction_id = ANY ($2::text[])
                    """
                read(sql, [.int64(id), .words(wanted.subscriptions.map(\.rawValue))]) {
                    rows, snapshot throws(PostgresError) in
                    let original = TransactionID(rows.word())
                    snapshot.books[book]?.tales[original] = SubscriptionTale(
                        originalID: original, number: Int(rows.int64()), text: rows.word())
                }
            }
            guard !wanted.notifications.isEmpty else { continue }
            let sql = """
                SELECT \(Columns.of("n", Columns.notification))
                FROM unnest($2::text[]) AS w (name)
                JOIN notifications n ON n.notification_id = w.name AND n.book_id = $1
                """
            read(sql, [.int64(id), .words(wanted.notifications.map(\.rawValue))]) {
                rows, snapshot throws(PostgresError) in
                let notification = try rows.notification()
                snapshot.books[book]?.notifications[notification.id] = notification
            }
        }
    }

    /// The originals with which the viewers took their groups' introductory offers.
    private mutating func readIntroductoryOffers() {
        for (book, wanted) in query.books where !wanted.introductoryGroups.isEmpty {
            guard let customer = wanted.viewer, books.values.contains(book) else { continue }
            let reading = IntroductoryReading.query(customer)
            read(reading.sql, reading.parameters) { rows, snapshot throws(PostgresError) in
                let use = IntroductoryReading.use(rows)
                guard use.book == book, let group = use.groupID,
                    wanted.introductoryGroups.contains(group)
                else { return }
                snapshot.books[book]?.introductoryUses[group, default: []].insert(use.originalID)
            }
        }
    }

    private mutating func readRefusals(_ bookIDs: [Book: Int64]) {
        for (book, wanted) in query.books where !wanted.transactions.isEmpty {
            guard let id = bookIDs[book], let customer = wanted.viewer else { continue }
            // `|| ''` keeps the planner from all refusals that the customer was ever shown.
            let sql = """
                SELECT transaction_id, reason FROM refusals
                WHERE book_id = $1 AND transaction_id = ANY ($2::text[])
                    AND customer_id || '' = $3
                """
            read(
                sql,
                [
                    .int64(id), .words(wanted.transactions.map(\.rawValue)),
                    .word(customer.rawValue),
                ]
            ) { rows, snapshot throws(PostgresError) in
                let shown = ShownRefusal(
                    transactionID: TransactionID(rows.word()), reason: try rows.word("a reason"))
                snapshot.books[book]?.refusals.insert(shown)
            }
        }
    }

    // MARK: Wallets

    /// What those have, under all names, whom the purchases credited.
    private mutating func readBalances(_ keys: PurchaseKeys) {
        guard query.books.values.contains(where: \.includesBalances), !keys.isEmpty else { return }
        let books = books
        let included = query.books.filter(\.value.includesBalances)
        let sql = """
            WITH RECURSIVE places AS (\(keys.sql)), credited AS (
                SELECT g.book_id, g.customer_id FROM places JOIN grants g USING (book_id, grant_key)
                WHERE g.credits <> '{}'),
            \(NameReading.list(of: "SELECT customer_id FROM credited"))
            SELECT w.book_id, w.customer_id, w.currency, w.amount
            FROM (SELECT DISTINCT book_id FROM credited) here CROSS JOIN names
            JOIN balances w ON w.customer_id = names.name AND w.book_id = here.book_id
            """
        read(sql, keys.parameters) { rows, snapshot throws(PostgresError) in
            let book = books[rows.int64()]
            let customer: CustomerID = try rows.word("a wallet's customer")
            let currency = WalletCurrency(rows.word())
            guard let book, included[book] != nil else { return }
            snapshot.books[book]?.balances[customer, default: [:]][currency] = rows.int64()
        }
    }

    /// One wallet with one movement in it, and one promotional grant; under all names.
    private mutating func readWallet(_ bookIDs: [Book: Int64]) {
        if let place = query.wallet, let id = bookIDs[place.book] {
            let customer = PostgresValue.word(place.customer.rawValue)
            let names = NameReading.list(ofParameter: 1)
            let balances = """
                WITH RECURSIVE \(names)
                SELECT w.currency, w.amount
                FROM names JOIN balances w ON w.customer_id = names.name WHERE w.book_id = $2
                """
            read(balances, [customer, .int64(id)]) { rows, snapshot throws(PostgresError) in
                let currency = WalletCurrency(rows.word())
                snapshot.wallet.balances[currency, default: 0] += rows.int64()
            }
            // By its name, and not by way of all movements of the customer.
            let movement = """
                WITH RECURSIVE \(names)
                SELECT m.customer_id, \(PostgresRows.movementColumns)
                FROM names JOIN wallet_movements m ON m.customer_id || '' = names.name
                WHERE m.movement_id = $2 AND m.book_id = $3
                """
            read(movement, [customer, .word(place.id.rawValue), .int64(id)]) {
                rows, snapshot throws(PostgresError) in
                let place = MovementPlace(
                    book: place.book, customer: try rows.word("a wallet's customer"), id: place.id)
                snapshot.wallet.movement = try rows.movement(at: place)
            }
        }
        if let place = query.promotion, let id = bookIDs[place.book] {
            let promotion = """
                WITH RECURSIVE \(NameReading.list(ofParameter: 1))
                SELECT \(PostgresRows.promotionColumns)
                FROM names JOIN promotions p ON p.customer_id = names.name
                JOIN books b USING (book_id)
                WHERE p.book_id = $2 AND p.promotion_id = $3
                """
            read(
                promotion,
                [.word(place.customer.rawValue), .int64(id), .word(place.id.rawValue)]
            ) { rows, snapshot throws(PostgresError) in
                snapshot.promotion = try rows.promotion()
            }
        }
    }

    // MARK: Orders and answers

    private mutating func readOrders(_ keys: PurchaseKeys) {
        guard !query.orders.isEmpty || query.unpaidOrders != nil || !keys.isEmpty else { return }
        let wanted = (query.unpaidOrders?.products ?? [:]).flatMap { bundleID, products in
            products.map { (bundleID.rawValue, $0.rawValue) }
        }
        let parameters =
            keys.parameters + [
                .words(query.orders.map(\.rawValue)),
                .word(query.unpaidOrders?.customer.rawValue),
                .words(wanted.map(\.0)), .words(wanted.map(\.1)),
            ]
        // Those named, those that the purchases paid, and the customer's newest unpaid ones.
        let ids = """
            WITH RECURSIVE places AS (\(keys.sql)), \(NameReading.list(ofParameter: 11)), ids AS (
                SELECT unnest($10::text[]) AS order_id
                UNION
                SELECT t.order_id FROM places JOIN transactions t USING (book_id, grant_key)
                WHERE t.order_id IS NOT NULL
                UNION
                SELECT u.order_id
                FROM names CROSS JOIN unnest($12::text[], $13::text[]) AS w (bundle_id, product_id)
                CROSS JOIN LATERAL (
                    SELECT o.order_id FROM unpaid_orders o
                    WHERE o.customer_id = names.name AND o.bundle_id = w.bundle_id
                        AND o.product_id = w.product_id
                    ORDER BY o.opened_at_ms DESC, o.order_id DESC
                    LIMIT \(FactQuery.mostUnpaidOrders)) u)
            """
        read(
            "\(ids) SELECT \(Columns.of("o", Columns.order)) FROM ids JOIN orders o USING (order_id)",
            parameters
        ) {
            rows, snapshot throws(PostgresError) in
            let order = try rows.order()
            snapshot.orders[order.id] = OrderFacts(order: order)
        }
        let sql = """
            \(ids)
            SELECT \(OrderEvents.columns) FROM ids JOIN order_events e USING (order_id)
            LEFT JOIN books b USING (book_id) ORDER BY e.number
            """
        read(sql, parameters) { rows, snapshot throws(PostgresError) in
            let event = try rows.event()
            snapshot.orders[event.orderID]?.events.append(event)
        }
    }

    private mutating func readAnswer(_ key: IdempotencyKey) {
        let sql = """
            SELECT input_digest, answer, at_ms FROM idempotent_answers
            WHERE caller = $1 AND key = $2
            """
        read(sql, [.word(key.caller), .word(key.key)]) { rows, snapshot throws(PostgresError) in
            guard
                let known = IdempotencyKey(
                    caller: key.caller, key: key.key, input: rows.bytes())
            else { return }
            snapshot.answer = StoredAnswer(key: known, answer: rows.word(), at: rows.time())
        }
    }
}

/// The columns of an order's event as ``PostgresRows/event()`` reads them.
enum OrderEvents {
    static let columns =
        "e.order_id, e.number, e.kind, e.at_ms, e.transaction_id, "
        + Columns.of("b", Columns.book)
}

/// The purchases that a query names: by their keys, by their transactions, and by originals that nobody
/// owns or somebody else than the one who looks.
private struct PurchaseKeys {
    private var grants: [(Int64, String)] = []
    private var transactions: [(Int64, String)] = []
    private var originals: [(Int64, original: String, viewer: String)] = []
    private var subscriptions: [(Int64, String)] = []

    mutating func add(_ query: BookQuery, _ book: Int64) {
        grants += query.grants.map { (book, $0.rawValue) }
        transactions += query.transactions.map { (book, $0.rawValue) }
        let viewer = query.viewer?.rawValue ?? ""
        originals += query.originals.map { (book, original: $0.rawValue, viewer: viewer) }
        subscriptions += query.subscriptions.map { (book, $0.rawValue) }
    }

    var isEmpty: Bool {
        grants.isEmpty && transactions.isEmpty && originals.isEmpty && subscriptions.isEmpty
    }

    let sql = """
        SELECT book_id, grant_key
        FROM unnest($1::bigint[], $2::text[]) AS named (book_id, grant_key)
        UNION
        SELECT t.book_id, t.grant_key
        FROM unnest($3::bigint[], $4::text[]) AS seen (book_id, transaction_id)
        JOIN transactions t USING (book_id, transaction_id)
        UNION
        SELECT t.book_id, t.grant_key
        FROM unnest($5::bigint[], $6::text[], $7::text[])
            AS traced (book_id, original_transaction_id, viewer)
        JOIN transactions t USING (book_id, original_transaction_id)
        WHERE coalesce(
            (SELECT traced.viewer <> '' AND o.customer_id <> traced.viewer FROM owners o
                WHERE o.book_id = traced.book_id
                    AND o.original_transaction_id = traced.original_transaction_id
                ORDER BY o.number DESC LIMIT 1), true)
        UNION
        SELECT t.book_id, t.grant_key
        FROM unnest($8::bigint[], $9::text[]) AS subscribed (book_id, original_transaction_id)
        CROSS JOIN LATERAL (
            SELECT p.book_id, p.grant_key FROM transactions p
            WHERE p.original_transaction_id = subscribed.original_transaction_id
                AND p.book_id = subscribed.book_id
                AND p.grant_key >= 'period/' AND p.grant_key < 'period0'
            ORDER BY p.purchase_date_ms DESC LIMIT \(DecidingPeriods.forTelling)) t
        """

    var parameters: [PostgresValue] {
        [
            .int64s(grants.map(\.0)), .words(grants.map(\.1)), .int64s(transactions.map(\.0)),
            .words(transactions.map(\.1)), .int64s(originals.map(\.0)),
            .words(originals.map(\.original)), .words(originals.map(\.viewer)),
            .int64s(subscriptions.map(\.0)), .words(subscriptions.map(\.1)),
        ]
    }
}

extension FactSnapshot {
    fileprivate mutating func include(_ found: PurchaseReading.Found, _ key: GrantKey) {
        for transaction in found.transactions {
            books[found.book]?.include(transaction)
            books[found.book]?.observations[transaction.id] =
                found.observations[transaction.id] ?? []
        }
        guard let grant = found.grant else { return }
        books[found.book]?.grants[key] = grant
        if !grant.credits.isEmpty { books[found.book]?.entries[key] = found.entries }
        if !found.changes.isEmpty { books[found.book]?.changes[key] = found.changes }
    }
}
