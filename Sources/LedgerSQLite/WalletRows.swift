import AppStoreModel
import SQLiteDriver
import TillLedger

extension LedgerConnection {
    // MARK: Writing

    mutating func append(_ movement: WalletMovement) throws(SQLiteError) {
        let place = movement.place
        let book = try enteredBookID(place.book)
        let sql = """
            INSERT INTO wallet_movements
                (book_id, customer_id, movement_id, currency, amount, account, reason, at_ms)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?)
            """
        try database.run(sql) { statement throws(SQLiteError) in
            try statement.bind(book)
            try statement.bind(place.customer.rawValue)
            try statement.bind(place.id.rawValue)
            try statement.bind(movement.currency.rawValue)
            try statement.bind(movement.amount)
            try statement.bind(movement.account.rawValue)
            try statement.bind(movement.reason)
            try statement.bind(movement.at.milliseconds)
        }
        try moveBalance(of: place.customer, in: book, movement.currency, by: movement.amount)
    }

    /// Keeps the running sums.
    mutating func moveBalance(
        of customer: CustomerID, in book: Int64, _ currency: WalletCurrency, by amount: Int64,
        debt: Int64 = 0
    ) throws(SQLiteError) {
        let sql = """
            INSERT INTO balances (customer_id, book_id, currency, amount, debt)
            VALUES (?, ?, ?, ?, ?)
            ON CONFLICT DO UPDATE
            SET amount = amount + excluded.amount, debt = debt + excluded.debt
            """
        try database.run(sql) { statement throws(SQLiteError) in
            try statement.bind(customer.rawValue)
            try statement.bind(book)
            try statement.bind(currency.rawValue)
            try statement.bind(amount)
            try statement.bind(debt)
        }
    }

    mutating func append(_ promotion: Promotion) throws(SQLiteError) {
        moment.hasPromotions = true
        let place = promotion.place
        let book = try enteredBookID(place.book)
        let sql = """
            INSERT INTO promotions
                (book_id, customer_id, promotion_id, entitlement, at_ms, ends_at_ms, reason)
            VALUES (?, ?, ?, ?, ?, ?, ?)
            """
        try database.run(sql) { statement throws(SQLiteError) in
            try statement.bind(book)
            try statement.bind(place.customer.rawValue)
            try statement.bind(place.id.rawValue)
            try statement.bind(promotion.entitlement.rawValue)
            try statement.bind(promotion.at.milliseconds)
            try statement.bind(promotion.endsAt?.milliseconds)
            try statement.bind(promotion.reason)
        }
    }

    mutating func end(_ place: MovementPlace, at time: Timestamp) throws(SQLiteError) {
        let book = try enteredBookID(place.book)
        let sql = """
            UPDATE promotions SET ended_at_ms = ?
            WHERE book_id = ? AND customer_id = ? AND promotion_id = ? AND ended_at_ms IS NULL
            """
        try database.run(sql) { statement throws(SQLiteError) in
            try statement.bind(time.milliseconds)
            try statement.bind(book)
            try statement.bind(place.customer.rawValue)
            try statement.bind(place.id.rawValue)
        }
        guard database.changedRows == 1 else {
            throw .duplicateKey("a promotional grant that was ended already")
        }
    }

    // MARK: Reading

    /// One wallet under all names, and one movement in it.
    mutating func wallet(_ place: MovementPlace) throws(SQLiteError) -> WalletFacts {
        var facts = WalletFacts()
        guard let book = try bookID(place.book) else { return facts }
        for name in try everyName(of: place.customer).all {
            facts.balances.merge(try balances(of: name, in: book), uniquingKeysWith: +)
            if facts.movement != nil { continue }
            let place = MovementPlace(book: place.book, customer: name, id: place.id)
            facts.movement = try movement(place, in: book)
        }
        return facts
    }

    private mutating func movement(
        _ place: MovementPlace, in book: Int64
    ) throws(SQLiteError) -> WalletMovement? {
        let sql = """
            SELECT currency, amount, account, reason, at_ms FROM wallet_movements
            WHERE book_id = ? AND customer_id = ? AND movement_id = ?
            """
        return try database.withStatement(sql) {
            statement throws(SQLiteError) -> WalletMovement? in
            try statement.bind(book)
            try statement.bind(place.customer.rawValue)
            try statement.bind(place.id.rawValue)
            guard try statement.step() else { return nil }
            return WalletMovement(
                place: place, currency: WalletCurrency(statement.text()),
                amount: statement.int64(), account: try statement.word("an account"),
                reason: statement.optionalText(), at: statement.time())
        }
    }

    /// What a customer has in one book.
    mutating func balances(
        of customer: CustomerID, in book: Int64
    ) throws(SQLiteError) -> [WalletCurrency: Int64] {
        let sql =
            "SELECT currency, amount FROM balances WHERE customer_id = ? AND book_id = ?"
        return try database.withStatement(sql) { statement throws(SQLiteError) in
            try statement.bind(customer.rawValue)
            try statement.bind(book)
            var balances: [WalletCurrency: Int64] = [:]
            while try statement.step() {
                let currency = WalletCurrency(statement.text())
                balances[currency] = statement.int64()
            }
            return balances
        }
    }

    /// A promotional grant, under whichever of the customer's names it stands.
    mutating func promotion(_ place: MovementPlace) throws(SQLiteError) -> PromotionFacts? {
        for name in try everyName(of: place.customer).all {
            if let found = try promotions(of: name, named: place).first { return found }
        }
        return nil
    }

