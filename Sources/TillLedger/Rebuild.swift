/// Something in the records that the facts do not bear out.
public struct Discrepancy: Sendable, Hashable, CustomStringConvertible {
    /// What is wrong with which row.
    public let subject: String
    /// What the records say.
    public let recorded: String
    /// What follows from the facts.
    public let expected: String

    /// Makes a discrepancy.
    public init(subject: String, recorded: String, expected: String) {
        self.subject = subject
        self.recorded = recorded
        self.expected = expected
    }

    /// All three in one line.
    public var description: String {
        "\(subject): recorded \(recorded), expected \(expected)"
    }
}

/// What a rebuild looked at and found.
public struct RebuildReport: Sendable, Hashable {
    /// How many purchases were recomputed.
    public var purchases = 0
    /// What does not follow from the facts; at most ``mostDiscrepancies``.
    public var discrepancies: [Discrepancy] = []

    /// The most discrepancies that are listed.
    public static let mostDiscrepancies = 1_000

    /// A report of nothing.
    public init() {}

    mutating func add(_ found: [Discrepancy]) {
        discrepancies += found.prefix(Self.mostDiscrepancies - discrepancies.count)
    }
}

extension Ledger {
    /// Recomputes every derived row and every grant's standing from the facts, and says what differs.
    ///
    /// Takes time in proportion to the whole ledger, and reads it a piece at a time.
    ///
    /// - Parameter repairing: Whether the store's derived rows are put right; facts are never touched.
    /// - Returns: What was looked at, and what differs.
    /// - Throws: What keeps the store from being read.
    public func rebuild(repairing: Bool = false) async throws(LedgerError) -> RebuildReport {
        var report = RebuildReport()
        var place: PurchasePlace?
        while true {
            let purchases = try await store.purchases(after: place, limit: 500)
            guard let last = purchases.last else { break }
            place = PurchasePlace(book: last.book, key: last.key)
            report.purchases += purchases.count
            for purchase in purchases { report.add(purchase.discrepancies) }
        }
        report.add(try await store.derivedDiscrepancies(repairing: repairing))
        return report
    }
}

extension RecordedTransaction {
    /// Whose it must be, by the owners of its original.
    fileprivate func holder(_ owners: [Ownership]) -> CustomerID? {
        guard customer != nil, let last = owners.max(by: { $0.number < $1.number }),
            last.number > ownerNumber
        else { return customer }
        return last.customer
    }
}

extension PurchaseFacts {
    /// What of the records about this purchase does not follow from what Apple signed.
    var discrepancies: [Discrepancy] {
        var found: [Discrepancy] = []
        func compare<Value: Equatable>(_ what: String, _ recorded: Value, _ expected: Value) {
            guard recorded != expected else { return }
            found.append(
                Discrepancy(
                    subject: "\(what) of \(book) \(key)", recorded: "\(recorded)",
                    expected: "\(expected)"))
        }
        compare("holders", Set(transactions.map(\.holder)).count, 1)
        for transaction in transactions {
            compare("holder of \(transaction.id)", transaction.holder, transaction.holder(owners))
        }
        guard let state else {
            compare("observations", 0, 1)
            return found
        }
        guard let grant else {
            compare("changes without a grant", changes.count, 0)
            compare("wallet entries without a grant", entries.count, 0)
            return found
        }
        compare("standing", stands, !state.isRevoked)
        let owned = transactions.compactMap(\.customer) + owners.map(\.customer)
        compare("customer known", owned.contains(grant.customer), true)
        compare("turns", changes.map(\.turn), Array(1..<(changes.count + 1)))
        let expected = (0...changes.count).flatMap { turn in
            grant.entries(turn: turn, at: grant.grantedAt).map { [$0.turn, Int($0.amount)] }
        }
        let recorded = entries.sorted { ($0.turn, $0.currency) < ($1.turn, $1.currency) }
            .map { [$0.turn, Int($0.amount - $0.debt)] }
        compare("wallet entries", recorded, expected)
        return found
    }
}
