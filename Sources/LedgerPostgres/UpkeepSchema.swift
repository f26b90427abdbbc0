extension LedgerSchema {
    /// What keeps upkeep and lists from walking whole tables.
    ///
    /// `LATERAL … OFFSET 0` says what is looked up for what: while tables are empty, a walk over every payment
    /// looks as good to the planner.
    static let upkeep = """
        CREATE TABLE owed_orders (
            order_id \(word) NOT NULL PRIMARY KEY REFERENCES orders
        );
        INSERT INTO owed_orders (order_id)
            SELECT p.order_id FROM order_events p
            WHERE p.kind = 'paid' AND NOT EXISTS (
                SELECT 1 FROM order_events e
                WHERE e.order_id = p.order_id AND e.kind IN ('fulfilled', 'refunded'));

        DROP VIEW lost_order_suspects;
        CREATE VIEW lost_order_suspects AS
            SELECT o.bundle_id, o.order_id, o.opened_at_ms, 'paidNotFulfilled' AS suspicion,
                p.book_id, p.transaction_id
            FROM owed_orders w
            CROSS JOIN LATERAL (
                SELECT * FROM orders o WHERE o.order_id = w.order_id OFFSET 0) o
            CROSS JOIN LATERAL (
                SELECT * FROM order_events p
                WHERE p.order_id = w.order_id AND p.kind = 'paid' OFFSET 0) p
            UNION ALL
            SELECT u.bundle_id, u.order_id, u.opened_at_ms, 'unclaimedPayment', t.book_id,
                t.transaction_id
            FROM transactions t JOIN books b USING (book_id)
            CROSS JOIN LATERAL (
                SELECT * FROM unpaid_orders u
                WHERE u.product_id || '' = t.product_id AND u.bundle_id = b.bundle_id
                    AND u.opened_at_ms BETWEEN t.purchase_date_ms - 86400000
                        AND t.purchase_date_ms + 86400000
                OFFSET 0) u
            WHERE t.holder_id IS NULL;

        CREATE INDEX idempotent_answers_by_time ON idempotent_answers (at_ms);
        CREATE INDEX refusals_by_time ON refusals (at_ms);
        """
}
