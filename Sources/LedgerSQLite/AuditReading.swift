import AppStoreModel
import SQLiteDriver
import TillLedger

extension LedgerConnection {
    /// Reads purchases with their wallet entries, in the order of their books' numbers and keys.
    mutating func purchases(
        after place: PurchasePlace?, limit: Int
    ) throws(SQLiteError) -> [PurchaseFacts] {
        var start = PlaceRow(book: 0, key: GrantKey(rawValue: ""))
        if let place {
            guard let book = try bookID(place.book) else { return [] }
            start = PlaceRow(book: book, key: place.key)
        }
        let sql = """
            SELECT DISTINCT book_id, grant_key FROM transactions
            WHERE (book_id, grant_key) > (?, ?) ORDER BY book_id, grant_key LIMIT ?
            """
        let places = try database.withStatement(sql) { statement throws(SQLiteError) in
            try statement.bind(start.book)
            try statement.bind(start.key.rawValue)
            try statement.bind(Int64(limit))
            return try statement.places()
        }
        var purchases: [PurchaseFacts] = []
        for place in places {
            var purchase = try purchase(place)
            purchase.entries = try entries(place)
            if let original = purchase.transactions.first?.originalID {
                purchase.owners = try owners(place.book, original)
            }
            purchases.append(purchase)
        }
        return purchases
    }

    mutating func entries(_ place: PlaceRow) throws(SQLiteError) -> [WalletEntry] {
        let sql = """
            SELECT customer_id, currency, amount, debt, turn, at_ms FROM wallet_entries
            WHERE book_id = ? AND grant_key = ? ORDER BY turn, currency
            """
        return try database.withStatement(sql) { statement throws(SQLiteError) in
            try statement.bind(place.book)
            try statement.bind(place.key.rawValue)
            var entries: [WalletEntry] = []
            while try statement.step() {
                entries.append(
                    WalletEntry(
                        customer: try statement.word("a wallet's customer"),
                        currency: WalletCurrency(statement.text()), amount: statement.int64(),
                        debt: statement.int64(), key: place.key, turn: Int(statement.int64()),
                        at: statement.time()))
            }
            return entries
        }
    }

    /// Compares balances and the list of unpaid orders with the facts.
    mutating func derivedDiscrepancies() throws(SQLiteError) -> [Discrepancy] {
        let balances = """
            WITH sums AS (\(Self.balancesByFacts))
            SELECT 'balance of ' || customer_id || ' in ' || currency || ' of book ' || book_id,
                ifnull(b.amount || iif(b.debt = 0, '', ' and debt ' || b.debt), 'nothing'),
                ifnull(s.amount || iif(s.debt = 0, '', ' and debt ' || s.debt), 'nothing')
            FROM balances b FULL JOIN sums s USING (customer_id, book_id, currency)
            WHERE b.amount IS NOT s.amount OR b.debt IS NOT s.debt
            LIMIT \(RebuildReport.mostDiscrepancies)
            """
        let unpaid = """
            WITH expected AS (\(Self.unpaidByFacts)),
            recorded AS (
                SELECT customer_id, bundle_id, product_id, opened_at_ms, order_id
                FROM unpaid_orders)
            SELECT 'order ' || order_id, 'paid', 'unpaid'
            FROM (SELECT * FROM expected EXCEPT SELECT * FROM recorded)
            UNION ALL
            SELECT 'order ' || order_id, 'unpaid', 'paid'
            FROM (SELECT * FROM recorded EXCEPT SELECT * FROM expected)
            LIMIT \(RebuildReport.mostDiscrepancies)
            """
        let holders = """
            SELECT 'holder of the grant ' || g.grant_key || ' of book ' || g.book_id,
                g.holder_id, ifnull(t.holder_id, 'nobody')
            FROM grants g JOIN transactions t USING (book_id, transaction_id)
            WHERE g.holder_id IS NOT t.holder_id LIMIT \(RebuildReport.mostDiscrepancies)
            """
        return try discrepancies(balances) + discrepancies(unpaid) + discrepancies(holders)
    }

    /// Makes balances and the list of unpaid orders anew out of the facts.
    mutating func deriveAnew() throws(SQLiteError) {
        try database.execute(
            """
            DELETE FROM balances;
            INSERT INTO balances (customer_id, book_id, currency, amount, debt)
                \(Self.balancesByFacts);
            UPDATE grants SET holder_id = (
                    SELECT t.holder_id FROM transactions t
                    WHERE t.book_id = grants.book_id
                        AND t.transaction_id = grants.transaction_id)
                WHERE EXISTS (
                    SELECT 1 FROM transactions t
                    WHERE t.book_id = grants.book_id
                        AND t.transaction_id = grants.transaction_id
                        AND t.holder_id <> grants.holder_id);
            DELETE FROM unpaid_orders;
            INSERT INTO unpaid_orders
                (customer_id, bundle_id, product_id, opened_at_ms, order_id)
                \(Self.unpaidByFacts);
            """)
    }

    private static var balancesByFacts: String {
        """
        SELECT customer_id, book_id, currency, sum(amount) AS amount, sum(debt) AS debt
        FROM (
            SELECT customer_id, book_id, currency, amount, debt FROM wallet_entries
            UNION ALL
            SELECT customer_id, book_id, currency, amount, 0 FROM wallet_movements)
        GROUP BY customer_id, book_id, currency
        """
    }

    private static var unpaidByFacts: String {
        """
        SELECT customer_id, bundle_id, product_id, opened_at_ms, order_id FROM orders o
        WHERE NOT EXISTS (
            SELECT 1 FROM order_events e WHERE e.order_id = o.order_id AND e.kind = 'paid')
        """
    }

    private mutating func discrepancies(_ sql: String) throws(SQLiteError) -> [Discrepancy] {
        try database.withStatement(sql) { statement throws(SQLiteError) in
            var found: [Discrepancy] = []
            while try statement.step() {
                found.append(
                    Discrepancy(
                        subject: statement.text(), recorded: statement.text(),
                        expected: statement.text()))
            }
            return found
        }
    }

    /// Reads a kept proof.
    mutating func proof(_ digest: ProofDigest) throws(SQLiteError) -> StoredProof? {
        let sql = "SELECT kind, bytes, received_at_ms FROM proofs WHERE digest = ?"
        return try database.withStatement(sql) { statement throws(SQLiteError) in
            try statement.bind(digest.rawValue)
            guard try statement.step() else { return nil }
            return StoredProof(
                digest: digest, kind: try statement.word("a proof's kind"),
                bytes: statement.bytes(), receivedAt: statement.time())
        }
    }
}
