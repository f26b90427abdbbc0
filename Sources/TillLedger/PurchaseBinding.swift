import AppStoreModel

/// Whose a new transaction is, and which order it is for.
struct BoundPurchase {
    /// Nil when nothing names a customer and nobody shows it.
    let customer: CustomerID?
    let binding: Binding
    /// The order that it is for, whether it fits or not.
    var order: OrderFacts?
    /// Whether it pays that order: it fits, and nothing else has paid it.
    var isPayable = false

    /// The order that it pays.
    var payableOrder: OrderID? { isPayable ? order?.order.id : nil }

    /// What makes a transaction that nobody owned the customer's; nil when there is still none.
    func claim(of id: TransactionID, at now: Timestamp) -> Claim? {
        customer.map {
            Claim(
                transactionID: id, customer: $0, binding: binding, orderID: payableOrder, at: now)
        }
    }
}

extension PurchaseDecision {
    /// How much earlier than the order a payment may seem to be that was not named for it: clocks differ.
    static let orderTolerance: Int64 = 10 * 60_000

    /// Binds a transaction that nobody owns, in the order of certainty.
    func bind(_ item: PurchaseItem, isJournaled: Bool) -> BoundPurchase {
        if let known = samePurchase(item) {
            return BoundPurchase(customer: known.holder, binding: .samePurchase)
        }
        if let order = tokenOrder(item) {
            return bound(item, to: order, .orderToken)
        }
        let owner = book(item).owners[item.originalID]
        if let owner, !isUploaders(owner.customer) {
            return BoundPurchase(customer: owner.customer, binding: .originalTransaction)
        }
        guard let uploader = customer else {
            return BoundPurchase(customer: nil, binding: .unclaimed)
        }
        // The owner uploads it: the owner's orders still say what was paid for.
        let fallback: Binding = owner == nil ? .uploader : .originalTransaction
        // What is handed out to nobody pays for nothing.
        guard isGranted(in: item.book, to: uploader) else {
            return BoundPurchase(customer: uploader, binding: fallback)
        }
        if isJournaled, let order = uploadersOrder(purchase.orderID) {
            return bound(item, to: order, owner == nil ? .journaledOrder : fallback)
        }
        if let order = openOrder(item) {
            return bound(item, to: order, owner == nil ? .openOrder : fallback)
        }
        return BoundPurchase(customer: uploader, binding: fallback)
    }

    /// The transaction of the submission that the journaled order is for: the one of its product nearest in
    /// time, or the only new one, which then may be of another product.
    func journaledItem() -> TransactionReference? {
        guard let order = uploadersOrder(purchase.orderID), order.payment == nil else { return nil }
        let fresh = purchase.items.filter {
            $0.book.bundleID == order.order.bundleID
                && book($0).transactions[$0.id]?.holder == nil
                && tokenOrder($0) == nil
        }
        let fitting = fresh.filter { $0.productID == order.order.productID }
        if let nearest = fitting.min(by: { order.distance($0) < order.distance($1) }) {
            return nearest.reference
        }
        guard fresh.count == 1, !purchase.isRestore else { return nil }
        return fresh.first?.reference
    }

    private func samePurchase(_ item: PurchaseItem) -> RecordedTransaction? {
        book(item).transactions(of: item.grantKey)
            .filter { $0.holder != nil }
            .min { ($0.recordedAt, $0.id) < ($1.recordedAt, $1.id) }
    }

    /// The order that the signed token names, anybody's.
    private func tokenOrder(_ item: PurchaseItem) -> OrderFacts? {
        guard let order = item.tokenOrder.flatMap({ snapshot.orders[$0] }),
            order.order.bundleID == item.book.bundleID, !isOvertaken(order, for: item)
        else { return nil }
        return order
    }

    /// Whether the token is left over from before the original was taken over: a subscription carries that of
    /// its first order on to every renewal.
    private func isOvertaken(_ order: OrderFacts, for item: PurchaseItem) -> Bool {
        guard let owner = book(item).owners[item.originalID], owner.number > 0,
            owner.since >= order.order.openedAt
        else { return false }
        return order.events.contains {
            $0.transaction.map { $0 != item.reference } ?? false
        }
    }

    private func uploadersOrder(_ id: OrderID?) -> OrderFacts? {
        guard let order = id.flatMap({ snapshot.orders[$0] }),
            isUploaders(order.order.customer)
        else { return nil }
        return order
    }

    /// The uploader's unpaid order for that product which is nearest in time.
    private func openOrder(_ item: PurchaseItem) -> OrderFacts? {
        guard !item.isRestored else { return nil }
        return snapshot.orders.values
            .filter { order in
                isUploaders(order.order.customer) && order.payment == nil
                    && order.order.bundleID == item.book.bundleID
                    && order.mismatch(item) == nil && order.order.id != purchase.orderID
                    && item.purchaseDate.advanced(byMilliseconds: Self.orderTolerance)
                        >= order.order.openedAt
            }
            .min { ($0.distance(item), $0.order.id) < ($1.distance(item), $1.order.id) }
    }

    private func bound(
        _ item: PurchaseItem, to order: OrderFacts, _ binding: Binding
    ) -> BoundPurchase {
        let customer = order.order.customer
        guard isGranted(in: item.book, to: customer) else {
            return BoundPurchase(customer: customer, binding: binding)
        }
        return BoundPurchase(
            customer: customer, binding: binding, order: order,
            isPayable: order.payment == nil && order.mismatch(item) == nil)
    }

    /// Whose a transaction is, or would be, without the one who shows it.
    func holder(of item: PurchaseItem) -> CustomerID? {
        book(item).transactions[item.id]?.holder ?? samePurchase(item)?.holder
            ?? tokenOrder(item)?.order.customer ?? book(item).owners[item.originalID]?.customer
    }

    /// Tells the order what came for it.
    mutating func notePayment(_ item: PurchaseItem, on order: OrderFacts, isPayable: Bool) {
        if isPayable {
            record(.orderEvent(order.nextEvent(.paid, item.reference, at: purchase.now)))
            guard order.isOtherPrice(item), let paid = snapshot.orders[order.order.id] else {
                return
            }
            record(.orderEvent(paid.nextEvent(.priceMismatch, item.reference, at: purchase.now)))
        } else if let payment = order.payment {
            // A subscription carries its token on to every renewal; those pay for no order.
            let payer = snapshot.books[payment.book]?.transactions[payment.id]
            let isRenewal = item.id != item.originalID || payer?.originalID == item.originalID
            guard !isRenewal else { return }
            record(.orderEvent(order.nextEvent(.paidTwice, item.reference, at: purchase.now)))
        } else if let mismatch = order.mismatch(item) {
            record(.orderEvent(order.nextEvent(mismatch, item.reference, at: purchase.now)))
        }
    }
}

extension OrderFacts {
    /// How far in time a purchase is from the order, in milliseconds.
    fileprivate func distance(_ item: PurchaseItem) -> UInt64 {
        (item.purchaseDate.milliseconds - order.openedAt.milliseconds).magnitude
    }
}
