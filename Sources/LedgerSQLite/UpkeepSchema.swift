extension LedgerSchema {
    /// What keeps upkeep and lists from walking whole tables.
    static let upkeep = Step(
        name: "owed orders, old records by time",
        sql: """
            CREATE TABLE owed_orders (
                order_id TEXT NOT NULL PRIMARY KEY REFERENCES orders
            ) STRICT, WITHOUT ROWID;
            INSERT INTO owed_orders (order_id)
                SELECT p.order_id FROM order_events p
                WHERE p.kind = 'paid' AND NOT EXISTS (
                    SELECT 1 FROM order_events e
                    WHERE e.order_id = p.order_id AND e.kind IN ('fulfilled', 'refunded'));

            DROP VIEW lost_order_suspects;
            CREATE VIEW lost_order_suspects AS
                SELECT o.bundle_id, o.order_id, o.customer_id, o.product_id, o.opened_at_ms,
                    'paidNotFulfilled' AS suspicion, p.book_id, p.transaction_id
                FROM owed_orders w CROSS JOIN orders o USING (order_id)
                CROSS JOIN order_events p ON p.order_id = w.order_id AND p.kind = 'paid'
                UNION ALL
                SELECT u.bundle_id, u.order_id, u.customer_id, u.product_id, u.opened_at_ms,
                    'unclaimedPayment', t.book_id, t.transaction_id
                FROM transactions t CROSS JOIN books b USING (book_id)
                CROSS JOIN unpaid_orders u ON u.bundle_id = b.bundle_id
                    AND u.product_id = t.product_id
                    AND u.opened_at_ms BETWEEN t.purchase_date_ms - 86400000
                        AND t.purchase_date_ms + 86400000
                WHERE t.holder_id IS NULL;

            -- Whoever is erased has deliveries of its own events alone.
            DROP INDEX webhook_deliveries_by_customer;

            CREATE INDEX idempotent_answers_by_time ON idempotent_answers (at_ms);
            CREATE INDEX refusals_by_time ON refusals (at_ms);
            """)
}
