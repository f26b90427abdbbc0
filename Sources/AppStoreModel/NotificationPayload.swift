/// What Apple signs when it tells a server that something happened (`responseBodyV2DecodedPayload`).
///
/// The transaction and renewal info inside are signed values of their own, to be verified again.
public struct NotificationPayload: AppStoreObject {
    /// What happened.
    public var notificationType: NotificationType
    /// More exactly, for some types.
    public var subtype: NotificationSubtype?
    /// The same in every retry, a UUID.
    public var notificationUUID: String
    /// "2.0".
    public var version: String?
    /// When Apple signed; orders notifications, since their arrival does not.
    public var signedDate: Timestamp?
    /// The purchase that it is about; one of four.
    public var data: NotificationData?
    /// The outcome of a mass extension; one of four.
    public var summary: NotificationSummary?
    /// A purchase outside the App Store; one of four.
    public var externalPurchaseToken: ExternalPurchaseToken?
    /// The app itself; one of four.
    public var appData: NotificationAppData?
    /// Names that this program does not know.
    public var otherFields: [String: JSONValue] = [:]

    /// A notification with nothing but its kind and name; set the rest.
    public init(
        _ notificationType: NotificationType, _ subtype: NotificationSubtype? = nil,
        notificationUUID: String
    ) {
        self.notificationType = notificationType
        self.subtype = subtype
        self.notificationUUID = notificationUUID
    }

    /// An empty one, to be filled by a pass.
    public init(unfilled: ()) { self.init("", notificationUUID: "") }

    /// Reads or writes every field.
    public mutating func fields(_ pass: inout FieldPass) throws {
        try pass.required("notificationType", &notificationType)
        try pass.harmless("subtype", &subtype)
        try pass.required("notificationUUID", &notificationUUID)
        try pass.harmless("version", &version)
        try pass("signedDate", &signedDate)
        try pass("data", &data)
        try pass.harmless("summary", &summary)
        try pass.harmless("externalPurchaseToken", &externalPurchaseToken)
        try pass("appData", &appData)
    }

    /// The app that it is about, wherever it says so.
    public var bundleID: BundleID? {
        data?.bundleID ?? summary?.bundleID ?? externalPurchaseToken?.bundleID ?? appData?.bundleID
            ?? unknownPart?["bundleId"]?.string.map { BundleID($0) }
    }

    /// The part of a kind that Apple may add: an object that says which app it is about.
    private var unknownPart: JSONValue? {
        otherFields.sorted { $0.key < $1.key }.map(\.value).first {
            $0["bundleId"]?.string != nil
        }
    }

    /// The app's number, wherever it says so; absent in the sandbox.
    public var appAppleID: Int64? {
        data?.appAppleID ?? summary?.appAppleID ?? externalPurchaseToken?.appAppleID
            ?? appData?.appAppleID ?? unknownPart?["appAppleId"]?.integer
    }

    /// The environment, wherever it says so; that of an external purchase is in its identifier.
    public var environment: AppStoreEnvironment? {
        data?.environment ?? summary?.environment ?? externalPurchaseToken?.environment
            ?? appData?.environment
            ?? unknownPart?["environment"]?.string.map { AppStoreEnvironment(rawValue: $0) }
    }
}

/// The part of a notification about one purchase.
public struct NotificationData: AppStoreObject {
    /// The app's number; absent in the sandbox.
    public var appAppleID: Int64?
    /// The app.
    public var bundleID: BundleID?
    /// The build.
    public var bundleVersion: String?
    /// Where it happened.
    public var environment: AppStoreEnvironment?
    /// A signed `TransactionPayload`.
    public var signedTransactionInfo: String?
    /// A signed `RenewalPayload`; auto-renewables only.
    public var signedRenewalInfo: String?
    /// How the subscription stands; auto-renewables only.
    public var status: SubscriptionStatus?
    /// Why the customer asks for a refund.
    public var consumptionRequestReason: ConsumptionRequestReason?
    /// Names that this program does not know.
    public var otherFields: [String: JSONValue] = [:]

    /// An empty one; set what is known.
    public init() {}
    /// An empty one, to be filled by a pass.
    public init(unfilled: ()) {}

