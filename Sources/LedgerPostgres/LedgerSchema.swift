/// The database's tables, as steps from an empty schema to the present form.
///
/// They are those of `docs/ledger-schema.md`, in PostgreSQL's types. A step that was released is never
/// changed: a database remembers the checksum of each that made it.
enum LedgerSchema {
    /// One step; its number is its place, from 1 on.
    struct Step {
        let name: String
        let sql: String

        /// FNV-1a over the text: tells an accident, not an attack.
        var checksum: String { String(fingerprint(sql.utf8), radix: 16) }
    }

    /// The steps, oldest first.
    static let steps = [
        Step(name: "orders, purchases, wallet", sql: first),
        Step(name: "spending and promotional grants", sql: spending),
        Step(name: "events, deliveries, tasks", sql: work),
        Step(name: "merges, shares, signals", sql: owners),
        Step(name: "renewals, notifications", sql: news),
        Step(name: "owed orders, old records by time", sql: upkeep),
        Step(name: "tales of subscriptions", sql: tales),
        Step(name: "deciding periods", sql: periods),
    ]

    /// Where steps are remembered.
    static let memory = """
        CREATE TABLE schema_steps (
            number BIGINT PRIMARY KEY,
            name TEXT NOT NULL,
            checksum TEXT NOT NULL
        );
        """

    /// Text that is compared by its bytes, whatever language the database speaks.
    static let word = "TEXT COLLATE \"C\""

