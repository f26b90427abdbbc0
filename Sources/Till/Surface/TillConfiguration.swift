/// Everything that an app tells Till.
public struct TillConfiguration: Sendable {
    /// Who verifies purchases and hands out goods.
    public enum Counter: Sendable {
        /// A Till server.
        case server(address: String, publishableKey: String? = nil)
        /// Nobody but this device and Apple's `verifyReceipt`: for development alone.
        case unsafeDevelopment(UnsafeDevelopmentVerifier)
    }

    /// Which StoreKit owns the queue.
    public enum StoreKitChoice: Sendable, Hashable {
        /// StoreKit 2 where the system has it (iOS 15, macOS 12), StoreKit 1 where it has not.
        case automatic
        /// StoreKit 1, also where there is a newer one.
        case original
    }

    /// Who verifies purchases and hands out goods.
    public var counter: Counter
    /// The app; that of the main bundle unless it is said.
    public var bundleID: BundleID?
    /// Which StoreKit owns the queue.
    public var storeKit = StoreKitChoice.automatic
    /// The language of messages; the person's own unless it is said.
    public var language: MessageLanguage?
    /// The folder of the journal and of what is remembered; a folder of the app unless it is said.
    public var folder: String?
    /// What is done with a purchase that carries no trace of an order.
    public var unattributedPurchases = UnattributedPurchases.deliver
    /// How often the server is asked while a person waits, the first time included.
    public var attemptsWhileAttended = 3
    /// Seconds for which entitlements may be shown while the server cannot be asked: 7 days.
    public var offlineAgeSeconds: Int64 = 7 * 86_400
    /// Seconds for which a subscription whose end has come is taken as renewed while the server cannot
    /// be asked: one day.
    public var offlineGraceSeconds: Int64 = 86_400
    /// What makes Till believe what a customer may use.
    public var entitlementProof = EntitlementProof.connection
    /// Whether `buy` asks the server first whose this Apple account's subscription is, and sells none to
    /// somebody else.
    public var asksForOwner = true
    /// Makes a new token for a customer when the server takes the old one no more.
    public var renewToken: (@Sendable (_ customerID: String) async -> String?)?
    /// Whether a purchase that began on the App Store's own page may go on; if not the app can call
    /// `buy` later.
    public var acceptsPromotedPurchase: @Sendable (ProductID) async -> Bool = { _ in true }
    /// Hears every event as it happens, in order, and before the call that it belongs to returns.
    ///
    /// Till waits for it and may call it on any thread, so it should be brief. A screen is better
    /// served by `Till.events`.
    public var onEvent: (@Sendable (TillEvent) -> Void)?

    /// Makes a configuration with usual values.
    public init(counter: Counter) { self.counter = counter }

    /// Makes a configuration for an app with a Till server.
    public init(server address: String, publishableKey: String? = nil) {
        self.init(counter: .server(address: address, publishableKey: publishableKey))
    }
}
