import AppStoreModel
import TillLedger

/// Pseudonyms for names, put into whatever holds a name.
struct Renaming: Sendable {
    private let pseudonyms: [CustomerID: CustomerID]

    init(_ pseudonyms: [CustomerID: CustomerID]) { self.pseudonyms = pseudonyms }

    var names: Set<CustomerID> { Set(pseudonyms.keys) }

    func callAsFunction(_ name: CustomerID) -> CustomerID { pseudonyms[name] ?? name }

    func callAsFunction(_ numbered: NumberedEvent) -> NumberedEvent {
        let event = numbered.event
        return NumberedEvent(
            event: CustomerEvent(
                id: event.id, kind: event.kind, bundleID: event.bundleID,
                environment: event.environment, customer: self(event.customer),
                // It names the other name, which was erased with this one.
                data: event.kind == .customerMerged && names.contains(event.customer)
                    ? "{}" : event.data,
                at: event.at), sequence: numbered.sequence)
    }

    func callAsFunction(_ order: Order) -> Order {
        Order(
            id: order.id, bundleID: order.bundleID, customer: self(order.customer),
            productID: order.productID, quantity: order.quantity, openedAt: order.openedAt,
            expiresAt: order.expiresAt)
    }

    func callAsFunction(_ known: RecordedTransaction) -> RecordedTransaction {
        RecordedTransaction(
            id: known.id, originalID: known.originalID, grantKey: known.grantKey,
            productID: known.productID, quantity: known.quantity,
            purchaseDate: known.purchaseDate, webOrderLineItemID: known.webOrderLineItemID,
            customer: known.customer.map { self($0) }, binding: known.binding,
            orderID: known.orderID, recordedAt: known.recordedAt, ownerNumber: known.ownerNumber,
            holder: known.holder.map { self($0) }, claimedAt: known.claimedAt)
    }

    func callAsFunction(_ owner: Ownership) -> Ownership {
        Ownership(
            originalID: owner.originalID, number: owner.number, customer: self(owner.customer),
            binding: owner.binding, since: owner.since)
    }

    func callAsFunction(_ share: Share) -> Share {
        Share(
            originalID: share.originalID, number: share.number, customer: self(share.customer),
            since: share.since)
    }

    func callAsFunction(_ grant: Grant) -> Grant {
        Grant(
            key: grant.key, transactionID: grant.transactionID, customer: self(grant.customer),
            productID: grant.productID, kind: grant.kind, quantity: grant.quantity,
            purchaseDate: grant.purchaseDate, credits: grant.credits,
            entitlements: grant.entitlements, duration: grant.duration, orderID: grant.orderID,
            grantedAt: grant.grantedAt)
    }

    func callAsFunction(_ entry: WalletEntry) -> WalletEntry {
        WalletEntry(
            customer: self(entry.customer), currency: entry.currency, amount: entry.amount,
            key: entry.key, turn: entry.turn, at: entry.at)
    }

    func callAsFunction(_ place: MovementPlace) -> MovementPlace {
        MovementPlace(book: place.book, customer: self(place.customer), id: place.id)
    }

    func callAsFunction(_ movement: WalletMovement) -> WalletMovement {
        WalletMovement(
            place: self(movement.place), currency: movement.currency, amount: movement.amount,
            account: movement.account, reason: movement.reason, at: movement.at)
    }

    func callAsFunction(_ facts: PromotionFacts) -> PromotionFacts {
        let promotion = facts.promotion
        return PromotionFacts(
            promotion: Promotion(
                place: self(promotion.place), entitlement: promotion.entitlement,
                at: promotion.at, endsAt: promotion.endsAt, reason: promotion.reason),
            endedAt: facts.endedAt)
    }

    func callAsFunction(_ refusal: RecordedRefusal) -> RecordedRefusal {
        RecordedRefusal(
            transactionID: refusal.transactionID, customer: self(refusal.customer),
            reason: refusal.reason, at: refusal.at)
    }

    func callAsFunction<Value>(keys: [CustomerID: Value]) -> [CustomerID: Value] {
        Dictionary(uniqueKeysWithValues: keys.map { (self($0), $1) })
    }
}
