public import AppStoreModel

/// The keys of the facts that a decision needs.
public struct FactQuery: Sendable, Hashable {
    /// What is wanted of each book.
    public var books: [Book: BookQuery]
    /// Orders by name; those that do not exist are left out of the answer.
    public var orders: Set<OrderID>
    /// Customers of whose other names the decision wants to know; see ``FactSnapshot/names``.
    public var customers: Set<CustomerID>
    /// The customer whose unpaid orders, under all names, are wanted, newest first and not more than
    /// ``mostUnpaidOrders`` for each product.
    public var unpaidOrders: UnpaidOrdersQuery?
    /// The wallet whose balances are wanted, and the movement in it.
    public var wallet: MovementPlace?
    /// The promotional grant that is wanted.
    public var promotion: MovementPlace?
    /// The idempotency key whose answer is wanted.
    public var idempotency: IdempotencyKey?

    /// The most unpaid orders of one product that are looked at when a payment seeks its order.
    public static let mostUnpaidOrders = 20

    /// A query for nothing; add the keys.
    public init() {
        books = [:]
        orders = []
        customers = []
    }
}

/// The keys wanted of one book.
public struct BookQuery: Sendable, Hashable {
    /// Transactions, each with its purchase as in `grants`.
    public var transactions: Set<TransactionID>
    /// Original transactions, for their owners.
    public var originals: Set<TransactionID>
    /// Purchases: their grant, its changes, and every transaction of theirs with its observations.
    public var grants: Set<GrantKey>
    /// Subscription groups, for the viewer's introductory offers.
    public var introductoryGroups: Set<SubscriptionGroupID>
    /// Original transactions, for what Apple said of their renewal.
    public var renewals: Set<TransactionID>
    /// Original transactions, for the periods of their subscriptions that decide how these stand, for what
    /// Apple said of their renewal, and for what was told of them.
    public var subscriptions: Set<TransactionID>
    /// Notifications by name.
    public var notifications: Set<NotificationID>
    /// The customer who looks, if any: their refusals of those transactions are wanted, and every
    /// purchase of the originals that somebody else or nobody owns, and who shares those.
    public var viewer: CustomerID?
    /// Whether the balances of those whom the purchases credited are wanted.
    public var includesBalances = false

    /// A query for nothing; add the keys.
    public init() {
        transactions = []
        originals = []
        grants = []
        introductoryGroups = []
        renewals = []
        subscriptions = []
        notifications = []
    }
}

/// Which unpaid orders are wanted.
public struct UnpaidOrdersQuery: Sendable, Hashable {
    /// Whose.
    public var customer: CustomerID
    /// The app and the products.
    public var products: [BundleID: Set<ProductID>]
    /// The order that each purchase names, and the purchase's app; empty where one names none.
    public var named: [OrderID: Set<BundleID>]

    /// Makes a query.
    public init(
        customer: CustomerID, products: [BundleID: Set<ProductID>],
        named: [OrderID: Set<BundleID>] = [:]
    ) {
        self.customer = customer
        self.products = products
        self.named = named
    }

    /// Whether no unpaid order can matter, as every purchase names an order that is there; a store may read
    /// them all the same.
    public func isNeedless(with orders: [OrderID: OrderFacts]) -> Bool {
        !named.isEmpty
            && named.allSatisfy { id, apps in
                apps.allSatisfy { orders[id]?.order.bundleID == $0 }
            }
    }
}
