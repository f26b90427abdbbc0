import PostgresDriver
import TillLedger

/// What was found in a piece of a list.
struct DerivedPiece: Sendable {
    var found: [Discrepancy] = []
    /// What puts it right, within a transaction that has the ledger to itself.
    var repairs: [PostgresQuery] = []
    /// Behind which key the next piece begins; nil when there is none.
    var end: [PostgresValue]?
}

/// Comparing a piece at a time: no statement takes long, however many rows there are. What belongs together
/// is recorded in one transaction, so each piece is right by itself.
extension Session {
    /// Compares a piece of a list with the facts, as of one moment.
    mutating func piece(
        of list: DerivedList, after place: [PostgresValue]?
    ) throws(PostgresError) -> DerivedPiece {
        _ = try run([Self.begin, DerivedReading.plans])
        let piece = try openPiece(of: list, after: place)
        _ = try run([PostgresQuery("COMMIT")])
        return piece
    }

    /// Compares a piece once more, with the ledger to itself, and puts it right; within a transaction.
    mutating func repairPiece(
        of list: DerivedList, after place: [PostgresValue]?
    ) throws(PostgresError) -> [Discrepancy] {
        _ = try run([try locks().takingWhole, DerivedReading.plans])
        let piece = try openPiece(of: list, after: place)
        _ = try run(piece.repairs)
        return piece.found
    }

    private mutating func openPiece(
        of list: DerivedList, after place: [PostgresValue]?
    ) throws(PostgresError) -> DerivedPiece {
        if list == .balances { return try wallets(after: place ?? [.word("")]) }
        let reading = DerivedReading(list, after: place)
        let rows = try run([reading.query])[0]
        return reading.piece(rows)
    }

    private mutating func wallets(
        after place: [PostgresValue]
    ) throws(PostgresError) -> DerivedPiece {
        let ends = try run([DerivedReading.endOfWallets(after: place)])[0]
        let end = ends.step() ? ends.optionalText() : nil
        let parameters = place + (end.map { [.text($0)] } ?? [])
        let rows = try run([DerivedReading.wallets(parameters)])[0]
        var piece = DerivedPiece(end: end.map { [.text($0)] })
        while rows.step() {
            piece.found.append(
                Discrepancy(
                    subject: rows.word(), recorded: rows.text(), expected: rows.text()))
        }
        if !piece.found.isEmpty { piece.repairs = DerivedReading.walletsAnew(parameters) }
        return piece
    }
}

/// A statement that reads a piece of a list, and what its rows mean.
struct DerivedReading {
    /// Rows that are looked at together.
    static let size = 1_000

    /// A piece is read in the order of its key: sorted instead, everything behind it would be read too.
    static let plans = PostgresQuery(
        """
        SELECT set_config(name, 'off', true)
        FROM unnest(ARRAY['enable_sort', 'enable_bitmapscan']) AS name
        """)

    let query: PostgresQuery
    private let list: DerivedList

    init(_ list: DerivedList, after place: [PostgresValue]?) {
        self.list = list
        let (sql, start): (String, [PostgresValue]) =
            switch list {
            case .orders: (Self.orders, [.word("")])
            case .unpaidOrders:
                (Self.unpaid, [.word(""), .word(""), .word(""), .int64(.min), .word("")])
            case .owedOrders: (Self.owed, [.word("")])
            case .holders: (Self.holders, [.int64(0), .word("")])
            case .balances: preconditionFailure("balances are read by their customers")
            }
        query = PostgresQuery(sql, place ?? start)
    }

    /// Puts together what the statement gave.
    func piece(_ rows: PostgresRows) -> DerivedPiece {
        var piece = DerivedPiece()
        var last: [PostgresValue]?
        while rows.step() {
            switch list {
            case .orders: last = piece.addOrder(rows)
            case .unpaidOrders: last = piece.addUnpaid(rows)
            case .owedOrders: last = piece.addOwed(rows)
            case .holders, .balances: last = piece.addHolder(rows)
            }
        }
        piece.end = rows.count < Self.size ? nil : last
        return piece
    }

    // MARK: Orders

    static let unpaidColumns = "customer_id, bundle_id, product_id, opened_at_ms, order_id"

