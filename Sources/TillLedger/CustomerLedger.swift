public import AppStoreModel

/// What became of a wish to make two customers one.
public enum MergeAnswer: Sendable, Hashable {
    /// They are one, by this call or before; known under this name.
    case merged(into: CustomerID)
    /// The name that should go is already part of a third.
    case belongsToAnother
    /// The name that should stay is itself part of the one that should go.
    case reversed
}

extension Ledger {
    /// Makes two customers one; nothing is moved, and both names name them from now on.
    ///
    /// - Parameters:
    ///   - from: The name that becomes part of the other, such as an anonymous one.
    ///   - into: The name under which both go on.
    ///   - now: The server's time.
    /// - Returns: What became of it; doing it twice changes nothing.
    /// - Throws: What keeps the store from recording it.
    public func merge(
        _ from: CustomerID, into: CustomerID, now: Timestamp
    ) async throws(LedgerError) -> MergeAnswer {
        var query = FactQuery()
        query.customers = [from, into]
        return try await store.transact(reading: query) { snapshot in
            decideMerge(of: from, into: into, names: snapshot.names, catalog: catalog, now: now)
        }
    }

    /// Replaces a customer's names by random ones wherever they stand; what was paid stays on record.
    ///
    /// Analytics, answers under idempotency keys and signals of the customer are removed. What they owned goes
    /// to whoever restores it with a proof, and is never handed out again.
    ///
    /// - Parameters:
    ///   - customer: Any of the customer's names.
    ///   - now: The server's time.
    /// - Returns: Whether anything was recorded of them.
    /// - Throws: What keeps the store from doing all of it; then nothing was done.
    public func erase(_ customer: CustomerID, now: Timestamp) async throws(LedgerError) -> Bool {
        let names = newOrderID
        return try await store.erase(customer, at: now) {
            guard let name = CustomerID(rawValue: "erased-\(names().rawValue)") else {
                preconditionFailure("a pseudonym that is no name")
            }
            return name
        }
    }

    /// Notes signals that no purchase brings; those that follow upon their like too closely are left out.
    public func note(_ signals: [Signal]) async throws(LedgerError) {
        guard let customer = signals.first?.customer else { return }
        let known = try await store.signals(of: customer).signals
        let fresh = signals.filter { signal in
            known.first {
                $0.first.kind == signal.kind && $0.first.subject == signal.subject
            }?.counts(signal) ?? true
        }
        guard !fresh.isEmpty else { return }
        try await store.transact(reading: FactQuery()) { _ in
            Decision(facts: fresh.map { .signal($0) }, answer: ())
        }
    }

    /// The signals about a customer, weighed by the clock given.
    ///
    /// A balance below zero is one too: what was taken back had been spent.
    public func signals(
        of customer: CustomerID, now: Timestamp
    ) async throws(LedgerError) -> CustomerSignals {
        let known = try await store.signals(of: customer)
        let facts = try await store.facts(of: customer, limit: 0)
        let spent = facts.balances.filter { $0.amount < 0 }.map { balance in
            SignalCount(
                first: Signal(
                    kind: .spentRefund, customer: known.customer,
                    subject: "\(balance.book.environment) \(balance.currency)", at: now),
                count: 1, last: now)
        }
        return CustomerSignals(
            customer: known.customer, signals: known.signals + spent, now: now)
    }

    /// The introductory offers that a customer has taken, the first of each group and book.
    public func introductoryOffers(
        of customer: CustomerID
    ) async throws(LedgerError) -> [IntroductoryOfferUse] {
        IntroductoryOfferUse.firstUses(try await store.introductoryOffers(of: customer))
    }
}

/// Makes two customers one, unless one of them is another's already.
func decideMerge(
    of from: CustomerID, into: CustomerID, names: CustomerNames, catalog: Catalog, now: Timestamp
) -> Decision<MergeAnswer> {
    let target = names.canonical(into)
    let present = names.canonical(from)
    if present == target {
        return Decision(answer: present == from && from != into ? .reversed : .merged(into: target))
    }
    guard present == from else { return Decision(answer: .belongsToAnother) }
    let merge = Merge(from: from, into: target, at: now)
    var decision = Decision(facts: [.merge(merge)], answer: MergeAnswer.merged(into: target))
    for app in catalog.apps.keys.sorted() {
        for event in merge.drafts(in: app) {
            decision.record(event: event, under: catalog, names: names)
        }
    }
    return decision
}
