public import Foundation

// Purchases outside the App Store need an entitlement that Apple gives to apps in some countries. No app of
// a local store has it: what can be asked says so, and what cannot throws `StoreKitError.notEntitled`.

/// The notice before a purchase outside the App Store.
public enum ExternalPurchase {
    /// How the notice ended.
    public enum NoticeResult: Hashable, Sendable {
        /// The customer goes on; the token is to be reported to Apple.
        case continuedWithExternalPurchaseToken(token: String)
        /// The customer goes back.
        case cancelled
    }

    /// Whether the app may show the notice here.
    public static var canPresent: Bool { get async { false } }

    /// Shows the notice.
    @MainActor public static func presentNoticeSheet() async throws -> NoticeResult {
        throw StoreKitError.notEntitled
    }
}

/// A link to a purchase outside the App Store.
public enum ExternalPurchaseLink {
    /// Whether the app may open its link here.
    public static var canOpen: Bool { get async { false } }

    /// The addresses that the app may open here.
    public static var eligibleURLs: [URL]? { get async { nil } }

    /// Opens the app's link.
    @MainActor public static func open() async throws { throw StoreKitError.notEntitled }

    /// Opens one of the app's links.
    @MainActor public static func open(url: URL) async throws { throw StoreKitError.notEntitled }
}

/// A link of the app's own making to a purchase outside the App Store.
public enum ExternalPurchaseCustomLink {
    /// Where the link leads.
    public enum NoticeType: Hashable, Sendable {
        /// To the browser.
        case browser
        /// To a page within the app.
        case withinApp
    }

    /// How the notice ended.
    public enum NoticeResult: Hashable, Sendable {
        /// The customer goes on.
        case continued
        /// The customer goes back.
        case cancelled
    }

    /// What is to be reported to Apple.
    public struct Token: Hashable, Sendable {
        /// The token's text.
        public let value: String
    }

    /// Whether the app may use such links here.
    public static var isEligible: Bool { get async { false } }

    /// Shows the notice.
    @MainActor public static func showNotice(type: NoticeType) async throws -> NoticeResult {
        throw StoreKitError.notEntitled
    }

    /// The token of a kind, as `ACQUISITION` or `SERVICES`.
    public static func token(for tokenType: String) async throws -> Token? {
        throw StoreKitError.notEntitled
    }
}

/// A link to the account page of a reader app.
public enum ExternalLinkAccount {
    /// Whether the app may open its link here.
    public static var canOpen: Bool { get async { false } }

    /// Opens the link.
    @MainActor public static func open() async throws { throw StoreKitError.notEntitled }
}

/// Ties a payment method to the customer's Apple account.
public struct PaymentMethodBinding: Identifiable, Hashable, Sendable {
    /// The binding's name.
    public let id: String

    /// Looks the binding up.
    public init(id: String) async throws { throw StoreKitError.notEntitled }

    /// Binds.
    @MainActor public func bind() async throws { throw StoreKitError.notEntitled }
}
