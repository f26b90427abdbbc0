import AppStoreModel
import SQLiteDriver
import TillLedger

/// Reads of subscriptions the periods that decide, and no others.
extension LedgerConnection {
    private static let isPeriod = "grant_key >= 'period/' AND grant_key < 'period0'"

    /// Those of some originals that are subscriptions, each with the periods that decide.
    ///
    /// - Parameters:
    ///   - originals: Original transactions.
    ///   - held: Purchases that were read already.
    /// - Returns: The subscriptions.
    /// - Throws: What keeps the database from being read.
    mutating func subscriptions(
        _ originals: Set<OriginalRow>, knowing held: [PurchaseFacts]
    ) throws(SQLiteError) -> [OriginalRow: SubscriptionFacts] {
        guard !originals.isEmpty else { return [:] }
        var known = Dictionary(
            held.map { (PurchasePlace(book: $0.book, key: $0.key), $0) },
            uniquingKeysWith: { first, _ in first })
        var found: [OriginalRow: SubscriptionFacts] = [:]
        for original in originals {
            let subscription = try subscription(original, &known)
            if !subscription.purchases.isEmpty { found[original] = subscription }
        }
        return found
    }

    private mutating func subscription(
        _ original: OriginalRow, _ known: inout [PurchasePlace: PurchaseFacts]
    ) throws(SQLiteError) -> SubscriptionFacts {
        let book = try book(original.book)
        var subscription = SubscriptionFacts(
            book: book, originalID: original.id, purchases: [],
            renewals: try newestRenewals(original))
        var count = DecidingPeriods.first
        while true {
            let read = try decidingPeriods(of: original, count)
            subscription.purchases = try purchases(read.keys, of: original, &known)
            if subscription.isDecided(by: read) {
                guard !read.isAll, !subscription.namesGroup,
                    let key = try periodWithGroup(of: original)
                else { return subscription }
                subscription.purchases += try purchases([key], of: original, &known)
                return subscription
            }
            count *= DecidingPeriods.growth
        }
    }

    private mutating func purchases(
        _ keys: Set<GrantKey>, of original: OriginalRow,
        _ known: inout [PurchasePlace: PurchaseFacts]
    ) throws(SQLiteError) -> [PurchaseFacts] {
        let book = try book(original.book)
        var found: [PurchaseFacts] = []
        for key in keys.sorted() {
            let place = PurchasePlace(book: book, key: key)
            if let facts = known[place] {
                found.append(facts)
                continue
            }
            let facts = try purchase(PlaceRow(book: original.book, key: key))
            known[place] = facts
            found.append(facts)
        }
        return found
    }

    /// The periods of a subscription that decide.
    mutating func decidingPeriods(
        of original: OriginalRow, _ count: Int
    ) throws(SQLiteError) -> DecidingPeriods {
        // A period may have several ids.
        let limit = 2 * count
        let newest = try newestPeriods(of: original, limit)
        let keys = Set(newest.map(\.key))
        var read = DecidingPeriods(
            count: count, keys: keys, newest: keys, isAll: newest.count < limit)
        guard !read.isAll, let oldest = newest.last?.start else { return read }
        for goods in try goods(of: original) {
            for given in try newestPeriods(of: original, giving: goods, count) {
                read.keys.insert(given.key)
                guard given.start.seconds < oldest.seconds,
                    let next = try period(of: original, after: given.start)
                else { continue }
                read.keys.insert(next)
            }
        }
        return read
    }

    /// The newest periods, for telling what became of a subscription.
    mutating func newestPeriods(
        of original: TransactionID, in book: Int64
    ) throws(SQLiteError) -> Set<GrantKey> {
        Set(
            try newestPeriods(
                of: OriginalRow(book: book, id: original), DecidingPeriods.forTelling
            ).map(\.key))
    }

    private mutating func newestPeriods(
        of original: OriginalRow, _ limit: Int
    ) throws(SQLiteError) -> [(key: GrantKey, start: Timestamp)] {
        let sql = """
            SELECT grant_key, purchase_date_ms FROM transactions INDEXED BY periods_by_start
            WHERE book_id = ? AND original_transaction_id = ? AND \(Self.isPeriod)
            ORDER BY purchase_date_ms DESC LIMIT ?
            """
        return try periods(sql) { statement throws(SQLiteError) in
            try statement.bind(original)
            try statement.bind(Int64(limit))
        }
    }

    private mutating func period(
        of original: OriginalRow, after start: Timestamp
    ) throws(SQLiteError) -> GrantKey? {
        let sql = """
            SELECT grant_key, purchase_date_ms FROM transactions INDEXED BY periods_by_start
            WHERE book_id = ? AND original_transaction_id = ? AND \(Self.isPeriod)
                AND purchase_date_ms >= ?
            ORDER BY purchase_date_ms LIMIT 1
            """
        return try periods(sql) { statement throws(SQLiteError) in
            try statement.bind(original)
            // Receipts have whole seconds.
            try statement.bind((start.seconds + 1) * 1_000)
        }.first?.key
    }

    private static let original =
        "substr(grant_key, 8, instr(substr(grant_key, 8), '/') - 1)"

