import AppStoreModel
import SQLiteDriver
import TillLedger

/// What was found in a piece of a list.
struct DerivedPiece: Sendable {
    var found: [Discrepancy] = []
    /// Behind which key the next piece begins; nil when there is none.
    var end: RowKey?
}

/// Comparing a piece at a time: nobody waits long behind an audit of millions of rows, and little of it is
/// in memory. What belongs together is recorded in one transaction, so each piece is right by itself.
extension LedgerConnection {
    /// Rows that are looked at together.
    private static let pieceSize: Int64 = 1_000

    /// Differences, and what puts them right.
    private struct Differences {
        var found: [Discrepancy] = []
        var repairs: [(sql: String, key: RowKey)] = []
    }

    /// Compares a piece of a list with the facts, and puts right what differs if that is wanted.
    mutating func compare(
        _ list: DerivedList, after place: RowKey?, repairing: Bool
    ) throws(SQLiteError) -> DerivedPiece {
        let (differences, end) =
            switch list {
            case .balances: try balanceDifferences(after: place)
            case .orders: try orderDifferences(after: place)
            case .unpaidOrders: try unpaidDifferences(after: place)
            case .owedOrders: try owedDifferences(after: place)
            case .holders: try holderDifferences(after: place)
            }
        if repairing {
            for repair in differences.repairs {
                try database.run(repair.sql) { statement throws(SQLiteError) in
                    try statement.bind(repair.key)
                }
            }
        }
        return DerivedPiece(found: differences.found, end: end)
    }

    // MARK: Balances

    private struct Wallet: Hashable, Comparable {
        let customer: String
        let book: Int64
        let currency: String

        static func < (left: Wallet, right: Wallet) -> Bool {
            (left.customer, left.book, left.currency)
                < (right.customer, right.book, right.currency)
        }
    }

    private struct Sum: Equatable, CustomStringConvertible {
        let amount: Int64
        let debt: Int64

        var description: String { debt == 0 ? "\(amount)" : "\(amount) and debt \(debt)" }
    }

    private mutating func balanceDifferences(
        after place: RowKey?
    ) throws(SQLiteError) -> (Differences, RowKey?) {
        var start = ""
        if case .text(let customer)? = place?.first { start = customer }
        let end = try endOfWallets(after: start)
        // Without an end it is the last piece.
        let range = end == nil ? "customer_id > ?1" : "customer_id > ?1 AND customer_id <= ?2"
        let expected = try wallets(
            """
            SELECT customer_id, book_id, currency, sum(amount), sum(debt) FROM (
                SELECT customer_id, book_id, currency, amount, debt FROM wallet_entries
                WHERE \(range)
                UNION ALL
                SELECT customer_id, book_id, currency, amount, 0 FROM wallet_movements
                WHERE \(range))
            GROUP BY customer_id, book_id, currency
            """, start, end)
        let recorded = try wallets(
            "SELECT customer_id, book_id, currency, amount, debt FROM balances WHERE \(range)",
            start, end)
        var differences = Differences()
        for wallet in Set(expected.keys).union(recorded.keys).sorted()
        where expected[wallet] != recorded[wallet] {
            let (present, right) = (recorded[wallet], expected[wallet])
            differences.found.append(
                Discrepancy(
                    subject: "balance of \(wallet.customer) in \(wallet.currency) "
                        + "of book \(wallet.book)",
                    recorded: present?.description ?? "nothing",
                    expected: right?.description ?? "nothing"))
            differences.repairs.append(Self.repair(wallet, right))
        }
        return (differences, end.map { [.text($0)] })
    }

    private static func repair(_ wallet: Wallet, _ sum: Sum?) -> (sql: String, key: RowKey) {
        let key: RowKey = [.text(wallet.customer), .number(wallet.book), .text(wallet.currency)]
        guard let sum else {
            return (
                "DELETE FROM balances WHERE customer_id = ? AND book_id = ? AND currency = ?", key
            )
        }
        return (
            """
            INSERT OR REPLACE INTO balances (customer_id, book_id, currency, amount, debt)
            VALUES (?, ?, ?, ?, ?)
            """, key + [.number(sum.amount), .number(sum.debt)]
        )
    }

