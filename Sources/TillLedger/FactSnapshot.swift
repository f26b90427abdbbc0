public import AppStoreModel

/// The facts that a query named, as of one moment; what is not in it does not exist.
public struct FactSnapshot: Sendable, Hashable {
    /// The facts of each book that was asked for.
    public var books: [Book: BookFacts]
    /// The orders: those named, the unpaid ones, and those that the books' transactions paid.
    public var orders: [OrderID: OrderFacts]
    /// The wallet that was asked for.
    public var wallet = WalletFacts()
    /// The promotional grant that was asked for.
    public var promotion: PromotionFacts?
    /// What is special about the names of the customers in it: the viewer's, the holders', the owners', the
    /// orders'.
    public var names = CustomerNames()
    /// The answer given before under the idempotency key.
    public var answer: StoredAnswer?

    /// A snapshot of nothing.
    public init() {
        books = [:]
        orders = [:]
    }

    /// Everything about a purchase; nil when it was not read, or there is none.
    public func purchase(_ key: GrantKey, in book: Book) -> PurchaseFacts? {
        guard let purchase = books[book]?.purchase(key, in: book), !purchase.transactions.isEmpty
        else { return nil }
        return purchase
    }
}

/// The facts of one book that a query named.
public struct BookFacts: Sendable, Hashable {
    /// Transactions, those named and every other of their purchases and of the purchases named.
    public private(set) var transactions: [TransactionID: RecordedTransaction] = [:]
    /// The same by purchase.
    private var byPurchase: [GrantKey: [TransactionID]] = [:]
    /// Their observations.
    public var observations: [TransactionID: [Observation]] = [:]
    /// The present owner of each original transaction.
    public var owners: [TransactionID: Ownership] = [:]
    /// Who shares an original, by original.
    public var shares: [TransactionID: [Share]] = [:]
    /// The originals with which the viewer took a group's introductory offer.
    public var introductoryUses: [SubscriptionGroupID: Set<TransactionID>] = [:]
    /// Grants.
    public var grants: [GrantKey: Grant] = [:]
    /// How often each grant was changed; no entry for none.
    public var changes: [GrantKey: [GrantChange]] = [:]
    /// What Apple said of the renewal of each original transaction; no entry for nothing.
    public var renewals: [TransactionID: [RenewalObservation]] = [:]
    /// What was last told of each subscription that was asked for; no entry for nothing.
    public var tales: [TransactionID: SubscriptionTale] = [:]
    /// Notifications.
    public var notifications: [NotificationID: RecordedNotification] = [:]
    /// Which refusals the customer was shown before.
    public var refusals: Set<ShownRefusal> = []
    /// The wallet entries of each purchase that moved a wallet.
    public var entries: [GrantKey: [WalletEntry]] = [:]
    /// What the customers whom those purchases credited have, where the query includes balances.
    public var balances: [CustomerID: [WalletCurrency: Int64]] = [:]

    /// Facts of an empty book.
    public init() {}

    /// Takes in a transaction; one that is there already stays.
    public mutating func include(_ transaction: RecordedTransaction) {
        guard transactions.updateValue(transaction, forKey: transaction.id) == nil else { return }
        byPurchase[transaction.grantKey, default: []].append(transaction.id)
    }

    /// Takes in a movement of a purchase.
    public mutating func include(_ entry: WalletEntry) {
        entries[entry.key, default: []].append(entry)
        balances[entry.customer, default: [:]][entry.currency, default: 0] += entry.amount
    }

    /// Takes in a claim of a transaction that nobody owns.
    public mutating func include(_ claim: Claim) {
        _ = transactions[claim.transactionID]?.include(claim)
    }

    /// Takes in an owner, to whom goes what the former ones held.
    public mutating func include(_ ownership: Ownership) {
        owners[ownership.originalID] = ownership
        guard ownership.number > 0 else { return }
        for id in transactions.keys { transactions[id]?.include(ownership) }
    }

    /// Every known transaction of an original, the oldest first.
    public func transactions(ofOriginal id: TransactionID) -> [RecordedTransaction] {
        transactions.values.filter { $0.originalID == id }
            .sorted { ($0.purchaseDate, $0.id) < ($1.purchaseDate, $1.id) }
    }

    /// Everything about a purchase that was read.
    func purchase(_ key: GrantKey, in book: Book) -> PurchaseFacts {
        let transactions = transactions(of: key)
        return PurchaseFacts(
            book: book, key: key, transactions: transactions,
            observations: transactions.flatMap { observations[$0.id] ?? [] },
            grant: grants[key], changes: changes[key] ?? [])
    }

    /// The transactions of a purchase.
    public func transactions(of key: GrantKey) -> [RecordedTransaction] {
        (byPurchase[key] ?? []).compactMap { transactions[$0] }
    }
}

/// One wallet as of one moment.
public struct WalletFacts: Sendable, Hashable {
    /// What is in it; a currency that never moved is not there.
    public var balances: [WalletCurrency: Int64] = [:]
    /// The movement that was asked for.
    public var movement: WalletMovement?

    /// An empty wallet.
    public init() {}
}

/// A refusal that somebody was shown before.
public struct ShownRefusal: Sendable, Hashable {
    /// The transaction.
    public let transactionID: TransactionID
    /// The reason.
    public let reason: RefusalReason

    /// Makes one.
    public init(transactionID: TransactionID, reason: RefusalReason) {
        self.transactionID = transactionID
        self.reason = reason
    }
}