    /// Reads or writes every field.
    public mutating func fields(_ pass: inout FieldPass) throws {
        try pass("appAppleId", &appAppleID)
        try pass("bundleId", &bundleID)
        try pass.harmless("bundleVersion", &bundleVersion)
        try pass("environment", &environment)
        try pass("signedTransactionInfo", &signedTransactionInfo)
        try pass("signedRenewalInfo", &signedRenewalInfo)
        try pass.harmless("status", &status)
        try pass.harmless("consumptionRequestReason", &consumptionRequestReason)
    }
}

/// How an extension for all active subscribers ended.
public struct NotificationSummary: AppStoreObject {
    /// The developer's name of the request.
    public var requestIdentifier: String?
    /// Where it happened.
    public var environment: AppStoreEnvironment?
    /// The app's number; absent in the sandbox.
    public var appAppleID: Int64?
    /// The app.
    public var bundleID: BundleID?
    /// The product whose subscribers were extended.
    public var productID: ProductID?
    /// The storefronts; absent for all.
    public var storefrontCountryCodes: [String]?
    /// How many subscriptions were extended.
    public var succeededCount: Int64?
    /// How many were not.
    public var failedCount: Int64?
    /// Names that this program does not know.
    public var otherFields: [String: JSONValue] = [:]

    /// An empty one; set what is known.
    public init() {}
    /// An empty one, to be filled by a pass.
    public init(unfilled: ()) {}

    /// Reads or writes every field.
    public mutating func fields(_ pass: inout FieldPass) throws {
        try pass.harmless("requestIdentifier", &requestIdentifier)
        try pass("environment", &environment)
        try pass("appAppleId", &appAppleID)
        try pass("bundleId", &bundleID)
        try pass.harmless("productId", &productID)
        try pass.harmless("storefrontCountryCodes", &storefrontCountryCodes)
        try pass.harmless("succeededCount", &succeededCount)
        try pass.harmless("failedCount", &failedCount)
    }
}

/// A token of a purchase outside the App Store.
public struct ExternalPurchaseToken: AppStoreObject {
    /// Names the token; begins with "SANDBOX" in the sandbox.
    public var externalPurchaseID: String?
    /// When it was made.
    public var tokenCreationDate: Timestamp?
    /// The app's number.
    public var appAppleID: Int64?
    /// The app.
    public var bundleID: BundleID?
    /// `ACQUISITION` or `SERVICES`.
    public var tokenType: String?
    /// When it ends.
    public var tokenExpirationDate: Timestamp?
    /// Names that this program does not know.
    public var otherFields: [String: JSONValue] = [:]

    /// An empty one; set what is known.
    public init() {}
    /// An empty one, to be filled by a pass.
    public init(unfilled: ()) {}

    /// Where it was made, as the identifier's beginning tells.
    public var environment: AppStoreEnvironment? {
        externalPurchaseID.map { $0.hasPrefix("SANDBOX") ? .sandbox : .production }
    }

    /// Reads or writes every field.
    public mutating func fields(_ pass: inout FieldPass) throws {
        try pass("externalPurchaseId", &externalPurchaseID)
        try pass.harmless("tokenCreationDate", &tokenCreationDate)
        try pass("appAppleId", &appAppleID)
        try pass("bundleId", &bundleID)
        try pass.harmless("tokenType", &tokenType)
        try pass.harmless("tokenExpirationDate", &tokenExpirationDate)
    }
}

/// The part of a notification about the app itself.
public struct NotificationAppData: AppStoreObject {
    /// The app's number; absent in the sandbox.
    public var appAppleID: Int64?
    /// The app.
    public var bundleID: BundleID?
    /// Where it happened.
    public var environment: AppStoreEnvironment?
    /// A signed `AppTransactionPayload`.
    public var signedAppTransactionInfo: String?
    /// Names that this program does not know.
    public var otherFields: [String: JSONValue] = [:]

    /// An empty one; set what is known.
    public init() {}
    /// An empty one, to be filled by a pass.
    public init(unfilled: ()) {}

    /// Reads or writes every field.
    public mutating func fields(_ pass: inout FieldPass) throws {
        try pass("appAppleId", &appAppleID)
        try pass("bundleId", &bundleID)
        try pass("environment", &environment)
        try pass("signedAppTransactionInfo", &signedAppTransactionInfo)
    }
}
