/// The database's tables, as steps from an empty file to the present form.
///
/// `docs/ledger-schema.md` tells what is in them. A step that was released is never changed: a database
/// remembers the checksum of each that made it.
enum LedgerSchema {
    /// Marks the file as a ledger (`PRAGMA application_id`): "Till" in ASCII.
    static let applicationID: Int64 = 0x5469_6C6C

    /// One step; its number is its place, from 1 on.
    struct Step {
        let name: String
        let sql: String

        /// FNV-1a over the text: tells an accident, not an attack.
        var checksum: String {
            var hash: UInt64 = 0xCBF2_9CE4_8422_2325
            for byte in sql.utf8 { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01B3 }
            return String(hash, radix: 16)
        }
    }

    /// The steps, oldest first.
    static let steps = [
        Step(name: "orders, purchases, wallet", sql: first),
        Step(name: "spending and promotional grants", sql: spending),
        Step(name: "events, deliveries, tasks", sql: work),
        owners,
        news,
        upkeep,
        proofHeaders,
        tales,
        periods,
    ]

    private static let first = """
        CREATE TABLE books (
            book_id INTEGER PRIMARY KEY,
            bundle_id TEXT NOT NULL,
            environment TEXT NOT NULL,
            anchor TEXT NOT NULL DEFAULT '',
            UNIQUE (bundle_id, environment, anchor)
        ) STRICT;

        CREATE TABLE orders (
            order_id TEXT NOT NULL PRIMARY KEY,
            bundle_id TEXT NOT NULL,
            customer_id TEXT NOT NULL,
            product_id TEXT NOT NULL,
            quantity INTEGER NOT NULL CHECK (quantity > 0),
            price_milliunits INTEGER,
            currency TEXT,
            environment TEXT,
            opened_at_ms INTEGER NOT NULL,
            expires_at_ms INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX orders_by_customer ON orders (customer_id, opened_at_ms);

        CREATE TABLE order_events (
            order_id TEXT NOT NULL REFERENCES orders,
            number INTEGER NOT NULL,
            kind TEXT NOT NULL,
            book_id INTEGER REFERENCES books,
            transaction_id TEXT,
            at_ms INTEGER NOT NULL,
            PRIMARY KEY (order_id, number)
        ) STRICT, WITHOUT ROWID;
        CREATE UNIQUE INDEX order_payments ON order_events (order_id) WHERE kind = 'paid';

        CREATE TABLE unpaid_orders (
            customer_id TEXT NOT NULL,
            bundle_id TEXT NOT NULL,
            product_id TEXT NOT NULL,
            opened_at_ms INTEGER NOT NULL,
            order_id TEXT NOT NULL REFERENCES orders,
            PRIMARY KEY (customer_id, bundle_id, product_id, opened_at_ms, order_id)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX unpaid_orders_by_product
            ON unpaid_orders (bundle_id, product_id, opened_at_ms);

        CREATE TABLE proofs (
            proof_id INTEGER PRIMARY KEY,
            digest BLOB NOT NULL UNIQUE CHECK (length(digest) = 32),
            kind TEXT NOT NULL,
            bytes BLOB NOT NULL,
            received_at_ms INTEGER NOT NULL
        ) STRICT;

        CREATE TABLE transactions (
            book_id INTEGER NOT NULL REFERENCES books,
            transaction_id TEXT NOT NULL,
            original_transaction_id TEXT NOT NULL,
            grant_key TEXT NOT NULL,
            product_id TEXT NOT NULL,
            quantity INTEGER NOT NULL CHECK (quantity > 0),
            purchase_date_ms INTEGER NOT NULL,
            web_order_line_item_id TEXT,
            customer_id TEXT,
            binding TEXT NOT NULL,
            order_id TEXT REFERENCES orders,
            recorded_at_ms INTEGER NOT NULL,
            owner_number INTEGER NOT NULL,
            holder_id TEXT,
            claimed_at_ms INTEGER,
            PRIMARY KEY (book_id, transaction_id)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX transactions_by_purchase ON transactions (book_id, grant_key);
        CREATE INDEX transactions_by_holder ON transactions (holder_id, purchase_date_ms);

        CREATE TABLE observations (
            book_id INTEGER NOT NULL,
            transaction_id TEXT NOT NULL,
            number INTEGER NOT NULL,
            signed_at_ms INTEGER NOT NULL,
            source TEXT NOT NULL,
            proof_digest BLOB NOT NULL,
            original_purchase_date_ms INTEGER,
            expires_date_ms INTEGER,
            revocation_date_ms INTEGER,
            revocation_reason INTEGER,
            is_upgraded INTEGER,
            product_type TEXT,
            ownership TEXT,
            app_account_token TEXT,
            subscription_group_id TEXT,
            transaction_reason TEXT,
            offer_type INTEGER,
            offer_id TEXT,
            price_milliunits INTEGER,
            currency TEXT,
            storefront TEXT,
            PRIMARY KEY (book_id, transaction_id, number),
            FOREIGN KEY (book_id, transaction_id) REFERENCES transactions
        ) STRICT, WITHOUT ROWID;

        CREATE TABLE owners (
            book_id INTEGER NOT NULL REFERENCES books,
            original_transaction_id TEXT NOT NULL,
            number INTEGER NOT NULL,
            customer_id TEXT NOT NULL,
            binding TEXT NOT NULL,
            since_ms INTEGER NOT NULL,
            PRIMARY KEY (book_id, original_transaction_id, number)
        ) STRICT, WITHOUT ROWID;

        CREATE TABLE grants (
            book_id INTEGER NOT NULL REFERENCES books,
            grant_key TEXT NOT NULL,
            transaction_id TEXT NOT NULL,
            customer_id TEXT NOT NULL,
            product_id TEXT NOT NULL,
            kind TEXT NOT NULL,
            quantity INTEGER NOT NULL,
            purchase_date_ms INTEGER NOT NULL,
            credits TEXT NOT NULL,
            entitlements TEXT NOT NULL,
            duration TEXT,
            order_id TEXT REFERENCES orders,
            granted_at_ms INTEGER NOT NULL,
            holder_id TEXT NOT NULL,
            PRIMARY KEY (book_id, grant_key)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX grants_with_entitlements ON grants (holder_id)
            WHERE entitlements <> '[]';

        CREATE TABLE grant_changes (
            book_id INTEGER NOT NULL,
            grant_key TEXT NOT NULL,
            turn INTEGER NOT NULL CHECK (turn > 0),
            transaction_id TEXT NOT NULL,
            at_ms INTEGER NOT NULL,
            PRIMARY KEY (book_id, grant_key, turn),
            FOREIGN KEY (book_id, grant_key) REFERENCES grants
        ) STRICT, WITHOUT ROWID;

        CREATE TABLE wallet_entries (
            book_id INTEGER NOT NULL,
            grant_key TEXT NOT NULL,
            turn INTEGER NOT NULL,
            currency TEXT NOT NULL,
            customer_id TEXT NOT NULL,
            amount INTEGER NOT NULL,
            debt INTEGER NOT NULL,
            at_ms INTEGER NOT NULL,
            PRIMARY KEY (book_id, grant_key, turn, currency),
            FOREIGN KEY (book_id, grant_key) REFERENCES grants
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX wallet_entries_by_customer ON wallet_entries (customer_id, at_ms);

        CREATE TABLE balances (
            customer_id TEXT NOT NULL,
            book_id INTEGER NOT NULL REFERENCES books,
            currency TEXT NOT NULL,
            amount INTEGER NOT NULL,
            debt INTEGER NOT NULL,
            PRIMARY KEY (customer_id, book_id, currency)
        ) STRICT, WITHOUT ROWID;

        CREATE TABLE refusals (
            book_id INTEGER NOT NULL REFERENCES books,
            transaction_id TEXT NOT NULL,
            customer_id TEXT NOT NULL,
            reason TEXT NOT NULL,
            at_ms INTEGER NOT NULL,
            PRIMARY KEY (book_id, transaction_id, customer_id, reason)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX refusals_by_customer ON refusals (customer_id, at_ms);

        CREATE TABLE tracks (
            book_id INTEGER NOT NULL REFERENCES books,
            transaction_id TEXT NOT NULL,
            customer_id TEXT NOT NULL,
            track TEXT NOT NULL,
            at_ms INTEGER NOT NULL,
            PRIMARY KEY (book_id, transaction_id)
        ) STRICT, WITHOUT ROWID;

        CREATE TABLE idempotent_answers (
            caller TEXT NOT NULL,
            key TEXT NOT NULL,
            input_digest BLOB NOT NULL,
            answer TEXT NOT NULL,
            at_ms INTEGER NOT NULL,
            PRIMARY KEY (caller, key)
        ) STRICT, WITHOUT ROWID;

        CREATE VIEW readable_transactions AS
            SELECT b.bundle_id, b.environment, t.transaction_id, t.original_transaction_id,
                t.product_id, t.quantity, t.holder_id AS customer_id, t.binding, t.order_id,
                datetime(t.purchase_date_ms / 1000, 'unixepoch') AS purchased,
                datetime(t.recorded_at_ms / 1000, 'unixepoch') AS recorded,
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
            SELECT o.bundle_id, o.order_id, o.customer_id, o.product_id, o.opened_at_ms,
                'paidNotFulfilled' AS suspicion, p.book_id, p.transaction_id
            FROM order_events p JOIN orders o USING (order_id)
            WHERE p.kind = 'paid' AND NOT EXISTS (
                SELECT 1 FROM order_events e
                WHERE e.order_id = p.order_id AND e.kind IN ('fulfilled', 'refunded'))
            UNION ALL
            SELECT u.bundle_id, u.order_id, u.customer_id, u.product_id, u.opened_at_ms,
                'unclaimedPayment', t.book_id, t.transaction_id
            FROM transactions t JOIN books b USING (book_id)
            JOIN unpaid_orders u ON u.bundle_id = b.bundle_id AND u.product_id = t.product_id
                AND u.opened_at_ms BETWEEN t.purchase_date_ms - 86400000
                    AND t.purchase_date_ms + 86400000
            WHERE t.holder_id IS NULL;

        CREATE VIEW readable_balances AS
            SELECT b.bundle_id, b.environment, w.customer_id, w.currency, w.amount
            FROM balances w JOIN books b USING (book_id);
        """
}
