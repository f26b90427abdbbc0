public import AppStoreModel

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// What became of one transaction; an unknown one survives.
public struct TransactionOutcome: RawRepresentable, Sendable, Hashable, Codable {
    /// The wire's word.
    public let rawValue: String
    /// Takes any word.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Recorded and handed out by this request.
    public static let granted = TransactionOutcome(rawValue: "granted")
    /// Handed out to this customer before: a success.
    public static let alreadyGranted = TransactionOutcome(rawValue: "alreadyGranted")
    /// Recorded, and nothing handed out yet.
    public static let pending = TransactionOutcome(rawValue: "pending")
    /// Nothing handed out, and `reason` says why.
    public static let refused = TransactionOutcome(rawValue: "refused")
}

/// What the server did with one transaction.
public struct TransactionReport: Sendable, Hashable, Codable {
    /// The transaction.
    public var transactionID: TransactionID
    /// The first transaction of its chain; its own id when it began one.
    public var originalTransactionID: TransactionID
    /// What was bought.
    public var productID: ProductID
    /// What became of it.
    public var outcome: TransactionOutcome
    /// Why it was refused or waits: a stable code.
    public var reason: String?
    /// The order that it paid.
    public var orderID: UUID?
    /// Whether the app may let go of it (`finishTransaction`).
    public var mayFinish: Bool
    /// The environment that signed it.
    public var environment: AppStoreEnvironment?

    /// Makes a report.
    public init(
        transactionID: TransactionID, originalTransactionID: TransactionID, productID: ProductID,
        outcome: TransactionOutcome, reason: String? = nil, orderID: UUID? = nil, mayFinish: Bool,
        environment: AppStoreEnvironment? = nil
    ) {
        self.transactionID = transactionID
        self.originalTransactionID = originalTransactionID
        self.productID = productID
        self.outcome = outcome
        self.reason = reason
        self.orderID = orderID
        self.mayFinish = mayFinish
        self.environment = environment
    }

    private enum CodingKeys: String, CodingKey {
        case transactionID = "transactionId"
        case originalTransactionID = "originalTransactionId"
        case productID = "productId"
        case outcome
        case reason
        case orderID = "orderId"
        case mayFinish = "finish"
        case environment
    }

    /// Encodes the order's id in lower case.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(transactionID, forKey: .transactionID)
        try container.encode(originalTransactionID, forKey: .originalTransactionID)
        try container.encode(productID, forKey: .productID)
        try container.encode(outcome, forKey: .outcome)
        try container.encodeIfPresent(reason, forKey: .reason)
        try container.encodeIfPresent(lowercased: orderID, forKey: .orderID)
        try container.encode(mayFinish, forKey: .mayFinish)
        try container.encodeIfPresent(environment, forKey: .environment)
    }
}

/// A proof that was not believed, beside others that were.
///
/// It has no transaction id, since nothing in an unverified proof is known; `proof` says which of the
/// request's proofs it is.
public struct RefusedProof: Sendable, Hashable, Codable {
    /// The place in the request: `receipt` or `signedTransactions[2]`.
    public var proof: String
    /// Why, from the table of problem codes.
    public var code: ProblemCode
    /// The reason in words.
    public var detail: String?
    /// Whether the app may let go of the transaction that brought it.
    public var mayFinish: Bool
    /// Whether sending it again can help.
    public var isRetryable: Bool

    /// Makes a refusal.
    public init(
        proof: String, code: ProblemCode, detail: String? = nil, mayFinish: Bool, isRetryable: Bool
    ) {
        self.proof = proof
        self.code = code
        self.detail = detail
        self.mayFinish = mayFinish
        self.isRetryable = isRetryable
    }

    private enum CodingKeys: String, CodingKey {
        case proof
        case code
        case detail
        case mayFinish = "finish"
        case isRetryable = "retryable"
    }
}

/// The answer to `POST /v1/purchases`.
public struct PurchaseResponse: Sendable, Hashable, Codable {
    /// One report for each transaction in the proofs that were believed.
    public var results: [TransactionReport]
    /// Proofs that were not believed; absent when all were.
    public var refusedProofs: [RefusedProof]?
    /// Claimed transactions that none of the believed proofs has; absent when there are none.
    ///
    /// Nothing is known of them: the app keeps them and comes again with a fresh receipt.
    public var absentTransactionIDs: [TransactionID]?
    /// The customer after all of it.
    public var customer: CustomerDocument

    /// Makes a response.
    public init(
        results: [TransactionReport], refusedProofs: [RefusedProof]? = nil,
        absentTransactionIDs: [TransactionID]? = nil, customer: CustomerDocument
    ) {
        self.results = results
        self.refusedProofs = refusedProofs
        self.absentTransactionIDs = absentTransactionIDs
        self.customer = customer
    }

    private enum CodingKeys: String, CodingKey {
        case results
        case refusedProofs
        case absentTransactionIDs = "absentTransactionIds"
        case customer
    }
}
