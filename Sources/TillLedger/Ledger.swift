public import AppStoreModel

/// The ledger: orders and proofs in, outcomes and customers out.
///
/// It holds the rules and no state: everything is in the store, so any number of ledgers may share one.
/// Time and the names of orders come in from outside.
public struct Ledger: Sendable {
    /// The most transactions, orders and refusals of a customer's history that are read at once.
    public static let historyLimit = 200

    /// With how many transactions a submission is looked at by a reader first.
    private static let manyTransactions = 8

    /// What the apps sell.
    public let catalog: Catalog
    let store: any LedgerStore
    let newOrderID: @Sendable () -> OrderID

    /// Puts a ledger on a store.
    ///
    /// - Parameters:
    ///   - store: Where the facts are.
    ///   - catalog: What the apps sell, and what that gives.
    ///   - newOrderID: Makes a name for an order that nobody can guess; see ``OrderID/init(randomBytes:at:)``.
    public init(
        store: any LedgerStore, catalog: Catalog, newOrderID: @escaping @Sendable () -> OrderID
    ) {
        self.store = store
        self.catalog = catalog
        self.newOrderID = newOrderID
    }

    /// Opens an order; durable when this returns.
    ///
    /// With an idempotency key, the same call again gives the same order.
    public func openOrder(
        _ request: OrderRequest, idempotency: IdempotencyKey? = nil, now: Timestamp
    ) async throws(LedgerError) -> OrderAnswer {
        if let refusal = catalog.refusal(of: request) { return .refused(refusal) }
        let lifetime = catalog.apps[request.bundleID]?.orderLifetime ?? 0
        let order = Order(
            id: newOrderID(), bundleID: request.bundleID, customer: request.customer,
            productID: request.productID, quantity: request.quantity, terms: request.terms,
            openedAt: now,
            expiresAt: now.advanced(byMilliseconds: lifetime))
        var query = FactQuery()
        query.idempotency = idempotency
        let outcome = try await store.transact(reading: query) { snapshot in
            decideOrder(
                order, idempotency: idempotency, catalog: catalog, snapshot: snapshot, now: now)
        }
        switch outcome {
        case .fresh(let id) where id == order.id: return .opened(OrderFacts(order: order))
        case .fresh(let id), .replayed(let id):
            guard let known = try await store.order(id) else {
                throw LedgerError(.unexpected, "an order was answered that is not recorded")
            }
            return .opened(known)
        case .keyReused: throw .keyReused
        }
    }

    /// Notes that the buyer waits for somebody's approval, so that the order does not expire.
    ///
    /// Nil when the customer has no such order. An order that is paid already stays as it is.
    public func deferOrder(
        _ id: OrderID, of customer: CustomerID, now: Timestamp
    ) async throws(LedgerError) -> OrderFacts? {
        var query = FactQuery()
        query.orders = [id]
        query.customers = [customer]
        return try await store.transact(reading: query) { snapshot in
            decideDeferral(
                of: id, customer: customer, catalog: catalog, snapshot: snapshot, now: now)
        }
    }

    /// The order, if it is that customer's; nil for the backend to see anybody's.
    public func order(
        _ id: OrderID, of customer: CustomerID?
    ) async throws(LedgerError) -> OrderFacts? {
        guard let order = try await store.order(id) else { return nil }
        guard let customer, order.order.customer != customer else { return order }
        var query = FactQuery()
        query.customers = [customer, order.order.customer]
        let names = try await store.facts(query).names
        return names.isSame(order.order.customer, customer) ? order : nil
    }

    /// The orders of an app that look as if somebody paid and got nothing, the newest first.
    ///
    /// - Throws: What keeps the store from being read.
    public func lostOrderSuspects(
        of app: BundleID, limit: Int = Ledger.historyLimit
    ) async throws(LedgerError) -> [LostOrderSuspect] {
        try await store.lostOrderSuspects(
            of: app, limit: min(max(limit, 1), Self.historyLimit))
    }

    /// Records verified proofs and hands out what was bought, each thing once; durable when this returns.
    ///
    /// Sending the same again gives the same answers, with or without an idempotency key.
    public func record(
        _ submission: PurchaseSubmission, idempotency: IdempotencyKey? = nil, now: Timestamp
    ) async throws(LedgerError) -> PurchaseAnswer {
        let purchase = try await purchaseCase(submission, idempotency: idempotency, now: now)
        if let answer = try await answerWithoutWriting(purchase) { return answer }
        return try await store.transact(reading: purchase.query) { snapshot in
            PurchaseDecision.decide(purchase, over: snapshot)
        }.answer()
    }

