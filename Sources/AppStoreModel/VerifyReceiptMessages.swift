/// What is sent to `verifyReceipt`.
public struct VerifyReceiptRequest: AppStoreObject {
    /// The receipt in base64.
    public var receiptData: String
    /// The shared secret.
    public var password: String?
    /// Whether only the newest transaction of each subscription is wanted.
    public var excludeOldTransactions: Bool?
    /// Names that this program does not know.
    public var otherFields: [String: JSONValue] = [:]

    /// A request for one receipt.
    public init(
        receiptData: String, password: String? = nil, excludeOldTransactions: Bool? = nil
    ) {
        self.receiptData = receiptData
        self.password = password
        self.excludeOldTransactions = excludeOldTransactions
    }

    /// An empty one, to be filled by a pass.
    public init(unfilled: ()) { self.init(receiptData: "") }

    /// Reads or writes every field.
    public mutating func fields(_ pass: inout FieldPass) throws {
        try pass.required("receipt-data", &receiptData)
        try pass("password", &password)
        try pass("exclude-old-transactions", &excludeOldTransactions)
    }
}

/// What `verifyReceipt` answers, in either style: that of app receipts and that of iOS 6.
public struct VerifyReceiptResponse: AppStoreObject {
    /// The outcome.
    public var status: VerifyReceiptStatus
    /// Where the receipt is from.
    public var environment: AppStoreEnvironment?
    /// The receipt's content.
    public var receipt: VerifyReceiptBody?
    /// The newest receipt in base64; with subscriptions only.
    public var latestReceipt: String?
    /// The customer's transactions; a single object in iOS 6 style becomes a list of one.
    public var latestReceiptInfo: [VerifyReceiptItem]?
    /// The transaction of an ended subscription, in iOS 6 style.
    public var latestExpiredReceiptInfo: [VerifyReceiptItem]?
    /// How each subscription will go on.
    public var pendingRenewalInfo: [PendingRenewal]?
    /// Whether asking again can help; internal errors only, and written as `is-retryable`.
    public var isRetryable: Bool?
    /// The product that will be renewed, in iOS 6 style.
    public var autoRenewProductID: ProductID?
    /// Whether it will renew, in iOS 6 style.
    public var autoRenewStatus: AutoRenewStatus?
    /// Why it ended, in iOS 6 style.
    public var expirationIntent: ExpirationIntent?
    /// Whether Apple tries to collect a failed payment, in iOS 6 style.
    public var isInBillingRetryPeriod: Bool?
    /// Names that this program does not know.
    public var otherFields: [String: JSONValue] = [:]

    /// An answer with nothing but its status; set the rest.
    public init(status: VerifyReceiptStatus) { self.status = status }

    /// An empty one, to be filled by a pass.
    public init(unfilled: ()) { self.init(status: .valid) }

    /// Whether the receipt was found genuine, be its subscription over or not.
    public var isValid: Bool { status == .valid || status == .expired }

    /// What a caller should do.
    public var remedy: VerifyReceiptStatus.Remedy { status.remedy(isRetryable: isRetryable) }

    /// Reads or writes every field.
    public mutating func fields(_ pass: inout FieldPass) throws {
        // A unified receipt of a notification may come without its status.
        try pass.fallingBack("status", &status, to: .valid)
        try pass("environment", &environment)
        try pass("receipt", &receipt)
        var isOldStyle = false
        if case .transaction = receipt { isOldStyle = true }
        try pass.list("latest_receipt_info", &latestReceiptInfo, oneAsObject: isOldStyle)
        try pass.list(
            "latest_expired_receipt_info", &latestExpiredReceiptInfo, oneAsObject: isOldStyle)
        try pass("latest_receipt", &latestReceipt)
        try pass.list("pending_renewal_info", &pendingRenewalInfo)
        try pass("auto_renew_product_id", &autoRenewProductID)
        try pass("auto_renew_status", &autoRenewStatus)
        try pass.spelled("expiration_intent", &expirationIntent)
        try pass.digit("is_in_billing_retry_period", &isInBillingRetryPeriod)
        var underscored: Bool?
        try pass("is_retryable", &underscored)
        try pass("is-retryable", &isRetryable)
        isRetryable = isRetryable ?? underscored
    }
}

/// The `receipt` of an answer: an app's, or one transaction of iOS 6.
public enum VerifyReceiptBody: Sendable, Hashable, Codable {
    /// An app and its purchases.
    case app(VerifyReceiptApp)
    /// One purchase.
    case transaction(VerifyReceiptItem)

    /// Decodes an app's receipt unless the names are those of one transaction.
    public init(from decoder: any Decoder) throws {
        let names = try decoder.container(keyedBy: FieldName.self)
        let isTransaction =
            names.contains(FieldName("transaction_id")) && !names.contains(FieldName("in_app"))
        self =
            isTransaction
            ? .transaction(try VerifyReceiptItem(from: decoder))
            : .app(try VerifyReceiptApp(from: decoder))
    }

    /// Encodes what it is.
    public func encode(to encoder: any Encoder) throws {
        switch self {
        case .app(let app): try app.encode(to: encoder)
        case .transaction(let item): try item.encode(to: encoder)
        }
    }
}

/// The receipt of an app in an answer.
public struct VerifyReceiptApp: AppStoreObject {
    /// Environment and way of purchase.
    public var receiptType: ReceiptType?
    /// Equals `appItemID`.
    public var adamID: Int64?
    /// The app's number; 0 in the sandbox.
    public var appItemID: Int64?
    /// The app.
    public var bundleID: BundleID?
    /// The build.
    public var applicationVersion: String?
    /// The download's number; 0 in the sandbox.
    public var downloadID: Int64?
    /// The version's number; 0 in the sandbox.
    public var versionExternalIdentifier: Int64?
    /// When Apple made the receipt.
    public var receiptCreationDate = DateTriplet()
    /// When the answer was made.
    public var requestDate = DateTriplet()
    /// When the app was first bought.
    public var originalPurchaseDate = DateTriplet()
    /// The build that was first bought.
    public var originalApplicationVersion: String?
    /// When the app was ordered before its release.
    public var preorderDate = DateTriplet()
    /// When a volume purchase ends.
    public var expirationDate = DateTriplet()
    /// The purchases, in no order.
    public var inApp: [VerifyReceiptItem]?
    /// Names that this program does not know.
    public var otherFields: [String: JSONValue] = [:]

    /// An empty one; set what is known.
    public init() {}
    /// An empty one, to be filled by a pass.
    public init(unfilled: ()) {}

    /// Reads or writes every field.
    public mutating func fields(_ pass: inout FieldPass) throws {
        try pass("receipt_type", &receiptType)
        try pass("adam_id", &adamID)
        try pass("app_item_id", &appItemID)
        try pass("bundle_id", &bundleID)
        try pass("application_version", &applicationVersion)
        try pass("download_id", &downloadID)
        try pass("version_external_identifier", &versionExternalIdentifier)
        try pass.triplet("receipt_creation_date", &receiptCreationDate)
        try pass.triplet("request_date", &requestDate)
        try pass.triplet("original_purchase_date", &originalPurchaseDate)
        try pass("original_application_version", &originalApplicationVersion)
        try pass.triplet("preorder_date", &preorderDate)
        try pass.triplet("expiration_date", &expirationDate)
        try pass.list("in_app", &inApp)
    }
}
