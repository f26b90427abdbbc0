/// What Apple signs about a customer's copy of the app (`JWSAppTransactionDecodedPayload`).
public struct AppTransactionPayload: AppStoreObject {
    /// The app.
    public var bundleID: BundleID
    /// Where the app was bought; the key is `receiptType`.
    public var receiptType: AppStoreEnvironment?
    /// The app's number in the App Store; absent outside production.
    public var appAppleID: Int64?
    /// The build that runs.
    public var applicationVersion: String?
    /// Apple's number of that version.
    public var versionExternalIdentifier: Int64?
    /// When Apple signed.
    public var receiptCreationDate: Timestamp?
    /// When the app was first bought.
    public var originalPurchaseDate: Timestamp?
    /// The build that was first bought.
    public var originalApplicationVersion: String?
    /// Binds the value to a device, in base64; absent where a server asked.
    public var deviceVerification: String?
    /// The nonce of that binding, a UUID.
    public var deviceVerificationNonce: String?
    /// When the app was ordered before its release.
    public var preorderDate: Timestamp?
    /// The customer's copy of the app.
    public var appTransactionID: String?
    /// The platform on which it was first bought.
    public var originalPlatform: PurchasePlatform?
    /// When the device asked.
    public var requestDate: Timestamp?
    /// Names that this program does not know.
    public var otherFields: [String: JSONValue] = [:]

    /// An app transaction about which only this is known; set the rest.
    public init(bundleID: BundleID) { self.bundleID = bundleID }

    /// An empty one, to be filled by a pass.
    public init(unfilled: ()) { self.init(bundleID: "") }

    /// Reads or writes every field.
    public mutating func fields(_ pass: inout FieldPass) throws {
        try pass.required("bundleId", &bundleID)
        try pass("receiptType", &receiptType)
        try pass("appAppleId", &appAppleID)
        try pass.harmless("applicationVersion", &applicationVersion)
        try pass.harmless("versionExternalIdentifier", &versionExternalIdentifier)
        try pass("receiptCreationDate", &receiptCreationDate)
        try pass.harmless("originalPurchaseDate", &originalPurchaseDate)
        try pass.harmless("originalApplicationVersion", &originalApplicationVersion)
        try pass.harmless("deviceVerification", &deviceVerification)
        try pass.harmless("deviceVerificationNonce", &deviceVerificationNonce)
        try pass.harmless("preorderDate", &preorderDate)
        try pass.harmless("appTransactionId", &appTransactionID)
        try pass.harmless("originalPlatform", &originalPlatform)
        try pass.harmless("requestDate", &requestDate)
    }
}

/// What Apple asks a retention server while a customer is about to cancel (`DecodedRealtimeRequestBody`).
public struct RealtimeRequestPayload: AppStoreObject {
    /// The first purchase of the subscription.
    public var originalTransactionID: TransactionID
    /// The app's number in the App Store.
    public var appAppleID: Int64
    /// The product that runs.
    public var productID: ProductID
    /// The customer's language.
    public var userLocale: String
    /// Names the request, a UUID.
    public var requestIdentifier: String
    /// Where it was bought.
    public var environment: AppStoreEnvironment
    /// When Apple signed.
    public var signedDate: Timestamp
    /// Names that this program does not know.
    public var otherFields: [String: JSONValue] = [:]

    /// A request with all that Apple says in one.
    public init(
        originalTransactionID: TransactionID, appAppleID: Int64, productID: ProductID,
        userLocale: String, requestIdentifier: String, environment: AppStoreEnvironment,
        signedDate: Timestamp
    ) {
        self.originalTransactionID = originalTransactionID
        self.appAppleID = appAppleID
        self.productID = productID
        self.userLocale = userLocale
        self.requestIdentifier = requestIdentifier
        self.environment = environment
        self.signedDate = signedDate
    }

    /// An empty one, to be filled by a pass.
    public init(unfilled: ()) {
        self.init(
            originalTransactionID: "", appAppleID: 0, productID: "", userLocale: "",
            requestIdentifier: "", environment: "", signedDate: Timestamp(milliseconds: 0))
    }

    /// Reads or writes every field.
    public mutating func fields(_ pass: inout FieldPass) throws {
        try pass.required("originalTransactionId", &originalTransactionID)
        try pass.required("appAppleId", &appAppleID)
        try pass.required("productId", &productID)
        try pass.required("userLocale", &userLocale)
        try pass.required("requestIdentifier", &requestIdentifier)
        try pass.required("environment", &environment)
        try pass.required("signedDate", &signedDate)
    }
}
