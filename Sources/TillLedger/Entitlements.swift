public import AppStoreModel

/// What purchases entitle to at a moment: a pure function of what is recorded.
///
/// An entitlement may have several grantors; the one that lasts longest is told, and losing one leaves the
/// others. What was taken back or replaced by an upgrade gives nothing. A subscription holds until the
/// date that Apple signed, in a grace period until the date of that, and retried billing alone gives
/// nothing; a non-renewing one holds for its configured duration (bought again before the end, it is
/// lengthened), anything else for ever.
public func entitlements(
    of purchases: [PurchaseFacts], in subscriptions: [SubscriptionFacts] = [],
    promotions: [PromotionFacts] = [], at now: Timestamp
) -> [EntitlementState] {
    var ends: [PurchasePlace: Timestamp] = [:]
    var known: Set<TransactionReference> = []
    for subscription in subscriptions {
        known.insert(TransactionReference(book: subscription.book, id: subscription.originalID))
        for (key, end) in subscription.ends {
            ends[PurchasePlace(book: subscription.book, key: key)] = end
        }
    }
    var best: [EntitlementPlace: EntitlementState] = [:]
    var lengthened: [ServicePlace: Timestamp] = [:]
    for purchase in purchases.sorted(by: isEarlier) {
        guard let grant = purchase.grant, let state = purchase.state, purchase.stands else {
            continue
        }
        let period = ends[PurchasePlace(book: purchase.book, key: purchase.key)]
        if period == nil, purchase.key.isPeriod, state.fields.expiresDate != nil,
            let original = purchase.transactions.first?.originalID,
            known.contains(TransactionReference(book: purchase.book, id: original))
        {
            // One that does not decide: others of its subscription give the same for longer.
            continue
        }
        let end =
            period.map { .at($0) }
            ?? grant.end(state, after: &lengthened[ServicePlace(purchase.book, grant)])
        let isActive = !state.isUpgraded && end.isAfter(now)
        for name in grant.entitlements {
            let candidate = EntitlementState(
                entitlement: name, book: purchase.book, isActive: isActive,
                expiresAt: end.timestamp, productID: grant.productID,
                transactionID: grant.transactionID)
            let place = EntitlementPlace(book: purchase.book, name: name)
            if best[place].map({ candidate.outlasts($0) }) ?? true { best[place] = candidate }
        }
    }
    for facts in promotions {
        let candidate = EntitlementState(facts, at: now)
        let place = EntitlementPlace(book: candidate.book, name: candidate.entitlement)
        if best[place].map({ candidate.outlasts($0) }) ?? true { best[place] = candidate }
    }
    return best.values.sorted { ($0.book, $0.entitlement) < ($1.book, $1.entitlement) }
}

private struct EntitlementPlace: Hashable {
    let book: Book
    let name: EntitlementName
}

/// Where purchases of a non-renewing subscription follow upon one another.
private struct ServicePlace: Hashable {
    let book: Book
    let productID: ProductID

    init(_ book: Book, _ grant: Grant) {
        self.book = book
        productID = grant.productID
    }
}

private func isEarlier(_ left: PurchaseFacts, _ right: PurchaseFacts) -> Bool {
    let leftDate = left.grant?.purchaseDate ?? left.transactions.first?.purchaseDate
    let rightDate = right.grant?.purchaseDate ?? right.transactions.first?.purchaseDate
    let leftTime = leftDate?.milliseconds ?? 0
    let rightTime = rightDate?.milliseconds ?? 0
    return (leftTime, left.key) < (rightTime, right.key)
}

/// When a grant ends.
private enum GrantEnd {
    case never
    case at(Timestamp)

    var timestamp: Timestamp? {
        switch self {
        case .never: nil
        case .at(let timestamp): timestamp
        }
    }

    func isAfter(_ now: Timestamp) -> Bool {
        switch self {
        case .never: true
        case .at(let timestamp): now < timestamp
        }
    }
}

extension Grant {
    /// When it ends, given when the service bought before it ends.
    fileprivate func end(_ state: TransactionState, after previous: inout Timestamp?) -> GrantEnd {
        if let expiresDate = state.fields.expiresDate { return .at(expiresDate) }
        guard kind == .nonRenewing, let duration else {
            // A subscription without a date proves no paid time.
            return kind == .autoRenewable ? .at(purchaseDate) : .never
        }
        var end = max(purchaseDate, previous ?? purchaseDate)
        for _ in 0..<quantity { end = duration.end(from: end) }
        previous = end
        return .at(end)
    }
}

extension EntitlementState {
    /// What a promotional grant gives.
    fileprivate init(_ facts: PromotionFacts, at now: Timestamp) {
        let promotion = facts.promotion
        let isActive = promotion.at <= now && facts.end.map { now < $0 } ?? true
        self.init(
            entitlement: promotion.entitlement, book: promotion.place.book, isActive: isActive,
            expiresAt: facts.end, productID: "promotion",
            transactionID: TransactionID(promotion.place.id.rawValue), isPromotional: true)
    }

    /// Whether this one is told rather than the other: active before not, then the longer, then the
    /// later transaction.
    fileprivate func outlasts(_ other: EntitlementState) -> Bool {
        if isActive != other.isActive { return isActive }
        let end = expiresAt?.milliseconds ?? .max
        let otherEnd = other.expiresAt?.milliseconds ?? .max
        return (end, transactionID) > (otherEnd, other.transactionID)
    }
}
