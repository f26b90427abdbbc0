import AppStoreModel
import PostgresDriver
import TillLedger

/// Where customers' names stand, and what becomes of them when a customer is erased.
///
/// Names are found by indexes and through the customer's own purchases, so that erasing one customer does not
/// walk the ledger. A column that ends in `customer_id` or is `holder_id` must be in one of these lists; a
/// test looks.
enum CustomerTraces {
    /// Columns whose rows are found by the name alone: table and column.
    static let named: [(table: String, column: String)] = [
        ("orders", "customer_id"), ("unpaid_orders", "customer_id"), ("balances", "customer_id"),
        ("refusals", "customer_id"), ("shares", "customer_id"), ("aliases", "customer_id"),
        ("aliases", "into_customer_id"), ("wallet_entries", "customer_id"),
        ("wallet_movements", "customer_id"), ("promotions", "customer_id"),
        ("events", "customer_id"),
        ("event_counters", "customer_id"), ("webhook_deliveries", "customer_id"),
    ]
    /// Rows that are removed: what tells of a person and is no part of the accounts.
    static let removed = ["tracks", "signals"]
    /// Columns whose rows are found through a purchase, by its book and grant key.
    static let purchased: [(table: String, column: String)] = [
        ("transactions", "customer_id"), ("transactions", "holder_id"), ("grants", "customer_id"),
        ("grants", "holder_id"),
    ]
    /// Columns whose rows are found through an original transaction.
    static let original = [(table: "owners", column: "customer_id")]
}

extension Session {
    /// Replaces every name of a customer by a pseudonym; false when nothing is recorded of them.
    ///
    /// It has the ledger to itself meanwhile: a decision that began before would write the old names down.
    mutating func erase(
        _ customer: CustomerID, at now: Timestamp, pseudonym: () -> CustomerID
    ) throws(PostgresError) -> Bool {
        let found = try run([try locks().takingWhole, NameReading.query([customer])])[1]
        var names = CustomerNames()
        for alias in try NameReading.aliases(found) { names.include(alias) }
        var isKnown = false
        for (place, name) in names.all(of: customer).enumerated() {
            let substitute = pseudonym()
            guard try replace(name, by: substitute) > 0 else { continue }
            isKnown = true
            guard place == 0 else { continue }
            // Remembered of the pseudonym alone: nothing leads back to the name.
            let mark = PostgresQuery(
                """
                INSERT INTO aliases (customer_id, into_customer_id, at_ms) VALUES ($1, NULL, $2)
                ON CONFLICT DO NOTHING
                """, [.word(substitute.rawValue), .int64(now.milliseconds)])
            _ = try run([mark])
        }
        return isKnown
    }

    /// Replaces one name wherever it stands; tells how many rows it stood in.
    private mutating func replace(
        _ name: CustomerID, by substitute: CustomerID
    ) throws(PostgresError) -> Int {
        let names: [PostgresValue] = [.word(substitute.rawValue), .word(name.rawValue)]
        // Found first: once the names are replaced, nothing finds them.
        let originals = try run([Self.originals(of: name)])[0]
        var traces: [(book: Int64, original: String, key: String)] = []
        while originals.step() {
            traces.append((originals.int64(), originals.word(), originals.word()))
        }
        let books = PostgresValue.int64s(traces.map(\.book))
        let listed = try run([
            PostgresQuery("SELECT \(Columns.of("b", Columns.book)) FROM books b")
        ])[0]
        var everyBook: [Book] = []
        while listed.step() { everyBook.append(listed.book()) }
        var changes = [Self.renamingTasks(of: name, to: substitute, in: everyBook)]
        for (table, column) in CustomerTraces.purchased {
            let sql = """
                UPDATE \(table) t SET \(column) = $1
                FROM (SELECT DISTINCT book_id, grant_key
                    FROM unnest($3::bigint[], $4::text[]) AS p (book_id, grant_key)) p
                WHERE t.book_id = p.book_id AND t.grant_key = p.grant_key AND t.\(column) = $2
                """
            changes.append(PostgresQuery(sql, names + [books, .words(traces.map(\.key))]))
        }
        for (table, column) in CustomerTraces.original {
            let sql = """
                UPDATE \(table) t SET \(column) = $1
                FROM (SELECT DISTINCT book_id, original_transaction_id
                    FROM unnest($3::bigint[], $4::text[])
                        AS p (book_id, original_transaction_id)) p
                WHERE t.book_id = p.book_id
                    AND t.original_transaction_id = p.original_transaction_id
                    AND t.\(column) = $2
                """
            changes.append(PostgresQuery(sql, names + [books, .words(traces.map(\.original))]))
        }
        // What tells of a merge names the other name, which is erased too.
        changes.append(
            PostgresQuery(
                "UPDATE events SET data = '{}' WHERE customer_id = $1 AND kind = 'customer.merged'",
                [.word(name.rawValue)]))
        for (table, column) in CustomerTraces.named {
            changes.append(
                PostgresQuery("UPDATE \(table) SET \(column) = $1 WHERE \(column) = $2", names))
        }
        for table in CustomerTraces.removed {
            changes.append(
                PostgresQuery(
                    "DELETE FROM \(table) WHERE customer_id = $1", [.word(name.rawValue)]))
        }
        changes.append(
            PostgresQuery(
                "DELETE FROM idempotent_answers WHERE caller = $1",
                [.word("customer:\(name.rawValue)")]))
        return try run(changes).reduce(0) { $0 + $1.affectedRows }
    }

    /// Every original that a customer has or had anything of, with each purchase of it.
    private static func originals(of name: CustomerID) -> PostgresQuery {
        PostgresQuery(
            """
            WITH originals AS (
                SELECT book_id, original_transaction_id FROM transactions WHERE holder_id = $1
                UNION
                SELECT book_id, original_transaction_id FROM transactions
                WHERE customer_id = $1 AND holder_id <> customer_id
                UNION
                SELECT book_id, original_transaction_id FROM owners
                WHERE customer_id = $1 AND number > 0)
            SELECT DISTINCT book_id, original_transaction_id, t.grant_key
            FROM originals JOIN transactions t USING (book_id, original_transaction_id)
            """, [.word(name.rawValue)])
    }
}
