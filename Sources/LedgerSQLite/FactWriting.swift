import AppStoreModel
import SQLiteDriver
import TillLedger

extension LedgerConnection {
    /// Records facts that belong together; throws a duplicate key when a key is taken.
    mutating func append(_ facts: [Fact]) throws(SQLiteError) {
        for fact in facts { try append(fact) }
        let owed = OwedOrders(facts)
        for id in owed.added { try noteOwed(id) }
        for id in owed.settled {
            try database.run("DELETE FROM owed_orders WHERE order_id = ?") {
                statement throws(SQLiteError) in try statement.bind(id.rawValue)
            }
        }
    }

    /// Notes an order that was paid and is not handed out yet.
    private mutating func noteOwed(_ id: OrderID) throws(SQLiteError) {
        let sql = """
            INSERT INTO owed_orders (order_id)
            SELECT ?1 WHERE NOT EXISTS (
                SELECT 1 FROM order_events
                WHERE order_id = ?1 AND kind IN ('fulfilled', 'refunded'))
            ON CONFLICT DO NOTHING
            """
        try database.run(sql) { statement throws(SQLiteError) in
            try statement.bind(id.rawValue)
        }
    }

    /// Records one fact; throws a duplicate key when its key is taken.
    private mutating func append(_ fact: Fact) throws(SQLiteError) {
        switch fact {
        case .orderOpened(let order): try append(order)
        case .orderEvent(let event): try append(event)
        case .proof(let proof): try append(proof)
        case .transaction(let book, let transaction):
            try append(transaction, in: enteredBookID(book))
        case .claimed(let book, let claim): try append(claim, in: enteredBookID(book))
        case .observation(let book, let id, let observation):
            try append(observation, of: id, in: enteredBookID(book))
        case .signedAgain(let book, let id, let number, let time):
            try raise(number, of: id, in: enteredBookID(book), to: time)
        case .renewal(let book, let observation): try append(observation, in: enteredBookID(book))
        case .renewalSignedAgain(let book, let id, let number, let time):
            try raiseRenewal(number, of: id, in: enteredBookID(book), to: time)
        case .told(let book, let tale): try append(tale, in: enteredBookID(book))
        case .notification(let book, let news): try append(news, in: enteredBookID(book))
        case .ownership(let book, let ownership): try append(ownership, in: enteredBookID(book))
        case .share(let book, let share): try append(share, in: enteredBookID(book))
        case .merge(let merge): try append(merge)
        case .signal(let signal): try append(signal)
        case .grant(let book, let grant): try append(grant, in: enteredBookID(book))
        case .grantChange(let book, let change): try append(change, in: enteredBookID(book))
        case .walletEntry(let book, let entry): try append(entry, in: enteredBookID(book))
        case .movement(let movement): try append(movement)
        case .promotion(let promotion): try append(promotion)
        case .promotionEnded(let place, let time): try end(place, at: time)
        case .refusal(let book, let refusal): try append(refusal, in: enteredBookID(book))
        case .track(let book, let track): try append(track, in: enteredBookID(book))
        case .answer(let answer): try append(answer)
        case .event(let event, let endpoints): try append(event, to: endpoints)
        case .task(let task): try append(task)
        }
    }

    private mutating func append(_ order: Order) throws(SQLiteError) {
        try database.run(
            "INSERT INTO orders (\(Columns.order)) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
        ) {
            statement throws(SQLiteError) in
            try statement.bind(order.id.rawValue)
            try statement.bind(order.bundleID.rawValue)
            try statement.bind(order.customer.rawValue)
            try statement.bind(order.productID.rawValue)
            try statement.bind(order.quantity)
            try statement.bind(order.terms.price)
            try statement.bind(order.terms.currency)
            try statement.bind(order.terms.environment?.rawValue)
            try statement.bind(order.openedAt.milliseconds)
            try statement.bind(order.expiresAt.milliseconds)
        }
        let sql = """
            INSERT INTO unpaid_orders (customer_id, bundle_id, product_id, opened_at_ms, order_id)
            VALUES (?, ?, ?, ?, ?)
            """
        try database.run(sql) { statement throws(SQLiteError) in
            try statement.bind(order.customer.rawValue)
            try statement.bind(order.bundleID.rawValue)
            try statement.bind(order.productID.rawValue)
            try statement.bind(order.openedAt.milliseconds)
            try statement.bind(order.id.rawValue)
        }
    }

