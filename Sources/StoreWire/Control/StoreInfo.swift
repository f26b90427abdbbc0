public import AppStoreModel

/// What somebody needs to use the local store as if it were Apple.
public struct StoreInfo: Codable, Sendable, Hashable {
    /// The app that the store sells for.
    public var bundleID: BundleID
    /// The app's number, signed in production.
    public var appAppleID: Int64
    /// For people.
    public var appName: String
    /// The catalog.
    public var products: [CatalogProduct]
    /// The key for the App Store Server API, for promotional offers and other signed requests.
    public var apiKey: APIKeyInfo
    /// The password for `verifyReceipt`.
    public var sharedSecret: String
    /// SHA-256 of the root of signed transactions and notifications, in hexadecimal.
    public var rootFingerprint: String
    /// Base64 of that root's DER form.
    public var rootCertificate: String
    /// SHA-256 of the root of app receipts.
    public var receiptRootFingerprint: String
    /// Base64 of that root's DER form.
    public var receiptRootCertificate: String
    /// Each environment's settings.
    public var environments: [EnvironmentInfo]
    /// The store's clock.
    public var clock: ClockInfo
    /// What all names and random choices come from.
    public var seed: UInt64

    /// Makes the value out of its fields.
    public init(
        bundleID: BundleID, appAppleID: Int64, appName: String,
        products:
            [CatalogProduct], apiKey: APIKeyInfo, sharedSecret: String,
        rootFingerprint:
            String, rootCertificate: String, receiptRootFingerprint: String,
        receiptRootCertificate: String, environments: [EnvironmentInfo], clock: ClockInfo,
        seed: UInt64
    ) {
        self.bundleID = bundleID
        self.appAppleID = appAppleID
        self.appName = appName
        self.products = products
        self.apiKey = apiKey
        self.sharedSecret = sharedSecret
        self.rootFingerprint = rootFingerprint
        self.rootCertificate = rootCertificate
        self.receiptRootFingerprint = receiptRootFingerprint
        self.receiptRootCertificate = receiptRootCertificate
        self.environments = environments
        self.clock = clock
        self.seed = seed
    }

    private enum CodingKeys: String, CodingKey {
        case bundleID = "bundleId"
        case appAppleID = "appAppleId"
        case appName
        case products
        case apiKey
        case sharedSecret
        case rootFingerprint
        case rootCertificate
        case receiptRootFingerprint
        case receiptRootCertificate
        case environments
        case clock
        case seed
    }
}

/// An In-App Purchase key.
public struct APIKeyInfo: Codable, Sendable, Hashable {
    /// Ten characters.
    public var keyID: String
    /// A UUID.
    public var issuerID: String
    /// PEM, PKCS#8.
    public var privateKey: String

    /// Makes the value out of its fields.
    public init(
        keyID: String, issuerID: String, privateKey: String
    ) {
        self.keyID = keyID
        self.issuerID = issuerID
        self.privateKey = privateKey
    }

    private enum CodingKeys: String, CodingKey {
        case keyID = "keyId"
        case issuerID = "issuerId"
        case privateKey
    }
}

/// How one environment is set.
public struct EnvironmentInfo: Codable, Sendable, Hashable {
    /// Which one.
    public var environment: AppStoreEnvironment
    /// Where its notifications go.
    public var notificationURL: String?
    /// 2, or 1 for the old form.
    public var notificationVersion: Int
    /// The named rate of renewals, as `realTime` or `sandbox5Minutes`.
    public var renewalRate: String
    /// 3, 16 or 28; nothing when there is no grace period.
    public var gracePeriodDays: Int?
    /// Whether the step from a free trial gets no grace.
    public var graceExcludesTrials: Bool

    /// Makes the value out of its fields.
    public init(
        environment: AppStoreEnvironment, notificationURL: String? = nil,
        notificationVersion: Int, renewalRate: String, gracePeriodDays: Int? = nil,
        graceExcludesTrials: Bool
    ) {
        self.environment = environment
        self.notificationURL = notificationURL
        self.notificationVersion = notificationVersion
        self.renewalRate = renewalRate
        self.gracePeriodDays = gracePeriodDays
        self.graceExcludesTrials = graceExcludesTrials
    }

