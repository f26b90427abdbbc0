/// The content of an iOS 3 to 6 transaction receipt: one purchase.
///
/// By itself it is a claim: only `AppStoreTrust` says whether Apple made it.
public struct LegacyReceipt: Sendable, Hashable {
    /// Where it was bought; a receipt that says nothing is from production.
    public var environment: AppStoreEnvironment
    /// The app.
    public var bundleID: BundleID
    /// What was bought.
    public var productID: ProductID
    /// This purchase.
    public var transactionID: TransactionID
    /// The first purchase; equals `transactionID` where the receipt leaves it out.
    public var originalTransactionID: TransactionID
    /// How many.
    public var quantity: Int64?
    /// When it was bought.
    public var purchaseDate: Timestamp?
    /// When it was first bought.
    public var originalPurchaseDate: Timestamp?
    /// When the period ends; subscriptions only.
    public var expiresDate: Timestamp?
    /// One period of a subscription.
    public var webOrderLineItemID: WebOrderLineItemID?
    /// The build.
    public var applicationVersion: String?
    /// Every name of the signed part with its text, those above included.
    public var purchaseInfo: [String: String]

    /// A receipt about which only this is known; set the rest.
    public init(
        environment: AppStoreEnvironment, bundleID: BundleID, productID: ProductID,
        transactionID: TransactionID, originalTransactionID: TransactionID? = nil,
        purchaseInfo: [String: String] = [:]
    ) {
        self.environment = environment
        self.bundleID = bundleID
        self.productID = productID
        self.transactionID = transactionID
        self.originalTransactionID = originalTransactionID ?? transactionID
        self.purchaseInfo = purchaseInfo
    }
}