    private static let orders = """
        SELECT o.order_id, coalesce(e.is_paid, false), coalesce(e.is_closed, false), u.is_listed,
            w.is_owed
        FROM (SELECT * FROM orders WHERE order_id > $1 ORDER BY order_id LIMIT \(size)) o
        CROSS JOIN LATERAL (
            SELECT bool_or(kind = 'paid') AS is_paid,
                bool_or(kind IN ('fulfilled', 'refunded')) AS is_closed
            FROM order_events WHERE order_id = o.order_id) e
        CROSS JOIN LATERAL (
            SELECT count(*) > 0 AS is_listed FROM unpaid_orders u
            WHERE u.customer_id = o.customer_id AND u.bundle_id = o.bundle_id
                AND u.product_id = o.product_id AND u.opened_at_ms = o.opened_at_ms
                AND u.order_id = o.order_id) u
        CROSS JOIN LATERAL (
            SELECT count(*) > 0 AS is_owed FROM owed_orders WHERE order_id = o.order_id) w
        ORDER BY o.order_id
        """

    private static let unpaid = """
        SELECT \(unpaidColumns), o.is_order
        FROM (SELECT * FROM unpaid_orders
            WHERE (\(unpaidColumns)) > ($1, $2, $3, $4, $5)
            ORDER BY \(unpaidColumns) LIMIT \(size)) u
        CROSS JOIN LATERAL (
            SELECT count(*) > 0 AS is_order FROM orders o
            WHERE o.order_id = u.order_id AND o.customer_id || '' = u.customer_id
                AND o.bundle_id = u.bundle_id AND o.product_id = u.product_id
                AND o.opened_at_ms = u.opened_at_ms) o
        ORDER BY \(unpaidColumns)
        """

    private static let owed = """
        SELECT w.order_id, o.is_order
        FROM (SELECT * FROM owed_orders WHERE order_id > $1 ORDER BY order_id LIMIT \(size)) w
        CROSS JOIN LATERAL (
            SELECT count(*) > 0 AS is_order FROM orders o WHERE o.order_id = w.order_id) o
        ORDER BY w.order_id
        """

    // MARK: Holders

    private static let holders = """
        SELECT g.book_id, g.grant_key, g.holder_id, t.holder_id
        FROM (SELECT * FROM grants WHERE (book_id, grant_key) > ($1, $2)
            ORDER BY book_id, grant_key LIMIT \(size)) g
        CROSS JOIN LATERAL (
            SELECT max(holder_id) AS holder_id FROM transactions
            WHERE transaction_id = g.transaction_id AND book_id = g.book_id) t
        ORDER BY g.book_id, g.grant_key
        """

    // MARK: Balances

    /// The customer with whom a piece ends; NULL when it is the last.
    static func endOfWallets(after place: [PostgresValue]) -> PostgresQuery {
        let far = ["wallet_entries", "wallet_movements", "balances"].map { table in
            """
            (SELECT customer_id FROM \(table) WHERE customer_id > $1
                ORDER BY customer_id LIMIT 1 OFFSET \(size))
            """
        }
        return PostgresQuery(
            "SELECT min(customer_id) FROM (\(far.joined(separator: " UNION ALL "))) far", place)
    }

    /// Compares the wallets of customers after the first parameter, and up to the second if there is one.
    static func wallets(_ parameters: [PostgresValue]) -> PostgresQuery {
        PostgresQuery(
            """
            WITH sums AS (\(sums(parameters))),
            recorded AS (SELECT * FROM balances WHERE \(range(parameters)))
            SELECT 'balance of ' || customer_id || ' in ' || currency || ' of book ' || book_id,
                coalesce(\(text("b")), 'nothing'), coalesce(\(text("s")), 'nothing')
            FROM recorded b FULL JOIN sums s USING (customer_id, book_id, currency)
            WHERE b.amount IS DISTINCT FROM s.amount OR b.debt IS DISTINCT FROM s.debt
            ORDER BY 1
            """, parameters)
    }

    static func walletsAnew(_ parameters: [PostgresValue]) -> [PostgresQuery] {
        [
            PostgresQuery("DELETE FROM balances WHERE \(range(parameters))", parameters),
            PostgresQuery(
                """
                INSERT INTO balances (customer_id, book_id, currency, amount, debt)
                \(sums(parameters))
                """, parameters),
        ]
    }

    private static func range(_ parameters: [PostgresValue]) -> String {
        parameters.count == 1 ? "customer_id > $1" : "customer_id > $1 AND customer_id <= $2"
    }