    // Nothing refers to `books` by a foreign key: every row of a busy table would lock the same few rows.
    // The keys of `transactions` begin with what tells most: with the book in front, one that fits and one
    // that walks the whole book look alike to the planner while the table is empty. An index over `x || ''` is one that nobody else's search for
    // `x` is led to.
    private static let first = """
        CREATE TABLE books (
            book_id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
            bundle_id \(word) NOT NULL,
            environment \(word) NOT NULL,
            anchor \(word) NOT NULL DEFAULT '',
            UNIQUE (bundle_id, environment, anchor)
        );

        CREATE TABLE orders (
            order_id \(word) NOT NULL PRIMARY KEY,
            bundle_id \(word) NOT NULL,
            customer_id \(word) NOT NULL,
            product_id \(word) NOT NULL,
            quantity BIGINT NOT NULL CHECK (quantity > 0),
            price_milliunits BIGINT,
            currency \(word),
            environment \(word),
            opened_at_ms BIGINT NOT NULL,
            expires_at_ms BIGINT NOT NULL
        );
        CREATE INDEX orders_by_customer ON orders (customer_id, opened_at_ms, order_id);

        CREATE TABLE order_events (
            order_id \(word) NOT NULL REFERENCES orders,
            number BIGINT NOT NULL,
            kind \(word) NOT NULL,
            book_id BIGINT,
            transaction_id \(word),
            at_ms BIGINT NOT NULL,
            PRIMARY KEY (order_id, number)
        );
        CREATE UNIQUE INDEX order_payments ON order_events (order_id) WHERE kind = 'paid';

        CREATE TABLE unpaid_orders (
            customer_id \(word) NOT NULL,
            bundle_id \(word) NOT NULL,
            product_id \(word) NOT NULL,
            opened_at_ms BIGINT NOT NULL,
            order_id \(word) NOT NULL REFERENCES orders,
            PRIMARY KEY (customer_id, bundle_id, product_id, opened_at_ms, order_id)
        );
        CREATE INDEX unpaid_orders_by_product
            ON unpaid_orders ((product_id || ''), bundle_id, opened_at_ms);

        CREATE TABLE proofs (
            proof_id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
            digest BYTEA NOT NULL UNIQUE CHECK (octet_length(digest) = 32),
            kind \(word) NOT NULL,
            bytes BYTEA NOT NULL,
            received_at_ms BIGINT NOT NULL
        );

        CREATE TABLE transactions (
            book_id BIGINT NOT NULL,
            transaction_id \(word) NOT NULL,
            original_transaction_id \(word) NOT NULL,
            grant_key \(word) NOT NULL,
            product_id \(word) NOT NULL,
            quantity BIGINT NOT NULL CHECK (quantity > 0),
            purchase_date_ms BIGINT NOT NULL,
            web_order_line_item_id \(word),
            customer_id \(word),
            binding \(word) NOT NULL,
            order_id \(word) REFERENCES orders,
            recorded_at_ms BIGINT NOT NULL,
            owner_number BIGINT NOT NULL,
            holder_id \(word),
            claimed_at_ms BIGINT,
            PRIMARY KEY (transaction_id, book_id)
        );
        CREATE INDEX transactions_by_purchase ON transactions (grant_key, book_id);
        CREATE INDEX transactions_by_original ON transactions (original_transaction_id, book_id);
        CREATE INDEX transactions_by_holder
            ON transactions (holder_id, purchase_date_ms, transaction_id);

        CREATE TABLE observations (
            book_id BIGINT NOT NULL,
            transaction_id \(word) NOT NULL,
            number BIGINT NOT NULL,
            signed_at_ms BIGINT NOT NULL,
            source \(word) NOT NULL,
            proof_digest BYTEA NOT NULL,
            original_purchase_date_ms BIGINT,
            expires_date_ms BIGINT,
            revocation_date_ms BIGINT,
            revocation_reason BIGINT,
            is_upgraded BIGINT,
            product_type \(word),
            ownership \(word),
            app_account_token \(word),
            subscription_group_id \(word),
            transaction_reason \(word),
            offer_type BIGINT,
            offer_id \(word),
            price_milliunits BIGINT,
            currency \(word),
            storefront \(word),
            PRIMARY KEY (book_id, transaction_id, number),
            FOREIGN KEY (transaction_id, book_id) REFERENCES transactions
        );

        CREATE TABLE owners (
            book_id BIGINT NOT NULL,
            original_transaction_id \(word) NOT NULL,
            number BIGINT NOT NULL,
            customer_id \(word) NOT NULL,
            binding \(word) NOT NULL,
            since_ms BIGINT NOT NULL,
            PRIMARY KEY (book_id, original_transaction_id, number)
        );

        CREATE TABLE grants (
            book_id BIGINT NOT NULL,
            grant_key \(word) NOT NULL,
            transaction_id \(word) NOT NULL,
            customer_id \(word) NOT NULL,
            product_id \(word) NOT NULL,
            kind \(word) NOT NULL,
            quantity BIGINT NOT NULL,
            purchase_date_ms BIGINT NOT NULL,
            credits \(word) NOT NULL,
            entitlements \(word) NOT NULL,
            duration \(word),
            order_id \(word) REFERENCES orders,
            granted_at_ms BIGINT NOT NULL,
            holder_id \(word) NOT NULL,
            PRIMARY KEY (book_id, grant_key)
        );
        CREATE INDEX grants_with_entitlements ON grants (holder_id)
            WHERE entitlements <> '[]';

        CREATE TABLE grant_changes (
            book_id BIGINT NOT NULL,
            grant_key \(word) NOT NULL,
            turn BIGINT NOT NULL CHECK (turn > 0),
            transaction_id \(word) NOT NULL,
            at_ms BIGINT NOT NULL,
            PRIMARY KEY (book_id, grant_key, turn),
            FOREIGN KEY (book_id, grant_key) REFERENCES grants
        );

        CREATE TABLE wallet_entries (
            book_id BIGINT NOT NULL,
            grant_key \(word) NOT NULL,
            turn BIGINT NOT NULL,
            currency \(word) NOT NULL,
            customer_id \(word) NOT NULL,
            amount BIGINT NOT NULL,
            debt BIGINT NOT NULL,
            at_ms BIGINT NOT NULL,
            PRIMARY KEY (book_id, grant_key, turn, currency),
            FOREIGN KEY (book_id, grant_key) REFERENCES grants
        );
        CREATE INDEX wallet_entries_by_customer ON wallet_entries (customer_id, at_ms);

        CREATE TABLE balances (
            customer_id \(word) NOT NULL,
            book_id BIGINT NOT NULL,
            currency \(word) NOT NULL,
            amount BIGINT NOT NULL,
            debt BIGINT NOT NULL,
            PRIMARY KEY (customer_id, book_id, currency)
        ) WITH (fillfactor = 80);

        CREATE TABLE refusals (
            book_id BIGINT NOT NULL,
            transaction_id \(word) NOT NULL,
            customer_id \(word) NOT NULL,
            reason \(word) NOT NULL,
            at_ms BIGINT NOT NULL,
            PRIMARY KEY (book_id, transaction_id, customer_id, reason)
        );
        CREATE INDEX refusals_by_customer ON refusals (customer_id, at_ms, transaction_id);

        CREATE TABLE tracks (
            book_id BIGINT NOT NULL,
            transaction_id \(word) NOT NULL,
            customer_id \(word) NOT NULL,
            track \(word) NOT NULL,
            at_ms BIGINT NOT NULL,
            PRIMARY KEY (book_id, transaction_id)
        );

        CREATE TABLE idempotent_answers (
            caller \(word) NOT NULL,
            key \(word) NOT NULL,
            input_digest BYTEA NOT NULL,
            answer \(word) NOT NULL,
            at_ms BIGINT NOT NULL,
            PRIMARY KEY (caller, key)
        );

        CREATE VIEW readable_transactions AS
            SELECT b.bundle_id, b.environment, t.transaction_id, t.original_transaction_id,
                t.product_id, t.quantity, t.holder_id AS customer_id, t.binding, t.order_id,
                to_timestamp(t.purchase_date_ms / 1000) AS purchased,
                to_timestamp(t.recorded_at_ms / 1000) AS recorded,
                CASE
                    WHEN g.grant_key IS NULL THEN 'not granted'
                    WHEN (SELECT max(c.turn) FROM grant_changes c
                        WHERE c.book_id = g.book_id AND c.grant_key = g.grant_key) % 2 = 1
                        THEN 'taken back'
                    ELSE 'granted'
                END AS standing
            FROM transactions t JOIN books b USING (book_id)
            LEFT JOIN grants g USING (book_id, grant_key);

        CREATE VIEW lost_order_suspects AS
            SELECT o.bundle_id, o.order_id, o.opened_at_ms, 'paidNotFulfilled' AS suspicion,
                p.book_id, p.transaction_id
            FROM order_events p JOIN orders o USING (order_id)
            WHERE p.kind = 'paid' AND NOT EXISTS (
                SELECT 1 FROM order_events e
                WHERE e.order_id = p.order_id AND e.kind IN ('fulfilled', 'refunded'))
            UNION ALL
            SELECT u.bundle_id, u.order_id, u.opened_at_ms, 'unclaimedPayment', t.book_id,
                t.transaction_id
            FROM transactions t JOIN books b USING (book_id)
            JOIN unpaid_orders u ON u.product_id || '' = t.product_id
                AND u.bundle_id = b.bundle_id
                AND u.opened_at_ms BETWEEN t.purchase_date_ms - 86400000
                    AND t.purchase_date_ms + 86400000
            WHERE t.holder_id IS NULL;

        CREATE VIEW readable_balances AS
            SELECT b.bundle_id, b.environment, w.customer_id, w.currency, w.amount
            FROM balances w JOIN books b USING (book_id);
        """
}

/// FNV-1a.
func fingerprint(_ bytes: some Sequence<UInt8>, from start: UInt64 = 0xCBF2_9CE4_8422_2325)
    -> UInt64
{
    bytes.reduce(start) { ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01B3 }
}
