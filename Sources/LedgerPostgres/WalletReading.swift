import AppStoreModel
import PostgresDriver
import TillLedger

extension PostgresRows {
    /// A movement in a wallet.
    func movement(at place: MovementPlace) throws(PostgresError) -> WalletMovement {
        WalletMovement(
            place: place, currency: WalletCurrency(word()), amount: int64(),
            account: try word("an account"), reason: optionalWord(), at: time())
    }

    static let movementColumns = "currency, amount, account, reason, at_ms"

    /// A promotional grant.
    func promotion() throws(PostgresError) -> PromotionFacts {
        let place = MovementPlace(
            book: book(), customer: try word("a promotional grant's customer"),
            id: try word("a promotional grant's name"))
        let promotion = Promotion(
            place: place, entitlement: EntitlementName(word()), at: time(),
            endsAt: optionalTime(), reason: word())
        return PromotionFacts(promotion: promotion, endedAt: optionalTime())
    }

    static let promotionColumns =
        Columns.of("b", Columns.book)
        + ", p.customer_id, p.promotion_id, p.entitlement, p.at_ms, p.ends_at_ms, p.reason, p.ended_at_ms"

    /// A line of a wallet's statement.
    fileprivate func statementEntry() throws(PostgresError) -> StatementEntry {
        let book = book()
        let currency = WalletCurrency(word())
        let amount = int64()
        let debt = int64()
        let key = optionalWord().map { GrantKey(rawValue: $0) }
        let turn = optionalInt64()
        let id: MovementID? = try optionalWord("a movement's name")
        let account: WalletMovement.Account? = try optionalWord("an account")
        let reason = optionalWord()
        let cause: StatementEntry.Cause
        switch (key, turn, id, account) {
        case (let key?, let turn?, nil, nil): cause = .purchase(key, turn: Int(turn))
        case (nil, nil, let id?, .spent?): cause = .spend(id)
        case (nil, nil, let id?, .promotions?): cause = .promotion(id)
        default: throw .unreadable("a wallet's line")
        }
        return StatementEntry(
            book: book, currency: currency, amount: amount, debt: debt, cause: cause,
            reason: reason, at: time())
    }
}

/// Reads a customer's wallet entries under all names from after a place on, newest first.
struct StatementReading {
    let queries: [PostgresQuery]

    init(_ customer: CustomerID, after place: StatementPlace?, limit: Int) {
        queries = [
            PostgresQuery(
                """
                WITH RECURSIVE \(NameReading.list(ofParameter: 1)), lines AS (
                    SELECT book_id, currency, amount, debt, grant_key, turn,
                        NULL::text AS movement_id, NULL::text AS account, NULL::text AS reason,
                        at_ms, grant_key || '/' || turn || '/' || currency AS place
                    FROM names JOIN wallet_entries w ON w.customer_id = names.name
                    WHERE w.at_ms <= $2
                    UNION ALL
                    SELECT book_id, currency, amount, 0, NULL, NULL, movement_id, account, reason,
                        at_ms, '~' || movement_id || '/' || currency
                    FROM names JOIN wallet_movements m ON m.customer_id = names.name
                    WHERE m.at_ms <= $2)
                SELECT \(Columns.of("b", Columns.book)), l.currency, l.amount, l.debt, l.grant_key,
                    l.turn, l.movement_id, l.account, l.reason, l.at_ms
                FROM lines l JOIN books b USING (book_id)
                WHERE l.at_ms < $2 OR l.place < $3
                ORDER BY l.at_ms DESC, l.place DESC LIMIT $4
                """,
                [
                    .word(customer.rawValue), .int64(place?.at.milliseconds ?? Int64.max),
                    .word(place?.key ?? ""), .int64(Int64(limit)),
                ])
        ]
    }

    func entries(_ results: [PostgresRows]) throws(PostgresError) -> [StatementEntry] {
        var entries: [StatementEntry] = []
        for rows in results {
            while rows.step() { entries.append(try rows.statementEntry()) }
        }
        return entries
    }
}

/// Reads the orders of an app that look as if somebody paid and got nothing.
struct SuspectReading {
    let queries: [PostgresQuery]

    init(_ app: BundleID, limit: Int) {
        queries = [
            PostgresQuery(
                """
                SELECT \(Columns.of("o", Columns.order)), s.suspicion,
                    \(Columns.of("b", Columns.book)), s.transaction_id
                FROM lost_order_suspects s JOIN orders o USING (order_id)
                JOIN books b USING (book_id)
                WHERE s.bundle_id = $1
                ORDER BY s.opened_at_ms DESC, s.order_id, s.transaction_id LIMIT $2
                """, [.word(app.rawValue), .int64(Int64(limit))])
        ]
    }

    func suspects(_ results: [PostgresRows]) throws(PostgresError) -> [LostOrderSuspect] {
        var suspects: [LostOrderSuspect] = []
        guard let rows = results.last else { return [] }
        while rows.step() {
            let order = try rows.order()
            let suspicion: LostOrderSuspect.Suspicion = try rows.word("a suspicion")
            suspects.append(
                LostOrderSuspect(
                    order: order, suspicion: suspicion,
                    transaction: TransactionReference(
                        book: rows.book(), id: TransactionID(rows.word()))))
        }
        return suspects
    }
}
