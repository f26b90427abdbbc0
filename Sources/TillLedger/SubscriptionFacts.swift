public import AppStoreModel

/// Everything recorded about one subscription: each of its periods, and what Apple said of its renewal.
public struct SubscriptionFacts: Sendable, Hashable {
    /// The book.
    public let book: Book
    /// The original transaction, constant for one customer and one subscription group.
    public let originalID: TransactionID
    /// Its purchases, each a period; whosever they are.
    public var purchases: [PurchaseFacts]
    /// The renewal infos.
    public var renewals: [RenewalObservation]

    /// Gathers the facts; in any order.
    public init(
        book: Book, originalID: TransactionID, purchases: [PurchaseFacts],
        renewals: [RenewalObservation]
    ) {
        self.book = book
        self.originalID = originalID
        self.purchases = purchases
        self.renewals = renewals
    }
}

extension GrantKey {
    /// Whether it names a period of a subscription.
    public var isPeriod: Bool { rawValue.hasPrefix("period/") }
}

/// One period of a subscription, with what all statements about it add up to.
struct SubscriptionPeriod: Sendable, Hashable {
    let key: GrantKey
    /// Of several ids of one period the least, so that it never hangs on arrival.
    let transactionID: TransactionID
    let productID: ProductID
    let start: Timestamp
    let expires: Timestamp
    let fields: ObservedFields
    let isRevoked: Bool
    let isUpgraded: Bool
    /// When another product of the group took its place before its end.
    ///
    /// Apple tells of an upgrade by the new transaction; that the old one is upgraded stands in the old
    /// one alone, which nobody may ever show again.
    var replacedAt: Timestamp?
    /// When a product that was handed out took its place: what the successor gives is not given yet while no
    /// catalog knows it, and until then the customer keeps what this one paid for.
    var yieldsAt: Timestamp?
    /// Whether it was handed out.
    let isGranted: Bool

    init?(_ purchase: PurchaseFacts) {
        guard let state = purchase.state, let expires = state.fields.expiresDate,
            let transaction = purchase.transactions.min(by: { $0.id < $1.id })
        else { return nil }
        key = purchase.key
        transactionID = transaction.id
        productID = transaction.productID
        start = transaction.purchaseDate
        self.expires = expires
        fields = state.fields
        isRevoked = state.isRevoked
        isUpgraded = state.isUpgraded
        isGranted = purchase.grant != nil
    }

    /// Whether it can be the period that runs.
    var counts: Bool { !isRevoked && !isReplaced }
    /// Whether a better product took its place.
    var isReplaced: Bool { isUpgraded || replacedAt != nil }
    /// Until when it is served, grace left aside.
    var end: Timestamp { yieldsAt.map { min($0, expires) } ?? expires }
}

extension SubscriptionFacts {
    /// The periods, oldest first.
    var periods: [SubscriptionPeriod] {
        var periods = purchases.compactMap { SubscriptionPeriod($0) }
            .sorted { ($0.start, $0.expires, $0.key) < ($1.start, $1.expires, $1.key) }
        for place in periods.indices {
            // Receipts have whole seconds, and two ids of one period begin together.
            let period = periods[place]
            let replacing = periods[(place + 1)...]
                .prefix { $0.start.seconds < period.expires.seconds }
                .filter {
                    $0.start.seconds > period.start.seconds && $0.productID != period.productID
                }
            periods[place].replacedAt = replacing.first?.start
            // One that was refunded before it was seen was never handed out, and took the place all the same.
            periods[place].yieldsAt = replacing.first { $0.isGranted || $0.isRevoked }?.start
        }
        return periods
    }
}
