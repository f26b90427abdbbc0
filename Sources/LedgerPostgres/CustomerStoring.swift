import AppStoreModel
import PostgresDriver
import TillLedger

/// Reads transactions of an app that nobody owns, by the numbers of its books.
struct UnclaimedReading {
    let queries: [PostgresQuery]

    init(_ app: BundleID, after book: Int64, _ id: String, limit: Int) {
        queries = [
            PostgresQuery(
                """
                SELECT \(Columns.of("b", Columns.book)), \(Columns.of("t", Columns.transaction))
                FROM books b CROSS JOIN LATERAL (
                    SELECT * FROM transactions u
                    WHERE u.book_id = b.book_id AND u.holder_id IS NULL
                        AND (u.book_id, u.transaction_id) > ($2, $3)
                    ORDER BY u.transaction_id LIMIT $4) t
                WHERE b.bundle_id = $1 AND b.book_id >= $2
                ORDER BY t.book_id, t.transaction_id LIMIT $4
                """,
                [.word(app.rawValue), .int64(book), .word(id), .int64(Int64(limit))])
        ]
    }

    func transactions(
        _ results: [PostgresRows]
    ) throws(PostgresError) -> [UnclaimedTransaction] {
        var found: [UnclaimedTransaction] = []
        for rows in results {
            while rows.step() {
                let book = rows.book()
                found.append(
                    UnclaimedTransaction(book: book, transaction: try rows.transaction()))
            }
        }
        return found
    }
}

/// Reads the signals about a customer under all names.
struct SignalReading {
    let queries: [PostgresQuery]
    private let customer: CustomerID

    init(_ customer: CustomerID) {
        self.customer = customer
        queries = [
            NameReading.query([customer]),
            PostgresQuery(
                """
                WITH RECURSIVE \(NameReading.list(ofParameter: 1))
                SELECT s.kind, s.customer_id, s.subject, s.first_ms, s.count, s.last_ms
                FROM names JOIN signals s ON s.customer_id = names.name
                """, [.word(customer.rawValue)]),
        ]
    }

    func signals(_ results: [PostgresRows]) throws(PostgresError) -> KnownSignals {
        var names = CustomerNames()
        for alias in try NameReading.aliases(results[0]) { names.include(alias) }
        let rows = results[1]
        var found: [SignalCount] = []
        while rows.step() {
            let first = Signal(
                kind: try rows.word("a signal's kind"),
                customer: try rows.word("a signal's customer"), subject: rows.word(),
                at: rows.time())
            found.append(SignalCount(first: first, count: rows.int64(), last: rows.time()))
        }
        return KnownSignals(customer: names.canonical(customer), signals: found)
    }
}
