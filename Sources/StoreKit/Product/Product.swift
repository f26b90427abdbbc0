public import Foundation

/// A product of the App Store, in the customer's language and currency.
public struct Product: Identifiable, Hashable, Sendable, CustomDebugStringConvertible {
    /// The product's name.
    public let id: String
    /// The kind of product.
    public let type: ProductType
    /// The name for people.
    public let displayName: String
    /// The description for people.
    public let description: String
    /// The amount in the storefront's currency.
    public let price: Decimal
    /// The price as people write it there.
    public let displayPrice: String
    /// Whether a family may share it.
    public let isFamilyShareable: Bool
    /// What makes it a subscription that renews; nothing for other kinds.
    public let subscription: SubscriptionInfo?
    /// Everything that the store said, as JSON.
    public let jsonRepresentation: Data

    /// How the storefront writes prices.
    public let priceFormatStyle: Decimal.FormatStyle.Currency

    /// The JSON.
    public var debugDescription: String { String(decoding: jsonRepresentation, as: UTF8.self) }

    /// Compares everything that the store said.
    public static func == (left: Product, right: Product) -> Bool {
        left.jsonRepresentation == right.jsonRepresentation
    }

    /// Agrees with `==`.
    public func hash(into hasher: inout Hasher) { hasher.combine(jsonRepresentation) }

    /// The products that the store knows by these names, in no promised order.
    public static func products<Identifiers: Collection>(
        for identifiers: Identifiers
    ) async throws -> [Product] where Identifiers.Element == String {
        guard !identifiers.isEmpty else { return [] }
        return try await StoreSession.current.products(Array(identifiers))
    }

    /// The customer's latest transaction of it, whether or not it still counts.
    public var latestTransaction: VerificationResult<Transaction>? {
        get async { await Transaction.latest(for: id) }
    }

    /// The transaction by which the customer owns it.
    public var currentEntitlement: VerificationResult<Transaction>? {
        get async { await Transaction.currentEntitlement(for: id) }
    }

    /// The transactions by which the customer owns it.
    public var currentEntitlements: Transaction.Transactions {
        Transaction.currentEntitlements(for: id)
    }

    /// Buys it.
    ///
    /// Throws a ``PurchaseError`` or a ``StoreKitError``; a customer who cancels is a result.
    public func purchase(options: Set<PurchaseOption> = []) async throws -> PurchaseResult {
        try await StoreSession.current.purchase(self, options: options)
    }

    /// The kinds of products.
    public struct ProductType: RawRepresentable, Hashable, Sendable {
        /// Apple's word in signed transactions.
        public let rawValue: String
        /// Takes any word.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// Used up, and bought again.
        public static let consumable = ProductType(rawValue: "Consumable")
        /// Bought once for ever.
        public static let nonConsumable = ProductType(rawValue: "Non-Consumable")
        /// For a time that the app counts.
        public static let nonRenewable = ProductType(rawValue: "Non-Renewing Subscription")
        /// For a time that the store renews.
        public static let autoRenewable = ProductType(rawValue: "Auto-Renewable Subscription")
        /// Subscriptions of several apps sold as one; Apple has not published its word.
        public static let subscriptionBundle = ProductType(rawValue: "Subscription Bundle")
        /// Subscriptions of one developer sold as one; Apple has not published its word.
        public static let subscriptionSuite = ProductType(rawValue: "Subscription Suite")

        /// The kind for people.
        public var localizedDescription: String { rawValue }
    }

    /// How a purchase ended.
    public enum PurchaseResult: Sendable {
        /// Paid; the app owes the goods and then finishes the transaction.
        case success(VerificationResult<Transaction>)
        /// The customer closed the sheet.
        case userCancelled
        /// Waits for somebody; success would arrive in `Transaction.updates`.
        case pending
    }

    /// Why a purchase was not possible.
    public enum PurchaseError: Error, Hashable, Sendable {
        /// The quantity is not allowed.
        case invalidQuantity
        /// The product is not for sale.
        case productUnavailable
        /// The customer may not pay.
        case purchaseNotAllowed
        /// The customer may not have the offer.
        case ineligibleForOffer
        /// The offer does not exist.
        case invalidOfferIdentifier
        /// The offer's price is no longer valid.
        case invalidOfferPrice
        /// The offer's signature is wrong.
        case invalidOfferSignature
        /// A part of the offer is missing.
        case missingOfferParameters
    }
}

extension Product.PurchaseError: LocalizedError {
    /// The error for people.
    public var errorDescription: String? {
        switch self {
        case .invalidQuantity: "The quantity is invalid."
        case .productUnavailable: "The product is unavailable."
        case .purchaseNotAllowed: "Purchases are not allowed."
        case .ineligibleForOffer: "You are not eligible for this offer."
        case .invalidOfferIdentifier: "The offer identifier is invalid."
        case .invalidOfferPrice: "The offer price is invalid."
        case .invalidOfferSignature: "The offer signature is invalid."
        case .missingOfferParameters: "A parameter of the offer is missing."
        }
    }
}
