import AppStoreModel
import SQLiteDriver
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
        ("wallet_movements", "customer_id"),
        ("promotions", "customer_id"),
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
    /// Statements for rows that are found by app and name, each app once: `webhook_deliveries` through their
    /// events, before those are renamed.
    static let told: [(table: String, sql: String)] = [
        (
            "webhook_deliveries",
            """
            UPDATE webhook_deliveries SET customer_id = ?1 WHERE customer_id = ?2 AND event_id IN (
                SELECT event_id FROM events WHERE bundle_id = ?3 AND customer_id = ?2)
            """
        ),
        (
            // What tells of a merge names the other name, which is erased too.
            "events",
            """
            UPDATE events SET customer_id = ?1,
                data = CASE kind WHEN 'customer.merged' THEN '{}' ELSE data END
            WHERE bundle_id = ?3 AND customer_id = ?2
            """
        ),
        (
            "event_counters",
            "UPDATE event_counters SET customer_id = ?1 WHERE bundle_id = ?3 AND customer_id = ?2"
        ),
    ]
    /// The apps with events, found without walking the customers' counters.
    static let apps = """
        WITH RECURSIVE apps (bundle_id) AS (
            SELECT min(bundle_id) FROM event_counters
            UNION ALL
            SELECT (SELECT min(c.bundle_id) FROM event_counters c WHERE c.bundle_id > apps.bundle_id)
            FROM apps WHERE apps.bundle_id IS NOT NULL)
        SELECT bundle_id FROM apps WHERE bundle_id IS NOT NULL
        """
}

extension LedgerConnection {
    /// Replaces every name of a customer by a pseudonym; false when nothing is recorded of them.
    mutating func erase(
        _ customer: CustomerID, at now: Timestamp, pseudonym: () -> CustomerID
    ) throws(SQLiteError) -> Bool {
        let names = try everyName(of: customer).all
        var isKnown = false
        for (place, name) in names.enumerated() {
            let substitute = pseudonym()
            let count = try replace(name, by: substitute)
            guard count > 0 else { continue }
            isKnown = true
            guard place == 0 else { continue }
            // Remembered of the pseudonym alone: nothing leads back to the name.
            let sql = """
                INSERT INTO aliases (customer_id, into_customer_id, at_ms) VALUES (?, NULL, ?)
                ON CONFLICT DO NOTHING
                """
            try database.run(sql) { statement throws(SQLiteError) in
                try statement.bind(substitute.rawValue)
                try statement.bind(now.milliseconds)
            }
        }
        return isKnown
    }

    /// Replaces one name wherever it stands; tells how many rows it stood in.
    private mutating func replace(
        _ name: CustomerID, by substitute: CustomerID
    ) throws(SQLiteError) -> Int64 {
        var count: Int64 = 0
        // Found first: once the names are replaced, nothing finds them.
        for original in try originals(of: name) {
            for key in try purchases(ofOriginal: original.id, in: original.book) {
                for (table, column) in CustomerTraces.purchased {
                    // Left alone, SQLite walks the whole book by its primary key.
                    let index =
                        table == "transactions" ? "INDEXED BY transactions_by_purchase" : ""
                    let sql = """
                        UPDATE \(table) \(index) SET \(column) = ?1
                        WHERE book_id = ?3 AND grant_key = ?4 AND \(column) = ?2
                        """
                    count += try change(sql, substitute, name, original.book, key.rawValue)
                }
            }
            for (table, column) in CustomerTraces.original {
                let sql = """
                    UPDATE \(table) SET \(column) = ?1
                    WHERE book_id = ?3 AND original_transaction_id = ?4 AND \(column) = ?2
                    """
                count += try change(sql, substitute, name, original.book, original.id.rawValue)
            }
        }
        for (table, column) in CustomerTraces.named {
            let sql = "UPDATE \(table) SET \(column) = ?1 WHERE \(column) = ?2"
            count += try change(sql, substitute, name)
        }
        for app in try appsWithEvents() {
            for (_, sql) in CustomerTraces.told {
                try database.run(sql) { statement throws(SQLiteError) in
                    try statement.bind(substitute.rawValue)
                    try statement.bind(name.rawValue)
                    try statement.bind(app)
                }
                count += database.changedRows
            }
        }
        count += try renameTasks(of: name, to: substitute)
        for table in CustomerTraces.removed {
            count += try change("DELETE FROM \(table) WHERE customer_id = ?2", substitute, name)
        }
        try database.run("DELETE FROM idempotent_answers WHERE caller = ?") {
            statement throws(SQLiteError) in
            try statement.bind("customer:\(name.rawValue)")
        }
        return count + database.changedRows
    }

    private mutating func appsWithEvents() throws(SQLiteError) -> [String] {
        try database.withStatement(CustomerTraces.apps) { statement throws(SQLiteError) in
            var apps: [String] = []
            while try statement.step() { apps.append(statement.text()) }
            return apps
        }
    }

    private mutating func change(
        _ sql: String, _ substitute: CustomerID, _ name: CustomerID, _ book: Int64? = nil,
        _ key: String? = nil
    ) throws(SQLiteError) -> Int64 {
        try database.run(sql) { statement throws(SQLiteError) in
            try statement.bind(substitute.rawValue)
            try statement.bind(name.rawValue)
            if let book, let key {
                try statement.bind(book)
                try statement.bind(key)
            }
        }
        return database.changedRows
    }

    /// Every original that a customer has or had anything of.
    private mutating func originals(of name: CustomerID) throws(SQLiteError) -> Set<OriginalRow> {
        let sql = """
            SELECT book_id, original_transaction_id FROM transactions WHERE holder_id = ?1
            UNION
            SELECT book_id, original_transaction_id FROM transactions
            WHERE customer_id = ?1 AND holder_id <> customer_id
            UNION
            SELECT book_id, original_transaction_id FROM owners WHERE customer_id = ?1 AND number > 0
            """
        return try database.withStatement(sql) { statement throws(SQLiteError) in
            try statement.bind(name.rawValue)
            return try statement.originals()
        }
    }
}
