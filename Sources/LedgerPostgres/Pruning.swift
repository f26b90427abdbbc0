import AppStoreModel
import PostgresDriver
import TillLedger

/// Forgetting what is old; what others are just using or removing is passed over.
extension Session {
    mutating func prune(
        _ kind: PrunableRecord, before time: Timestamp, limit: Int
    ) throws(PostgresError) -> Int {
        let parameters: [PostgresValue] = [.int64(time.milliseconds), .int64(Int64(limit))]
        switch kind {
        case .idempotentAnswers: return try remove("idempotent_answers", parameters)
        case .refusals: return try remove("refusals", parameters)
        case .events: return try removeEvents(parameters)
        }
    }

    private mutating func remove(
        _ table: String, _ parameters: [PostgresValue]
    ) throws(PostgresError) -> Int {
        let removal = """
            DELETE FROM \(table) WHERE ctid = ANY (ARRAY (
                SELECT ctid FROM \(table) WHERE at_ms < $1 LIMIT $2 FOR UPDATE SKIP LOCKED))
            """
        return try run([PostgresQuery(removal, parameters)])[0].affectedRows
    }

    /// Looks once more whether an event may go when its deliveries are gone: one may have been put in line
    /// again meanwhile.
    private mutating func removeEvents(
        _ parameters: [PostgresValue]
    ) throws(PostgresError) -> Int {
        let search = """
            SELECT e.event_id FROM events e
            WHERE e.at_ms < $1 AND NOT EXISTS (
                SELECT 1 FROM webhook_deliveries d
                WHERE d.event_id = e.event_id AND d.state = 'waiting')
            ORDER BY e.at_ms LIMIT $2 FOR UPDATE OF e SKIP LOCKED
            """
        let rows = try run([PostgresQuery(search, parameters)])[0]
        var ids: [String] = []
        while rows.step() { ids.append(rows.word()) }
        guard !ids.isEmpty else { return 0 }
        let removals = [
            """
            DELETE FROM webhook_deliveries
            WHERE event_id = ANY ($1::text[]) AND state <> 'waiting'
            """,
            """
            DELETE FROM events WHERE event_id = ANY ($1::text[]) AND NOT EXISTS (
                SELECT 1 FROM webhook_deliveries d WHERE d.event_id = events.event_id)
            """,
        ]
        return try run(removals.map { PostgresQuery($0, [.words(ids)]) })[1].affectedRows
    }
}
