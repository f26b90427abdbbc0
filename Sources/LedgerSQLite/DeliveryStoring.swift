import AppStoreModel
import SQLiteDriver
import TillLedger

/// Deliveries: `due_at_ms` is when one is due, or when its hold runs out; so one look finds both.
extension LedgerConnection {
    /// Due, with nobody of the same customer in line before it.
    private static let dueDeliveries = """
        FROM webhook_deliveries d
        WHERE d.bundle_id = ?1 AND d.endpoint = ?2 AND d.state = 'waiting' AND d.due_at_ms <= ?3
            AND NOT EXISTS (
                SELECT 1 FROM webhook_deliveries e
                WHERE e.bundle_id = d.bundle_id AND e.endpoint = d.endpoint
                    AND e.customer_id = d.customer_id AND e.sequence < d.sequence
                    AND e.state = 'waiting')
        """

    /// Whether an endpoint may be sent to; asked first, since what waits for one that may not is much.
    private mutating func isOpen(
        _ endpoint: WebhookPlace, at now: Timestamp
    ) throws(SQLiteError) -> Bool {
        let sql = """
            SELECT 1 FROM webhook_endpoints
            WHERE bundle_id = ?1 AND endpoint = ?2
                AND (disabled_at_ms IS NOT NULL OR paused_until_ms > ?3)
            """
        let closed = try database.number(sql) { statement throws(SQLiteError) in
            try statement.bind(endpoint)
            try statement.bind(now.milliseconds)
        }
        return closed == nil
    }

    /// Whether there is anything to hold; asked of a reader, so that idle workers keep no writer busy.
    mutating func hasDueDeliveries(
        to endpoint: WebhookPlace, at now: Timestamp
    ) throws(SQLiteError) -> Bool {
        guard try isOpen(endpoint, at: now) else { return false }
        let found = try database.number("SELECT 1 \(Self.dueDeliveries) LIMIT 1") {
            statement throws(SQLiteError) in
            try statement.bind(endpoint)
            try statement.bind(now.milliseconds)
        }
        return found != nil
    }

    mutating func claimDeliveries(
        _ claim: WorkClaim, to endpoint: WebhookPlace
    ) throws(SQLiteError) -> [ClaimedDelivery] {
        guard try isOpen(endpoint, at: claim.now) else { return [] }
        let sql =
            "SELECT d.event_id, d.attempts \(Self.dueDeliveries) ORDER BY d.due_at_ms LIMIT ?4"
        let due = try database.withStatement(sql) { statement throws(SQLiteError) in
            try statement.bind(endpoint)
            try statement.bind(claim.now.milliseconds)
            try statement.bind(Int64(claim.limit))
            var due: [(id: EventID, attempts: Int)] = []
            while try statement.step() {
                due.append((EventID(statement.text()), Int(statement.int64())))
            }
            return due
        }
        let update = """
            UPDATE webhook_deliveries SET lease_owner = ?, due_at_ms = ?, attempts = ?
            WHERE event_id = ? AND endpoint = ?
            """
        var claimed: [ClaimedDelivery] = []
        for (id, attempts) in due {
            try database.run(update) { statement throws(SQLiteError) in
                try statement.bind(claim.owner)
                try statement.bind(claim.end.milliseconds)
                try statement.bind(Int64(attempts) + 1)
                try statement.bind(id.rawValue)
                try statement.bind(endpoint.name.rawValue)
            }
            claimed.append(
                ClaimedDelivery(
                    endpoint: endpoint, event: try event(id),
                    lease: Lease(owner: claim.owner, attempt: attempts + 1)))
        }
        return claimed
    }

    private mutating func event(_ id: EventID) throws(SQLiteError) -> NumberedEvent {
        let sql = "SELECT \(Self.eventColumns) FROM events WHERE event_id = ?"
        return try database.withStatement(sql) { statement throws(SQLiteError) in
            try statement.bind(id.rawValue)
            guard try statement.step() else { throw .unreadable("a delivery's event") }
            return try statement.event()
        }
    }

    // MARK: Settling

    mutating func settle(
        _ delivery: ClaimedDelivery, _ settlement: DeliverySettlement, _ change: EndpointChange?
    ) throws(SQLiteError) -> Bool {
        let isHeld =
            switch settlement {
            case .delivered(let status, let now):
                try end(delivery, "delivered", at: now, status: status, error: nil)
            case .dead(let failure, let now):
                try end(delivery, "dead", at: now, status: failure.status, error: failure.text)
            case .postponed(let failure, let due): try postpone(delivery, failure, until: due)
            case .released(let now): try release(delivery, at: now)
            }
        if isHeld, let change { try note(change, at: delivery.endpoint) }
        return isHeld
    }

    private static let heldDelivery =
        "event_id = ? AND endpoint = ? AND state = 'waiting' AND lease_owner = ? AND attempts = ?"

