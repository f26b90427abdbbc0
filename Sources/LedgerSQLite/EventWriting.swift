import AppStoreModel
import SQLiteDriver
import TillLedger

extension LedgerConnection {
    /// Records an event under its customer's next number, and a delivery to each endpoint; one that is known
    /// stays as it was.
    mutating func append(
        _ event: CustomerEvent, to endpoints: [WebhookName]
    ) throws(SQLiteError) {
        let known = try database.number("SELECT 1 FROM events WHERE event_id = ?") {
            statement throws(SQLiteError) in
            try statement.bind(event.id.rawValue)
        }
        guard known == nil else { return }
        let sequence = try nextSequence(event)
        let sql = """
            INSERT INTO events (\(Self.eventColumns)) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
            """
        try database.run(sql) { statement throws(SQLiteError) in
            try statement.bind(event.id.rawValue)
            try statement.bind(event.bundleID.rawValue)
            try statement.bind(event.customer.rawValue)
            try statement.bind(sequence)
            try statement.bind(event.kind.rawValue)
            try statement.bind(event.environment?.rawValue)
            try statement.bind(event.data)
            try statement.bind(event.at.milliseconds)
        }
        for endpoint in endpoints { try append(event, sequence, to: endpoint) }
    }

    static let eventColumns =
        "event_id, bundle_id, customer_id, sequence, kind, environment, data, at_ms"

    private mutating func nextSequence(_ event: CustomerEvent) throws(SQLiteError) -> Int64 {
        let sql = """
            INSERT INTO event_counters (bundle_id, customer_id, last_sequence) VALUES (?, ?, 1)
            ON CONFLICT (customer_id, bundle_id)
                DO UPDATE SET last_sequence = event_counters.last_sequence + 1
            RETURNING last_sequence
            """
        return try database.withStatement(sql) { statement throws(SQLiteError) in
            try statement.bind(event.bundleID.rawValue)
            try statement.bind(event.customer.rawValue)
            guard try statement.step() else { throw .unreadable("an event's number") }
            let sequence = statement.int64()
            while try statement.step() {}
            return sequence
        }
    }

    /// Behind what fails, an event is due no sooner than that; who claims looks at the line all the same.
    ///
    /// Left alone, SQLite seeks the latest among all that wait for the endpoint, which may be a day's.
    private mutating func append(
        _ event: CustomerEvent, _ sequence: Int64, to endpoint: WebhookName
    ) throws(SQLiteError) {
        let sql = """
            INSERT INTO webhook_deliveries
                (event_id, endpoint, bundle_id, customer_id, sequence, state, due_at_ms)
            VALUES (?1, ?2, ?3, ?4, ?5, 'waiting', max(?6, ifnull((
                SELECT max(due_at_ms) FROM webhook_deliveries INDEXED BY webhook_deliveries_in_line
                WHERE bundle_id = ?3 AND endpoint = ?2 AND customer_id = ?4
                    AND state = 'waiting' AND lease_owner IS NULL), 0)))
            """
        try database.run(sql) { statement throws(SQLiteError) in
            try statement.bind(event.id.rawValue)
            try statement.bind(endpoint.rawValue)
            try statement.bind(event.bundleID.rawValue)
            try statement.bind(event.customer.rawValue)
            try statement.bind(sequence)
            try statement.bind(event.at.milliseconds)
        }
    }

    /// Schedules a task; one that waits stays as it is, and one that is held runs once more.
    mutating func append(_ task: ScheduledTask) throws(SQLiteError) {
        let sql = """
            INSERT INTO tasks (kind, subject, due_at_ms, payload) VALUES (?, ?, ?, ?)
            ON CONFLICT (kind, subject) DO UPDATE SET generation = tasks.generation + 1
                WHERE tasks.lease_owner IS NOT NULL
            """
        try database.run(sql) { statement throws(SQLiteError) in
            try statement.bind(task.key.kind.rawValue)
            try statement.bind(task.key.subject)
            try statement.bind(task.due.milliseconds)
            try statement.bind(task.payload)
        }
    }
}
