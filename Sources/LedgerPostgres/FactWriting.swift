import AppStoreModel
import PostgresDriver
import TillLedger

/// Writes facts down: for each the statements that record it, which fail with a duplicate key when its
/// key is taken.
struct FactWriting {
    /// The numbers of books; every book of the facts must be in it.
    let bookIDs: [Book: Int64]

    func statements(_ fact: Fact) throws(PostgresError) -> [PostgresQuery] {
        switch fact {
        case .orderOpened(let order): opening(order)
        case .orderEvent(let event): try recording(event)
        case .proof(let proof): [keeping(proof)]
        case .transaction(let book, let transaction):
            [recording(transaction, try id(book))]
        case .claimed(let book, let claim): [recording(claim, try id(book))]
        case .observation(let book, let id, let observation):
            [recording(observation, of: id, try self.id(book))]
        case .signedAgain(let book, let id, let number, let time):
            [raising(number, of: id, try self.id(book), to: time)]
        case .renewal(let book, let observation): [recording(observation, try id(book))]
        case .renewalSignedAgain(let book, let id, let number, let time):
            [raisingRenewal(number, of: id, try self.id(book), to: time)]
        case .told(let book, let tale): [telling(tale, try id(book))]
        case .notification(let book, let notification): [recording(notification, try id(book))]
        case .ownership(let book, let ownership): recording(ownership, try id(book))
        case .share(let book, let share): [recording(share, try id(book))]
        case .merge(let merge): [recording(merge)]
        case .signal(let signal): [counting(signal)]
        case .grant(let book, let grant): [try recording(grant, try id(book))]
        case .grantChange(let book, let change): [recording(change, try id(book))]
        case .walletEntry(let book, let entry): moving(entry, try id(book))
        case .movement(let movement): moving(movement, try id(movement.place.book))
        case .promotion(let promotion): [recording(promotion, try id(promotion.place.book))]
        case .promotionEnded(let place, let time): [ending(place, try id(place.book), at: time)]
        case .refusal(let book, let refusal): [noting(refusal, try id(book))]
        case .track(let book, let track): [keeping(track, try id(book))]
        case .answer(let answer): [keeping(answer)]
        case .event(let event, let endpoints): [recording(event, to: endpoints)]
        case .task(let task): [scheduling(task)]
        }
    }

    private func id(_ book: Book) throws(PostgresError) -> PostgresValue {
        guard let id = bookIDs[book] else {
            throw PostgresError(.other, "a fact of a book that was not entered")
        }
        return .int64(id)
    }

    /// An `INSERT` of one row.
    func insert(
        _ table: String, _ columns: [String], _ values: [PostgresValue], _ rest: String = ""
    ) -> PostgresQuery {
        precondition(columns.count == values.count, "each column has a value")
        let places = (1...columns.count).map { "$\($0)" }.joined(separator: ", ")
        return PostgresQuery(
            """
            INSERT INTO \(table) (\(columns.joined(separator: ", "))) VALUES (\(places)) \(rest)
            """, values)
    }

    // MARK: Orders

    private func opening(_ order: Order) -> [PostgresQuery] {
        let unpaid = ["customer_id", "bundle_id", "product_id", "opened_at_ms", "order_id"]
        return [
            insert(
                "orders", Columns.order,
                [
                    .word(order.id.rawValue), .word(order.bundleID.rawValue),
                    .word(order.customer.rawValue), .word(order.productID.rawValue),
                    .int64(order.quantity), .int64(order.terms.price),
                    .word(order.terms.currency), .word(order.terms.environment?.rawValue),
                    .int64(order.openedAt.milliseconds),
                    .int64(order.expiresAt.milliseconds),
                ]),
            insert(
                "unpaid_orders", unpaid,
                [
                    .word(order.customer.rawValue), .word(order.bundleID.rawValue),
                    .word(order.productID.rawValue), .int64(order.openedAt.milliseconds),
                    .word(order.id.rawValue),
                ]),
        ]
    }

