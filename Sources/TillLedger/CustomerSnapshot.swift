public import AppStoreModel

/// One thing that a customer may use, in one book, and the purchase that gives it longest.
public struct EntitlementState: Sendable, Hashable {
    /// Its name in the configuration.
    public let entitlement: EntitlementName
    /// The book of the purchase.
    public let book: Book
    /// Whether it holds at the moment of the answer.
    public let isActive: Bool
    /// When it ends, or ended; nil when it never does.
    public let expiresAt: Timestamp?
    /// The product that gives it.
    public let productID: ProductID
    /// The transaction that brought the product; for a promotional grant, its name.
    public let transactionID: TransactionID
    /// Whether the backend gave it without a purchase; the product is then a name of no product.
    public let isPromotional: Bool

    /// Makes a state.
    public init(
        entitlement: EntitlementName, book: Book, isActive: Bool, expiresAt: Timestamp?,
        productID: ProductID, transactionID: TransactionID, isPromotional: Bool = false
    ) {
        self.entitlement = entitlement
        self.book = book
        self.isActive = isActive
        self.expiresAt = expiresAt
        self.productID = productID
        self.transactionID = transactionID
        self.isPromotional = isPromotional
    }
}

/// A transaction in a customer's history.
public struct HistoryEntry: Sendable, Hashable {
    /// The book.
    public let book: Book
    /// The transaction as recorded.
    public let transaction: RecordedTransaction
    /// What Apple's statements about it add up to; nil where nothing but the record is known.
    public let state: TransactionState?
    /// What became of it, as far as its owner is concerned.
    public let outcome: TransactionOutcome
    /// The order that it paid, if that was the customer's.
    public let orderID: OrderID?

    /// Makes an entry.
    public init(
        book: Book, transaction: RecordedTransaction, state: TransactionState?,
        outcome: TransactionOutcome, orderID: OrderID?
    ) {
        self.orderID = orderID
        self.book = book
        self.transaction = transaction
        self.state = state
        self.outcome = outcome
    }
}

/// What a customer may use, has and bought, at a moment.
public struct CustomerHoldings: Sendable, Hashable {
    /// The customer, under the name that counts.
    public let customer: CustomerID
    /// What the customer may use, or might: one for each name and book, ordered by book and name.
    public let entitlements: [EntitlementState]
    /// The subscriptions whose present period is the customer's, by book and group; the first of each
    /// group is the best.
    ///
    /// Of environments that the app does not list, those that were handed out.
    public let subscriptions: [SubscriptionState]
    /// The wallet, ordered by book and currency; a currency that never moved is not in it.
    public let balances: [Balance]
    /// The newest transactions, newest first.
    public let history: [HistoryEntry]

    /// Judges a customer's purchases by the clock.
    public init(
        customer: CustomerID, facts: CustomerFacts, catalog: Catalog, now: Timestamp, limit: Int
    ) {
        self.customer = facts.customer ?? customer
        let names = facts.names.isEmpty ? [customer] : facts.names
        entitlements = TillLedger.entitlements(
            of: facts.purchases, in: facts.subscriptions, promotions: facts.promotions, at: now)
        subscriptions = facts.subscriptions.compactMap { subscription in
            let state = SubscriptionState(subscription, at: now)
            let period = subscription.purchases.first { $0.key == state?.key }
            // What a listed environment signed was paid, though no catalog knows it yet; of others
            // only what a tester was given counts.
            if period?.grant == nil, catalog.isUnlisted(subscription.book) { return nil }
            let isOwn = period?.isHeld(by: names)
            let isShared = facts.purchases.contains {
                $0.key == state?.key && $0.book == subscription.book
            }
            return isOwn == true || isShared ? state : nil
        }
        .sorted(by: SubscriptionState.precedes)
        balances = facts.balances.sorted { ($0.book, $0.currency) < ($1.book, $1.currency) }
        history = Array(
            facts.purchases.flatMap { $0.history(of: names, under: catalog) }.sorted(
                by: Self.isNewer
            ).prefix(limit))
    }

    private init(_ all: CustomerHoldings, of app: BundleID) {
        customer = all.customer
        entitlements = all.entitlements.filter { $0.book.bundleID == app }
        subscriptions = all.subscriptions.filter { $0.book.bundleID == app }
        balances = all.balances.filter { $0.book.bundleID == app }
        history = all.history.filter { $0.book.bundleID == app }
    }

    /// What of it belongs to one app: what was bought in another opens nothing there.
    public func only(_ app: BundleID) -> CustomerHoldings { CustomerHoldings(self, of: app) }

    private static func isNewer(_ left: HistoryEntry, _ right: HistoryEntry) -> Bool {
        // Books count their transactions anew, so that two may have one id.
        (left.transaction.purchaseDate, left.transaction.id, left.book)
            > (right.transaction.purchaseDate, right.transaction.id, right.book)
    }
}

/// A customer as the ledger sees them at a moment.
public struct CustomerSnapshot: Sendable, Hashable {
    /// What the purchases come to.
    public let holdings: CustomerHoldings
    /// The newest orders, newest first.
    public let orders: [OrderFacts]
    /// The newest refusals that the customer was shown, newest first.
    public let refusals: [BookedRefusal]

    /// Judges a customer's facts by the clock.
    public init(
        customer: CustomerID, facts: CustomerFacts, catalog: Catalog, now: Timestamp, limit: Int
    ) {
        holdings = CustomerHoldings(
            customer: customer, facts: facts, catalog: catalog, now: now, limit: limit)
        orders = facts.orders
        refusals = facts.refusals
    }

    /// The customer.
    public var customer: CustomerID { holdings.customer }
    /// What the customer may use; see ``CustomerHoldings/entitlements``.
    public var entitlements: [EntitlementState] { holdings.entitlements }
    /// The subscriptions; see ``CustomerHoldings/subscriptions``.
    public var subscriptions: [SubscriptionState] { holdings.subscriptions }
    /// The wallet; see ``CustomerHoldings/balances``.
    public var balances: [Balance] { holdings.balances }
    /// The newest transactions, newest first.
    public var history: [HistoryEntry] { holdings.history }
}

extension Catalog {
    /// Whether an app does not list the environment of a book, so that nothing in it counts by itself.
    fileprivate func isUnlisted(_ book: Book) -> Bool {
        apps[book.bundleID]?.environments.contains(book.environment) == false
    }
}

extension PurchaseFacts {
    /// The purchase's transactions as entries of the history of one who may use it.
    fileprivate func history(
        of names: Set<CustomerID>, under catalog: Catalog
    ) -> [HistoryEntry] {
        let state = state
        let outcome: TransactionOutcome =
            if stands {
                .granted
            } else if state?.isRevoked == true {
                .refused(.revoked)
            } else if catalog.isUnlisted(book) {
                .refused(.environmentNotAdmitted)
            } else {
                .refused(.productUnknown)
            }
        return transactions.map {
            HistoryEntry(
                book: book, transaction: $0, state: state, outcome: outcome,
                orderID: $0.customer.map(names.contains) == true ? $0.orderID : nil)
        }
    }
}
