/// The content of an app receipt: the app and every purchase that Apple listed in it.
///
/// By itself it is a claim: only `AppStoreTrust` says whether Apple made it.
public struct AppReceipt: Sendable, Hashable {
    /// Environment and way of purchase (attribute 0); a few test receipts lack it.
    public var receiptType: ReceiptType?
    /// The app's number in the App Store (1); 0 outside production.
    public var appItemID: Int64?
    /// The app (2).
    public var bundleID: BundleID
    /// The build that asked for the receipt (3).
    public var applicationVersion: String?
    /// When Apple made the receipt (12).
    public var creationDate: Timestamp
    /// When the app was downloaded or updated (8, undocumented).
    public var transactionDate: Timestamp?
    /// Apple's tool (9, undocumented).
    public var fulfillmentToolVersion: Int64?
    /// The app's age rating (10, undocumented), such as "4+".
    public var ageRating: String?
    /// The developer's number (11, undocumented).
    public var developerID: Int64?
    /// Apple's number of the download (15); 0 outside production.
    public var downloadID: Int64?
    /// Apple's number of the version (16); 0 outside production.
    public var versionExternalIdentifier: Int64?
    /// When the app was first bought (18).
    public var originalPurchaseDate: Timestamp?
    /// The build that was first bought (19).
    public var originalApplicationVersion: String?
    /// When a volume purchase ends (21); Xcode says the year 4001.
    public var expirationDate: Timestamp?
    /// What binds the receipt to a device.
    public var device = DeviceBinding()
    /// The purchases, in the receipt's order, which is not that of time.
    public var inApp: [InAppPurchase] = []
    /// Attributes without a field here, as they came.
    public var otherAttributes: [OpaqueAttribute] = []

    /// A receipt about which only this is known; set the rest.
    public init(bundleID: BundleID, creationDate: Timestamp, receiptType: ReceiptType? = nil) {
        self.bundleID = bundleID
        self.creationDate = creationDate
        self.receiptType = receiptType
    }

    /// The environment that the receipt type stands for.
    public var environment: AppStoreEnvironment? { receiptType?.environment }

    /// Every purchase of that transaction: the one way to find what a client claims to have bought.
    public func purchases(of transactionID: TransactionID) -> [InAppPurchase] {
        inApp.filter { $0.transactionID == transactionID }
    }
}

/// The three attributes whose raw bytes the device hash is made of.
///
/// `sha1(device identifier + opaqueValue + bundleIDAttribute)` equals `hash` on the right device.
public struct DeviceBinding: Sendable, Hashable {
    /// Attribute 4, opaque.
    public var opaqueValue: [UInt8]
    /// Attribute 2 as it stands in the receipt, its DER header included.
    public var bundleIDAttribute: [UInt8]
    /// Attribute 5, a SHA-1 digest.
    public var hash: [UInt8]

    /// Takes the three values; empty ones are absent.
    public init(
        opaqueValue: [UInt8] = [], bundleIDAttribute: [UInt8] = [], hash: [UInt8] = []
    ) {
        self.opaqueValue = opaqueValue
        self.bundleIDAttribute = bundleIDAttribute
        self.hash = hash
    }
}

/// A receipt attribute that is kept without being understood.
public struct OpaqueAttribute: Sendable, Hashable {
    /// Apple's number of the attribute.
    public let type: Int64
    /// The attribute's version, 1 almost everywhere.
    public let version: Int64
    /// The bytes inside its OCTET STRING.
    public let value: [UInt8]

    /// Takes the three parts as they stand in the receipt.
    public init(type: Int64, version: Int64, value: [UInt8]) {
        self.type = type
        self.version = version
        self.value = value
    }
}

/// One purchase in an app receipt (attribute 17).
public struct InAppPurchase: Sendable, Hashable {
    /// How many (1701).
    public var quantity: Int64?
    /// What was bought (1702).
    public var productID: ProductID
    /// This purchase or period (1703); Xcode says "0" for each.
    public var transactionID: TransactionID
    /// The first purchase (1705); equals `transactionID` where the receipt leaves it out, as Xcode does.
    public var originalTransactionID: TransactionID
    /// When it was bought (1704).
    public var purchaseDate: Timestamp?
    /// When it was first bought (1706).
    public var originalPurchaseDate: Timestamp?
    /// What kind of product (1707, undocumented).
    public var productType: InAppProductType?
    /// When the period ends (1708); an empty date is none.
    public var expiresDate: Timestamp?
    /// The product's number in the App Store (1710, undocumented); 0 in the sandbox.
    public var inAppItemID: Int64?
    /// One period of a subscription (1711); 0, which Apple writes for anything else, is none.
    public var webOrderLineItemID: WebOrderLineItemID?
    /// When Apple took it back or an upgrade replaced it (1712); an empty date is none.
    public var cancellationDate: Timestamp?
    /// Whether it is a free trial (1713, undocumented).
    public var isTrialPeriod: Bool?
    /// Whether it is at an introductory price (1719); subscriptions only.
    public var isInIntroOfferPeriod: Bool?
    /// The promotional offer (1721).
    public var promotionalOfferID: String?
    /// Attributes without a field here, as they came.
    public var otherAttributes: [OpaqueAttribute] = []

    /// A purchase about which only this is known; set the rest.
    public init(
        productID: ProductID, transactionID: TransactionID,
        originalTransactionID: TransactionID? = nil
    ) {
        self.productID = productID
        self.transactionID = transactionID
        self.originalTransactionID = originalTransactionID ?? transactionID
    }
}

/// Attribute 1707 of a purchase: the kind of product in Apple's old numbers.
public struct InAppProductType: OpenNumber {
    /// Apple's number.
    public let rawValue: Int64
    /// Takes any number, known or not.
    public init(rawValue: Int64) { self.rawValue = rawValue }

    /// Bought once, kept for ever.
    public static let nonConsumable = Self(rawValue: 0)
    /// Used up; may be bought again.
    public static let consumable = Self(rawValue: 1)
    /// Runs for a time that the app decides.
    public static let nonRenewing = Self(rawValue: 2)
    /// Runs until the customer stops it.
    public static let autoRenewable = Self(rawValue: 3)

    /// The same kind in the words of signed transactions.
    public var productType: ProductType? {
        switch self {
        case .nonConsumable: .nonConsumable
        case .consumable: .consumable
        case .nonRenewing: .nonRenewing
        case .autoRenewable: .autoRenewable
        default: nil
        }
    }

    /// The old number of a kind of product.
    public init?(_ productType: ProductType) {
        switch productType {
        case .nonConsumable: self = .nonConsumable
        case .consumable: self = .consumable
        case .nonRenewing: self = .nonRenewing
        case .autoRenewable: self = .autoRenewable
        default: return nil
        }
    }
}
