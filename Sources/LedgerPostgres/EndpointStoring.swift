import AppStoreModel
import PostgresDriver
import TillLedger

/// Reads how an app's endpoints stand.
struct EndpointReading {
    let queries: [PostgresQuery]
    private let app: BundleID

    init(_ app: BundleID) {
        self.app = app
        let parameters = [PostgresValue.word(app.rawValue)]
        queries = [
            PostgresQuery(
                """
                SELECT d.endpoint, count(*), min(e.at_ms)
                FROM webhook_deliveries d JOIN events e USING (event_id)
                WHERE d.bundle_id = $1 AND d.state = 'waiting' GROUP BY d.endpoint
                """, parameters),
            PostgresQuery(
                """
                SELECT endpoint, count(*) FROM webhook_deliveries
                WHERE bundle_id = $1 AND state = 'dead' GROUP BY endpoint
                """, parameters),
            PostgresQuery(
                """
                SELECT endpoint, paused_until_ms, disabled_at_ms, disabled_because
                FROM webhook_endpoints WHERE bundle_id = $1
                """, parameters),
        ]
    }

    func states(_ results: [PostgresRows]) -> [EndpointState] {
        var states: [WebhookPlace: EndpointState] = [:]
        func each(_ rows: PostgresRows, _ body: (inout EndpointState) -> Void) {
            while rows.step() {
                let place = WebhookPlace(bundleID: app, name: WebhookName(rows.word()))
                body(&states[place, default: EndpointState(place: place)])
            }
        }
        let (backlog, dead, standing) = (results[0], results[1], results[2])
        each(backlog) { state in
            state.waiting = Int(backlog.int64())
            state.oldestWaiting = backlog.optionalTime()
        }
        each(dead) { state in state.dead = Int(dead.int64()) }
        each(standing) { state in
            state.pausedUntil = standing.optionalTime()
            state.disabledAt = standing.optionalTime()
            state.disabledBecause = standing.optionalWord()
        }
        return states.values.sorted { $0.place < $1.place }
    }
}

/// Reads what was put aside, the longest first.
struct DeadLetterReading {
    let queries: [PostgresQuery]
    private let app: BundleID

    init(_ app: BundleID, limit: Int) {
        self.app = app
        queries = [
            PostgresQuery(
                """
                SELECT \(Columns.of("e", Columns.event)), d.endpoint, d.attempts, d.last_status,
                    d.last_error, d.ended_at_ms
                FROM webhook_deliveries d JOIN events e USING (event_id)
                WHERE d.bundle_id = $1 AND d.state = 'dead'
                ORDER BY d.ended_at_ms, d.event_id, d.endpoint LIMIT $2
                """, [.word(app.rawValue), .int64(Int64(limit))])
        ]
    }

    func letters(_ results: [PostgresRows]) throws(PostgresError) -> [DeadLetter] {
        var letters: [DeadLetter] = []
        for rows in results {
            while rows.step() {
                let event = try rows.customerEvent()
                let place = WebhookPlace(bundleID: app, name: WebhookName(rows.word()))
                let attempts = Int(rows.int64())
                let failure = DeliveryFailure(
                    status: rows.optionalInt64().map { Int($0) }, text: rows.word())
                letters.append(
                    DeadLetter(
                        endpoint: place, event: event, attempts: attempts, failure: failure,
                        at: rows.time()))
            }
        }
        return letters
    }
}

extension Session {
    mutating func enable(_ endpoint: WebhookPlace) throws(PostgresError) {
        let removal = PostgresQuery(
            "DELETE FROM webhook_endpoints WHERE bundle_id = $1 AND endpoint = $2",
            [.word(endpoint.bundleID.rawValue), .word(endpoint.name.rawValue)])
        _ = try run([removal])
    }

    mutating func replay(
        _ replay: DeliveryReplay, of app: BundleID, now: Timestamp
    ) throws(PostgresError) -> Int {
        let again = """
            UPDATE webhook_deliveries
            SET state = 'waiting', due_at_ms = $1, attempts = 0, lease_owner = NULL,
                ended_at_ms = NULL
            WHERE bundle_id = $2
            """
        let parameters: [PostgresValue] = [.int64(now.milliseconds), .word(app.rawValue)]
        let change =
            switch replay {
            case .deadSince(let time):
                PostgresQuery(
                    """
                    \(again) AND state = 'dead' AND EXISTS (
                        SELECT 1 FROM events e
                        WHERE e.event_id = webhook_deliveries.event_id AND e.at_ms >= $3)
                    """, parameters + [.int64(time.milliseconds)])
            case .events(let ids):
                PostgresQuery(
                    "\(again) AND event_id = ANY ($3::text[]) AND state <> 'waiting'",
                    parameters + [.words(ids.map(\.rawValue))])
            }
        return try run([change])[0].affectedRows
    }
}
