import AppStoreModel
import TillLedger

/// Customers' names and signals.
struct MemoryCustomers: Sendable {
    private(set) var names = CustomerNames()
    private var signals: [CustomerID: [SignalPlace: SignalCount]] = [:]

    /// Every name of a customer, the one that counts first.
    func everyName(of customer: CustomerID) -> [CustomerID] {
        let canonical = names.canonical(customer)
        let others = names.merges.keys.filter { names.canonical($0) == canonical }
        return [canonical] + others.sorted()
    }

    func signals(of customer: CustomerID) -> KnownSignals {
        let all = everyName(of: customer)
        return KnownSignals(
            customer: all[0], signals: all.flatMap { (signals[$0] ?? [:]).values })
    }

    func isMerged(_ customer: CustomerID) -> Bool {
        names.merges[customer] != nil || names.erased.contains(customer)
    }

    mutating func include(_ merge: Merge) { names.include(merge) }

    mutating func include(_ signal: Signal) {
        var mine = signals[signal.customer] ?? [:]
        let place = SignalPlace(kind: signal.kind, subject: signal.subject)
        if let known = mine[place] {
            mine[place] = known.adding(signal)
        } else if mine.keys.count(where: { $0.kind == signal.kind }) < Signal.mostSubjects {
            mine[place] = SignalCount(first: signal, count: 1, last: signal.at)
        }
        signals[signal.customer] = mine
    }

    /// Whether anything is kept here of a name.
    func knows(_ customer: CustomerID) -> Bool {
        signals[customer] != nil || isMerged(customer) || names.merges.values.contains(customer)
    }

    /// Replaces names, the first of which is the canonical one, and drops their signals.
    mutating func erase(_ pseudonyms: Renaming, canonical: CustomerID) {
        for name in pseudonyms.names { signals[name] = nil }
        var renamed = CustomerNames(erased: Set(names.erased.map { pseudonyms($0) }))
        for (from, into) in names.merges {
            renamed.include(
                Merge(
                    from: pseudonyms(from), into: pseudonyms(into),
                    at: Timestamp(milliseconds: 0)))
        }
        renamed.include(erased: pseudonyms(canonical))
        names = renamed
    }
}

private struct SignalPlace: Hashable {
    let kind: SignalKind
    let subject: String
}
