import AppStoreModel
import PostgresDriver
import TillLedger

/// Deliveries: `due_at_ms` is when one is due, or when its hold runs out; so one look finds both.
extension Session {
    /// Holds what is due, with nobody of the same customer in line before it, to an endpoint that may be sent
    /// to; what others are just taking is passed over.
    mutating func claimDeliveries(
        _ claim: WorkClaim, to endpoint: WebhookPlace
    ) throws(PostgresError) -> [ClaimedDelivery] {
        let sql = """
            WITH due AS MATERIALIZED (
                SELECT d.event_id, d.endpoint, d.due_at_ms FROM webhook_deliveries d
                WHERE d.bundle_id = $1 AND d.endpoint = $2 AND d.state = 'waiting'
                    AND d.due_at_ms <= $3
                    AND NOT EXISTS (
                        SELECT 1 FROM webhook_deliveries e
                        WHERE e.bundle_id = d.bundle_id AND e.endpoint = d.endpoint
                            AND e.customer_id = d.customer_id AND e.sequence < d.sequence
                            AND e.state = 'waiting')
                    AND NOT EXISTS (
                        SELECT 1 FROM webhook_endpoints p
                        WHERE p.bundle_id = $1 AND p.endpoint = $2
                            AND (p.disabled_at_ms IS NOT NULL OR p.paused_until_ms > $3))
                ORDER BY d.due_at_ms LIMIT $4 FOR UPDATE OF d SKIP LOCKED),
            taken AS (
                UPDATE webhook_deliveries w
                SET lease_owner = $5, due_at_ms = $6, attempts = w.attempts + 1
                FROM due WHERE w.event_id = due.event_id AND w.endpoint = due.endpoint
                RETURNING w.event_id, w.attempts, due.due_at_ms AS was_due_at_ms)
            SELECT \(Columns.of("e", Columns.event)), taken.attempts
            FROM taken JOIN events e USING (event_id) ORDER BY taken.was_due_at_ms, e.event_id
            """
        let parameters: [PostgresValue] = [
            .word(endpoint.bundleID.rawValue), .word(endpoint.name.rawValue),
            .int64(claim.now.milliseconds), .int64(Int64(claim.limit)), .word(claim.owner),
            .int64(claim.end.milliseconds),
        ]
        let rows = try run([PostgresQuery(sql, parameters)])[0]
        var claimed: [ClaimedDelivery] = []
        while rows.step() {
            let event = try rows.customerEvent()
            let lease = Lease(owner: claim.owner, attempt: Int(rows.int64()))
            claimed.append(ClaimedDelivery(endpoint: endpoint, event: event, lease: lease))
        }
        return claimed
    }

    // MARK: Settling

    mutating func settle(
        _ delivery: ClaimedDelivery, _ settlement: DeliverySettlement, _ change: EndpointChange?
    ) throws(PostgresError) -> Bool {
        let isHeld =
            switch settlement {
            case .delivered(let status, let now):
                try end(delivery, "delivered", at: now, status: status, error: nil)
            case .dead(let failure, let now):
                try end(delivery, "dead", at: now, status: failure.status, error: failure.text)
            case .postponed(let failure, let due): try postpone(delivery, failure, until: due)
            case .released(let now):
                try alter(
                    delivery, "due_at_ms = $5, attempts = attempts - 1",
                    [.int64(now.milliseconds)])
            }
        if isHeld, let change { _ = try run([Self.noting(change, at: delivery.endpoint)]) }
        return isHeld
    }

    /// Changes a delivery that is still held, and ends the hold; `$5` is the first of the parameters.
    private mutating func alter(
        _ delivery: ClaimedDelivery, _ changes: String, _ parameters: [PostgresValue]
    ) throws(PostgresError) -> Bool {
        let hold: [PostgresValue] = [
            .word(delivery.event.event.id.rawValue), .word(delivery.endpoint.name.rawValue),
            .word(delivery.lease.owner), .int64(Int64(delivery.lease.attempt)),
        ]
        let sql = """
            UPDATE webhook_deliveries SET \(changes), lease_owner = NULL
            WHERE event_id = $1 AND endpoint = $2 AND state = 'waiting' AND lease_owner = $3
                AND attempts = $4
            """
        return try run([PostgresQuery(sql, hold + parameters)])[0].affectedRows > 0
    }

    private mutating func end(
        _ delivery: ClaimedDelivery, _ state: String, at now: Timestamp, status: Int?,
        error: String?
    ) throws(PostgresError) -> Bool {
        try alter(
            delivery, "state = $5, ended_at_ms = $6, last_status = $7, last_error = $8",
            [
                .word(state), .int64(now.milliseconds), .int64(status.map { Int64($0) }),
                .word(error),
            ])
    }

    private mutating func postpone(
        _ delivery: ClaimedDelivery, _ failure: DeliveryFailure, until due: Timestamp
    ) throws(PostgresError) -> Bool {
        let isHeld = try alter(
            delivery, "due_at_ms = $5, last_status = $6, last_error = $7",
            [
                .int64(due.milliseconds), .int64(failure.status.map { Int64($0) }),
                .word(failure.text),
            ])
        guard isHeld else { return false }
        // What is behind it in line cannot be sent sooner, and need not be looked at sooner.
        let behind = """
            UPDATE webhook_deliveries SET due_at_ms = $1
            WHERE bundle_id = $2 AND endpoint = $3 AND customer_id = $4 AND sequence > $5
                AND state = 'waiting' AND due_at_ms < $1 AND lease_owner IS NULL
            """
        let parameters: [PostgresValue] = [
            .int64(due.milliseconds), .word(delivery.endpoint.bundleID.rawValue),
            .word(delivery.endpoint.name.rawValue),
            .word(delivery.event.event.customer.rawValue), .int64(delivery.event.sequence),
        ]
        _ = try run([PostgresQuery(behind, parameters)])
        return true
    }

    private static func noting(
        _ change: EndpointChange, at endpoint: WebhookPlace
    ) -> PostgresQuery {
        let parameters: [PostgresValue] =
            switch change {
            case .paused(let end): [.int64(end.milliseconds), .int64(nil), .word(nil)]
            case .disabled(let failure, let now):
                [.int64(nil), .int64(now.milliseconds), .word(failure.text)]
            }
        return PostgresQuery(
            """
            INSERT INTO webhook_endpoints AS p
                (bundle_id, endpoint, paused_until_ms, disabled_at_ms, disabled_because)
            VALUES ($1, $2, $3, $4, $5)
            ON CONFLICT (bundle_id, endpoint) DO UPDATE SET
                paused_until_ms = coalesce(excluded.paused_until_ms, p.paused_until_ms),
                disabled_at_ms = coalesce(p.disabled_at_ms, excluded.disabled_at_ms),
                disabled_because = coalesce(p.disabled_because, excluded.disabled_because)
            """,
            [.word(endpoint.bundleID.rawValue), .word(endpoint.name.rawValue)] + parameters)
    }
}
