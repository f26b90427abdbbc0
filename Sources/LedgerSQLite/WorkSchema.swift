extension LedgerSchema {
    /// Events and their way to the endpoints, and tasks.
    static let work = """
        CREATE TABLE events (
            event_id TEXT NOT NULL PRIMARY KEY,
            bundle_id TEXT NOT NULL,
            customer_id TEXT NOT NULL,
            sequence INTEGER NOT NULL CHECK (sequence > 0),
            kind TEXT NOT NULL,
            environment TEXT,
            data TEXT NOT NULL,
            at_ms INTEGER NOT NULL,
            UNIQUE (customer_id, bundle_id, sequence)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX events_by_time ON events (at_ms);

        CREATE TABLE event_counters (
            bundle_id TEXT NOT NULL,
            customer_id TEXT NOT NULL,
            last_sequence INTEGER NOT NULL,
            PRIMARY KEY (customer_id, bundle_id)
        ) STRICT, WITHOUT ROWID;

        CREATE TABLE webhook_deliveries (
            event_id TEXT NOT NULL REFERENCES events,
            endpoint TEXT NOT NULL,
            bundle_id TEXT NOT NULL,
            customer_id TEXT NOT NULL,
            sequence INTEGER NOT NULL,
            state TEXT NOT NULL CHECK (state IN ('waiting', 'delivered', 'dead')),
            due_at_ms INTEGER NOT NULL,
            attempts INTEGER NOT NULL DEFAULT 0,
            lease_owner TEXT,
            last_status INTEGER,
            last_error TEXT,
            ended_at_ms INTEGER,
            PRIMARY KEY (event_id, endpoint)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX webhook_deliveries_due
            ON webhook_deliveries (bundle_id, endpoint, due_at_ms) WHERE state = 'waiting';
        CREATE INDEX webhook_deliveries_in_line
            ON webhook_deliveries (bundle_id, endpoint, customer_id, sequence)
            WHERE state = 'waiting';
        CREATE INDEX webhook_deliveries_by_customer ON webhook_deliveries (customer_id);
        CREATE INDEX webhook_deliveries_dead
            ON webhook_deliveries (bundle_id, ended_at_ms) WHERE state = 'dead';

        CREATE TABLE webhook_endpoints (
            bundle_id TEXT NOT NULL,
            endpoint TEXT NOT NULL,
            paused_until_ms INTEGER,
            disabled_at_ms INTEGER,
            disabled_because TEXT,
            PRIMARY KEY (bundle_id, endpoint)
        ) STRICT, WITHOUT ROWID;

        CREATE TABLE tasks (
            kind TEXT NOT NULL,
            subject TEXT NOT NULL,
            due_at_ms INTEGER NOT NULL,
            payload TEXT NOT NULL,
            attempts INTEGER NOT NULL DEFAULT 0,
            lease_owner TEXT,
            generation INTEGER NOT NULL DEFAULT 0,
            last_error TEXT,
            PRIMARY KEY (kind, subject)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX tasks_due ON tasks (kind, due_at_ms);
        """
}
