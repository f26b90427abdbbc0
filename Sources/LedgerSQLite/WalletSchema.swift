extension LedgerSchema {
    /// What moves a wallet without a purchase, and what is given without one.
    static let spending = """
        CREATE TABLE wallet_movements (
            book_id INTEGER NOT NULL REFERENCES books,
            customer_id TEXT NOT NULL,
            movement_id TEXT NOT NULL,
            currency TEXT NOT NULL,
            amount INTEGER NOT NULL,
            account TEXT NOT NULL,
            reason TEXT,
            at_ms INTEGER NOT NULL,
            PRIMARY KEY (book_id, customer_id, movement_id)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX wallet_movements_by_customer ON wallet_movements (customer_id, at_ms);

        CREATE TABLE promotions (
            book_id INTEGER NOT NULL REFERENCES books,
            customer_id TEXT NOT NULL,
            promotion_id TEXT NOT NULL,
            entitlement TEXT NOT NULL,
            at_ms INTEGER NOT NULL,
            ends_at_ms INTEGER,
            reason TEXT NOT NULL,
            ended_at_ms INTEGER,
            PRIMARY KEY (customer_id, book_id, promotion_id)
        ) STRICT, WITHOUT ROWID;

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