    /// Records as ``record(_:idempotency:now:)`` does, and tells what a customer has after it.
    public func record(
        _ submission: PurchaseSubmission, thenHoldingsOf customer: CustomerID,
        idempotency: IdempotencyKey? = nil, now: Timestamp
    ) async throws(LedgerError) -> (answer: PurchaseAnswer, holdings: CustomerHoldings) {
        let purchase = try await purchaseCase(submission, idempotency: idempotency, now: now)
        if let answer = try await answerWithoutWriting(purchase) {
            return (answer, try await holdings(of: customer, now: now))
        }
        let limit = Self.historyLimit
        let (outcome, facts) = try await store.transact(
            reading: purchase.query, thenHoldingsOf: customer, limit: limit
        ) { snapshot in
            PurchaseDecision.decide(purchase, over: snapshot)
        }
        return (
            try outcome.answer(),
            CustomerHoldings(
                customer: customer, facts: facts, catalog: catalog, now: now, limit: limit)
        )
    }

    /// The answer to what brings nothing to record; nil when it may.
    private func answerWithoutWriting(
        _ purchase: PurchaseCase
    ) async throws(LedgerError) -> PurchaseAnswer? {
        if purchase.items.isEmpty, purchase.known.isEmpty, purchase.renewals.isEmpty,
            purchase.idempotency == nil
        {
            return purchase.answerOfNothing
        }
        guard purchase.items.count > Self.manyTransactions || !purchase.known.isEmpty else {
            return nil
        }
        // A receipt that grew over years is shown at every launch: mostly nothing in it is new,
        // and then nobody who writes has to wait for it.
        let known = PurchaseDecision.decide(
            purchase, over: try await store.facts(purchase.query))
        guard known.facts.isEmpty, case .fresh(let answer) = known.answer else { return nil }
        return answer
    }

    /// Reads facts as of one moment.
    public func facts(_ query: FactQuery) async throws(LedgerError) -> FactSnapshot {
        try await store.facts(query)
    }

    /// The same ledger under another catalog.
    public func with(_ catalog: Catalog) -> Ledger {
        Ledger(store: store, catalog: catalog, newOrderID: newOrderID)
    }

    /// A customer's entitlements, wallet and history, by the clock given.
    ///
    /// - Parameters:
    ///   - id: The customer; one of whom nothing is recorded has nothing.
    ///   - now: The moment by which entitlements are judged.
    ///   - limit: The most transactions, orders and refusals; entitlements and wallet are always
    ///     whole. Costs time in proportion.
    /// - Returns: What is recorded, and what follows from it.
    /// - Throws: What keeps the store from being read.
    public func customer(
        _ id: CustomerID, now: Timestamp, limit: Int = Ledger.historyLimit
    ) async throws(LedgerError) -> CustomerSnapshot {
        let limit = min(max(limit, 0), Self.historyLimit)
        let facts = try await store.facts(of: id, limit: limit)
        return CustomerSnapshot(
            customer: id, facts: facts, catalog: catalog, now: now, limit: limit)
    }

    /// A customer as ``customer(_:now:limit:)`` tells, but without orders and refusals.
    public func holdings(
        of id: CustomerID, now: Timestamp, limit: Int = Ledger.historyLimit
    ) async throws(LedgerError) -> CustomerHoldings {
        let limit = min(max(limit, 0), Self.historyLimit)
        let facts = try await store.holdings(of: id, limit: limit)
        return CustomerHoldings(
            customer: id, facts: facts, catalog: catalog, now: now, limit: limit)
    }
}

extension Keyed {
    /// The answer, unless its key was used before for something else.
    fileprivate func answer() throws(LedgerError) -> Value {
        switch self {
        case .fresh(let answer), .replayed(let answer): answer
        case .keyReused: throw .keyReused
        }
    }
}

extension LedgerError {
    /// The same idempotency key with another request.
    static let keyReused = LedgerError(
        .idempotencyKeyReused, "the idempotency key was used before, with another request")
}