    private func recording(_ event: OrderEvent) throws(PostgresError) -> [PostgresQuery] {
        let id = PostgresValue.word(event.orderID.rawValue)
        var book = PostgresValue.int64(nil)
        if let reference = event.transaction { book = try self.id(reference.book) }
        let entry = insert(
            "order_events",
            ["order_id", "number", "kind", "book_id", "transaction_id", "at_ms"],
            [
                id, .int64(Int64(event.number)), .word(event.kind.rawValue), book,
                .word(event.transaction?.id.rawValue), .int64(event.at.milliseconds),
            ])
        guard event.kind == .paid else { return [entry] }
        let removal = """
            DELETE FROM unpaid_orders
            WHERE (customer_id, bundle_id, product_id, opened_at_ms, order_id) IN (
                SELECT customer_id, bundle_id, product_id, opened_at_ms, order_id
                FROM orders WHERE order_id = $1)
            """
        return [entry, PostgresQuery(removal, [id])]
    }

    /// Notes orders that were paid and are not handed out yet, and strikes those that are.
    func listing(_ owed: OwedOrders) -> [PostgresQuery] {
        let entry = """
            INSERT INTO owed_orders (order_id)
            SELECT $1 WHERE NOT EXISTS (
                SELECT 1 FROM order_events
                WHERE order_id = $1 AND kind IN ('fulfilled', 'refunded'))
            ON CONFLICT DO NOTHING
            """
        return owed.added.map { PostgresQuery(entry, [.word($0.rawValue)]) }
            + owed.settled.map {
                PostgresQuery(
                    "DELETE FROM owed_orders WHERE order_id = $1", [.word($0.rawValue)])
            }
    }

    // MARK: Purchases

    private func recording(
        _ transaction: RecordedTransaction, _ book: PostgresValue
    ) -> PostgresQuery {
        insert(
            "transactions", ["book_id"] + Columns.transaction,
            [
                book, .word(transaction.id.rawValue), .word(transaction.originalID.rawValue),
                .word(transaction.grantKey.rawValue), .word(transaction.productID.rawValue),
                .int64(transaction.quantity), .int64(transaction.purchaseDate.milliseconds),
                .word(transaction.webOrderLineItemID?.rawValue),
                .word(transaction.customer?.rawValue), .word(transaction.binding.rawValue),
                .word(transaction.orderID?.rawValue),
                .int64(transaction.recordedAt.milliseconds),
                .int64(Int64(transaction.ownerNumber)), .word(transaction.holder?.rawValue),
                .int64(transaction.claimedAt?.milliseconds),
            ])
    }

    private func recording(
        _ observation: Observation, of id: TransactionID, _ book: PostgresValue
    ) -> PostgresQuery {
        let fields = observation.fields
        return insert(
            "observations", ["book_id", "transaction_id"] + Columns.observation,
            [
                book, .word(id.rawValue), .int64(Int64(observation.number)),
                .int64(observation.signedAt.milliseconds), .word(fields.source.rawValue),
                .bytes(observation.proof.rawValue),
                .int64(fields.originalPurchaseDate?.milliseconds),
                .int64(fields.expiresDate?.milliseconds),
                .int64(fields.revocationDate?.milliseconds),
                .int64(fields.revocationReason?.rawValue),
                .int64(fields.isUpgraded.map { $0 ? 1 : 0 }),
                .word(fields.productType?.rawValue), .word(fields.ownership?.rawValue),
                .word(fields.appAccountToken?.rawValue),
                .word(fields.subscriptionGroupID?.rawValue),
                .word(fields.transactionReason?.rawValue), .int64(fields.offerType?.rawValue),
                .word(fields.offerIdentifier), .int64(fields.price), .word(fields.currency),
                .word(fields.storefront),
            ])
    }

