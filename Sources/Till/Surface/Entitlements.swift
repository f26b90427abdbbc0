/// What a customer may use, as the server said it last.
public struct EntitlementView: Sendable, Hashable {
    /// How good the answer is.
    public enum Basis: String, Sendable, Hashable {
        /// The server said it in this launch.
        case server
        /// The server said it in an earlier launch, not too long ago.
        case remembered
        /// The server said it too long ago: nothing is open until it says it again.
        case tooOld
        /// The server refuses this customer, or its token: nothing is open until it says otherwise.
        case refused
        /// Nobody is logged in, or the server has never been asked.
        case unknown
    }

    /// How good the answer is.
    public var basis: Basis
    /// Everything that the customer has or had.
    public var all: [Entitlement]
    /// When the server said it, by the server's clock.
    public var asOf: Timestamp?
    /// Why the newest answer, or what was remembered, was not believed.
    ///
    /// What is shown is then what was believed before, if anything; see
    /// ``TillConfiguration/entitlementProof``.
    public var distrust: EntitlementDistrust?

    /// Makes a view.
    public init(
        basis: Basis, all: [Entitlement] = [], asOf: Timestamp? = nil,
        distrust: EntitlementDistrust? = nil
    ) {
        self.basis = basis
        self.all = all
        self.asOf = asOf
        self.distrust = distrust
    }

    /// The names of what is open now.
    public var active: Set<String> { Set(all.lazy.filter(\.isActive).map(\.name)) }

    /// Whether the entitlement is open now.
    public func isActive(_ name: String) -> Bool {
        all.contains { $0.name == name && $0.isActive }
    }
}

/// One thing that a customer may use, and what gives it.
public struct Entitlement: Sendable, Hashable {
    /// Its name in the server's configuration.
    public var name: String
    /// Whether it is open now, by the best knowledge of the server's clock.
    public var isActive: Bool
    /// When it ends; `nil` when it does not.
    public var expiresAt: Timestamp?
    /// The product that gives it.
    public var productID: ProductID

    /// Makes an entitlement.
    public init(name: String, isActive: Bool, expiresAt: Timestamp?, productID: ProductID) {
        self.name = name
        self.isActive = isActive
        self.expiresAt = expiresAt
        self.productID = productID
    }
}

/// A paid purchase of which nobody can say whose it is.
///
/// It stays in the store's queue, unfinished, until a customer claims it or its owner logs in.
public struct UnclaimedPurchase: Sendable, Hashable {
    /// The transaction.
    public var transactionID: TransactionID
    /// What was bought.
    public var productID: ProductID
    /// When it was paid.
    public var date: Timestamp?

    /// Makes a purchase.
    public init(transactionID: TransactionID, productID: ProductID, date: Timestamp?) {
        self.transactionID = transactionID
        self.productID = productID
        self.date = date
    }
}
