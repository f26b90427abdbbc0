/// A generic product whose details the app's server signs for each purchase.
///
/// The local store sells its catalog alone: it knows the name and the history of such a product, and a
/// purchase throws ``StoreKitError/unsupported``.
public struct AdvancedCommerceProduct: Identifiable, Hashable, Sendable {
    /// The product's name.
    public let id: String
    /// The kind of product.
    public let type: Product.ProductType

    /// Looks the product up.
    public init(id: String) async throws {
        guard let product = try await Product.products(for: [id]).first else {
            throw Product.PurchaseError.productUnavailable
        }
        self.id = id
        type = product.type
    }

    /// The customer's history of it, newest first.
    public var allTransactions: Transaction.Transactions { Transaction.all(for: id) }

    /// The transactions by which the customer owns it.
    public var currentEntitlements: Transaction.Transactions {
        Transaction.currentEntitlements(for: id)
    }

    /// The customer's latest transaction of it.
    public var latestTransaction: VerificationResult<Transaction>? {
        get async { await Transaction.latest(for: id) }
    }

    /// Something that a purchase shall take into account.
    public struct PurchaseOption: Hashable, Sendable {
        let option: Product.PurchaseOption

        /// Decides whether to go on when the storefront changes during the purchase.
        public static func onStorefrontChange(
            shouldContinuePurchase: @escaping @Sendable (Storefront) -> Bool
        ) -> PurchaseOption {
            PurchaseOption(
                option: .onStorefrontChange(shouldContinuePurchase: shouldContinuePurchase))
        }
    }

    /// Buys what the app's server signed.
    @MainActor public func purchase(
        compactJWS: String, options: Set<PurchaseOption> = []
    ) async throws -> Product.PurchaseResult {
        throw StoreKitError.unsupported
    }

    /// Buys what the app's server signed, with the payment sheet over a view controller or a window.
    @MainActor public func purchase(
        compactJWS: String, confirmIn anchor: some AnyObject, options: Set<PurchaseOption> = []
    ) async throws -> Product.PurchaseResult {
        throw StoreKitError.unsupported
    }
}
