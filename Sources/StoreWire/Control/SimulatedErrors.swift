/// The errors that StoreKit's calls are made to fail with.
public struct SimulatedErrorsInfo: Codable, Sendable, Hashable {
    /// Those that are on.
    public var errors: [SimulatedErrorInfo]

    /// Makes the value out of its fields.
    public init(
        errors: [SimulatedErrorInfo]
    ) {
        self.errors = errors
    }
}

/// One call that fails.
public struct SimulatedErrorInfo: Codable, Sendable, Hashable {
    /// The call.
    public var api: SimulatedAPI
    /// StoreKit's name of the error, as `networkError`.
    public var code: String

    /// Makes the value out of its fields.
    public init(
        api: SimulatedAPI, code: String
    ) {
        self.api = api
        self.code = code
    }
}

/// The calls that can be made to fail, in the words of a `.storekit` file.
public struct SimulatedAPI: RawRepresentable, Codable, Sendable, Hashable {
    /// The word on the wire; unknown ones pass.
    public let rawValue: String
    /// Takes any word.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Products.
    public static let loadProducts = SimulatedAPI(rawValue: "Load Products")
    /// A purchase.
    public static let purchase = SimulatedAPI(rawValue: "Purchase")
    /// The check of signed data on the device.
    public static let verification = SimulatedAPI(rawValue: "Verification")
    /// Restoring.
    public static let appStoreSync = SimulatedAPI(rawValue: "App Store Sync")
    /// Statuses.
    public static let subscriptionStatus = SimulatedAPI(rawValue: "Subscription Status")
    /// The app's own purchase.
    public static let appTransaction = SimulatedAPI(rawValue: "App Transaction")
    /// The subscriptions sheet.
    public static let manageSubscriptions = SimulatedAPI(rawValue: "Manage Subscriptions Sheet")
    /// A request for a refund.
    public static let refundRequest = SimulatedAPI(rawValue: "Refund Request Sheet")
    /// A code.
    public static let offerCodeRedeem = SimulatedAPI(rawValue: "Offer Code Redeem Sheet")
}