    /// The customer with whom a piece ends: no table has many more rows in it than wanted, unless they are
    /// one customer's.
    private mutating func endOfWallets(after start: String) throws(SQLiteError) -> String? {
        let far = ["wallet_entries", "wallet_movements", "balances"].map { table in
            """
            SELECT * FROM (SELECT customer_id FROM \(table) WHERE customer_id > ?1
                ORDER BY customer_id LIMIT 1 OFFSET \(Self.pieceSize))
            """
        }
        let sql = "SELECT min(customer_id) FROM (\(far.joined(separator: " UNION ALL ")))"
        return try database.text(sql) { statement throws(SQLiteError) in
            try statement.bind(start)
        }
    }

    private mutating func wallets(
        _ sql: String, _ start: String, _ end: String?
    ) throws(SQLiteError) -> [Wallet: Sum] {
        try database.withStatement(sql) { statement throws(SQLiteError) in
            try statement.bind(start)
            if let end { try statement.bind(end) }
            var wallets: [Wallet: Sum] = [:]
            while try statement.step() {
                let wallet = Wallet(
                    customer: statement.text(), book: statement.int64(),
                    currency: statement.text())
                wallets[wallet] = Sum(amount: statement.int64(), debt: statement.int64())
            }
            return wallets
        }
    }

    // MARK: Orders

    private static let unpaidColumns =
        "customer_id, bundle_id, product_id, opened_at_ms, order_id"

    private mutating func orderDifferences(
        after place: RowKey?
    ) throws(SQLiteError) -> (Differences, RowKey?) {
        let sql = """
            SELECT o.order_id,
                EXISTS (SELECT 1 FROM order_events e
                    WHERE e.order_id = o.order_id AND e.kind = 'paid'),
                EXISTS (SELECT 1 FROM order_events e
                    WHERE e.order_id = o.order_id AND e.kind IN ('fulfilled', 'refunded')),
                EXISTS (SELECT 1 FROM unpaid_orders u
                    WHERE u.customer_id = o.customer_id AND u.bundle_id = o.bundle_id
                        AND u.product_id = o.product_id AND u.opened_at_ms = o.opened_at_ms
                        AND u.order_id = o.order_id),
                EXISTS (SELECT 1 FROM owed_orders w WHERE w.order_id = o.order_id)
            FROM orders o WHERE o.order_id > ? ORDER BY o.order_id LIMIT \(Self.pieceSize)
            """
        return try rows(sql, after: place ?? [.text("")]) { statement, differences in
            let listing = OrderListing(
                order: statement.text(), isPaid: statement.int64() == 1,
                isClosed: statement.int64() == 1, isListed: statement.int64() == 1,
                isOwed: statement.int64() == 1)
            let found = listing.discrepancies
            if !found.isEmpty {
                differences.found += found
                differences.repairs += Self.relisting.map { ($0, [.text(listing.order)]) }
            }
            return [.text(listing.order)]
        }
    }

    /// What enters one order anew into the lists where it belongs.
    private static let relisting = [
        """
        DELETE FROM unpaid_orders WHERE (\(unpaidColumns)) IN (
            SELECT \(unpaidColumns) FROM orders WHERE order_id = ?)
        """,
        """
        INSERT INTO unpaid_orders (\(unpaidColumns))
            SELECT \(unpaidColumns) FROM orders WHERE order_id = ?1 AND NOT EXISTS (
                SELECT 1 FROM order_events WHERE order_id = ?1 AND kind = 'paid')
        """,
        "DELETE FROM owed_orders WHERE order_id = ?",
        """
        INSERT INTO owed_orders (order_id)
            SELECT order_id FROM order_events
            WHERE order_id = ?1 AND kind = 'paid' AND NOT EXISTS (
                SELECT 1 FROM order_events
                WHERE order_id = ?1 AND kind IN ('fulfilled', 'refunded'))
        """,
    ]

