/// One transaction in an answer of `verifyReceipt` or a version 1 notification; Apple writes all as text.
public struct VerifyReceiptItem: AppStoreObject {
    /// How many.
    public var quantity: Int64?
    /// What was bought.
    public var productID: ProductID?
    /// This purchase or period.
    public var transactionID: TransactionID?
    /// The first purchase.
    public var originalTransactionID: TransactionID?
    /// When it was bought.
    public var purchaseDate = DateTriplet()
    /// When it was first bought.
    public var originalPurchaseDate = DateTriplet()
    /// When the period ends; in iOS 6 style the text itself is milliseconds.
    public var expiresDate = DateTriplet()
    /// The same in iOS 6 style, as text.
    public var expiresDateFormatted: String?
    /// The same in iOS 6 style, as text in Los Angeles.
    public var expiresDateFormattedPST: String?
    /// One period of a subscription.
    public var webOrderLineItemID: WebOrderLineItemID?
    /// Whether it is a free trial.
    public var isTrialPeriod: Bool?
    /// Whether it is at an introductory price.
    public var isInIntroOfferPeriod: Bool?
    /// When Apple took it back or an upgrade replaced it.
    public var cancellationDate = DateTriplet()
    /// "1" for trouble with the app, "0" for another reason.
    public var cancellationReason: RevocationReason?
    /// The promotional offer.
    public var promotionalOfferID: String?
    /// The name of the offer code.
    public var offerCodeRefName: String?
    /// Bought or shared.
    public var inAppOwnershipType: OwnershipType?
    /// The group of a subscription.
    public var subscriptionGroupIdentifier: SubscriptionGroupID?
    /// Whether a better product of the group replaced it.
    public var isUpgraded: Bool?
    /// What the app gave with the purchase.
    public var appAccountToken: AppAccountToken?
    /// The app, in iOS 6 style.
    public var bundleID: BundleID?
    /// The build, in iOS 6 style.
    public var applicationVersion: String?
    /// The product's number, in iOS 6 style.
    public var itemID: String?
    /// The app's number, in iOS 6 style.
    public var appItemID: String?
    /// The version's number, in iOS 6 style.
    public var versionExternalIdentifier: String?
    /// The device, in iOS 6 style.
    public var uniqueIdentifier: String?
    /// The device as this developer may know it, in iOS 6 style.
    public var uniqueVendorIdentifier: String?
    /// Names that this program does not know.
    public var otherFields: [String: JSONValue] = [:]

    /// An empty one; set what is known.
    public init() {}
    /// An empty one, to be filled by a pass.
    public init(unfilled: ()) {}

    /// When the period ends, in whichever style it is written.
    public var expires: Timestamp? {
        expiresDate.moment ?? expiresDateFormatted.flatMap { Timestamp(appleText: $0) }
    }

    /// Reads or writes every field.
    public mutating func fields(_ pass: inout FieldPass) throws {
        try pass.spelled("quantity", &quantity)
        try pass("product_id", &productID)
        try pass("transaction_id", &transactionID)
        try pass("original_transaction_id", &originalTransactionID)
        try pass.triplet("purchase_date", &purchaseDate)
        try pass.triplet("original_purchase_date", &originalPurchaseDate)
        try pass.triplet("expires_date", &expiresDate)
        try pass("expires_date_formatted", &expiresDateFormatted)
        try pass("expires_date_formatted_pst", &expiresDateFormattedPST)
        try pass("web_order_line_item_id", &webOrderLineItemID)
        try pass.spelled("is_trial_period", &isTrialPeriod)
        try pass.spelled("is_in_intro_offer_period", &isInIntroOfferPeriod)
        try pass.triplet("cancellation_date", &cancellationDate)
        try pass.spelled("cancellation_reason", &cancellationReason)
        try pass("promotional_offer_id", &promotionalOfferID)
        try pass("offer_code_ref_name", &offerCodeRefName)
        try pass("in_app_ownership_type", &inAppOwnershipType)
        try pass("subscription_group_identifier", &subscriptionGroupIdentifier)
        try pass.spelled("is_upgraded", &isUpgraded)
        try pass("app_account_token", &appAccountToken)
        try pass("bid", &bundleID)
        try pass("bvrs", &applicationVersion)
        try pass("item_id", &itemID)
        try pass("app_item_id", &appItemID)
        try pass("version_external_identifier", &versionExternalIdentifier)
        try pass("unique_identifier", &uniqueIdentifier)
        try pass("unique_vendor_identifier", &uniqueVendorIdentifier)
    }
}

/// How a subscription will go on, in `verifyReceipt` and version 1 notifications; all as text.
public struct PendingRenewal: AppStoreObject {
    /// The product that will be renewed.
    public var autoRenewProductID: ProductID?
    /// Whether it will renew.
    public var autoRenewStatus: AutoRenewStatus?
    /// Why it ended.
    public var expirationIntent: ExpirationIntent?
    /// Until when service goes on though the payment failed.
    public var gracePeriodExpiresDate = DateTriplet()
    /// Whether Apple tries to collect a failed payment.
    public var isInBillingRetryPeriod: Bool?
    /// The name of the offer code.
    public var offerCodeRefName: String?
    /// The first purchase.
    public var originalTransactionID: TransactionID?
    /// Whether the customer consented to a price increase.
    public var priceConsentStatus: PriceIncreaseStatus?
    /// Whether the customer answered a price increase.
    public var priceIncreaseStatus: PriceIncreaseStatus?
    /// The product that runs.
    public var productID: ProductID?
    /// The promotional offer.
    public var promotionalOfferID: String?
    /// Names that this program does not know.
    public var otherFields: [String: JSONValue] = [:]

    /// An empty one; set what is known.
    public init() {}
    /// An empty one, to be filled by a pass.
    public init(unfilled: ()) {}

    /// Reads or writes every field.
    public mutating func fields(_ pass: inout FieldPass) throws {
        try pass("auto_renew_product_id", &autoRenewProductID)
        try pass.spelled("auto_renew_status", &autoRenewStatus)
        try pass.spelled("expiration_intent", &expirationIntent)
        try pass.triplet("grace_period_expires_date", &gracePeriodExpiresDate)
        try pass.digit("is_in_billing_retry_period", &isInBillingRetryPeriod)
        try pass("offer_code_ref_name", &offerCodeRefName)
        try pass("original_transaction_id", &originalTransactionID)
        try pass.spelled("price_consent_status", &priceConsentStatus)
        try pass.spelled("price_increase_status", &priceIncreaseStatus)
        try pass("product_id", &productID)
        try pass("promotional_offer_id", &promotionalOfferID)
    }
}
