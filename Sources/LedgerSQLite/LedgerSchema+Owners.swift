extension LedgerSchema {
    /// Names that became one, shared purchases, signals; and what finds a customer's traces.
    static let owners = Step(
        name: "merges, shares, signals",
        sql: """
            CREATE TABLE aliases (
                customer_id TEXT NOT NULL PRIMARY KEY,
                into_customer_id TEXT,
                at_ms INTEGER NOT NULL
            ) STRICT, WITHOUT ROWID;
            CREATE INDEX aliases_by_target ON aliases (into_customer_id);

            CREATE TABLE shares (
                book_id INTEGER NOT NULL REFERENCES books,
                original_transaction_id TEXT NOT NULL,
                number INTEGER NOT NULL CHECK (number > 0),
                customer_id TEXT NOT NULL,
                since_ms INTEGER NOT NULL,
                PRIMARY KEY (book_id, original_transaction_id, number)
            ) STRICT, WITHOUT ROWID;
            CREATE INDEX shares_by_customer ON shares (customer_id);

            CREATE TABLE signals (
                customer_id TEXT NOT NULL,
                kind TEXT NOT NULL,
                subject TEXT NOT NULL,
                count INTEGER NOT NULL,
                first_ms INTEGER NOT NULL,
                last_ms INTEGER NOT NULL,
                PRIMARY KEY (customer_id, kind, subject)
            ) STRICT, WITHOUT ROWID;

            CREATE INDEX transactions_unclaimed ON transactions (book_id, transaction_id)
                WHERE holder_id IS NULL;
            CREATE INDEX transactions_taken_over ON transactions (customer_id)
                WHERE holder_id <> customer_id;
            CREATE INDEX owners_later ON owners (customer_id) WHERE number > 0;
            CREATE INDEX tracks_by_customer ON tracks (customer_id);
            """)
}
