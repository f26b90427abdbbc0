/// Everything recorded about one purchase: its transactions, what Apple signed about them, its grant.
public struct PurchaseFacts: Sendable, Hashable {
    /// The book.
    public let book: Book
    /// The purchase.
    public let key: GrantKey
    /// Its transactions: one, or more where a restore or a second device gave it new ids.
    public var transactions: [RecordedTransaction]
    /// The observations of all its transactions.
    public var observations: [Observation]
    /// The grant; none when it was never handed out.
    public var grant: Grant?
    /// What happened to the grant, by turn.
    public var changes: [GrantChange]
    /// The movements in the wallet that it caused; filled for an audit alone.
    public var entries: [WalletEntry]
    /// Every owner of its original, by number; filled for an audit alone.
    public var owners: [Ownership]

    /// Gathers the facts; the transactions and changes may come in any order.
    public init(
        book: Book, key: GrantKey, transactions: [RecordedTransaction],
        observations: [Observation], grant: Grant?, changes: [GrantChange],
        entries: [WalletEntry] = [], owners: [Ownership] = []
    ) {
        self.book = book
        self.key = key
        self.transactions = transactions.sorted {
            ($0.recordedAt, $0.id) < ($1.recordedAt, $1.id)
        }
        self.observations = observations
        self.grant = grant
        self.changes = changes.sorted { $0.turn < $1.turn }
        self.entries = entries
        self.owners = owners
    }

    /// What Apple's statements add up to.
    public var state: TransactionState? { TransactionState(observations) }

    /// Whether one of these names holds it.
    public func isHeld(by names: Set<CustomerID>) -> Bool {
        transactions.contains { $0.holder.map(names.contains) == true }
    }

    /// Whether it was handed out and not taken back.
    public var stands: Bool { grant != nil && changes.last?.takesBack != true }
}

/// A place in a store's own order of purchases.
public struct PurchasePlace: Sendable, Hashable {
    /// The book.
    public let book: Book
    /// The purchase.
    public let key: GrantKey

    /// The place of a purchase.
    public init(book: Book, key: GrantKey) {
        self.book = book
        self.key = key
    }
}

/// What is recorded about one customer, under all names.
public struct CustomerFacts: Sendable, Hashable {
    /// The name that counts.
    public var customer: CustomerID?
    /// Every name.
    public var names: Set<CustomerID> = []
    /// Every purchase that the customer has or shares and that carries entitlements, of subscriptions the periods
    /// that decide, and the newest others up to the limit.
    public var purchases: [PurchaseFacts]
    /// Every subscription of which one of those purchases is a period, with the periods that decide.
    public var subscriptions: [SubscriptionFacts]
    /// The sums of the wallet, by book and currency.
    public var balances: [Balance]
    /// Every promotional grant of the customer.
    public var promotions: [PromotionFacts]
    /// The newest orders up to the limit, newest first.
    public var orders: [OrderFacts]
    /// Refusals that stand in the customer's history, by book, newest first up to the limit.
    public var refusals: [BookedRefusal]

    /// Gathers the facts.
    public init(
        purchases: [PurchaseFacts] = [], subscriptions: [SubscriptionFacts] = [],
        balances: [Balance] = [],
        promotions: [PromotionFacts] = [], orders: [OrderFacts] = [],
        refusals: [BookedRefusal] = []
    ) {
        self.purchases = purchases
        self.subscriptions = subscriptions
        self.balances = balances
        self.promotions = promotions
        self.orders = orders
        self.refusals = refusals
    }
}

extension CustomerFacts {
    /// Adds up and puts in order what was read name by name.
    public mutating func joinNames(limit: Int) {
        var sums: [BalancePlace: Balance] = [:]
        for balance in balances {
            let place = BalancePlace(book: balance.book, currency: balance.currency)
            let sum = sums[place]
            sums[place] = Balance(
                book: balance.book, currency: balance.currency,
                amount: (sum?.amount ?? 0) + balance.amount,
                debt: (sum?.debt ?? 0) + balance.debt)
        }
        balances = Array(sums.values)
        orders = Array(
            orders.sorted {
                ($0.order.openedAt, $0.order.id) > ($1.order.openedAt, $1.order.id)
            }.prefix(limit))
        refusals = Array(
            refusals.sorted {
                ($0.refusal.at, $0.refusal.transactionID)
                    > ($1.refusal.at, $1.refusal.transactionID)
            }.prefix(limit))
    }

    private struct BalancePlace: Hashable {
        let book: Book
        let currency: WalletCurrency
    }
}

/// A refusal with its book.
public struct BookedRefusal: Sendable, Hashable {
    /// The book.
    public let book: Book
    /// The refusal.
    public let refusal: RecordedRefusal

    /// Puts the two together.
    public init(book: Book, refusal: RecordedRefusal) {
        self.book = book
        self.refusal = refusal
    }
}

/// What a customer has in one currency of one book.
public struct Balance: Sendable, Hashable {
    /// The book.
    public let book: Book
    /// The currency.
    public let currency: WalletCurrency
    /// The sum of all entries.
    public let amount: Int64
    /// What refunds could not take, where the app's wallets never go below zero.
    public let debt: Int64

    /// Makes a balance.
    public init(book: Book, currency: WalletCurrency, amount: Int64, debt: Int64 = 0) {
        self.book = book
        self.currency = currency
        self.amount = amount
        self.debt = debt
    }
}