    private mutating func unpaidDifferences(
        after place: RowKey?
    ) throws(SQLiteError) -> (Differences, RowKey?) {
        let sql = """
            SELECT \(Self.unpaidColumns),
                EXISTS (SELECT 1 FROM orders o
                    WHERE o.order_id = u.order_id AND o.customer_id = u.customer_id
                        AND o.bundle_id = u.bundle_id AND o.product_id = u.product_id
                        AND o.opened_at_ms = u.opened_at_ms)
            FROM unpaid_orders u WHERE (\(Self.unpaidColumns)) > (?, ?, ?, ?, ?)
            ORDER BY \(Self.unpaidColumns) LIMIT \(Self.pieceSize)
            """
        let start: RowKey = [.text(""), .text(""), .text(""), .number(.min), .text("")]
        return try rows(sql, after: place ?? start) { statement, differences in
            var key: RowKey = [
                .text(statement.text()), .text(statement.text()), .text(statement.text()),
                .number(statement.int64()),
            ]
            let order = statement.text()
            key.append(.text(order))
            if statement.int64() == 0 {
                differences.found.append(OrderListing.stranger(order, in: .unpaidOrders))
                let removal = """
                    DELETE FROM unpaid_orders
                    WHERE customer_id = ? AND bundle_id = ? AND product_id = ?
                        AND opened_at_ms = ? AND order_id = ?
                    """
                differences.repairs.append((removal, key))
            }
            return key
        }
    }

    private mutating func owedDifferences(
        after place: RowKey?
    ) throws(SQLiteError) -> (Differences, RowKey?) {
        let sql = """
            SELECT order_id, EXISTS (SELECT 1 FROM orders o WHERE o.order_id = w.order_id)
            FROM owed_orders w WHERE order_id > ? ORDER BY order_id LIMIT \(Self.pieceSize)
            """
        return try rows(sql, after: place ?? [.text("")]) { statement, differences in
            let order = statement.text()
            if statement.int64() == 0 {
                differences.found.append(OrderListing.stranger(order, in: .owedOrders))
                differences.repairs.append(
                    ("DELETE FROM owed_orders WHERE order_id = ?", [.text(order)]))
            }
            return [.text(order)]
        }
    }

    // MARK: Holders

    private mutating func holderDifferences(
        after place: RowKey?
    ) throws(SQLiteError) -> (Differences, RowKey?) {
        // The grants first and in their order, whatever the planner thinks of it.
        let sql = """
            SELECT g.book_id, g.grant_key, g.holder_id, t.holder_id
            FROM grants g CROSS JOIN transactions t USING (book_id, transaction_id)
            WHERE (g.book_id, g.grant_key) > (?, ?)
            ORDER BY g.book_id, g.grant_key LIMIT \(Self.pieceSize)
            """
        return try rows(sql, after: place ?? [.number(0), .text("")]) {
            statement, differences in
            let (book, grant) = (statement.int64(), statement.text())
            let (recorded, expected) = (statement.text(), statement.optionalText())
            let key: RowKey = [.number(book), .text(grant)]
            guard recorded != expected else { return key }
            differences.found.append(
                Discrepancy(
                    subject: "holder of the grant \(grant) of book \(book)",
                    recorded: recorded, expected: expected ?? "nobody"))
            if let expected {
                // Whose a grant is whose transaction is nobody's cannot be told.
                let sql = "UPDATE grants SET holder_id = ? WHERE book_id = ? AND grant_key = ?"
                differences.repairs.append((sql, [.text(expected)] + key))
            }
            return key
        }
    }

    // MARK: Pieces

    /// Reads a piece row by row; `read` gives the row's key.
    private mutating func rows(
        _ sql: String, after place: RowKey,
        _ read: (inout SQLiteStatement, inout Differences) -> RowKey
    ) throws(SQLiteError) -> (Differences, RowKey?) {
        try database.withStatement(sql) { statement throws(SQLiteError) in
            try statement.bind(place)
            var differences = Differences()
            var count: Int64 = 0
            var last: RowKey?
            while try statement.step() {
                last = read(&statement, &differences)
                count += 1
            }
            return (differences, count < Self.pieceSize ? nil : last)
        }
    }
}
