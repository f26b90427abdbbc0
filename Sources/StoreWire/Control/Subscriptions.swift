public import AppStoreModel

/// A subscription of an account in a group.
public struct SubscriptionInfo: Codable, Sendable, Hashable {
    /// Its name.
    public var originalTransactionID: TransactionID
    /// Whose it is.
    public var accountID: AccountID
    /// The one that it belongs to.
    public var environment: AppStoreEnvironment
    /// Its group.
    public var groupID: SubscriptionGroupID
    /// The plan of the current or last period.
    public var productID: ProductID
    /// 1 active, 2 expired, 3 billing retry, 4 grace, 5 revoked.
    public var status: Int
    /// Whether it will renew.
    public var autoRenews: Bool
    /// The plan of the next period.
    public var autoRenewProductID: ProductID
    /// The end of the latest period.
    public var expiresDate: Timestamp
    /// When it will renew or be tried again.
    public var renewalDate: Timestamp?
    /// The end of the grace period.
    public var gracePeriodExpiresDate: Timestamp?
    /// Whether the store tries to charge again.
    public var isInBillingRetry: Bool
    /// Why it ended: 1 to 5.
    public var expirationIntent: Int?
    /// 0 waits for an answer, 1 agreed or informed.
    public var priceIncreaseStatus: Int?
    /// Shared by a family's organizer.
    public var isFamilyShared: Bool
    /// How many periods there were.
    public var periods: Int

    /// Makes the value out of its fields.
    public init(
        originalTransactionID: TransactionID, accountID: AccountID,
        environment:
            AppStoreEnvironment, groupID: SubscriptionGroupID, productID: ProductID,
        status:
            Int, autoRenews: Bool, autoRenewProductID: ProductID, expiresDate: Timestamp,
        renewalDate: Timestamp? = nil, gracePeriodExpiresDate: Timestamp? = nil,
        isInBillingRetry: Bool, expirationIntent: Int? = nil,
        priceIncreaseStatus: Int? =
            nil, isFamilyShared: Bool, periods: Int
    ) {
        self.originalTransactionID = originalTransactionID
        self.accountID = accountID
        self.environment = environment
        self.groupID = groupID
        self.productID = productID
        self.status = status
        self.autoRenews = autoRenews
        self.autoRenewProductID = autoRenewProductID
        self.expiresDate = expiresDate
        self.renewalDate = renewalDate
        self.gracePeriodExpiresDate = gracePeriodExpiresDate
        self.isInBillingRetry = isInBillingRetry
        self.expirationIntent = expirationIntent
        self.priceIncreaseStatus = priceIncreaseStatus
        self.isFamilyShared = isFamilyShared
        self.periods = periods
    }

    private enum CodingKeys: String, CodingKey {
        case originalTransactionID = "originalTransactionId"
        case accountID = "accountId"
        case environment
        case groupID = "groupId"
        case productID = "productId"
        case status
        case autoRenews
        case autoRenewProductID = "autoRenewProductId"
        case expiresDate
        case renewalDate
        case gracePeriodExpiresDate
        case isInBillingRetry
        case expirationIntent
        case priceIncreaseStatus
        case isFamilyShared
        case periods
    }
}

/// The subscriptions.
public struct SubscriptionsResponse: Codable, Sendable, Hashable {
    /// In the order in which they began.
    public var subscriptions: [SubscriptionInfo]

    /// Makes the value out of its fields.
    public init(
        subscriptions: [SubscriptionInfo]
    ) {
        self.subscriptions = subscriptions
    }
}

/// Something that happens to a subscription.
public struct SubscriptionAction: Codable, Sendable, Hashable {
    /// What.
    public var action: SubscriptionActionKind
    /// Of a change of plan.
    public var productID: ProductID?
    /// The offer that goes with it.
    public var offerID: String?
    /// Of an extension: 1 to 90.
    public var days: Int?
    /// Of an extension: 0 to 3.
    public var reasonCode: Int?
    /// Of a price increase: the new price in milliunits.
    public var price: Int64?
    /// Of a price increase; decided by Apple's rule when left out.
    public var needsConsent: Bool?
    /// Of billing: whether it fails from now on.
    public var fails: Bool?

    /// Makes the value out of its fields.
    public init(
        action: SubscriptionActionKind, productID: ProductID? = nil,
        offerID: String? =
            nil, days: Int? = nil, reasonCode: Int? = nil, price: Int64? = nil,
        needsConsent:
            Bool? = nil, fails: Bool? = nil
    ) {
        self.action = action
        self.productID = productID
        self.offerID = offerID
        self.days = days
        self.reasonCode = reasonCode
        self.price = price
        self.needsConsent = needsConsent
        self.fails = fails
    }

    private enum CodingKeys: String, CodingKey {
        case action
        case productID = "productId"
        case offerID = "offerId"
        case days
        case reasonCode
        case price
        case needsConsent
        case fails
    }
}

/// What can happen to a subscription.
public struct SubscriptionActionKind: RawRepresentable, Codable, Sendable, Hashable {
    /// The word on the wire; unknown ones pass.
    public let rawValue: String
    /// Takes any word.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The next period begins now.
    public static let renewNow = SubscriptionActionKind(rawValue: "renewNow")
    /// The current period ends now.
    public static let expireNow = SubscriptionActionKind(rawValue: "expireNow")
    /// The customer turns renewal off.
    public static let turnOff = SubscriptionActionKind(rawValue: "turnOff")
    /// The customer turns renewal on.
    public static let turnOn = SubscriptionActionKind(rawValue: "turnOn")
    /// Renewals can be paid or not from now on.
    public static let setBilling = SubscriptionActionKind(rawValue: "setBilling")
    /// The customer repairs the payment; the store charges at once.
    public static let recover = SubscriptionActionKind(rawValue: "recover")
    /// The customer chooses another plan.
    public static let change = SubscriptionActionKind(rawValue: "change")
    /// The customer keeps the current plan after all.
    public static let undoChange = SubscriptionActionKind(rawValue: "undoChange")
    /// The developer raises the price for this subscriber.
    public static let increasePrice = SubscriptionActionKind(rawValue: "increasePrice")
    /// The customer agrees to the higher price.
    public static let consent = SubscriptionActionKind(rawValue: "consent")
    /// The customer does not agree.
    public static let declinePrice = SubscriptionActionKind(rawValue: "declinePrice")
    /// The developer extends the period.
    public static let extend = SubscriptionActionKind(rawValue: "extend")
    /// The family loses it.
    public static let stopSharing = SubscriptionActionKind(rawValue: "stopSharing")
}
