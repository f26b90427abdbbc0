public import AppStoreModel

/// Names something that a customer may use while a purchase stands, such as `pro`.
public struct EntitlementName: AppStoreIdentifier {
    /// The name in the configuration.
    public let rawValue: String
    /// Takes the text as it is.
    public init(_ text: String) { rawValue = text }
}

/// Names a currency of the app's wallet, such as `coins`; no money.
public struct WalletCurrency: AppStoreIdentifier {
    /// The name in the configuration.
    public let rawValue: String
    /// Takes the text as it is.
    public init(_ text: String) { rawValue = text }
}

/// The four kinds of product, as the configuration spells them.
public enum ProductKind: String, Sendable, Hashable, Codable, CaseIterable {
    /// Bought again and again, used up.
    case consumable
    /// Bought once, kept for ever.
    case nonConsumable
    /// Bought again and again, each for a length of time that the app decides.
    case nonRenewing
    /// Renewed by Apple until stopped.
    case autoRenewable
}

/// What one product gives to the one who paid for it.
public struct ProductRule: Sendable, Hashable {
    /// The most of one currency that one unit may give; keeps every sum far from overflow.
    public static let greatestCredit: Int64 = 1_000_000_000_000

    /// The kind of product.
    public var kind: ProductKind
    /// What one unit adds to the wallet.
    public var credits: [WalletCurrency: Int64]
    /// What the customer may use while the purchase stands.
    public var entitlements: [EntitlementName]
    /// How long a non-renewing subscription lasts; nil for ever.
    public var duration: ServicePeriod?

    /// Makes a rule; credits outside `0...greatestCredit` are the configuration's to refuse.
    public init(
        kind: ProductKind, credits: [WalletCurrency: Int64] = [:],
        entitlements: [EntitlementName] = [], duration: ServicePeriod? = nil
    ) {
        precondition(
            credits.values.allSatisfy { (0...Self.greatestCredit).contains($0) },
            "a credit outside its limits")
        self.kind = kind
        self.credits = credits
        self.entitlements = entitlements
        self.duration = duration
    }
}

/// What the ledger knows of one app.
public struct AppRules: Sendable, Hashable {
    /// The products, by name.
    public var products: [ProductID: ProductRule]
    /// The environments whose proofs are granted, each in a book of its own.
    public var environments: Set<AppStoreEnvironment>
    /// How long an order waits for its payment before it counts as expired; in milliseconds.
    public var orderLifetime: Int64
    /// Whether a refund takes no more than is in the wallet and records the rest as a debt; else the wallet
    /// goes below zero.
    public var keepsWalletsAboveZero: Bool
    /// What Apple may be asked.
    public var apple = AppleWork()
    /// The endpoints of the app's backend that hear what happens.
    public var webhooks: [WebhookRule]
    /// What becomes of a purchase that a second customer shows.
    public var owners = OwnerPolicy.refuse
    /// What becomes of proofs from environments that are not listed.
    public var otherEnvironments = OtherEnvironments.record

    /// Makes the rules of an app.
    public init(
        products: [ProductID: ProductRule], environments: Set<AppStoreEnvironment>,
        orderLifetime: Int64 = 24 * 3_600_000, keepsWalletsAboveZero: Bool = false,
        webhooks: [WebhookRule] = []
    ) {
        self.products = products
        self.environments = environments
        self.orderLifetime = orderLifetime
        self.keepsWalletsAboveZero = keepsWalletsAboveZero
        self.webhooks = webhooks
    }
}

/// Every app that the ledger serves.
public struct Catalog: Sendable, Hashable {
    /// The rules by app.
    public var apps: [BundleID: AppRules] {
        didSet { (hasWebhooks, asksApple) = Self.summary(of: apps) }
    }
    /// Whether any app tells its backend anything; every decision asks.
    private(set) var hasWebhooks: Bool
    /// Whether Apple may be asked about anything.
    private(set) var asksApple: Bool

    /// Makes a catalog.
    public init(apps: [BundleID: AppRules]) {
        self.apps = apps
        (hasWebhooks, asksApple) = Self.summary(of: apps)
    }

    private static func summary(
        of apps: [BundleID: AppRules]
    ) -> (hasWebhooks: Bool, asksApple: Bool) {
        (
            apps.values.contains { !$0.webhooks.isEmpty },
            apps.values.contains { $0.apple.asks }
        )
    }
}