    private mutating func append(_ event: OrderEvent) throws(SQLiteError) {
        var book: Int64?
        if let reference = event.transaction { book = try enteredBookID(reference.book) }
        let sql = """
            INSERT INTO order_events (order_id, number, kind, book_id, transaction_id, at_ms)
            VALUES (?, ?, ?, ?, ?, ?)
            """
        try database.run(sql) { statement throws(SQLiteError) in
            try statement.bind(event.orderID.rawValue)
            try statement.bind(Int64(event.number))
            try statement.bind(event.kind.rawValue)
            try statement.bind(book)
            try statement.bind(event.transaction?.id.rawValue)
            try statement.bind(event.at.milliseconds)
        }
        guard event.kind == .paid else { return }
        try strike(event.orderID)
    }

    /// Takes an order off the list of those that nothing has paid.
    private mutating func strike(_ id: OrderID) throws(SQLiteError) {
        // Its key is read first: as a subquery SQLite would make a table of it, for one row.
        var order = moment.orders[id]
        if order == nil { order = try bareOrder(id) }
        guard let order else { return }
        let delete = """
            DELETE FROM unpaid_orders
            WHERE customer_id = ? AND bundle_id = ? AND product_id = ? AND opened_at_ms = ?
                AND order_id = ?
            """
        try database.run(delete) { statement throws(SQLiteError) in
            try statement.bind(order.customer.rawValue)
            try statement.bind(order.bundleID.rawValue)
            try statement.bind(order.productID.rawValue)
            try statement.bind(order.openedAt.milliseconds)
            try statement.bind(id.rawValue)
        }
    }

    private mutating func append(
        _ transaction: RecordedTransaction, in book: Int64
    ) throws(SQLiteError) {
        if transaction.holder == nil { moment.hasUnclaimed = true }
        let sql = Statements.insertTransaction
        try database.run(sql) { statement throws(SQLiteError) in
            try statement.bind(book)
            try statement.bind(transaction.id.rawValue)
            try statement.bind(transaction.originalID.rawValue)
            try statement.bind(transaction.grantKey.rawValue)
            try statement.bind(transaction.productID.rawValue)
            try statement.bind(transaction.quantity)
            try statement.bind(transaction.purchaseDate.milliseconds)
            try statement.bind(transaction.webOrderLineItemID?.rawValue)
            try statement.bind(transaction.customer?.rawValue)
            try statement.bind(transaction.binding.rawValue)
            try statement.bind(transaction.orderID?.rawValue)
            try statement.bind(transaction.recordedAt.milliseconds)
            try statement.bind(Int64(transaction.ownerNumber))
            try statement.bind(transaction.holder?.rawValue)
            try statement.bind(transaction.claimedAt?.milliseconds)
        }
    }

    private mutating func append(
        _ observation: Observation, of id: TransactionID, in book: Int64
    ) throws(SQLiteError) {
        let sql = Statements.insertObservation
        let fields = observation.fields
        try database.run(sql) { statement throws(SQLiteError) in
            try statement.bind(book)
            try statement.bind(id.rawValue)
            try statement.bind(Int64(observation.number))
            try statement.bind(observation.signedAt.milliseconds)
            try statement.bind(fields.source.rawValue)
            try statement.bind(observation.proof.rawValue)
            try statement.bind(fields.originalPurchaseDate?.milliseconds)
            try statement.bind(fields.expiresDate?.milliseconds)
            try statement.bind(fields.revocationDate?.milliseconds)
            try statement.bind(fields.revocationReason?.rawValue)
            try statement.bind(fields.isUpgraded.map { $0 ? 1 : 0 })
            try statement.bind(fields.productType?.rawValue)
            try statement.bind(fields.ownership?.rawValue)
            try statement.bind(fields.appAccountToken?.rawValue)
            try statement.bind(fields.subscriptionGroupID?.rawValue)
            try statement.bind(fields.transactionReason?.rawValue)
            try statement.bind(fields.offerType?.rawValue)
            try statement.bind(fields.offerIdentifier)
            try statement.bind(fields.price)
            try statement.bind(fields.currency)
            try statement.bind(fields.storefront)
        }
    }

    private mutating func raise(
        _ number: Int, of id: TransactionID, in book: Int64, to time: Timestamp
    ) throws(SQLiteError) {
        let sql = """
            UPDATE observations SET signed_at_ms = max(signed_at_ms, ?)
            WHERE book_id = ? AND transaction_id = ? AND number = ?
            """
        try database.run(sql) { statement throws(SQLiteError) in
            try statement.bind(time.milliseconds)
            try statement.bind(book)
            try statement.bind(id.rawValue)
            try statement.bind(Int64(number))
        }
    }

