extension LedgerSchema {
    /// Events and their way to the endpoints, and tasks.
    static let work = """
        CREATE TABLE events (
            event_id \(word) NOT NULL PRIMARY KEY,
            bundle_id \(word) NOT NULL,
            customer_id \(word) NOT NULL,
            sequence BIGINT NOT NULL CHECK (sequence > 0),
            kind \(word) NOT NULL,
            environment \(word),
            data \(word) NOT NULL,
            at_ms BIGINT NOT NULL,
            UNIQUE (customer_id, bundle_id, sequence)
        );
        CREATE INDEX events_by_time ON events (at_ms);

        CREATE TABLE event_counters (
            bundle_id \(word) NOT NULL,
            customer_id \(word) NOT NULL,
            last_sequence BIGINT NOT NULL,
            PRIMARY KEY (customer_id, bundle_id)
        ) WITH (fillfactor = 80);

        CREATE TABLE webhook_deliveries (
            event_id \(word) NOT NULL REFERENCES events,
            endpoint \(word) NOT NULL,
            bundle_id \(word) NOT NULL,
            customer_id \(word) NOT NULL,
            sequence BIGINT NOT NULL,
            state \(word) NOT NULL CHECK (state IN ('waiting', 'delivered', 'dead')),
            due_at_ms BIGINT NOT NULL,
            attempts BIGINT NOT NULL DEFAULT 0,
            lease_owner \(word),
            last_status BIGINT,
            last_error \(word),
            ended_at_ms BIGINT,
            PRIMARY KEY (event_id, endpoint)
        );
        CREATE INDEX webhook_deliveries_due
            ON webhook_deliveries (bundle_id, endpoint, due_at_ms) WHERE state = 'waiting';
        CREATE INDEX webhook_deliveries_in_line
            ON webhook_deliveries (bundle_id, endpoint, customer_id, sequence)
            WHERE state = 'waiting';
        CREATE INDEX webhook_deliveries_by_customer ON webhook_deliveries (customer_id);
        CREATE INDEX webhook_deliveries_dead
            ON webhook_deliveries (bundle_id, ended_at_ms) WHERE state = 'dead';

        CREATE TABLE webhook_endpoints (
            bundle_id \(word) NOT NULL,
            endpoint \(word) NOT NULL,
            paused_until_ms BIGINT,
            disabled_at_ms BIGINT,
            disabled_because \(word),
            PRIMARY KEY (bundle_id, endpoint)
        );

        CREATE TABLE tasks (
            kind \(word) NOT NULL,
            subject \(word) NOT NULL,
            due_at_ms BIGINT NOT NULL,
            payload \(word) NOT NULL,
            attempts BIGINT NOT NULL DEFAULT 0,
            lease_owner \(word),
            generation BIGINT NOT NULL DEFAULT 0,
            last_error \(word),
            PRIMARY KEY (kind, subject)
        );
        CREATE INDEX tasks_due ON tasks (kind, due_at_ms);
        """
}
