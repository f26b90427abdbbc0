public import AppStoreModel

/// What Apple signed about a transaction, as far as it can change or be left out.
///
/// A receipt says less than a signed transaction, and each may be older than what is known already; so
/// observations are kept beside one another and ``TransactionState`` is what they add up to.
public struct ObservedFields: Sendable, Hashable {
    /// Which kind of proof said it.
    public var source: ProofSource
    /// When it was first bought.
    public var originalPurchaseDate: Timestamp?
    /// When the paid period ends.
    public var expiresDate: Timestamp?
    /// When Apple took it back.
    public var revocationDate: Timestamp?
    /// Why Apple took it back.
    public var revocationReason: RevocationReason?
    /// Whether a better product of the group replaced it.
    public var isUpgraded: Bool?
    /// The kind of product.
    public var productType: ProductType?
    /// Bought or shared.
    public var ownership: OwnershipType?
    /// The UUID that the app gave with the purchase.
    public var appAccountToken: AppAccountToken?
    /// The subscription group.
    public var subscriptionGroupID: SubscriptionGroupID?
    /// Bought or renewed.
    public var transactionReason: TransactionReason?
    /// Which kind of offer.
    public var offerType: OfferType?
    /// Which offer.
    public var offerIdentifier: String?
    /// Thousandths of the currency's unit, for the whole quantity.
    public var price: Int64?
    /// ISO 4217.
    public var currency: String?
    /// The storefront's country, three letters.
    public var storefront: String?

    /// Nothing but the kind of proof; set what it says.
    public init(source: ProofSource) { self.source = source }
}

/// The kinds of proof; the raw values stand in the database.
public enum ProofSource: String, Sendable, Hashable, CaseIterable {
    /// An app receipt, PKCS#7.
    case receipt
    /// A signed transaction, JWS.
    case transaction
    /// A transaction receipt of iOS 6 and before.
    case legacyReceipt
    /// A signed renewal info, JWS; believed together with a transaction alone.
    case renewalInfo
    /// A server notification, JWS, with the signed values in it.
    case notification
    /// The body of a notification of version 1, which nobody signed; its password left out.
    case hint
}

/// One thing that Apple signed about one transaction.
public struct Observation: Sendable, Hashable {
    /// Its place among the transaction's observations, from 0 on; unique there.
    public let number: Int
    /// The latest time at which Apple signed just this.
    public var signedAt: Timestamp
    /// What it says.
    public let fields: ObservedFields
    /// The proof that brought it first.
    public let proof: ProofDigest

    /// Makes an observation.
    public init(
        number: Int, signedAt: Timestamp, fields: ObservedFields, proof: ProofDigest
    ) {
        self.number = number
        self.signedAt = signedAt
        self.fields = fields
        self.proof = proof
    }
}

/// The SHA-256 digest of a proof's received bytes, under which they are kept once.
public struct ProofDigest: RawRepresentable, Sendable, Hashable {
    /// Thirty-two bytes.
    public let rawValue: [UInt8]

    /// Takes thirty-two bytes; else nil.
    public init?(rawValue: [UInt8]) {
        guard rawValue.count == 32 else { return nil }
        self.rawValue = rawValue
    }
}

/// A proof as it was received, kept so that it can be verified again.
public struct StoredProof: Sendable, Hashable {
    /// The digest of the bytes.
    public let digest: ProofDigest
    /// What kind it is.
    public let kind: ProofSource
    /// The signed bytes.
    public let bytes: [UInt8]
    /// When it came, by the server's clock.
    public let receivedAt: Timestamp

    /// Makes a stored proof.
    public init(digest: ProofDigest, kind: ProofSource, bytes: [UInt8], receivedAt: Timestamp) {
        self.digest = digest
        self.kind = kind
        self.bytes = bytes
        self.receivedAt = receivedAt
    }
}
