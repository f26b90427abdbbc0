import AppStoreModel
import PostgresDriver
import TillLedger

/// Every name of a customer, and where the purchases and subscriptions stand that are read of them.
struct CustomerPlaces {
    /// What was found.
    struct Found {
        let customer: CustomerID
        let names: [CustomerID]
        /// The purchases that the customer has or shares; of subscriptions the newest alone.
        var held: Set<PlaceRow> = []
        /// The periods that decide of each subscription of which the customer has or shares one.
        var periods: [OriginalRow: DecidingPeriods] = [:]
        /// The subscriptions that the customer shares.
        var shared: Set<OriginalRow> = []
    }

    let queries: [PostgresQuery]
    private let customer: CustomerID
    private let count: Int

    /// - Parameters:
    ///   - customer: Who.
    ///   - limit: The most purchases that are read because they are new.
    ///   - count: How many periods are read of each subscription and each kind of goods.
    init(_ customer: CustomerID, limit: Int, count: Int) {
        self.customer = customer
        self.count = count
        queries = [
            NameReading.query([customer]),
            PostgresQuery(
                Self.sql,
                [
                    .word(customer.rawValue), .int64(Int64(limit)), .int64(Int64(count)),
                    .int64(Int64(2 * count)),
                ]),
        ]
    }

    private static func isPeriod(_ table: String) -> String {
        "\(table).grant_key >= 'period/' AND \(table).grant_key < 'period0'"
    }

