import AppStoreModel
import SQLiteDriver
import TillLedger

/// Forgetting what is old. A reader looks for it, since that may take a while; the writer removes it by key.
extension LedgerConnection {
    mutating func oldRows(
        _ kind: PrunableRecord, before time: Timestamp, limit: Int
    ) throws(SQLiteError) -> [RowKey] {
        let sql =
            switch kind {
            case .idempotentAnswers:
                "SELECT caller, key FROM idempotent_answers WHERE at_ms < ? LIMIT ?"
            case .refusals:
                """
                SELECT book_id, transaction_id, customer_id, reason FROM refusals
                WHERE at_ms < ? LIMIT ?
                """
            case .events:
                """
                SELECT event_id FROM events
                WHERE at_ms < ? AND NOT EXISTS (
                    SELECT 1 FROM webhook_deliveries d
                    WHERE d.event_id = events.event_id AND d.state = 'waiting')
                LIMIT ?
                """
            }
        return try database.withStatement(sql) { statement throws(SQLiteError) in
            try statement.bind(time.milliseconds)
            try statement.bind(Int64(limit))
            var rows: [RowKey] = []
            while try statement.step() {
                switch kind {
                case .idempotentAnswers:
                    rows.append([.text(statement.text()), .text(statement.text())])
                case .refusals:
                    rows.append([
                        .number(statement.int64()), .text(statement.text()),
                        .text(statement.text()), .text(statement.text()),
                    ])
                case .events: rows.append([.text(statement.text())])
                }
            }
            return rows
        }
    }

    /// Removes rows; looks once more whether they may go, since time has passed.
    mutating func remove(
        _ rows: [RowKey], _ kind: PrunableRecord, before time: Timestamp
    ) throws(SQLiteError) -> Int {
        var count: Int64 = 0
        for row in rows {
            switch kind {
            case .idempotentAnswers:
                count += try delete(
                    "idempotent_answers WHERE caller = ? AND key = ? AND at_ms < ?", row, time)
            case .refusals:
                let place = "book_id = ? AND transaction_id = ? AND customer_id = ? AND reason = ?"
                count += try delete("refusals WHERE \(place) AND at_ms < ?", row, time)
            case .events: count += try removeEvent(row, before: time)
            }
        }
        return Int(count)
    }

    private mutating func removeEvent(
        _ row: RowKey, before time: Timestamp
    ) throws(SQLiteError) -> Int64 {
        let sql = """
            SELECT 1 FROM webhook_deliveries WHERE event_id = ? AND state = 'waiting' LIMIT 1
            """
        let waits = try database.number(sql) { statement throws(SQLiteError) in
            try statement.bind(row)
        }
        guard waits == nil else { return 0 }
        try database.run("DELETE FROM webhook_deliveries WHERE event_id = ?") {
            statement throws(SQLiteError) in try statement.bind(row)
        }
        return try delete("events WHERE event_id = ? AND at_ms < ?", row, time)
    }

    private mutating func delete(
        _ what: String, _ row: RowKey, _ time: Timestamp
    ) throws(SQLiteError) -> Int64 {
        try database.run("DELETE FROM \(what)") { statement throws(SQLiteError) in
            try statement.bind(row)
            try statement.bind(time.milliseconds)
        }
        return database.changedRows
    }
}