    /// A name's promotional grants, or the one that is named.
    mutating func promotions(
        of customer: CustomerID, named place: MovementPlace? = nil
    ) throws(SQLiteError) -> [PromotionFacts] {
        guard try hasPromotions() else { return [] }
        let sql = """
            SELECT book_id, promotion_id, entitlement, at_ms, ends_at_ms, reason, ended_at_ms
            FROM promotions
            WHERE customer_id = ?1
                AND (?2 IS NULL OR (book_id = ?2 AND promotion_id = ?3))
            """
        var book: Int64?
        if let place {
            guard let known = try bookID(place.book) else { return [] }
            book = known
        }
        let rows = try database.withStatement(sql) {
            statement throws(SQLiteError) -> [PromotionRow] in
            try statement.bind(customer.rawValue)
            try statement.bind(book)
            try statement.bind(place?.id.rawValue)
            var rows: [PromotionRow] = []
            while try statement.step() { rows.append(try PromotionRow(&statement)) }
            return rows
        }
        var promotions: [PromotionFacts] = []
        for row in rows {
            let place = MovementPlace(
                book: try self.book(row.book), customer: customer, id: row.id)
            promotions.append(row.facts(at: place))
        }
        return promotions
    }

    /// A customer's wallet entries under all names from after a place on, newest first.
    mutating func statement(
        of customer: CustomerID, after place: StatementPlace?, limit: Int
    ) throws(SQLiteError) -> [StatementEntry] {
        let names = try everyName(of: customer).all
        var entries: [StatementEntry] = []
        for name in names {
            entries += try statement(ofName: name, after: place, limit: limit)
        }
        guard names.count > 1 else { return entries }
        return Array(entries.sorted { $0.place > $1.place }.prefix(limit))
    }

    private mutating func statement(
        ofName customer: CustomerID, after place: StatementPlace?, limit: Int
    ) throws(SQLiteError) -> [StatementEntry] {
        let sql = """
            SELECT book_id, currency, amount, debt, grant_key, turn, NULL, NULL, NULL, at_ms,
                grant_key || '/' || turn || '/' || currency AS place
            FROM wallet_entries
            WHERE customer_id = ?1 AND at_ms <= ?2
                AND (at_ms < ?2 OR grant_key || '/' || turn || '/' || currency < ?3)
            UNION ALL
            SELECT book_id, currency, amount, 0, NULL, NULL, movement_id, account, reason, at_ms,
                '~' || movement_id || '/' || currency
            FROM wallet_movements
            WHERE customer_id = ?1 AND at_ms <= ?2
                AND (at_ms < ?2 OR '~' || movement_id || '/' || currency < ?3)
            ORDER BY at_ms DESC, place DESC LIMIT ?4
            """
        let rows = try database.withStatement(sql) {
            statement throws(SQLiteError) -> [StatementRow] in
            try statement.bind(customer.rawValue)
            try statement.bind(place?.at.milliseconds ?? Int64.max)
            try statement.bind(place?.key ?? "")
            try statement.bind(Int64(limit))
            var rows: [StatementRow] = []
            while try statement.step() { rows.append(try StatementRow(&statement)) }
            return rows
        }
        var entries: [StatementEntry] = []
        for row in rows { entries.append(row.entry(in: try book(row.book))) }
        return entries
    }
}

/// A promotional grant before its book is known.
private struct PromotionRow {
    let book: Int64
    let id: MovementID
    let entitlement: EntitlementName
    let at: Timestamp
    let endsAt: Timestamp?
    let reason: String
    let endedAt: Timestamp?

    init(_ statement: inout SQLiteStatement) throws(SQLiteError) {
        book = statement.int64()
        id = try statement.word("a promotional grant's name")
        entitlement = EntitlementName(statement.text())
        at = statement.time()
        endsAt = statement.optionalTime()
        reason = statement.text()
        endedAt = statement.optionalTime()
    }

    func facts(at place: MovementPlace) -> PromotionFacts {
        PromotionFacts(
            promotion: Promotion(
                place: place, entitlement: entitlement, at: at, endsAt: endsAt, reason: reason),
            endedAt: endedAt)
    }
}

/// A statement's line before its book is known.
private struct StatementRow {
    let book: Int64
    let currency: WalletCurrency
    let amount: Int64
    let debt: Int64
    let cause: StatementEntry.Cause
    let reason: String?
    let at: Timestamp

    init(_ statement: inout SQLiteStatement) throws(SQLiteError) {
        book = statement.int64()
        currency = WalletCurrency(statement.text())
        amount = statement.int64()
        debt = statement.int64()
        let key = statement.optionalText().map { GrantKey(rawValue: $0) }
        let turn = statement.optionalInt64()
        let id: MovementID? = try statement.optionalWord("a movement's name")
        let account: WalletMovement.Account? = try statement.optionalWord("an account")
        reason = statement.optionalText()
        at = statement.time()
        switch (key, turn, id, account) {
        case (let key?, let turn?, nil, nil): cause = .purchase(key, turn: Int(turn))
        case (nil, nil, let id?, .spent?): cause = .spend(id)
        case (nil, nil, let id?, .promotions?): cause = .promotion(id)
        default: throw .unreadable("a wallet's line")
        }
    }

    func entry(in book: Book) -> StatementEntry {
        StatementEntry(
            book: book, currency: currency, amount: amount, debt: debt, cause: cause,
            reason: reason, at: at)
    }
}
