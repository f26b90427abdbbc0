extension LedgerSchema {
    /// Names that became one, shared purchases, signals; and what finds a customer's traces.
    static let owners = """
        CREATE TABLE aliases (
            customer_id \(word) NOT NULL PRIMARY KEY,
            into_customer_id \(word),
            at_ms BIGINT NOT NULL
        );
        CREATE INDEX aliases_by_target ON aliases (into_customer_id);

        CREATE TABLE shares (
            book_id BIGINT NOT NULL,
            original_transaction_id \(word) NOT NULL,
            number BIGINT NOT NULL CHECK (number > 0),
            customer_id \(word) NOT NULL,
            since_ms BIGINT NOT NULL,
            PRIMARY KEY (book_id, original_transaction_id, number)
        );
        CREATE INDEX shares_by_customer ON shares (customer_id);

        CREATE TABLE signals (
            customer_id \(word) NOT NULL,
            kind \(word) NOT NULL,
            subject \(word) NOT NULL,
            count BIGINT NOT NULL,
            first_ms BIGINT NOT NULL,
            last_ms BIGINT NOT NULL,
            PRIMARY KEY (customer_id, kind, subject)
        );

        CREATE INDEX transactions_unclaimed ON transactions (book_id, transaction_id)
            WHERE holder_id IS NULL;
        CREATE INDEX transactions_taken_over ON transactions (customer_id)
            WHERE holder_id <> customer_id;
        CREATE INDEX owners_later ON owners (customer_id) WHERE number > 0;
        CREATE INDEX tracks_by_customer ON tracks (customer_id);
        """

    /// What Apple tells of subscriptions, and its notifications.
    static let news = """
        CREATE TABLE renewals (
            book_id BIGINT NOT NULL,
            original_transaction_id \(word) NOT NULL,
            number BIGINT NOT NULL,
            signed_at_ms BIGINT NOT NULL,
            fields \(word) NOT NULL,
            proof_digest BYTEA NOT NULL,
            PRIMARY KEY (book_id, original_transaction_id, number)
        );

        CREATE TABLE notifications (
            book_id BIGINT NOT NULL,
            notification_id \(word) NOT NULL,
            type \(word) NOT NULL,
            subtype \(word),
            signed_at_ms BIGINT,
            original_transaction_id \(word),
            transaction_id \(word),
            effect \(word) NOT NULL,
            answer_before_ms BIGINT,
            proof_digest BYTEA NOT NULL,
            received_at_ms BIGINT NOT NULL,
            PRIMARY KEY (book_id, notification_id)
        );

        CREATE INDEX periods_by_holder
            ON transactions (holder_id, book_id, original_transaction_id)
            WHERE grant_key >= 'period/' AND grant_key < 'period0';

        CREATE VIEW readable_notifications AS
            SELECT b.bundle_id, b.environment, n.notification_id, n.type, n.subtype,
                n.original_transaction_id, n.transaction_id, n.effect,
                to_timestamp(n.signed_at_ms / 1000) AS signed,
                to_timestamp(n.received_at_ms / 1000) AS received
            FROM notifications n JOIN books b USING (book_id);
        """

    /// What was told of subscriptions.
    static let tales = """
        CREATE TABLE subscription_tales (
            book_id BIGINT NOT NULL,
            original_transaction_id \(word) NOT NULL,
            number BIGINT NOT NULL CHECK (number > 0),
            told \(word) NOT NULL,
            PRIMARY KEY (book_id, original_transaction_id)
        ) WITH (fillfactor = 80);
        """

    /// What finds the periods that decide, and what of a customer's purchases is no period.
    static let periods = """
        CREATE INDEX periods_by_start
            ON transactions (original_transaction_id, book_id, purchase_date_ms)
            WHERE grant_key >= 'period/' AND grant_key < 'period0';
        CREATE INDEX grants_by_goods ON grants (
            split_part(grant_key, '/', 2), book_id, product_id, entitlements, purchase_date_ms)
            WHERE grant_key >= 'period/' AND grant_key < 'period0' AND entitlements <> '[]';
        DROP INDEX grants_with_entitlements;
        CREATE INDEX lasting_grants ON grants (holder_id)
            WHERE entitlements <> '[]' AND grant_key < 'period/';
        CREATE INDEX renewals_by_signing
            ON renewals (original_transaction_id, book_id, signed_at_ms);
        """
}
