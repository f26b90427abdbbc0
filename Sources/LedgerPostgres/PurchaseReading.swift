import AppStoreModel
import PostgresDriver
import TillLedger

/// Where a purchase stands: its book's number and its key.
struct PlaceRow: Hashable {
    let book: Int64
    let key: GrantKey

    init(book: Int64, key: GrantKey) {
        self.book = book
        self.key = key
    }

    init(_ rows: PostgresRows) {
        self.init(book: rows.int64(), key: GrantKey(rawValue: rows.word()))
    }
}

/// Reads purchases whole: their transactions, what was observed of these, grants and changes.
///
/// Four statements, five or six, over the same places, whichever those are.
struct PurchaseReading {
    /// What was found of one purchase.
    struct Found {
        var book: Book
        var transactions: [RecordedTransaction] = []
        var observations: [TransactionID: [Observation]] = [:]
        var grant: Grant?
        var changes: [GrantChange] = []
        var entries: [WalletEntry] = []
        var owners: [TransactionID: [Ownership]] = [:]
    }

    /// What is wanted beside transactions, observations, grants and changes.
    enum Parts {
        case nothingMore
        case entries
        case entriesAndOwners
    }

    let queries: [PostgresQuery]
    private let parts: Parts

    /// - Parameters:
    ///   - places: A query for (`book_id`, `grant_key`).
    ///   - parameters: Its parameters.
    ///   - parts: What else is wanted.
    init(places: String, _ parameters: [PostgresValue], _ parts: Parts) {
        self.parts = parts
        func query(_ columns: String, _ joins: String) -> PostgresQuery {
            PostgresQuery(
                """
                WITH places AS (\(places))
                SELECT places.book_id, places.grant_key, \(columns) FROM places
                \(joins)
                """, parameters)
        }
        let transactions = "JOIN transactions t USING (book_id, grant_key)"
        var queries = [
            query(
                Columns.of("b", Columns.book) + ", " + Columns.of("t", Columns.transaction),
                transactions + " JOIN books b USING (book_id)"),
            query(
                "o.transaction_id, " + Columns.of("o", Columns.observation),
                "\(transactions) JOIN observations o USING (book_id, transaction_id) ORDER BY o.number"
            ),
            query(Columns.of("g", Columns.grant), "JOIN grants g USING (book_id, grant_key)"),
            query(
                "c.grant_key, c.turn, c.transaction_id, c.at_ms",
                "JOIN grant_changes c USING (book_id, grant_key) ORDER BY c.turn"),
        ]
        if parts != .nothingMore {
            queries.append(
                query(
                    "w.customer_id, w.currency, w.amount, w.debt, w.turn, w.at_ms",
                    """
                    JOIN wallet_entries w USING (book_id, grant_key) ORDER BY w.turn, w.currency
                    """))
        }
        if parts == .entriesAndOwners {
            queries.append(
                query(
                    Columns.of("o", Columns.owner),
                    """
                    CROSS JOIN LATERAL (SELECT DISTINCT t.original_transaction_id FROM transactions t
                        WHERE t.book_id = places.book_id AND t.grant_key = places.grant_key) t
                    JOIN owners o USING (book_id, original_transaction_id) ORDER BY o.number
                    """))
        }
        self.queries = queries
    }

    /// Puts together what the statements gave.
    func found(
        _ results: ArraySlice<PostgresRows>
    ) throws(PostgresError) -> [PlaceRow: Found] {
        var results = results
        var found: [PlaceRow: Found] = [:]
        try each(&results) { rows, place throws(PostgresError) in
            let book = rows.book()
            found[place, default: Found(book: book)].transactions.append(try rows.transaction())
        }
        try each(&results) { rows, place throws(PostgresError) in
            let id = TransactionID(rows.word())
            found[place]?.observations[id, default: []].append(try rows.observation())
        }
        try each(&results) { rows, place throws(PostgresError) in
            found[place]?.grant = try rows.grant()
        }
        try each(&results) { rows, place throws(PostgresError) in
            found[place]?.changes.append(rows.change())
        }
        guard parts != .nothingMore else { return found }
        try each(&results) { rows, place throws(PostgresError) in
            found[place]?.entries.append(
                WalletEntry(
                    customer: try rows.word("a wallet's customer"),
                    currency: WalletCurrency(rows.word()), amount: rows.int64(),
                    debt: rows.int64(), key: place.key, turn: Int(rows.int64()), at: rows.time()))
        }
        try each(&results) { rows, place throws(PostgresError) in
            let owner = try rows.owner()
            found[place]?.owners[owner.originalID, default: []].append(owner)
        }
        return found
    }

    private func each(
        _ results: inout ArraySlice<PostgresRows>,
        _ body: (PostgresRows, PlaceRow) throws(PostgresError) -> Void
    ) throws(PostgresError) {
        guard let rows = results.popFirst() else { return }
        while rows.step() { try body(rows, PlaceRow(rows)) }
    }
}

extension PurchaseReading.Found {
    /// As the rules know it.
    func facts(_ key: GrantKey) -> PurchaseFacts {
        let ordered = transactions.sorted { ($0.recordedAt, $0.id) < ($1.recordedAt, $1.id) }
        return PurchaseFacts(
            book: book, key: key, transactions: ordered,
            observations: ordered.flatMap { observations[$0.id] ?? [] }, grant: grant,
            changes: grant == nil ? [] : changes, entries: entries,
            owners: ordered.first.flatMap { owners[$0.originalID] } ?? [])
    }
}
