extension LedgerSchema {
    /// What moves a wallet without a purchase, and what is given without one.
    static let spending = """
        CREATE TABLE wallet_movements (
            book_id BIGINT NOT NULL,
            customer_id \(word) NOT NULL,
            movement_id \(word) NOT NULL,
            currency \(word) NOT NULL,
            amount BIGINT NOT NULL,
            account \(word) NOT NULL,
            reason \(word),
            at_ms BIGINT NOT NULL,
            PRIMARY KEY (movement_id, customer_id, book_id)
        );
        CREATE INDEX wallet_movements_by_customer ON wallet_movements (customer_id, at_ms);

        CREATE TABLE promotions (
            book_id BIGINT NOT NULL,
            customer_id \(word) NOT NULL,
            promotion_id \(word) NOT NULL,
            entitlement \(word) NOT NULL,
            at_ms BIGINT NOT NULL,
            ends_at_ms BIGINT,
            reason \(word) NOT NULL,
            ended_at_ms BIGINT,
            PRIMARY KEY (customer_id, book_id, promotion_id)
        );

        CREATE VIEW readable_journal AS
            SELECT b.bundle_id, b.environment, w.currency, w.at_ms,
                'wallet of ' || w.customer_id AS account, w.amount AS amount, w.grant_key AS cause
            FROM wallet_entries w JOIN books b USING (book_id)
            UNION ALL
            SELECT b.bundle_id, b.environment, w.currency, w.at_ms,
                'debts of ' || w.customer_id, -w.debt, w.grant_key
            FROM wallet_entries w JOIN books b USING (book_id) WHERE w.debt <> 0
            UNION ALL
            SELECT b.bundle_id, b.environment, w.currency, w.at_ms,
                CASE WHEN w.turn = 0 THEN 'sales' ELSE 'refunds' END,
                w.debt - w.amount, w.grant_key
            FROM wallet_entries w JOIN books b USING (book_id)
            UNION ALL
            SELECT b.bundle_id, b.environment, m.currency, m.at_ms,
                'wallet of ' || m.customer_id, m.amount, m.movement_id
            FROM wallet_movements m JOIN books b USING (book_id)
            UNION ALL
            SELECT b.bundle_id, b.environment, m.currency, m.at_ms, m.account, -m.amount,
                m.movement_id
            FROM wallet_movements m JOIN books b USING (book_id);
        """
}