    private mutating func append(
        _ ownership: Ownership, in book: Int64
    ) throws(SQLiteError) {
        let sql = """
            INSERT INTO owners
                (book_id, original_transaction_id, number, customer_id, binding, since_ms)
            VALUES (?, ?, ?, ?, ?, ?)
            """
        try database.run(sql) { statement throws(SQLiteError) in
            try statement.bind(book)
            try statement.bind(ownership.originalID.rawValue)
            try statement.bind(Int64(ownership.number))
            try statement.bind(ownership.customer.rawValue)
            try statement.bind(ownership.binding.rawValue)
            try statement.bind(ownership.since.milliseconds)
        }
        if ownership.number > 0 { try hand(ownership, in: book) }
    }

    // MARK: Grants

    private mutating func append(_ grant: Grant, in book: Int64) throws(SQLiteError) {
        let credits = try goods.text(grant.credits)
        let entitlements = try goods.text(grant.entitlements)
        let sql = Statements.insertGrant
        try database.run(sql) { statement throws(SQLiteError) in
            try statement.bind(book)
            try statement.bind(grant.key.rawValue)
            try statement.bind(grant.transactionID.rawValue)
            try statement.bind(grant.customer.rawValue)
            try statement.bind(grant.productID.rawValue)
            try statement.bind(grant.kind.rawValue)
            try statement.bind(grant.quantity)
            try statement.bind(grant.purchaseDate.milliseconds)
            try statement.bind(credits)
            try statement.bind(entitlements)
            try statement.bind(grant.duration?.description)
            try statement.bind(grant.orderID?.rawValue)
            try statement.bind(grant.grantedAt.milliseconds)
            try statement.bind(grant.customer.rawValue)
        }
    }

    private mutating func append(
        _ change: GrantChange, in book: Int64
    ) throws(SQLiteError) {
        let sql = """
            INSERT INTO grant_changes (book_id, grant_key, turn, transaction_id, at_ms)
            VALUES (?, ?, ?, ?, ?)
            """
        try database.run(sql) { statement throws(SQLiteError) in
            try statement.bind(book)
            try statement.bind(change.key.rawValue)
            try statement.bind(Int64(change.turn))
            try statement.bind(change.transactionID.rawValue)
            try statement.bind(change.at.milliseconds)
        }
    }

    private mutating func append(_ entry: WalletEntry, in book: Int64) throws(SQLiteError) {
        let sql = """
            INSERT INTO wallet_entries
                (book_id, grant_key, turn, currency, customer_id, amount, debt, at_ms)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?)
            """
        try database.run(sql) { statement throws(SQLiteError) in
            try statement.bind(book)
            try statement.bind(entry.key.rawValue)
            try statement.bind(Int64(entry.turn))
            try statement.bind(entry.currency.rawValue)
            try statement.bind(entry.customer.rawValue)
            try statement.bind(entry.amount)
            try statement.bind(entry.debt)
            try statement.bind(entry.at.milliseconds)
        }
        try moveBalance(
            of: entry.customer, in: book, entry.currency, by: entry.amount, debt: entry.debt)
    }

    // MARK: What stays as it was

    private mutating func append(_ refusal: RecordedRefusal, in book: Int64) throws(SQLiteError) {
        let sql = """
            INSERT INTO refusals (book_id, transaction_id, customer_id, reason, at_ms)
            VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING
            """
        try database.run(sql) { statement throws(SQLiteError) in
            try statement.bind(book)
            try statement.bind(refusal.transactionID.rawValue)
            try statement.bind(refusal.customer.rawValue)
            try statement.bind(refusal.reason.rawValue)
            try statement.bind(refusal.at.milliseconds)
        }
    }

    private mutating func append(_ track: Track, in book: Int64) throws(SQLiteError) {
        let sql = """
            INSERT INTO tracks (book_id, transaction_id, customer_id, track, at_ms)
            VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING
            """
        try database.run(sql) { statement throws(SQLiteError) in
            try statement.bind(book)
            try statement.bind(track.transactionID.rawValue)
            try statement.bind(track.customer.rawValue)
            try statement.bind(track.json)
            try statement.bind(track.at.milliseconds)
        }
    }

    private mutating func append(_ answer: StoredAnswer) throws(SQLiteError) {
        let sql = """
            INSERT INTO idempotent_answers (caller, key, input_digest, answer, at_ms)
            VALUES (?, ?, ?, ?, ?)
            """
        try database.run(sql) { statement throws(SQLiteError) in
            try statement.bind(answer.key.caller)
            try statement.bind(answer.key.key)
            try statement.bind(answer.key.input)
            try statement.bind(answer.answer)
            try statement.bind(answer.at.milliseconds)
        }
    }
}
