/// The body of a version 1 notification: unsigned, so it is a hint and never a proof.
public struct NotificationV1Body: AppStoreObject {
    /// What happened.
    public var notificationType: NotificationV1Type
    /// The shared secret, which alone says who sent it; compare it in constant time.
    public var password: String?
    /// Where it happened; Apple writes `PROD` for production here.
    public var environment: AppStoreEnvironment?
    /// The app.
    public var bundleID: BundleID?
    /// The build.
    public var applicationVersion: String?
    /// The receipt and what Apple knows besides; transactions and renewals as in `verifyReceipt`.
    public var unifiedReceipt: VerifyReceiptResponse?
    /// The number of the product that will be renewed.
    public var autoRenewAdamID: String?
    /// The product that will be renewed.
    public var autoRenewProductID: ProductID?
    /// Whether it will renew; "true" or "false" here.
    public var autoRenewStatus: Bool?
    /// When that last changed.
    public var autoRenewStatusChangeDate = DateTriplet()
    /// Why it ended.
    public var expirationIntent: ExpirationIntent?
    /// The first purchase.
    public var originalTransactionID: TransactionID?
    /// One period of a subscription.
    public var webOrderLineItemID: WebOrderLineItemID?
    /// When Apple took it back.
    public var cancellationDate = DateTriplet()
    /// The newest receipt, where it is not in the unified one.
    public var latestReceipt: String?
    /// The transactions, where they are not in the unified receipt.
    public var latestReceiptInfo: [VerifyReceiptItem]?
    /// The transaction of an ended subscription.
    public var latestExpiredReceiptInfo: [VerifyReceiptItem]?
    /// Names that this program does not know.
    public var otherFields: [String: JSONValue] = [:]

    /// A body with nothing but its type; set the rest.
    public init(_ notificationType: NotificationV1Type) { self.notificationType = notificationType }

    /// An empty one, to be filled by a pass.
    public init(unfilled: ()) { self.init("") }

    /// Reads or writes every field.
    public mutating func fields(_ pass: inout FieldPass) throws {
        try pass.required("notification_type", &notificationType)
        try pass("password", &password)
        try pass.versionOneEnvironment("environment", &environment)
        try pass("bid", &bundleID)
        try pass.harmless("bvrs", &applicationVersion)
        try pass("unified_receipt", &unifiedReceipt)
        try pass.harmless("auto_renew_adam_id", &autoRenewAdamID)
        try pass.harmless("auto_renew_product_id", &autoRenewProductID)
        try pass.spelled("auto_renew_status", &autoRenewStatus)
        try pass.triplet("auto_renew_status_change_date", &autoRenewStatusChangeDate)
        try pass.harmless("expiration_intent", &expirationIntent)
        try pass.harmless("original_transaction_id", &originalTransactionID)
        try pass.harmless("web_order_line_item_id", &webOrderLineItemID)
        try pass.triplet("cancellation_date", &cancellationDate)
        try pass("latest_receipt", &latestReceipt)
        try pass.list("latest_receipt_info", &latestReceiptInfo)
        try pass.list("latest_expired_receipt_info", &latestExpiredReceiptInfo)
    }
}

extension FieldPass {
    /// The environment in the spelling of version 1.
    fileprivate mutating func versionOneEnvironment(
        _ name: String, _ value: inout AppStoreEnvironment?
    ) throws {
        var spelling = value?.versionOneSpelling
        try self(name, &spelling)
        value = spelling.map { AppStoreEnvironment(rawValue: $0) }
    }
}

/// What a version 1 notification tells.
public struct NotificationV1Type: OpenText {
    /// The word that Apple uses.
    public let rawValue: String
    /// Takes any word, known or not.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// A subscription began.
    public static let initialBuy = Self(rawValue: "INITIAL_BUY")
    /// A subscription renewed.
    public static let didRenew = Self(rawValue: "DID_RENEW")
    /// A subscription renewed after its payment had failed.
    public static let didRecover = Self(rawValue: "DID_RECOVER")
    /// The customer renewed or upgraded by hand.
    public static let interactiveRenewal = Self(rawValue: "INTERACTIVE_RENEWAL")
    /// The customer changed to another product at the next renewal.
    public static let didChangeRenewalPreference = Self(rawValue: "DID_CHANGE_RENEWAL_PREF")
    /// Renewal was turned on or off.
    public static let didChangeRenewalStatus = Self(rawValue: "DID_CHANGE_RENEWAL_STATUS")
    /// The payment of a renewal failed.
    public static let didFailToRenew = Self(rawValue: "DID_FAIL_TO_RENEW")
    /// The customer is asked to consent to a higher price.
    public static let priceIncreaseConsent = Self(rawValue: "PRICE_INCREASE_CONSENT")
    /// Apple took a subscription back, or an upgrade replaced it.
    public static let cancel = Self(rawValue: "CANCEL")
    /// Apple paid back something that is no auto-renewable.
    public static let refund = Self(rawValue: "REFUND")
    /// A family member lost access.
    public static let revoke = Self(rawValue: "REVOKE")
    /// Apple asks what became of the goods.
    public static let consumptionRequest = Self(rawValue: "CONSUMPTION_REQUEST")
    /// What `didRecover` was called until March 2021.
    public static let renewal = Self(rawValue: "RENEWAL")
}
