public import AppStoreModel
import Synchronization
public import TillLedger

/// A ledger in memory, for tests, demonstrations and the simulated world; gone when the process ends.
///
/// It keeps the same promises as a database, but for the one about lasting.
public final class MemoryLedgerStore: LedgerStore {
    private let facts = Mutex(MemoryFacts())

    /// An empty ledger.
    public init() {}

    /// Reads, decides and records under one lock.
    public func transact<Answer: Sendable>(
        reading query: FactQuery,
        _ decide: @escaping @Sendable (FactSnapshot) -> Decision<Answer>
    ) async throws(LedgerError) -> Answer {
        try withFacts { facts throws(LedgerError) in
            let decision = decide(facts.snapshot(query))
            // Nothing can come between under the lock, so a taken key stays taken however often
            // it is decided.
            guard facts.append(decision.facts) else {
                throw LedgerError(.contended, "a key is taken whatever is decided")
            }
            return decision.answer
        }
    }

    /// Reads facts as of one moment.
    public func facts(_ query: FactQuery) async throws(LedgerError) -> FactSnapshot {
        try withFacts { facts throws(LedgerError) in facts.snapshot(query) }
    }

    /// Reads what is recorded about a customer.
    public func facts(
        of customer: CustomerID, limit: Int
    ) async throws(LedgerError) -> CustomerFacts {
        try withFacts { facts throws(LedgerError) in facts.customer(customer, limit: limit) }
    }

    /// Reads a customer's wallet entries.
    public func statement(
        of customer: CustomerID, after place: StatementPlace?, limit: Int
    ) async throws(LedgerError) -> [StatementEntry] {
        try withFacts { facts throws(LedgerError) in
            facts.statement(of: customer, after: place, limit: limit)
        }
    }

    /// Reads an order.
    public func order(_ id: OrderID) async throws(LedgerError) -> OrderFacts? {
        try withFacts { facts throws(LedgerError) in facts.orders[id] }
    }

    /// Reads the orders that look as if somebody paid and got nothing.
    public func lostOrderSuspects(
        of app: BundleID, limit: Int
    ) async throws(LedgerError) -> [LostOrderSuspect] {
        try withFacts { facts throws(LedgerError) in
            facts.lostOrderSuspects(of: app, limit: limit)
        }
    }

    /// Reads purchases in the order of their books and keys.
    public func purchases(
        after place: PurchasePlace?, limit: Int
    ) async throws(LedgerError) -> [PurchaseFacts] {
        try withFacts { facts throws(LedgerError) in facts.purchases(after: place, limit: limit) }
    }

    /// Reads notifications in the order of their books and names.
    public func notifications(
        after place: NotificationPlace?, limit: Int
    ) async throws(LedgerError) -> [BookedNotification] {
        try withFacts { facts throws(LedgerError) in
            facts.notifications(after: place, limit: limit)
        }
    }

    /// Nothing is kept that the facts do not hold, so nothing can differ.
    public func derivedDiscrepancies(
        repairing: Bool
    ) async throws(LedgerError) -> [Discrepancy] {
        try withFacts { _ throws(LedgerError) in [] }
    }

    /// Reads a kept proof.
    public func proof(_ digest: ProofDigest) async throws(LedgerError) -> StoredProof? {
        try withFacts { facts throws(LedgerError) in facts.proofs[digest] }
    }

    /// There is room as long as it is open.
    public func checkWriting() async throws(LedgerError) {
        try withFacts { _ throws(LedgerError) in }
    }

    /// Refuses what comes after.
    public func close() async { facts.withLock { $0.isClosed = true } }

    func withFacts<Value: Sendable>(
        _ body: (inout MemoryFacts) throws(LedgerError) -> Value
    ) throws(LedgerError) -> Value {
        try facts.withLock { facts throws(LedgerError) in
            guard !facts.isClosed else { throw LedgerError(.closed, "the ledger was closed") }
            return try body(&facts)
        }
    }
}
