import AppStoreModel
import SQLiteDriver
import TillLedger

extension LedgerConnection {
    /// Counts a signal; one too many, or too close to its like, changes nothing.
    mutating func append(_ signal: Signal) throws(SQLiteError) {
        let update = """
            UPDATE signals SET count = count + 1, last_ms = ?1
            WHERE customer_id = ?2 AND kind = ?3 AND subject = ?4 AND last_ms <= ?1 - ?5
            """
        try database.run(update) { statement throws(SQLiteError) in
            try statement.bind(signal.at.milliseconds)
            try statement.bind(signal.customer.rawValue)
            try statement.bind(signal.kind.rawValue)
            try statement.bind(signal.subject)
            try statement.bind(Signal.interval)
        }
        guard database.changedRows == 0 else { return }
        let insert = """
            INSERT INTO signals (customer_id, kind, subject, count, first_ms, last_ms)
            SELECT ?1, ?2, ?3, 1, ?4, ?4
            WHERE (SELECT count(*) FROM signals WHERE customer_id = ?1 AND kind = ?2) < ?5
            ON CONFLICT DO NOTHING
            """
        try database.run(insert) { statement throws(SQLiteError) in
            try statement.bind(signal.customer.rawValue)
            try statement.bind(signal.kind.rawValue)
            try statement.bind(signal.subject)
            try statement.bind(signal.at.milliseconds)
            try statement.bind(Int64(Signal.mostSubjects))
        }
    }

    /// The signals about a customer under all names.
    mutating func signals(of customer: CustomerID) throws(SQLiteError) -> KnownSignals {
        let names = try everyName(of: customer).all
        var signals: [SignalCount] = []
        for name in names { signals += try counts(named: name) }
        return KnownSignals(customer: names[0], signals: signals)
    }

    private mutating func counts(named name: CustomerID) throws(SQLiteError) -> [SignalCount] {
        let sql =
            "SELECT kind, subject, first_ms, count, last_ms FROM signals WHERE customer_id = ?"
        return try database.withStatement(sql) { statement throws(SQLiteError) in
            try statement.bind(name.rawValue)
            var found: [SignalCount] = []
            while try statement.step() {
                let first = Signal(
                    kind: try statement.word("a signal's kind"), customer: name,
                    subject: statement.text(), at: statement.time())
                found.append(
                    SignalCount(first: first, count: statement.int64(), last: statement.time()))
            }
            return found
        }
    }
}
