public import AppStoreModel

/// What was handed out for one purchase; never changed, at most one for each key.
///
/// It holds what the catalog said at that moment, so that a later catalog rewrites no history.
public struct Grant: Sendable, Hashable {
    /// The purchase.
    public let key: GrantKey
    /// The transaction that brought it.
    public let transactionID: TransactionID
    /// Who got it.
    public let customer: CustomerID
    /// The product.
    public let productID: ProductID
    /// The kind of product.
    public let kind: ProductKind
    /// Units.
    public let quantity: Int64
    /// When it was bought, or the period began.
    public let purchaseDate: Timestamp
    /// What was added to the wallet, all units together.
    public let credits: [WalletCurrency: Int64]
    /// What the customer may use while it stands.
    public let entitlements: [EntitlementName]
    /// How long one unit of a non-renewing subscription lasts.
    public let duration: ServicePeriod?
    /// The order that was paid.
    public let orderID: OrderID?
    /// When it was handed out, by the server's clock.
    public let grantedAt: Timestamp

    /// Makes a grant.
    public init(
        key: GrantKey, transactionID: TransactionID, customer: CustomerID, productID: ProductID,
        kind: ProductKind, quantity: Int64, purchaseDate: Timestamp,
        credits: [WalletCurrency: Int64], entitlements: [EntitlementName],
        duration: ServicePeriod?, orderID: OrderID?, grantedAt: Timestamp
    ) {
        self.key = key
        self.transactionID = transactionID
        self.customer = customer
        self.productID = productID
        self.kind = kind
        self.quantity = quantity
        self.purchaseDate = purchaseDate
        self.credits = credits
        self.entitlements = entitlements
        self.duration = duration
        self.orderID = orderID
        self.grantedAt = grantedAt
    }
}

/// A grant taken back, or given back.
public struct GrantChange: Sendable, Hashable {
    /// The purchase.
    public let key: GrantKey
    /// Its place in the grant's story: 1, 3, 5… take back, 2, 4, 6… give back; unique within the grant.
    public let turn: Int
    /// The transaction whose observation caused it.
    public let transactionID: TransactionID
    /// When it was recorded, by the server's clock.
    public let at: Timestamp

    /// Makes a change.
    public init(key: GrantKey, turn: Int, transactionID: TransactionID, at: Timestamp) {
        self.key = key
        self.turn = turn
        self.transactionID = transactionID
        self.at = at
    }

    /// Whether it takes back; else it gives back.
    public var takesBack: Bool { turn % 2 == 1 }
}

/// A movement in a customer's wallet; appended, never changed.
public struct WalletEntry: Sendable, Hashable {
    /// Whose wallet.
    public let customer: CustomerID
    /// The currency.
    public let currency: WalletCurrency
    /// What is added; below zero what is taken.
    public let amount: Int64
    /// What could not be taken, as the wallet never goes below zero, and is owed; below zero what is owed no
    /// more.
    public let debt: Int64
    /// The purchase behind it.
    public let key: GrantKey
    /// 0 for the grant, else the turn of the change; unique with key and currency.
    public let turn: Int
    /// When it was recorded, by the server's clock.
    public let at: Timestamp

    /// Makes an entry.
    public init(
        customer: CustomerID, currency: WalletCurrency, amount: Int64, debt: Int64 = 0,
        key: GrantKey, turn: Int, at: Timestamp
    ) {
        self.customer = customer
        self.currency = currency
        self.amount = amount
        self.debt = debt
        self.key = key
        self.turn = turn
        self.at = at
    }
}

/// A refusal that was shown to a customer, kept for support; once for each reason.
public struct RecordedRefusal: Sendable, Hashable {
    /// The transaction.
    public let transactionID: TransactionID
    /// Who showed it.
    public let customer: CustomerID
    /// Why it was refused.
    public let reason: RefusalReason
    /// When it was refused first, by the server's clock.
    public let at: Timestamp

    /// Makes a refusal.
    public init(
        transactionID: TransactionID, customer: CustomerID, reason: RefusalReason, at: Timestamp
    ) {
        self.transactionID = transactionID
        self.customer = customer
        self.reason = reason
        self.at = at
    }
}
