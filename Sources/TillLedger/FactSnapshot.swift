public import AppStoreModel

/// The facts that a query named, as of one moment; what is not in it does not exist.
public struct FactSnapshot: Sendable, Hashable {
    /// The facts of each book that was asked for.
    public var books: [Book: BookFacts]
    /// The orders, those named and the unpaid ones.
    public var orders: [OrderID: OrderFacts]
    /// The answer given before under the idempotency key.
    public var answer: StoredAnswer?

    /// A snapshot of nothing.
    public init() {
        books = [:]
        orders = [:]
    }
}

/// The facts of one book that a query named.
public struct BookFacts: Sendable, Hashable {
    /// Transactions, those named and those of the purchases named.
    public var transactions: [TransactionID: RecordedTransaction] = [:]
    /// Their observations.
    public var observations: [TransactionID: [Observation]] = [:]
    /// The present owner of each original transaction.
    public var owners: [TransactionID: Ownership] = [:]
    /// Grants.
    public var grants: [GrantKey: Grant] = [:]
    /// How often each grant was changed; no entry for none.
    public var changes: [GrantKey: [GrantChange]] = [:]
    /// Which refusals the customer was shown before.
    public var refusals: Set<ShownRefusal> = []

    /// Facts of an empty book.
    public init() {}
}

/// A refusal that somebody was shown before.
public struct ShownRefusal: Sendable, Hashable {
    /// The transaction.
    public let transactionID: TransactionID
    /// The reason.
    public let reason: RefusalReason

    /// Makes one.
    public init(transactionID: TransactionID, reason: RefusalReason) {
        self.transactionID = transactionID
        self.reason = reason
    }
}
