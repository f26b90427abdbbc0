public import AppStoreModel

/// Where facts are kept: a database, or memory.
///
/// The rules own this protocol; a store holds no rules. Every store passes the suite in `Tests/LedgerTests`.
public protocol LedgerStore: WorkStore, CustomerStore {
    /// Reads facts, lets `decide` look at them, and appends what it decides, all or nothing.
    ///
    /// Returns only when everything is durable. `decide` is pure, since it may run several times: when
    /// another decision takes a key first, the facts are read anew and it decides again. Reading and
    /// appending are one: no decision is made on facts that changed before it was recorded.
    func transact<Answer: Sendable>(
        reading query: FactQuery,
        _ decide: @escaping @Sendable (FactSnapshot) -> Decision<Answer>
    ) async throws(LedgerError) -> Answer

    /// Decides as ``transact(reading:_:)`` does, and reads the customer's holdings after it.
    func transact<Answer: Sendable>(
        reading query: FactQuery, thenHoldingsOf customer: CustomerID, limit: Int,
        _ decide: @escaping @Sendable (FactSnapshot) -> Decision<Answer>
    ) async throws(LedgerError) -> (answer: Answer, holdings: CustomerFacts)

    /// Reads facts as of one moment, without waiting for writers.
    func facts(_ query: FactQuery) async throws(LedgerError) -> FactSnapshot

    /// Reads what is recorded about a customer as of one moment; sees every finished ``transact(reading:_:)``.
    func facts(of customer: CustomerID, limit: Int) async throws(LedgerError) -> CustomerFacts

    /// Reads a customer's wallet entries as of one moment, newest first, from after a place on.
    func statement(
        of customer: CustomerID, after place: StatementPlace?, limit: Int
    ) async throws(LedgerError) -> [StatementEntry]

    /// Reads a customer's purchases and wallet alone, as of one moment, as ``facts(of:limit:)`` would.
    func holdings(of customer: CustomerID, limit: Int) async throws(LedgerError) -> CustomerFacts

    /// Reads an order as of one moment; nil when there is none.
    func order(_ id: OrderID) async throws(LedgerError) -> OrderFacts?

    /// Reads the orders of an app that look as if somebody paid and got nothing, the newest first.
    func lostOrderSuspects(
        of app: BundleID, limit: Int
    ) async throws(LedgerError) -> [LostOrderSuspect]

    /// Reads the purchases after a place in the store's own order, for an audit; at most `limit`.
    func purchases(
        after place: PurchasePlace?, limit: Int
    ) async throws(LedgerError) -> [PurchaseFacts]

    /// Reads the notifications after a place, ordered by book and name in the store's own way; at most
    /// `limit`.
    func notifications(
        after place: NotificationPlace?, limit: Int
    ) async throws(LedgerError) -> [BookedNotification]

    /// Compares the rows that the store keeps for its own speed with the facts, such as running balances.
    func derivedDiscrepancies(repairing: Bool) async throws(LedgerError) -> [Discrepancy]

    /// Reads a kept proof; nil when there is none.
    func proof(_ digest: ProofDigest) async throws(LedgerError) -> StoredProof?

    /// Finds out whether something could be recorded now, and records nothing.
    ///
    /// It costs little, and comes in turn where there is a line.
    ///
    /// - Throws: What would keep it from being recorded.
    func checkWriting() async throws(LedgerError)

    /// Finishes what was accepted and gives everything back; later calls fail with `closed`.
    func close() async
}

extension LedgerStore {
    /// Does one after the other.
    public func transact<Answer: Sendable>(
        reading query: FactQuery, thenHoldingsOf customer: CustomerID, limit: Int,
        _ decide: @escaping @Sendable (FactSnapshot) -> Decision<Answer>
    ) async throws(LedgerError) -> (answer: Answer, holdings: CustomerFacts) {
        let answer = try await transact(reading: query, decide)
        return (answer, try await holdings(of: customer, limit: limit))
    }

    /// Reads everything; a store that reads orders and refusals separately does better by itself.
    public func holdings(
        of customer: CustomerID, limit: Int
    ) async throws(LedgerError) -> CustomerFacts {
        var facts = try await facts(of: customer, limit: limit)
        facts.orders = []
        facts.refusals = []
        return facts
    }
}

/// What a decision wants recorded, and what it answers once that is durable.
public struct Decision<Answer: Sendable>: Sendable {
    /// The facts, in the order in which they build on one another; none to record nothing.
    public var facts: [Fact]
    /// The answer.
    public var answer: Answer
    /// What was read, with those facts taken in, so that a store need not read again what it just recorded;
    /// nil where the decision did not keep it.
    public var outcome: FactSnapshot?

    /// Makes a decision.
    public init(facts: [Fact] = [], answer: Answer, outcome: FactSnapshot? = nil) {
        self.facts = facts
        self.answer = answer
        self.outcome = outcome
    }
}
