import AppStoreModel

/// What a keyed write came to.
enum Keyed<Value: Sendable>: Sendable {
    /// Done now.
    case fresh(Value)
    /// Done before under the same key.
    case replayed(Value)
    /// The key was used before with another input.
    case keyReused
}

extension StoredAnswer {
    /// Whether the answer was given to the same request.
    func isFor(_ key: IdempotencyKey) -> Bool { self.key.input == key.input }
}

extension Catalog {
    /// Why an order is not opened; nil when it may be.
    func refusal(of request: OrderRequest) -> OrderRefusal? {
        guard let app = apps[request.bundleID] else { return .appUnknown }
        guard let rule = app.products[request.productID] else { return .productUnknown }
        // SKPayment.quantity: 1 to 10; what is owned once is bought once.
        let most: Int64 = rule.kind == .consumable || rule.kind == .nonRenewing ? 10 : 1
        return (1...most).contains(request.quantity) ? nil : .quantityInvalid
    }
}

/// Opens an order, or finds the one that the same key opened.
func decideOrder(
    _ order: Order, idempotency: IdempotencyKey?, catalog: Catalog, snapshot: FactSnapshot,
    now: Timestamp
) -> Decision<Keyed<OrderID>> {
    var facts: [Fact] = [.orderOpened(order)]
    if !catalog.endpoints(of: order.bundleID, wanting: .orderExpired).isEmpty {
        facts.append(
            .task(
                ScheduledTask(.expireOrder, subject: order.id.rawValue, due: order.expiresAt)))
    }
    guard let idempotency else { return Decision(facts: facts, answer: .fresh(order.id)) }
    if let before = snapshot.answer {
        guard before.isFor(idempotency), let id = OrderID(rawValue: before.answer) else {
            return Decision(answer: .keyReused)
        }
        return Decision(answer: .replayed(id))
    }
    let answer = StoredAnswer(key: idempotency, answer: order.id.rawValue, at: now)
    return Decision(facts: facts + [.answer(answer)], answer: .fresh(order.id))
}

/// Notes that an order waits for approval; nothing to note when it is deferred or paid already.
func decideDeferral(
    of id: OrderID, customer: CustomerID, catalog: Catalog, snapshot: FactSnapshot, now: Timestamp
) -> Decision<OrderFacts?> {
    guard var order = snapshot.orders[id],
        snapshot.names.isSame(order.order.customer, customer)
    else {
        return Decision(answer: nil)
    }
    guard order.payment == nil, !order.events.contains(where: { $0.kind == .deferred }) else {
        return Decision(answer: order)
    }
    let event = order.nextEvent(.deferred, nil, at: now)
    order.events.append(event)
    return Decision(facts: [.orderEvent(event)], answer: order)
        .telling(over: snapshot, under: catalog)
}

/// Tells the backend that an order was not paid in time; nothing when it was, or may still be.
func decideExpiry(
    of id: OrderID, catalog: Catalog, snapshot: FactSnapshot, now: Timestamp
) -> Decision<Bool> {
    guard let facts = snapshot.orders[id], facts.status(at: now) == .expired else {
        return Decision(answer: false)
    }
    var decision = Decision(answer: true)
    decision.record(
        event: facts.order.draft(.orderExpired, key: "expired", at: now), under: catalog,
        names: snapshot.names)
    return decision
}

extension OrderFacts {
    /// The event that would come next.
    func nextEvent(
        _ kind: OrderEvent.Kind, _ transaction: TransactionReference?, at now: Timestamp
    ) -> OrderEvent {
        OrderEvent(
            orderID: order.id, number: (events.last?.number ?? -1) + 1, kind: kind,
            transaction: transaction, at: now)
    }

    /// Whether Apple signed another price than the app showed.
    func isOtherPrice(_ item: PurchaseItem) -> Bool {
        guard let signed = item.price else { return false }
        if let price = order.terms.price, price != signed.price { return true }
        guard let currency = order.terms.currency, let other = signed.currency else { return false }
        return currency != other
    }

    /// Whether a purchase is what was ordered; else what does not fit.
    func mismatch(_ item: PurchaseItem) -> OrderEvent.Kind? {
        if item.productID != order.productID { return .productMismatch }
        if let environment = order.terms.environment, environment != item.book.environment {
            return .environmentMismatch
        }
        return item.quantity == order.quantity ? nil : .quantityMismatch
    }
}