    private enum CodingKeys: String, CodingKey {
        case environment
        case notificationURL = "notificationUrl"
        case notificationVersion
        case renewalRate
        case gracePeriodDays
        case graceExcludesTrials
    }
}

/// New settings of an environment; what is left out stays.
public struct EnvironmentChange: Codable, Sendable, Hashable {
    /// Where its notifications go; empty for nowhere.
    public var notificationURL: String?
    /// 2 or 1.
    public var notificationVersion: Int?
    /// A named rate.
    public var renewalRate: String?
    /// 3, 16 or 28; 0 for no grace period.
    public var gracePeriodDays: Int?
    /// Whether the step from a free trial gets no grace.
    public var graceExcludesTrials: Bool?

    /// Makes the value out of its fields.
    public init(
        notificationURL: String? = nil, notificationVersion: Int? = nil,
        renewalRate:
            String? = nil, gracePeriodDays: Int? = nil, graceExcludesTrials: Bool? = nil
    ) {
        self.notificationURL = notificationURL
        self.notificationVersion = notificationVersion
        self.renewalRate = renewalRate
        self.gracePeriodDays = gracePeriodDays
        self.graceExcludesTrials = graceExcludesTrials
    }

    private enum CodingKeys: String, CodingKey {
        case notificationURL = "notificationUrl"
        case notificationVersion
        case renewalRate
        case gracePeriodDays
        case graceExcludesTrials
    }
}

/// A product of the catalog, with everything that the store knows of it.
public struct CatalogProduct: Codable, Sendable, Hashable {
    /// Its name.
    public var productID: ProductID
    /// Apple's word for the kind.
    public var type: ProductType
    /// In the catalog's language.
    public var displayName: String
    /// In milliunits.
    public var price: Int64
    /// Of the catalog's storefront.
    public var currency: String
    /// Whether family members may share it.
    public var isFamilyShareable: Bool
    /// Whether it can be bought and renewed.
    public var isForSale: Bool
    /// Its subscription group.
    public var groupID: SubscriptionGroupID?
    /// 1 is the highest.
    public var groupLevel: Int?
    /// ISO 8601.
    public var period: String?
    /// All of its offers; a code offer's name is its reference name.
    public var offers: [WireOffer]

    /// Makes the value out of its fields.
    public init(
        productID: ProductID, type: ProductType, displayName: String, price: Int64,
        currency: String, isFamilyShareable: Bool, isForSale: Bool,
        groupID:
            SubscriptionGroupID? = nil, groupLevel: Int? = nil, period: String? = nil,
        offers:
            [WireOffer]
    ) {
        self.productID = productID
        self.type = type
        self.displayName = displayName
        self.price = price
        self.currency = currency
        self.isFamilyShareable = isFamilyShareable
        self.isForSale = isForSale
        self.groupID = groupID
        self.groupLevel = groupLevel
        self.period = period
        self.offers = offers
    }

    private enum CodingKeys: String, CodingKey {
        case productID = "productId"
        case type
        case displayName
        case price
        case currency
        case isFamilyShareable
        case isForSale
        case groupID = "groupId"
        case groupLevel
        case period
        case offers
    }
}

/// The catalog.
public struct CatalogInfo: Codable, Sendable, Hashable {
    /// The file that it came from, or `built-in`.
    public var source: String
    /// All of them, in order.
    public var products: [CatalogProduct]
    /// The default storefront.
    public var storefront: String
    /// The default language.
    public var locale: String

    /// Makes the value out of its fields.
    public init(
        source: String, products: [CatalogProduct], storefront: String, locale: String
    ) {
        self.source = source
        self.products = products
        self.storefront = storefront
        self.locale = locale
    }
}

/// A change to a product; what is left out stays.
public struct ProductChange: Codable, Sendable, Hashable {
    /// In milliunits, for new purchases.
    public var price: Int64?
    /// Whether it can be bought and renewed.
    public var isForSale: Bool?

    /// Makes the value out of its fields.
    public init(
        price: Int64? = nil, isForSale: Bool? = nil
    ) {
        self.price = price
        self.isForSale = isForSale
    }
}
