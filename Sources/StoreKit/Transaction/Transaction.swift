public import Foundation

/// What the App Store signed about one purchase or one period.
public struct Transaction: Identifiable, Hashable, Sendable, CustomDebugStringConvertible {
    /// The transaction's number.
    public let id: UInt64
    /// The number of the first purchase of its chain.
    public let originalID: UInt64
    /// The number of the subscription's period, the same on every device.
    public let webOrderLineItemID: String?
    /// What was bought.
    public let productID: String
    /// The subscription's group.
    public let subscriptionGroupID: String?
    /// The app.
    public let appBundleID: String
    /// When it was bought or the period began.
    public let purchaseDate: Date
    /// When it was first bought.
    public let originalPurchaseDate: Date
    /// When the period ends.
    public let expirationDate: Date?
    /// How many.
    public let purchasedQuantity: Int
    /// Whether a better subscription of the group replaced it.
    public let isUpgraded: Bool
    /// The offer that applied.
    public let offer: Offer?
    /// When the App Store took it back.
    public let revocationDate: Date?
    /// Why the App Store took it back.
    public let revocationReason: RevocationReason?
    /// How the App Store took it back.
    public let revocationType: RevocationType?
    /// How much of the price was paid back, 0 to 100.
    public let revocationPercentage: Decimal?
    /// The kind of product.
    public let productType: Product.ProductType
    /// The UUID that the app gave with the purchase.
    public let appAccountToken: UUID?
    /// Where it was bought.
    public let environment: AppStore.Environment
    /// Bought or renewed.
    public let reason: Reason
    /// The storefront where it was bought.
    public let storefront: Storefront
    /// The amount for the whole quantity.
    public let price: Decimal?
    /// The currency of the price.
    public let currency: Locale.Currency?
    /// Bought or shared.
    public let ownershipType: OwnershipType
    /// The number of the customer's copy of the app.
    public let appTransactionID: String
    /// How the subscription is billed.
    public let billingPlanType: Product.SubscriptionInfo.BillingPlanType?
    /// The commitment to which the period belongs.
    public let commitmentInfo: CommitmentInfo?
    /// What the app's server signed for a purchase of a generic product.
    public let advancedCommerceInfo: AdvancedCommerceInfo?
    /// The bundle to which it belongs.
    public let bundleProductID: String?
    /// The bundle's group.
    public let bundleSubscriptionGroupID: String?
    /// The bundle's transaction.
    public let bundleTransactionID: String?
    /// The first purchase of the bundle.
    public let bundleOriginalTransactionID: String?
    /// The first purchase before a move into or out of a bundle.
    public let previousOriginalTransactionID: UInt64?
    /// Binds the transaction to the device.
    public let deviceVerification: Data
    /// The one-time number of ``deviceVerification``.
    public let deviceVerificationNonce: UUID
    /// When the App Store signed.
    public let signedDate: Date
    /// The payload as it was signed.
    public let jsonRepresentation: Data

    let signed: SignedText

    /// The JSON.
    public var debugDescription: String { String(decoding: jsonRepresentation, as: UTF8.self) }

    /// Compares everything that was signed.
    public static func == (left: Transaction, right: Transaction) -> Bool {
        left.jsonRepresentation == right.jsonRepresentation
    }

    /// Agrees with `==`.
    public func hash(into hasher: inout Hasher) { hasher.combine(jsonRepresentation) }

    /// Whether an app that has `other` learns nothing from this, though each was signed for itself.
    func isSameNews(as other: Transaction) -> Bool {
        id == other.id && revocationDate == other.revocationDate
            && expirationDate == other.expirationDate && isUpgraded == other.isUpgraded
    }

    /// Tells the App Store that the goods were handed out.
    ///
    /// A store that cannot be reached is told later; until then the transaction may come again.
    public func finish() async {
        await StoreSession.current.finish(transactionID: id)
    }

    /// How the subscription stands to which it belongs.
    public var subscriptionStatus: Product.SubscriptionInfo.Status? {
        get async {
            guard productType == .autoRenewable else { return nil }
            return try? await StoreSession.current.status(transactionID: originalID)
        }
    }
}

// The parts by their older names.
extension Transaction {
    /// Which kind of offer applied.
    public var offerType: OfferType? { offer?.type }
    /// Which offer applied.
    public var offerID: String? { offer?.id }
    /// How the offer is paid, in the App Store's word.
    public var offerPaymentModeStringRepresentation: String? { offer?.paymentMode?.rawValue }
    /// How long the offer's period is (ISO 8601).
    public var offerPeriodStringRepresentation: String? { offer?.periodText }
    /// Where it was bought, in the App Store's word.
    public var environmentStringRepresentation: String { environment.rawValue }
    /// Bought or renewed, in the App Store's word.
    public var reasonStringRepresentation: String { reason.rawValue }
    /// The country of the storefront in three letters.
    public var storefrontCountryCode: String { storefront.countryCode }
    /// The currency's code (ISO 4217).
    public var currencyCode: String? { currency?.identifier.uppercased() }
}
