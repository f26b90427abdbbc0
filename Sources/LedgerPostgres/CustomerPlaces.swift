import AppStoreModel
import PostgresDriver
import TillLedger

/// Every name of a customer, and where the purchases and subscriptions stand that are read of them.
struct CustomerPlaces {
    /// What was found.
    struct Found {
        let customer: CustomerID
        let names: [CustomerID]
        /// The purchases that the customer has or shares.
        var held: Set<PlaceRow> = []
        /// The periods of each subscription of which one is the customer's.
        var periods: [OriginalRow: [PlaceRow]] = [:]
    }

    let queries: [PostgresQuery]
    private let customer: CustomerID

    init(_ customer: CustomerID, limit: Int) {
        self.customer = customer
        let isPeriod = "t.grant_key >= 'period/' AND t.grant_key < 'period0'"
        // Of each name the newest, every one that entitles to something, and what is shared.
        queries = [
            NameReading.query([customer]),
            PostgresQuery(
                """
                WITH RECURSIVE \(NameReading.list(ofParameter: 1)), held AS (
                    SELECT newest.book_id, newest.grant_key FROM names CROSS JOIN LATERAL (
                        SELECT t.book_id, t.grant_key FROM transactions t
                        WHERE t.holder_id = names.name
                        ORDER BY t.purchase_date_ms DESC, t.transaction_id DESC LIMIT $2) newest
                    UNION
                    SELECT g.book_id, g.grant_key
                    FROM names JOIN grants g ON g.holder_id = names.name
                    WHERE g.entitlements <> '[]'
                    UNION
                    SELECT t.book_id, t.grant_key
                    FROM names JOIN shares s ON s.customer_id = names.name
                    JOIN transactions t USING (book_id, original_transaction_id)),
                subscribed AS (
                    SELECT t.book_id, t.original_transaction_id
                    FROM held JOIN transactions t USING (book_id, grant_key) WHERE \(isPeriod)
                    UNION
                    SELECT t.book_id, t.original_transaction_id
                    FROM names JOIN transactions t ON t.holder_id = names.name WHERE \(isPeriod))
                SELECT book_id, grant_key, NULL::text FROM held
                UNION ALL
                SELECT DISTINCT t.book_id, t.grant_key, t.original_transaction_id
                FROM subscribed JOIN transactions t USING (book_id, original_transaction_id)
                WHERE \(isPeriod)
                """, [.word(customer.rawValue), .int64(Int64(limit))]),
        ]
    }

    func found(_ results: ArraySlice<PostgresRows>) throws(PostgresError) -> Found {
        var names = CustomerNames()
        guard let aliases = results.first, let places = results.last else {
            return Found(customer: customer, names: [customer])
        }
        for alias in try NameReading.aliases(aliases) { names.include(alias) }
        let all = names.all(of: customer)
        var found = Found(customer: all[0], names: all)
        while places.step() {
            let place = PlaceRow(places)
            if let original = places.optionalWord() {
                let subscription = OriginalRow(book: place.book, id: TransactionID(original))
                found.periods[subscription, default: []].append(place)
            } else {
                found.held.insert(place)
            }
        }
        return found
    }
}

/// An original transaction by its book's number.
struct OriginalRow: Hashable {
    let book: Int64
    let id: TransactionID
}