    /// The kinds of goods that a subscription ever gave, each found by one step in the index.
    private mutating func goods(
        of original: OriginalRow
    ) throws(SQLiteError) -> [(product: String, entitlements: String)] {
        let sql = """
            SELECT product_id, entitlements FROM grants INDEXED BY grants_by_goods
            WHERE book_id = ? AND \(Self.original) = ? AND (product_id, entitlements) > (?, ?)
                AND \(Self.isPeriod) AND entitlements <> '[]'
            ORDER BY product_id, entitlements LIMIT 1
            """
        var found: [(product: String, entitlements: String)] = []
        while true {
            let last = found.last ?? ("", "")
            let next = try database.withStatement(sql) {
                statement throws(SQLiteError) -> (product: String, entitlements: String)? in
                try statement.bind(original)
                try statement.bind(last.product)
                try statement.bind(last.entitlements)
                return try statement.step() ? (statement.text(), statement.text()) : nil
            }
            guard let next else { return found }
            found.append(next)
        }
    }

    private mutating func newestPeriods(
        of original: OriginalRow, giving goods: (product: String, entitlements: String),
        _ limit: Int
    ) throws(SQLiteError) -> [(key: GrantKey, start: Timestamp)] {
        let sql = """
            SELECT grant_key, purchase_date_ms FROM grants INDEXED BY grants_by_goods
            WHERE book_id = ? AND \(Self.original) = ? AND product_id = ? AND entitlements = ?
                AND \(Self.isPeriod) AND entitlements <> '[]'
            ORDER BY purchase_date_ms DESC LIMIT ?
            """
        return try periods(sql) { statement throws(SQLiteError) in
            try statement.bind(original)
            try statement.bind(goods.product)
            try statement.bind(goods.entitlements)
            try statement.bind(Int64(limit))
        }
    }

    /// The newest period that names the subscription group, among the newest.
    private mutating func periodWithGroup(
        of original: OriginalRow
    ) throws(SQLiteError) -> GrantKey? {
        let sql = """
            SELECT t.grant_key, t.purchase_date_ms FROM (
                SELECT transaction_id, grant_key, purchase_date_ms
                FROM transactions INDEXED BY periods_by_start
                WHERE book_id = ?1 AND original_transaction_id = ?2 AND \(Self.isPeriod)
                ORDER BY purchase_date_ms DESC LIMIT ?3) t
            CROSS JOIN observations o ON o.book_id = ?1 AND o.transaction_id = t.transaction_id
            WHERE o.subscription_group_id IS NOT NULL
            ORDER BY t.purchase_date_ms DESC LIMIT 1
            """
        return try periods(sql) { statement throws(SQLiteError) in
            try statement.bind(original)
            try statement.bind(Int64(DecidingPeriods.groupSearch))
        }.first?.key
    }

    private mutating func periods(
        _ sql: String, _ bind: (inout SQLiteStatement) throws(SQLiteError) -> Void
    ) throws(SQLiteError) -> [(key: GrantKey, start: Timestamp)] {
        try database.withStatement(sql) { statement throws(SQLiteError) in
            try bind(&statement)
            var found: [(key: GrantKey, start: Timestamp)] = []
            while try statement.step() {
                found.append((GrantKey(rawValue: statement.text()), statement.time()))
            }
            return found
        }
    }

    /// The originals of which a customer has a period.
    mutating func subscriptions(
        of customer: CustomerID
    ) throws(SQLiteError) -> Set<OriginalRow> {
        // One step in the index for each, however many periods it has.
        let sql = """
            SELECT book_id, original_transaction_id
            FROM transactions INDEXED BY periods_by_holder
            WHERE holder_id = ? AND (book_id, original_transaction_id) > (?, ?)
                AND \(Self.isPeriod)
            ORDER BY book_id, original_transaction_id LIMIT 1
            """
        var found: Set<OriginalRow> = []
        var last = OriginalRow(book: 0, id: "")
        while true {
            let next = try database.withStatement(sql) {
                statement throws(SQLiteError) -> OriginalRow? in
                try statement.bind(customer.rawValue)
                try statement.bind(last)
                return try statement.originals().first
            }
            guard let next else { return found }
            found.insert(next)
            last = next
        }
    }
}

extension SQLiteStatement {
    fileprivate mutating func bind(_ original: OriginalRow) throws(SQLiteError) {
        try bind(original.book)
        try bind(original.id.rawValue)
    }
}

extension LedgerSchema {
    /// What finds the periods that decide, and what of a customer's purchases is no period.
    static let periods = Step(
        name: "deciding periods",
        sql: """
            CREATE INDEX periods_by_start
                ON transactions (book_id, original_transaction_id, purchase_date_ms)
                WHERE grant_key >= 'period/' AND grant_key < 'period0';

            CREATE INDEX grants_by_goods ON grants (
                book_id, substr(grant_key, 8, instr(substr(grant_key, 8), '/') - 1), product_id,
                entitlements, purchase_date_ms)
                WHERE grant_key >= 'period/' AND grant_key < 'period0' AND entitlements <> '[]';

            DROP INDEX grants_with_entitlements;
            CREATE INDEX lasting_grants ON grants (holder_id)
                WHERE entitlements <> '[]' AND grant_key < 'period/';

            CREATE INDEX renewals_by_signing
                ON renewals (book_id, original_transaction_id, signed_at_ms);
            """)
}
