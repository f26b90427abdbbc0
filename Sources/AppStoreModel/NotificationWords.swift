/// What a version 2 notification tells.
public struct NotificationType: OpenText {
    /// The word that Apple uses.
    public let rawValue: String
    /// Takes any word, known or not.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// A subscription began, or began again.
    public static let subscribed = Self(rawValue: "SUBSCRIBED")
    /// A subscription renewed.
    public static let didRenew = Self(rawValue: "DID_RENEW")
    /// The customer changed to another product.
    public static let didChangeRenewalPreference = Self(rawValue: "DID_CHANGE_RENEWAL_PREF")
    /// Renewal was turned on or off.
    public static let didChangeRenewalStatus = Self(rawValue: "DID_CHANGE_RENEWAL_STATUS")
    /// A subscriber redeemed an offer.
    public static let offerRedeemed = Self(rawValue: "OFFER_REDEEMED")
    /// The payment of a renewal failed.
    public static let didFailToRenew = Self(rawValue: "DID_FAIL_TO_RENEW")
    /// The grace period ended; Apple still tries to collect.
    public static let gracePeriodExpired = Self(rawValue: "GRACE_PERIOD_EXPIRED")
    /// A subscription ended.
    public static let expired = Self(rawValue: "EXPIRED")
    /// The customer was told of a higher price, or answered.
    public static let priceIncrease = Self(rawValue: "PRICE_INCREASE")
    /// Something that is no auto-renewable was bought.
    public static let oneTimeCharge = Self(rawValue: "ONE_TIME_CHARGE")
    /// Apple paid back.
    public static let refund = Self(rawValue: "REFUND")
    /// Apple declined to pay back.
    public static let refundDeclined = Self(rawValue: "REFUND_DECLINED")
    /// Apple undid a refund: give the goods again.
    public static let refundReversed = Self(rawValue: "REFUND_REVERSED")
    /// Apple asks what became of the goods before it decides on a refund.
    public static let consumptionRequest = Self(rawValue: "CONSUMPTION_REQUEST")
    /// A family member lost access.
    public static let revoke = Self(rawValue: "REVOKE")
    /// A renewal date was extended.
    public static let renewalExtended = Self(rawValue: "RENEWAL_EXTENDED")
    /// An extension for all subscribers proceeds.
    public static let renewalExtension = Self(rawValue: "RENEWAL_EXTENSION")
    /// A token of a purchase outside the App Store.
    public static let externalPurchaseToken = Self(rawValue: "EXTERNAL_PURCHASE_TOKEN")
    /// A parent withdrew consent for the app.
    public static let rescindConsent = Self(rawValue: "RESCIND_CONSENT")
    /// Advanced Commerce metadata changed.
    public static let metadataUpdate = Self(rawValue: "METADATA_UPDATE")
    /// A subscription moved to Advanced Commerce.
    public static let migration = Self(rawValue: "MIGRATION")
    /// An Advanced Commerce price changed.
    public static let priceChange = Self(rawValue: "PRICE_CHANGE")
    /// The developer asked for a test.
    public static let test = Self(rawValue: "TEST")
}

/// What a version 2 notification tells more exactly.
public struct NotificationSubtype: OpenText {
    /// The word that Apple uses.
    public let rawValue: String
    /// Takes any word, known or not.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// For the first time.
    public static let initialBuy = Self(rawValue: "INITIAL_BUY")
    /// Again.
    public static let resubscribe = Self(rawValue: "RESUBSCRIBE")
    /// After the payment had failed.
    public static let billingRecovery = Self(rawValue: "BILLING_RECOVERY")
    /// At once, to the same or a higher level.
    public static let upgrade = Self(rawValue: "UPGRADE")
    /// At the next renewal.
    public static let downgrade = Self(rawValue: "DOWNGRADE")
    /// Renewal is off.
    public static let autoRenewDisabled = Self(rawValue: "AUTO_RENEW_DISABLED")
    /// Renewal is on.
    public static let autoRenewEnabled = Self(rawValue: "AUTO_RENEW_ENABLED")
    /// Service goes on for a while.
    public static let gracePeriod = Self(rawValue: "GRACE_PERIOD")
    /// The customer wanted it.
    public static let voluntary = Self(rawValue: "VOLUNTARY")
    /// Apple gave up collecting.
    public static let billingRetry = Self(rawValue: "BILLING_RETRY")
    /// No consent to a higher price.
    public static let priceIncrease = Self(rawValue: "PRICE_INCREASE")
    /// The product was not for sale.
    public static let productNotForSale = Self(rawValue: "PRODUCT_NOT_FOR_SALE")
    /// Not answered yet.
    public static let pending = Self(rawValue: "PENDING")
    /// Accepted.
    public static let accepted = Self(rawValue: "ACCEPTED")
    /// Failed for one subscription.
    public static let failure = Self(rawValue: "FAILURE")
    /// All is done.
    public static let summary = Self(rawValue: "SUMMARY")
    /// The developer has not reported it.
    public static let unreported = Self(rawValue: "UNREPORTED")
    /// Newly made.
    public static let created = Self(rawValue: "CREATED")
    /// A reminder of an active token.
    public static let activeTokenReminder = Self(rawValue: "ACTIVE_TOKEN_REMINDER")
}