    private mutating func end(
        _ delivery: ClaimedDelivery, _ state: String, at now: Timestamp, status: Int?,
        error: String?
    ) throws(SQLiteError) -> Bool {
        let sql = """
            UPDATE webhook_deliveries
            SET state = ?, ended_at_ms = ?, last_status = ?, last_error = ?, lease_owner = NULL
            WHERE \(Self.heldDelivery)
            """
        try database.run(sql) { statement throws(SQLiteError) in
            try statement.bind(state)
            try statement.bind(now.milliseconds)
            try statement.bind(status.map { Int64($0) })
            try statement.bind(error)
            try statement.bind(delivery)
        }
        return database.changedRows > 0
    }

    private mutating func postpone(
        _ delivery: ClaimedDelivery, _ failure: DeliveryFailure, until due: Timestamp
    ) throws(SQLiteError) -> Bool {
        let sql = """
            UPDATE webhook_deliveries
            SET due_at_ms = ?, last_status = ?, last_error = ?, lease_owner = NULL
            WHERE \(Self.heldDelivery)
            """
        try database.run(sql) { statement throws(SQLiteError) in
            try statement.bind(due.milliseconds)
            try statement.bind(failure.status.map { Int64($0) })
            try statement.bind(failure.text)
            try statement.bind(delivery)
        }
        guard database.changedRows > 0 else { return false }
        // What is behind it in line cannot be sent sooner, and need not be looked at sooner.
        let behind = """
            UPDATE webhook_deliveries SET due_at_ms = ?
            WHERE bundle_id = ? AND endpoint = ? AND customer_id = ? AND sequence > ?
                AND state = 'waiting' AND due_at_ms < ? AND lease_owner IS NULL
            """
        try database.run(behind) { statement throws(SQLiteError) in
            try statement.bind(due.milliseconds)
            try statement.bind(delivery.endpoint)
            try statement.bind(delivery.event.event.customer.rawValue)
            try statement.bind(delivery.event.sequence)
            try statement.bind(due.milliseconds)
        }
        return true
    }

    private mutating func release(
        _ delivery: ClaimedDelivery, at now: Timestamp
    ) throws(SQLiteError) -> Bool {
        let sql = """
            UPDATE webhook_deliveries SET due_at_ms = ?, attempts = attempts - 1, lease_owner = NULL
            WHERE \(Self.heldDelivery)
            """
        try database.run(sql) { statement throws(SQLiteError) in
            try statement.bind(now.milliseconds)
            try statement.bind(delivery)
        }
        return database.changedRows > 0
    }

    private mutating func note(
        _ change: EndpointChange, at endpoint: WebhookPlace
    ) throws(SQLiteError) {
        let sql = """
            INSERT INTO webhook_endpoints
                (bundle_id, endpoint, paused_until_ms, disabled_at_ms, disabled_because)
            VALUES (?, ?, ?, ?, ?)
            ON CONFLICT (bundle_id, endpoint) DO UPDATE SET
                paused_until_ms = ifnull(excluded.paused_until_ms, webhook_endpoints.paused_until_ms),
                disabled_at_ms = ifnull(webhook_endpoints.disabled_at_ms, excluded.disabled_at_ms),
                disabled_because =
                    ifnull(webhook_endpoints.disabled_because, excluded.disabled_because)
            """
        try database.run(sql) { statement throws(SQLiteError) in
            try statement.bind(endpoint)
            switch change {
            case .paused(let end):
                try statement.bind(end.milliseconds)
                try statement.bind(Int64?.none)
                try statement.bind(String?.none)
            case .disabled(let failure, let now):
                try statement.bind(Int64?.none)
                try statement.bind(now.milliseconds)
                try statement.bind(failure.text)
            }
        }
    }
}

extension SQLiteStatement {
    mutating func bind(_ endpoint: WebhookPlace) throws(SQLiteError) {
        try bind(endpoint.bundleID.rawValue)
        try bind(endpoint.name.rawValue)
    }

    fileprivate mutating func bind(_ delivery: ClaimedDelivery) throws(SQLiteError) {
        try bind(delivery.event.event.id.rawValue)
        try bind(delivery.endpoint.name.rawValue)
        try bind(delivery.lease.owner)
        try bind(Int64(delivery.lease.attempt))
    }

    /// An event by ``LedgerConnection/eventColumns``.
    mutating func event() throws(SQLiteError) -> NumberedEvent {
        let id = EventID(text())
        let bundleID = BundleID(text())
        let customer: CustomerID = try word("an event's customer")
        let sequence = int64()
        let event = CustomerEvent(
            id: id, kind: EventKind(text()), bundleID: bundleID,
            environment: optionalText().map { AppStoreEnvironment(rawValue: $0) },
            customer: customer, data: text(), at: time())
        return NumberedEvent(event: event, sequence: sequence)
    }
}
