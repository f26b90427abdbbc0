/// What Apple signs about one purchase (`JWSTransactionDecodedPayload`).
///
/// By itself it is a claim: only `AppStoreTrust` says whether Apple made it.
public struct TransactionPayload: AppStoreObject {
    /// This purchase or period.
    public var transactionID: TransactionID
    /// The first purchase of the same thing; equals `transactionID` there, and where Apple left it out.
    public var originalTransactionID: TransactionID
    /// The app.
    public var bundleID: BundleID
    /// What was bought.
    public var productID: ProductID
    /// One period of a subscription, across devices; auto-renewables only.
    public var webOrderLineItemID: WebOrderLineItemID?
    /// The group of a subscription.
    public var subscriptionGroupIdentifier: SubscriptionGroupID?
    /// When it was bought or the period began; may lie after `signedDate`.
    public var purchaseDate: Timestamp?
    /// When it was first bought; in real data up to seconds after `purchaseDate`.
    public var originalPurchaseDate: Timestamp?
    /// When the period ends; auto-renewables only.
    public var expiresDate: Timestamp?
    /// How many.
    public var quantity: Int64?
    /// What kind of product.
    public var type: ProductType?
    /// What the app gave with the purchase.
    public var appAccountToken: AppAccountToken?
    /// Bought or shared.
    public var inAppOwnershipType: OwnershipType?
    /// When Apple signed.
    public var signedDate: Timestamp?
    /// Why Apple took it back.
    public var revocationReason: RevocationReason?
    /// When Apple took it back; absent while it stands.
    public var revocationDate: Timestamp?
    /// How Apple took it back.
    public var revocationType: RevocationType?
    /// How much was taken back, in thousandths of a per cent.
    public var revocationPercentage: Int64?
    /// Whether a better product of the group replaced it; absent for no.
    public var isUpgraded: Bool?
    /// Which kind of offer.
    public var offerType: OfferType?
    /// Which offer.
    public var offerIdentifier: String?
    /// How the offer is paid.
    public var offerDiscountType: OfferDiscountType?
    /// How long the offer lasts, an ISO 8601 duration.
    public var offerPeriod: String?
    /// Where it was bought.
    public var environment: AppStoreEnvironment?
    /// The country of the storefront, three letters.
    public var storefront: String?
    /// The storefront's number.
    public var storefrontID: String?
    /// Bought or renewed.
    public var transactionReason: TransactionReason?
    /// ISO 4217.
    public var currency: String?
    /// Thousandths of the currency's unit, for the whole quantity.
    public var price: Int64?
    /// The customer's copy of the app.
    public var appTransactionID: String?
    /// How a commitment is billed.
    public var billingPlanType: BillingPlanType?
    /// The commitment, where there is one.
    public var commitmentInfo: TransactionCommitment?
    /// Advanced Commerce data, kept as it came.
    public var advancedCommerceInfo: JSONValue?
    /// The original transaction before a move into or out of a bundle.
    public var previousOriginalTransactionID: TransactionID?
    /// Names that this program does not know.
    public var otherFields: [String: JSONValue] = [:]

    /// A transaction about which only this is known; set the rest.
    public init(
        transactionID: TransactionID, originalTransactionID: TransactionID? = nil,
        bundleID: BundleID, productID: ProductID
    ) {
        self.transactionID = transactionID
        self.originalTransactionID = originalTransactionID ?? transactionID
        self.bundleID = bundleID
        self.productID = productID
    }

    /// An empty one, to be filled by a pass.
    public init(unfilled: ()) { self.init(transactionID: "", bundleID: "", productID: "") }

    /// Reads or writes every field.
    public mutating func fields(_ pass: inout FieldPass) throws {
        try pass.required("transactionId", &transactionID)
        try pass.fallingBack("originalTransactionId", &originalTransactionID, to: transactionID)
        try pass("webOrderLineItemId", &webOrderLineItemID)
        try pass.required("bundleId", &bundleID)
        try pass.required("productId", &productID)
        try pass.harmless("subscriptionGroupIdentifier", &subscriptionGroupIdentifier)
        try pass("purchaseDate", &purchaseDate)
        try pass.harmless("originalPurchaseDate", &originalPurchaseDate)
        try pass("expiresDate", &expiresDate)
        try pass("quantity", &quantity)
        try pass.harmless("type", &type)
        try pass.harmless("appAccountToken", &appAccountToken)
        try pass.harmless("inAppOwnershipType", &inAppOwnershipType)
        try pass("signedDate", &signedDate)
        try pass.harmless("revocationReason", &revocationReason)
        try pass("revocationDate", &revocationDate)
        try pass.harmless("revocationType", &revocationType)
        try pass.harmless("revocationPercentage", &revocationPercentage)
        try pass("isUpgraded", &isUpgraded)
        try pass.harmless("offerType", &offerType)
        try pass.harmless("offerIdentifier", &offerIdentifier)
        try pass.harmless("offerDiscountType", &offerDiscountType)
        try pass.harmless("offerPeriod", &offerPeriod)
        try pass("environment", &environment)
        try pass.harmless("storefront", &storefront)
        try pass.harmless("storefrontId", &storefrontID)
        try pass.harmless("transactionReason", &transactionReason)
        try pass.harmless("currency", &currency)
        try pass.harmless("price", &price)
        try pass.harmless("appTransactionId", &appTransactionID)
        try pass.harmless("billingPlanType", &billingPlanType)
        try pass.harmless("commitmentInfo", &commitmentInfo)
        try pass("advancedCommerceInfo", &advancedCommerceInfo)
        try pass.harmless("previousOriginalTransactionId", &previousOriginalTransactionID)
    }
}

/// The commitment under which a period was billed.
public struct TransactionCommitment: AppStoreObject {
    /// Which of the periods this is, from 1.
    public var billingPeriodNumber: Int64?
    /// How many periods the commitment has.
    public var totalBillingPeriods: Int64?
    /// When the commitment ends.
    public var commitmentExpiresDate: Timestamp?
    /// Thousandths of the currency's unit, for the whole commitment.
    public var commitmentPrice: Int64?
    /// Names that this program does not know.
    public var otherFields: [String: JSONValue] = [:]

    /// An empty one; set what is known.
    public init() {}
    /// An empty one, to be filled by a pass.
    public init(unfilled: ()) {}

    /// Reads or writes every field.
    public mutating func fields(_ pass: inout FieldPass) throws {
        try pass.harmless("billingPeriodNumber", &billingPeriodNumber)
        try pass.harmless("totalBillingPeriods", &totalBillingPeriods)
        try pass.harmless("commitmentExpiresDate", &commitmentExpiresDate)
        try pass.harmless("commitmentPrice", &commitmentPrice)
    }
}