    private func raising(
        _ number: Int, of id: TransactionID, _ book: PostgresValue, to time: Timestamp
    ) -> PostgresQuery {
        PostgresQuery(
            """
            UPDATE observations SET signed_at_ms = $4
            WHERE book_id = $1 AND transaction_id = $2 AND number = $3 AND signed_at_ms < $4
            """,
            [
                book, .word(id.rawValue), .int64(Int64(number)), .int64(time.milliseconds),
            ])
    }

    // MARK: Grants

    private func recording(
        _ grant: Grant, _ book: PostgresValue
    ) throws(PostgresError) -> PostgresQuery {
        insert(
            "grants", ["book_id"] + Columns.grant + ["holder_id"],
            [
                book, .word(grant.key.rawValue), .word(grant.transactionID.rawValue),
                .word(grant.customer.rawValue), .word(grant.productID.rawValue),
                .word(grant.kind.rawValue), .int64(grant.quantity),
                .int64(grant.purchaseDate.milliseconds), .word(try Goods.text(grant.credits)),
                .word(try Goods.text(grant.entitlements)), .word(grant.duration?.description),
                .word(grant.orderID?.rawValue), .int64(grant.grantedAt.milliseconds),
                .word(grant.customer.rawValue),
            ])
    }

    private func recording(_ change: GrantChange, _ book: PostgresValue) -> PostgresQuery {
        insert(
            "grant_changes", ["book_id", "grant_key", "turn", "transaction_id", "at_ms"],
            [
                book, .word(change.key.rawValue), .int64(Int64(change.turn)),
                .word(change.transactionID.rawValue), .int64(change.at.milliseconds),
            ])
    }

    // MARK: What stays as it was

    private func keeping(_ proof: StoredProof) -> PostgresQuery {
        insert(
            "proofs", ["digest", "kind", "bytes", "received_at_ms"],
            [
                .bytes(proof.digest.rawValue), .word(proof.kind.rawValue), .bytes(proof.bytes),
                .int64(proof.receivedAt.milliseconds),
            ], "ON CONFLICT DO NOTHING")
    }

    private func noting(_ refusal: RecordedRefusal, _ book: PostgresValue) -> PostgresQuery {
        insert(
            "refusals", ["book_id", "transaction_id", "customer_id", "reason", "at_ms"],
            [
                book, .word(refusal.transactionID.rawValue), .word(refusal.customer.rawValue),
                .word(refusal.reason.rawValue), .int64(refusal.at.milliseconds),
            ], "ON CONFLICT DO NOTHING")
    }

    private func keeping(_ track: Track, _ book: PostgresValue) -> PostgresQuery {
        insert(
            "tracks", ["book_id", "transaction_id", "customer_id", "track", "at_ms"],
            [
                book, .word(track.transactionID.rawValue), .word(track.customer.rawValue),
                .word(track.json), .int64(track.at.milliseconds),
            ], "ON CONFLICT DO NOTHING")
    }

    private func keeping(_ answer: StoredAnswer) -> PostgresQuery {
        insert(
            "idempotent_answers", ["caller", "key", "input_digest", "answer", "at_ms"],
            [
                .word(answer.key.caller), .word(answer.key.key), .bytes(answer.key.input),
                .word(answer.answer), .int64(answer.at.milliseconds),
            ])
    }
}

extension Fact {
    /// The book that it is written in; nil for one of no book.
    var book: Book? {
        switch self {
        case .transaction(let book, _), .claimed(let book, _), .observation(let book, _, _),
            .signedAgain(let book, _, _, _), .renewal(let book, _),
            .renewalSignedAgain(let book, _, _, _), .told(let book, _),
            .notification(let book, _),
            .ownership(let book, _), .share(let book, _), .grant(let book, _),
            .grantChange(let book, _), .walletEntry(let book, _), .refusal(let book, _),
            .track(let book, _):
            book
        case .movement(let movement): movement.place.book
        case .promotion(let promotion): promotion.place.book
        case .promotionEnded(let place, _): place.book
        case .orderEvent(let event): event.transaction?.book
        case .orderOpened, .proof, .merge, .signal, .answer, .event, .task: nil
        }
    }
}