    /// Of each name the newest, what lasts, and what is shared; of each subscription the periods that decide.
    ///
    /// Subscriptions and kinds of goods are found by one step in an index each, however many periods there are.
    private static let sql = """
        WITH RECURSIVE \(NameReading.list(ofParameter: 1)), held AS (
            SELECT newest.book_id, newest.grant_key FROM names CROSS JOIN LATERAL (
                SELECT t.book_id, t.grant_key FROM transactions t
                WHERE t.holder_id = names.name
                ORDER BY t.purchase_date_ms DESC, t.transaction_id DESC LIMIT $2) newest
            UNION
            SELECT g.book_id, g.grant_key
            FROM names JOIN grants g ON g.holder_id = names.name
            WHERE g.entitlements <> '[]' AND g.grant_key < 'period/'
            UNION
            SELECT t.book_id, t.grant_key
            FROM names JOIN shares s ON s.customer_id = names.name
            JOIN transactions t
                ON t.book_id = s.book_id AND t.grant_key = 'once/' || s.original_transaction_id),
        mine (name, book_id, original) AS (
            SELECT names.name, f.book_id, f.original_transaction_id
            FROM names CROSS JOIN LATERAL (
                SELECT t.book_id, t.original_transaction_id FROM transactions t
                WHERE t.holder_id = names.name AND \(isPeriod("t"))
                ORDER BY t.book_id, t.original_transaction_id LIMIT 1) f
            UNION ALL
            SELECT mine.name, f.book_id, f.original_transaction_id
            FROM mine CROSS JOIN LATERAL (
                SELECT t.book_id, t.original_transaction_id FROM transactions t
                WHERE t.holder_id = mine.name AND \(isPeriod("t"))
                    AND (t.book_id, t.original_transaction_id) > (mine.book_id, mine.original)
                ORDER BY t.book_id, t.original_transaction_id LIMIT 1) f),
        subscribed AS (
            SELECT book_id, original, max(is_shared) AS is_shared FROM (
                SELECT book_id, original, 0::bigint AS is_shared FROM mine
                UNION ALL
                SELECT s.book_id, s.original_transaction_id, 1
                FROM names JOIN shares s ON s.customer_id = names.name) every
            GROUP BY book_id, original),
        newest AS (
            SELECT s.book_id, s.original, s.is_shared, p.grant_key, p.purchase_date_ms
            FROM subscribed s CROSS JOIN LATERAL (
                SELECT t.grant_key, t.purchase_date_ms FROM transactions t
                WHERE t.original_transaction_id = s.original AND t.book_id = s.book_id
                    AND \(isPeriod("t"))
                ORDER BY t.purchase_date_ms DESC LIMIT $4) p),
        long AS (
            SELECT book_id, original, min(purchase_date_ms) AS oldest FROM newest
            GROUP BY book_id, original HAVING count(*) >= $4),
        goods (book_id, original, product_id, entitlements) AS (
            SELECT long.book_id, long.original, f.product_id, f.entitlements
            FROM long CROSS JOIN LATERAL (
                SELECT g.product_id, g.entitlements FROM grants g
                WHERE split_part(g.grant_key, '/', 2) = long.original AND g.book_id = long.book_id
                    AND \(isPeriod("g")) AND g.entitlements <> '[]'
                ORDER BY g.product_id, g.entitlements LIMIT 1) f
            UNION ALL
            SELECT goods.book_id, goods.original, f.product_id, f.entitlements
            FROM goods CROSS JOIN LATERAL (
                SELECT g.product_id, g.entitlements FROM grants g
                WHERE split_part(g.grant_key, '/', 2) = goods.original
                    AND g.book_id = goods.book_id AND \(isPeriod("g")) AND g.entitlements <> '[]'
                    AND (g.product_id, g.entitlements) > (goods.product_id, goods.entitlements)
                ORDER BY g.product_id, g.entitlements LIMIT 1) f),
        giving AS (
            SELECT goods.book_id, goods.original, p.grant_key, p.purchase_date_ms
            FROM goods CROSS JOIN LATERAL (
                SELECT g.grant_key, g.purchase_date_ms FROM grants g
                WHERE split_part(g.grant_key, '/', 2) = goods.original
                    AND g.book_id = goods.book_id AND g.product_id = goods.product_id
                    AND g.entitlements = goods.entitlements AND \(isPeriod("g"))
                    AND g.entitlements <> '[]'
                ORDER BY g.purchase_date_ms DESC LIMIT $3) p),
        grouped AS (
            SELECT long.book_id, long.original, p.grant_key
            FROM long CROSS JOIN LATERAL (
                SELECT t.grant_key FROM (
                    SELECT t.transaction_id, t.grant_key, t.purchase_date_ms FROM transactions t
                    WHERE t.original_transaction_id = long.original AND t.book_id = long.book_id
                        AND \(isPeriod("t"))
                    ORDER BY t.purchase_date_ms DESC LIMIT \(DecidingPeriods.groupSearch)) t
                JOIN observations o
                    ON o.book_id = long.book_id AND o.transaction_id = t.transaction_id
                WHERE o.subscription_group_id IS NOT NULL
                ORDER BY t.purchase_date_ms DESC LIMIT 1) p)
        SELECT book_id, grant_key, NULL::text, 0::bigint, 0::bigint FROM held
        UNION ALL
        SELECT book_id, grant_key, original, 1, is_shared FROM newest
        UNION ALL
        SELECT book_id, grant_key, original, 0, 0 FROM giving
        UNION ALL
        SELECT giving.book_id, f.grant_key, giving.original, 0, 0
        FROM giving JOIN long USING (book_id, original) CROSS JOIN LATERAL (
            SELECT t.grant_key FROM transactions t
            WHERE t.original_transaction_id = giving.original AND t.book_id = giving.book_id
                AND \(isPeriod("t"))
                AND t.purchase_date_ms >= (giving.purchase_date_ms / 1000 + 1) * 1000
            ORDER BY t.purchase_date_ms LIMIT 1) f
        WHERE giving.purchase_date_ms < long.oldest
        UNION ALL
        SELECT book_id, grant_key, original, 0, 0 FROM grouped
        """

    func found(_ results: ArraySlice<PostgresRows>) throws(PostgresError) -> Found {
        var names = CustomerNames()
        guard let aliases = results.first, let places = results.last else {
            return Found(customer: customer, names: [customer])
        }
        for alias in try NameReading.aliases(aliases) { names.include(alias) }
        let all = names.all(of: customer)
        var found = Found(customer: all[0], names: all)
        var newestRows: [OriginalRow: Int] = [:]
        while places.step() {
            let place = PlaceRow(places)
            guard let original = places.optionalWord() else {
                found.held.insert(place)
                continue
            }
            let subscription = OriginalRow(book: place.book, id: TransactionID(original))
            let isNewest = places.int64() != 0
            if places.int64() != 0 { found.shared.insert(subscription) }
            var periods =
                found.periods[subscription]
                ?? DecidingPeriods(count: count, keys: [], newest: [], isAll: true)
            periods.keys.insert(place.key)
            if isNewest {
                periods.newest.insert(place.key)
                newestRows[subscription, default: 0] += 1
            }
            found.periods[subscription] = periods
        }
        for (subscription, rows) in newestRows {
            found.periods[subscription]?.isAll = rows < 2 * count
        }
        return found
    }
}

/// An original transaction by its book's number.
struct OriginalRow: Hashable {
    let book: Int64
    let id: TransactionID
}
