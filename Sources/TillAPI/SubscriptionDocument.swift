public import AppStoreModel

/// A subscription of a customer, as it stands at the moment of the answer.
public struct SubscriptionDocument: Sendable, Hashable, Codable {
    /// The original transaction.
    public var originalTransactionID: TransactionID
    /// The product of the period that counts.
    public var productID: ProductID
    /// The subscription group, where Apple named it.
    public var groupID: SubscriptionGroupID?
    /// `active`, `inGracePeriod`, `inBillingRetry`, `expired` or `revoked`.
    public var status: String
    /// When the period that counts ends, or ended.
    public var expiresAt: Timestamp
    /// Until when service goes on though the payment failed.
    public var gracePeriodExpiresAt: Timestamp?
    /// Whether it will renew; absent where Apple has not said.
    public var autoRenew: Bool?
    /// The product that will be renewed; absent where Apple has not said.
    public var autoRenewProductID: ProductID?
    /// Why it ended or will end: `customerCancelled`, `billingError`, `noConsentToPriceIncrease`,
    /// `productUnavailable`, `other`; absent where it goes on or Apple has not said.
    public var willExpireReason: String?
    /// The offer of the period that counts.
    public var offer: SubscriptionOfferDocument?
    /// The offer of the next period.
    public var nextOffer: SubscriptionOfferDocument?
    /// `awaitingConsent`, or `accepted` once the customer agreed or was told; absent where there is none.
    public var priceIncrease: String?
    /// Whether a family member pays for it.
    public var isFamilyShared: Bool
    /// The app; absent where nobody said.
    public var bundleID: BundleID?
    /// The environment of its purchases.
    public var environment: AppStoreEnvironment

    /// Makes a document of what is always there; set the rest.
    public init(
        originalTransactionID: TransactionID, productID: ProductID, status: String,
        expiresAt: Timestamp, isFamilyShared: Bool = false, environment: AppStoreEnvironment
    ) {
        self.originalTransactionID = originalTransactionID
        self.productID = productID
        self.status = status
        self.expiresAt = expiresAt
        self.isFamilyShared = isFamilyShared
        self.environment = environment
    }

    private enum CodingKeys: String, CodingKey {
        case originalTransactionID = "originalTransactionId"
        case productID = "productId"
        case groupID = "groupId"
        case status
        case expiresAt
        case gracePeriodExpiresAt
        case autoRenew
        case autoRenewProductID = "autoRenewProductId"
        case willExpireReason
        case offer
        case nextOffer
        case priceIncrease
        case isFamilyShared = "familyShared"
        case bundleID = "bundleId"
        case environment
    }
}

/// An offer under which a period was or will be sold.
public struct SubscriptionOfferDocument: Sendable, Hashable, Codable {
    /// `introductory`, `promotional`, `offerCode`, `winBack`, or Apple's number of another kind.
    public var type: String
    /// Which offer; introductory ones have no name.
    public var identifier: String?

    /// Names an offer.
    public init(type: String, identifier: String? = nil) {
        self.type = type
        self.identifier = identifier
    }

    private enum CodingKeys: String, CodingKey {
        case type
        case identifier = "id"
    }
}
