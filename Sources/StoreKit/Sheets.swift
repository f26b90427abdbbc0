public import Foundation

// What takes a scene, a view controller or a window at Apple's takes an object of any class here: Linux has
// none of these types, and an app that declares a stand-in for one can hand it over. Nothing is shown; the
// connection's `LocalStorePerson` answers.

extension AppStore {
    /// Shows the customer's subscriptions over a scene.
    @MainActor public static func showManageSubscriptions(in scene: some AnyObject) async throws {
        try await StoreSession.current.manageSubscriptions(groupID: nil)
    }

    /// Shows the customer's subscriptions of one group over a scene.
    @MainActor public static func showManageSubscriptions(
        in scene: some AnyObject, subscriptionGroupID: String
    ) async throws {
        try await StoreSession.current.manageSubscriptions(groupID: subscriptionGroupID)
    }

    /// Asks for an offer code over a scene; what it buys comes with the updates.
    @MainActor public static func presentOfferCodeRedeemSheet(
        in scene: some AnyObject
    ) async throws {
        try await redeem()
    }

    /// Asks for an offer code over a view controller; what it buys comes with the updates.
    @MainActor public static func presentOfferCodeRedeemSheet(
        from controller: some AnyObject
    ) async throws {
        try await redeem()
    }

    @MainActor private static func redeem() async throws {
        do throws(StoreFault) {
            _ = try await StoreSession.current.redeemOfferCode()
        } catch {
            throw error.modern
        }
    }

    /// Asks for an offer code and gives what it bought; a closed sheet throws ``StoreKitError/userCancelled``.
    @MainActor public static func presentOfferCodeRedeemSheet(
        from anchor: some AnyObject, options: Set<RedeemOption>
    ) async throws -> VerificationResult<Transaction> {
        try await StoreSession.current.redeemedTransaction()
    }

    /// Something that the redemption of an offer code shall take into account; there is nothing yet.
    public struct RedeemOption: Hashable, Sendable {}

    /// Asks for a rating; whether it shows is the App Store's decision, and here it never does.
    @MainActor public static func requestReview(in scene: some AnyObject) {}

    /// The number of the age rating of the customer's country; the local store has none.
    public static var ageRatingCode: Int? { get async { nil } }
}

extension Product {
    /// Buys it, with the payment sheet over a scene, a view controller or a window.
    @MainActor public func purchase(
        confirmIn scene: some AnyObject, options: Set<PurchaseOption> = []
    ) async throws -> PurchaseResult {
        try await purchase(options: options)
    }
}

extension Transaction {
    /// Asks for the money back over a scene or a view controller.
    @MainActor public func beginRefundRequest(
        in scene: some AnyObject
    ) async throws -> RefundRequestStatus {
        try await StoreSession.current.requestRefund(of: id)
    }

    /// Asks for the money of a transaction back over a scene or a view controller.
    @MainActor public static func beginRefundRequest(
        for transactionID: UInt64, in scene: some AnyObject
    ) async throws -> RefundRequestStatus {
        try await StoreSession.current.requestRefund(of: transactionID)
    }
}

extension Message {
    /// Shows the message over a scene.
    ///
    /// Apple's returns before the customer has answered, and so does this.
    @MainActor public func display(in scene: some AnyObject) throws {
        Task { try? await StoreSession.current.display(self) }
    }
}

/// Asks the customer for a rating of the app.
open class SKStoreReviewController: NSObject {
    /// Makes a controller without a purpose of its own.
    public override init() { super.init() }

    /// Asks for a rating; whether it shows is the App Store's decision, and here it never does.
    open class func requestReview() {}

    /// Asks for a rating over a scene; whether it shows is the App Store's decision, and here it never does.
    open class func requestReview(in scene: AnyObject) {}
}
