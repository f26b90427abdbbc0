import AppStoreModel
import PostgresDriver
import TillLedger

/// Reads purchases with their wallet entries, in the order of their keys and books' numbers.
struct AuditReading {
    private let purchases: PurchaseReading

    init(after book: Int64, _ key: GrantKey, limit: Int) {
        purchases = PurchaseReading(
            places: """
                SELECT DISTINCT book_id, grant_key FROM transactions
                WHERE (grant_key, book_id) > ($2, $1) ORDER BY grant_key, book_id LIMIT $3
                """, [.int64(book), .word(key.rawValue), .int64(Int64(limit))], .entriesAndOwners)
    }

    var queries: [PostgresQuery] { purchases.queries }

    func facts(_ results: [PostgresRows]) throws(PostgresError) -> [PurchaseFacts] {
        // By bytes, as the database sorts them.
        try purchases.found(results[...])
            .sorted { left, right in
                let (first, second) = (Array(left.key.key.stored), Array(right.key.key.stored))
                guard first == second else { return first.lexicographicallyPrecedes(second) }
                return left.key.book < right.key.book
            }
            .map { place, found in found.facts(place.key) }
    }
}

/// Compares balances, grants' holders and the list of unpaid orders with the facts, and makes them anew.
enum DerivedRows {
    static let comparison = [
        PostgresQuery(
            """
            WITH sums AS (\(balancesByFacts))
            SELECT 'balance of ' || customer_id || ' in ' || currency || ' of book ' || book_id,
                coalesce(\(balanceText("b")), 'nothing'), coalesce(\(balanceText("s")), 'nothing')
            FROM balances b FULL JOIN sums s USING (customer_id, book_id, currency)
            WHERE b.amount IS DISTINCT FROM s.amount OR b.debt IS DISTINCT FROM s.debt
            LIMIT \(RebuildReport.mostDiscrepancies)
            """),
        PostgresQuery(
            """
            WITH expected AS (\(unpaidByFacts)),
            recorded AS (
                SELECT customer_id, bundle_id, product_id, opened_at_ms, order_id
                FROM unpaid_orders)
            SELECT 'order ' || order_id, 'paid', 'unpaid'
            FROM (SELECT * FROM expected EXCEPT SELECT * FROM recorded) missing
            UNION ALL
            SELECT 'order ' || order_id, 'unpaid', 'paid'
            FROM (SELECT * FROM recorded EXCEPT SELECT * FROM expected) surplus
            LIMIT \(RebuildReport.mostDiscrepancies)
            """),
        PostgresQuery(
            """
            SELECT 'holder of the grant ' || g.grant_key || ' of book ' || g.book_id,
                g.holder_id, coalesce(t.holder_id, 'nobody')
            FROM grants g JOIN transactions t USING (book_id, transaction_id)
            WHERE g.holder_id IS DISTINCT FROM t.holder_id
            LIMIT \(RebuildReport.mostDiscrepancies)
            """),
    ]

    /// The whole tables are read, so the plans that suit look-ups do not suit.
    static let plans = PostgresQuery(
        """
        SELECT set_config(name, 'on', true)
        FROM unnest(ARRAY['enable_seqscan', 'enable_hashjoin', 'enable_mergejoin']) AS name
        """)

    static let derivation = [
        PostgresQuery("DELETE FROM balances"),
        PostgresQuery(
            """
            INSERT INTO balances (customer_id, book_id, currency, amount, debt)
                \(balancesByFacts)
            """),
        PostgresQuery(
            """
            UPDATE grants g SET holder_id = t.holder_id FROM transactions t
            WHERE t.book_id = g.book_id AND t.transaction_id = g.transaction_id
                AND t.holder_id <> g.holder_id
            """),
        PostgresQuery("DELETE FROM unpaid_orders"),
        PostgresQuery(
            """
            INSERT INTO unpaid_orders
                (customer_id, bundle_id, product_id, opened_at_ms, order_id)
                \(unpaidByFacts)
            """),
    ]

    private static func balanceText(_ table: String) -> String {
        """
        \(table).amount || CASE WHEN \(table).debt = 0 THEN '' ELSE ' and debt ' || \(table).debt END
        """
    }

    private static let balancesByFacts = """
        SELECT customer_id, book_id, currency, sum(amount) AS amount, sum(debt) AS debt
        FROM (
            SELECT customer_id, book_id, currency, amount, debt FROM wallet_entries
            UNION ALL
            SELECT customer_id, book_id, currency, amount, 0 FROM wallet_movements) moved
        GROUP BY customer_id, book_id, currency
        """

    private static let unpaidByFacts = """
        SELECT customer_id, bundle_id, product_id, opened_at_ms, order_id FROM orders o
        WHERE NOT EXISTS (
            SELECT 1 FROM order_events e WHERE e.order_id = o.order_id AND e.kind = 'paid')
        """

    static func discrepancies(_ results: ArraySlice<PostgresRows>) -> [Discrepancy] {
        results.flatMap { rows in
            var found: [Discrepancy] = []
            while rows.step() {
                found.append(
                    Discrepancy(
                        subject: rows.word(), recorded: rows.text(), expected: rows.text()))
            }
            return found
        }
    }
}

extension GrantKey {
    fileprivate var stored: String.UTF8View { StoredText.stored(rawValue).utf8 }
}
