import AppStoreModel
import SQLiteDriver
import TillLedger

/// How endpoints stand, what was put aside, and sending it again.
extension LedgerConnection {
    mutating func endpoints(of app: BundleID) throws(SQLiteError) -> [EndpointState] {
        var states: [WebhookPlace: EndpointState] = [:]
        func place(_ name: String) -> WebhookPlace {
            WebhookPlace(bundleID: app, name: WebhookName(name))
        }
        let backlog = """
            SELECT d.endpoint, count(*), min(e.at_ms)
            FROM webhook_deliveries d JOIN events e USING (event_id)
            WHERE d.bundle_id = ? AND d.state = 'waiting' GROUP BY d.endpoint
            """
        try database.withStatement(backlog) { statement throws(SQLiteError) in
            try statement.bind(app.rawValue)
            while try statement.step() {
                let place = place(statement.text())
                states[place, default: EndpointState(place: place)].waiting =
                    Int(statement.int64())
                states[place]?.oldestWaiting = statement.optionalTime()
            }
        }
        let dead = """
            SELECT endpoint, count(*) FROM webhook_deliveries
            WHERE bundle_id = ? AND state = 'dead' GROUP BY endpoint
            """
        try database.withStatement(dead) { statement throws(SQLiteError) in
            try statement.bind(app.rawValue)
            while try statement.step() {
                let place = place(statement.text())
                states[place, default: EndpointState(place: place)].dead = Int(statement.int64())
            }
        }
        let standing = """
            SELECT endpoint, paused_until_ms, disabled_at_ms, disabled_because
            FROM webhook_endpoints WHERE bundle_id = ?
            """
        try database.withStatement(standing) { statement throws(SQLiteError) in
            try statement.bind(app.rawValue)
            while try statement.step() {
                let place = place(statement.text())
                var state = states[place] ?? EndpointState(place: place)
                state.pausedUntil = statement.optionalTime()
                state.disabledAt = statement.optionalTime()
                state.disabledBecause = statement.optionalText()
                states[place] = state
            }
        }
        return states.values.sorted { $0.place < $1.place }
    }

    mutating func enable(_ endpoint: WebhookPlace) throws(SQLiteError) {
        let sql = "DELETE FROM webhook_endpoints WHERE bundle_id = ? AND endpoint = ?"
        try database.run(sql) { statement throws(SQLiteError) in try statement.bind(endpoint) }
    }

    mutating func deadLetters(
        of app: BundleID, limit: Int
    ) throws(SQLiteError) -> [DeadLetter] {
        let columns = Self.eventColumns.split(separator: ", ").map { "e.\($0)" }
            .joined(separator: ", ")
        let sql = """
            SELECT \(columns), d.endpoint, d.attempts, d.last_status, d.last_error, d.ended_at_ms
            FROM webhook_deliveries d JOIN events e USING (event_id)
            WHERE d.bundle_id = ? AND d.state = 'dead'
            ORDER BY d.ended_at_ms, d.event_id, d.endpoint LIMIT ?
            """
        return try database.withStatement(sql) { statement throws(SQLiteError) in
            try statement.bind(app.rawValue)
            try statement.bind(Int64(limit))
            var letters: [DeadLetter] = []
            while try statement.step() {
                let event = try statement.event()
                let place = WebhookPlace(bundleID: app, name: WebhookName(statement.text()))
                let attempts = Int(statement.int64())
                let failure = DeliveryFailure(
                    status: statement.optionalInt64().map { Int($0) }, text: statement.text())
                letters.append(
                    DeadLetter(
                        endpoint: place, event: event, attempts: attempts, failure: failure,
                        at: statement.time()))
            }
            return letters
        }
    }

    mutating func replay(
        _ replay: DeliveryReplay, of app: BundleID, now: Timestamp
    ) throws(SQLiteError) -> Int {
        let again = """
            UPDATE webhook_deliveries
            SET state = 'waiting', due_at_ms = ?, attempts = 0, lease_owner = NULL,
                ended_at_ms = NULL
            """
        switch replay {
        case .deadSince(let time):
            let sql = """
                \(again) WHERE bundle_id = ? AND state = 'dead' AND EXISTS (
                    SELECT 1 FROM events e
                    WHERE e.event_id = webhook_deliveries.event_id AND e.at_ms >= ?)
                """
            try database.run(sql) { statement throws(SQLiteError) in
                try statement.bind(now.milliseconds)
                try statement.bind(app.rawValue)
                try statement.bind(time.milliseconds)
            }
            return Int(database.changedRows)
        case .events(let ids):
            var count = 0
            for id in Set(ids) {
                let sql = "\(again) WHERE bundle_id = ? AND event_id = ? AND state <> 'waiting'"
                try database.run(sql) { statement throws(SQLiteError) in
                    try statement.bind(now.milliseconds)
                    try statement.bind(app.rawValue)
                    try statement.bind(id.rawValue)
                }
                count += Int(database.changedRows)
            }
            return count
        }
    }
}