    private static func sums(_ parameters: [PostgresValue]) -> String {
        """
        SELECT customer_id, book_id, currency, sum(amount) AS amount, sum(debt) AS debt
        FROM (
            SELECT customer_id, book_id, currency, amount, debt FROM wallet_entries
            WHERE \(range(parameters))
            UNION ALL
            SELECT customer_id, book_id, currency, amount, 0 FROM wallet_movements
            WHERE \(range(parameters))) moved
        GROUP BY customer_id, book_id, currency
        """
    }

    private static func text(_ table: String) -> String {
        """
        \(table).amount || CASE WHEN \(table).debt = 0 THEN '' ELSE ' and debt ' || \(table).debt END
        """
    }
}

extension DerivedPiece {
    /// Takes in a row; gives its key.
    fileprivate mutating func addOrder(_ rows: PostgresRows) -> [PostgresValue] {
        let key = rows.text()
        let listing = OrderListing(
            order: StoredText.read(key), isPaid: rows.int64() == 1, isClosed: rows.int64() == 1,
            isListed: rows.int64() == 1, isOwed: rows.int64() == 1)
        let more = listing.discrepancies
        if !more.isEmpty {
            found += more
            repairs += Self.relisting.map { PostgresQuery($0, [.text(key)]) }
        }
        return [.text(key)]
    }

    /// What enters one order anew into the lists where it belongs.
    private static let relisting = [
        """
        DELETE FROM unpaid_orders WHERE (\(DerivedReading.unpaidColumns)) IN (
            SELECT \(DerivedReading.unpaidColumns) FROM orders WHERE order_id = $1)
        """,
        """
        INSERT INTO unpaid_orders (\(DerivedReading.unpaidColumns))
            SELECT \(DerivedReading.unpaidColumns) FROM orders
            WHERE order_id = $1 AND NOT EXISTS (
                SELECT 1 FROM order_events WHERE order_id = $1 AND kind = 'paid')
        """,
        "DELETE FROM owed_orders WHERE order_id = $1",
        """
        INSERT INTO owed_orders (order_id)
            SELECT order_id FROM order_events
            WHERE order_id = $1 AND kind = 'paid' AND NOT EXISTS (
                SELECT 1 FROM order_events
                WHERE order_id = $1 AND kind IN ('fulfilled', 'refunded'))
        """,
    ]

    fileprivate mutating func addUnpaid(_ rows: PostgresRows) -> [PostgresValue] {
        var key: [PostgresValue] = [
            .text(rows.text()), .text(rows.text()), .text(rows.text()), .int64(rows.int64()),
        ]
        let order = rows.text()
        key.append(.text(order))
        if rows.int64() == 0 {
            found.append(OrderListing.stranger(StoredText.read(order), in: .unpaidOrders))
            repairs.append(
                PostgresQuery(
                    """
                    DELETE FROM unpaid_orders
                    WHERE customer_id = $1 AND bundle_id = $2 AND product_id = $3
                        AND opened_at_ms = $4 AND order_id = $5
                    """, key))
        }
        return key
    }

    fileprivate mutating func addOwed(_ rows: PostgresRows) -> [PostgresValue] {
        let order = rows.text()
        if rows.int64() == 0 {
            found.append(OrderListing.stranger(StoredText.read(order), in: .owedOrders))
            repairs.append(
                PostgresQuery("DELETE FROM owed_orders WHERE order_id = $1", [.text(order)]))
        }
        return [.text(order)]
    }

    fileprivate mutating func addHolder(_ rows: PostgresRows) -> [PostgresValue] {
        let (book, grant) = (rows.int64(), rows.text())
        let (recorded, expected) = (rows.text(), rows.optionalText())
        let key: [PostgresValue] = [.int64(book), .text(grant)]
        guard recorded != expected else { return key }
        found.append(
            Discrepancy(
                subject: "holder of the grant \(StoredText.read(grant)) of book \(book)",
                recorded: StoredText.read(recorded),
                expected: expected.map(StoredText.read) ?? "nobody"))
        if let expected {
            // Whose a grant is whose transaction is nobody's cannot be told.
            repairs.append(
                PostgresQuery(
                    "UPDATE grants SET holder_id = $3 WHERE book_id = $1 AND grant_key = $2",
                    key + [.text(expected)]))
        }
        return key
    }
}
