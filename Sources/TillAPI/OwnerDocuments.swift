public import AppStoreModel

/// Whose a purchase is, as far as the one who asks may know; an unknown one survives.
public struct PurchaseOwner: RawRepresentable, Sendable, Hashable, Codable {
    /// The wire's word.
    public let rawValue: String
    /// Takes any word.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The customer who asks.
    public static let you = PurchaseOwner(rawValue: "you")
    /// Another customer, who is never named.
    public static let another = PurchaseOwner(rawValue: "another")
    /// Nobody yet: whoever shows it first owns it.
    public static let nobody = PurchaseOwner(rawValue: "nobody")
}

/// Whose one transaction is.
public struct OwnedTransactionDocument: Sendable, Hashable, Codable {
    /// The transaction.
    public var transactionID: TransactionID
    /// The first transaction of its chain.
    public var originalTransactionID: TransactionID
    /// What was bought.
    public var productID: ProductID
    /// The environment that signed it.
    public var environment: AppStoreEnvironment
    /// When the paid period ends, for subscriptions.
    public var expiresDate: Timestamp?
    /// Whose it is.
    public var owner: PurchaseOwner

    /// Makes a document.
    public init(
        transactionID: TransactionID, originalTransactionID: TransactionID, productID: ProductID,
        environment: AppStoreEnvironment, expiresDate: Timestamp? = nil, owner: PurchaseOwner
    ) {
        self.transactionID = transactionID
        self.originalTransactionID = originalTransactionID
        self.productID = productID
        self.environment = environment
        self.expiresDate = expiresDate
        self.owner = owner
    }

    private enum CodingKeys: String, CodingKey {
        case transactionID = "transactionId"
        case originalTransactionID = "originalTransactionId"
        case productID = "productId"
        case environment
        case expiresDate
        case owner
    }
}

/// `POST /v1/purchases/owner`: whose this Apple account's purchases are, asked before another is bought.
public struct OwnerResponse: Sendable, Hashable, Codable {
    /// Another's as soon as one of them is, else yours as soon as one of them is.
    public var owner: PurchaseOwner
    /// Each by itself.
    public var transactions: [OwnedTransactionDocument]
    /// The proofs that were not believed.
    public var refusedProofs: [RefusedProof]?

    /// Makes a response.
    public init(
        owner: PurchaseOwner, transactions: [OwnedTransactionDocument],
        refusedProofs: [RefusedProof]? = nil
    ) {
        self.owner = owner
        self.transactions = transactions
        self.refusedProofs = refusedProofs
    }
}

/// `POST /v1/customers/{id}/merge`: makes an anonymous customer part of another.
public struct MergeRequest: Sendable, Hashable, Codable {
    /// The customer that becomes part of the other.
    public var from: String
    /// A token of that customer; an app needs it, a backend does not.
    public var fromToken: String?

    /// Makes a request.
    public init(from: String, fromToken: String? = nil) {
        self.from = from
        self.fromToken = fromToken
    }
}
