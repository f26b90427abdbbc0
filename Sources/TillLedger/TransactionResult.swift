public import AppStoreModel

/// What became of one transaction.
public enum TransactionOutcome: Sendable, Hashable {
    /// Recorded and handed out by this call.
    case granted
    /// Handed out to this customer before; a success.
    case alreadyGranted
    /// Recorded, and nothing handed out yet.
    case pending
    /// Nothing handed out to this customer.
    case refused(RefusalReason)

    /// The word on the wire.
    public var code: String {
        switch self {
        case .granted: "granted"
        case .alreadyGranted: "alreadyGranted"
        case .pending: "pending"
        case .refused: "refused"
        }
    }

    /// Why it was refused.
    public var reason: RefusalReason? {
        if case .refused(let reason) = self { reason } else { nil }
    }
}

/// The ledger's answer about one transaction.
public struct TransactionResult: Sendable, Hashable {
    /// The transaction, as Apple signed it.
    public let transactionID: TransactionID
    /// The first transaction of its chain.
    public let originalTransactionID: TransactionID
    /// What was bought.
    public let productID: ProductID
    /// The book in which it stands.
    public let book: Book
    /// What became of it.
    public let outcome: TransactionOutcome
    /// The uploader's order that it paid.
    public let orderID: OrderID?
    /// Whether the app may let go of it (`finishTransaction`).
    public let mayFinish: Bool

    /// Makes a result.
    public init(
        transactionID: TransactionID, originalTransactionID: TransactionID, productID: ProductID,
        book: Book, outcome: TransactionOutcome, orderID: OrderID?, mayFinish: Bool
    ) {
        self.transactionID = transactionID
        self.originalTransactionID = originalTransactionID
        self.productID = productID
        self.book = book
        self.outcome = outcome
        self.orderID = orderID
        self.mayFinish = mayFinish
    }
}

/// The ledger's answer to a submission.
public struct PurchaseAnswer: Sendable, Hashable {
    /// One result for each transaction, ordered by book, purchase date and id.
    public var results: [TransactionResult]
    /// Claimed transactions that are in none of the proofs: nothing is known of them, so the app keeps
    /// them and comes again with a fresh receipt.
    public var absent: [TransactionID]

    /// Makes an answer.
    public init(results: [TransactionResult] = [], absent: [TransactionID] = []) {
        self.results = results
        self.absent = absent
    }
}
