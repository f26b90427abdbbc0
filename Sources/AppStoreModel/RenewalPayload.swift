/// What Apple signs about how a subscription will go on (`JWSRenewalInfoDecodedPayload`).
///
/// It proves no purchase: that is its transaction's part.
public struct RenewalPayload: AppStoreObject {
    /// The first purchase of the subscription.
    public var originalTransactionID: TransactionID
    /// The product that runs.
    public var productID: ProductID?
    /// The product that will be renewed.
    public var autoRenewProductID: ProductID?
    /// Whether it will renew.
    public var autoRenewStatus: AutoRenewStatus?
    /// Why it ended.
    public var expirationIntent: ExpirationIntent?
    /// Whether Apple tries to collect a failed payment.
    public var isInBillingRetryPeriod: Bool?
    /// Until when service goes on though the payment failed.
    public var gracePeriodExpiresDate: Timestamp?
    /// Whether the customer answered a price increase.
    public var priceIncreaseStatus: PriceIncreaseStatus?
    /// The offer of the next renewal.
    public var offerType: OfferType?
    /// Which offer applies to the next renewal.
    public var offerIdentifier: String?
    /// How that offer is paid.
    public var offerDiscountType: OfferDiscountType?
    /// How long that offer lasts, an ISO 8601 duration.
    public var offerPeriod: String?
    /// Start of the current run of periods, gaps of up to 60 days ignored.
    public var recentSubscriptionStartDate: Timestamp?
    /// When it will renew.
    public var renewalDate: Timestamp?
    /// Thousandths of the currency's unit.
    public var renewalPrice: Int64?
    /// ISO 4217.
    public var currency: String?
    /// Offers that may bring the customer back, best first.
    public var eligibleWinBackOfferIDs: [String]?
    /// What the app gave with the purchase.
    public var appAccountToken: AppAccountToken?
    /// The customer's copy of the app.
    public var appTransactionID: String?
    /// Where it was bought.
    public var environment: AppStoreEnvironment?
    /// When Apple signed.
    public var signedDate: Timestamp?
    /// Advanced Commerce data, kept as it came.
    public var advancedCommerceInfo: JSONValue?
    /// The commitment of the next renewal.
    public var commitmentInfo: RenewalCommitment?
    /// How the next renewal is billed.
    public var renewalBillingPlanType: BillingPlanType?
    /// Names that this program does not know.
    public var otherFields: [String: JSONValue] = [:]

    /// A renewal info about which only this is known; set the rest.
    public init(originalTransactionID: TransactionID) {
        self.originalTransactionID = originalTransactionID
    }

    /// An empty one, to be filled by a pass.
    public init(unfilled: ()) { self.init(originalTransactionID: "") }

    /// Reads or writes every field.
    public mutating func fields(_ pass: inout FieldPass) throws {
        try pass.required("originalTransactionId", &originalTransactionID)
        try pass.harmless("productId", &productID)
        try pass.harmless("autoRenewProductId", &autoRenewProductID)
        try pass.harmless("autoRenewStatus", &autoRenewStatus)
        try pass.harmless("expirationIntent", &expirationIntent)
        try pass.harmless("isInBillingRetryPeriod", &isInBillingRetryPeriod)
        try pass("gracePeriodExpiresDate", &gracePeriodExpiresDate)
        try pass.harmless("priceIncreaseStatus", &priceIncreaseStatus)
        try pass.harmless("offerType", &offerType)
        try pass.harmless("offerIdentifier", &offerIdentifier)
        try pass.harmless("offerDiscountType", &offerDiscountType)
        try pass.harmless("offerPeriod", &offerPeriod)
        try pass.harmless("recentSubscriptionStartDate", &recentSubscriptionStartDate)
        try pass.harmless("renewalDate", &renewalDate)
        try pass.harmless("renewalPrice", &renewalPrice)
        try pass.harmless("currency", &currency)
        try pass.harmless("eligibleWinBackOfferIds", &eligibleWinBackOfferIDs)
        try pass.harmless("appAccountToken", &appAccountToken)
        try pass.harmless("appTransactionId", &appTransactionID)
        try pass("environment", &environment)
        try pass("signedDate", &signedDate)
        try pass("advancedCommerceInfo", &advancedCommerceInfo)
        try pass.harmless("commitmentInfo", &commitmentInfo)
        try pass.harmless("renewalBillingPlanType", &renewalBillingPlanType)
    }
}

/// The commitment that the next renewal begins or continues.
public struct RenewalCommitment: AppStoreObject {
    /// The product that will be renewed.
    public var commitmentAutoRenewProductID: ProductID?
    /// Whether it will renew.
    public var commitmentAutoRenewStatus: AutoRenewStatus?
    /// How it will be billed.
    public var commitmentRenewalBillingPlanType: BillingPlanType?
    /// When it will renew.
    public var commitmentRenewalDate: Timestamp?
    /// Thousandths of the currency's unit.
    public var commitmentRenewalPrice: Int64?
    /// Names that this program does not know.
    public var otherFields: [String: JSONValue] = [:]

    /// An empty one; set what is known.
    public init() {}
    /// An empty one, to be filled by a pass.
    public init(unfilled: ()) {}

    /// Reads or writes every field.
    public mutating func fields(_ pass: inout FieldPass) throws {
        try pass.harmless("commitmentAutoRenewProductId", &commitmentAutoRenewProductID)
        try pass.harmless("commitmentAutoRenewStatus", &commitmentAutoRenewStatus)
        try pass.harmless("commitmentRenewalBillingPlanType", &commitmentRenewalBillingPlanType)
        try pass.harmless("commitmentRenewalDate", &commitmentRenewalDate)
        try pass.harmless("commitmentRenewalPrice", &commitmentRenewalPrice)
    }
}
