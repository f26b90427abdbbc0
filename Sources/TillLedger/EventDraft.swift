import AppStoreModel

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// What happened to a customer, before it is known whether anybody wants to hear of it.
///
/// `key` names what happened, once and for all: with the kind and the app it makes the event's id. What a
/// fact's own key holds is right, such as a book, a grant key and a turn.
struct EventDraft {
    let kind: EventKind
    let key: [String]
    let bundleID: BundleID
    let environment: AppStoreEnvironment?
    let customer: CustomerID
    var data: [String: JSONValue]
    let at: Timestamp
    /// Whether it is told under that very name, though it became part of another.
    var keepsName = false

    /// The fact that tells it, under the name that counts; nil where no endpoint of the app wants it.
    func fact(under catalog: Catalog, names: CustomerNames) -> Fact? {
        let endpoints = catalog.endpoints(of: bundleID, wanting: kind)
        guard !endpoints.isEmpty else { return nil }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        // Texts, whole numbers and flags: there is nothing in it that cannot be encoded.
        let json = (try? encoder.encode(JSONValue.object(data))) ?? Data("{}".utf8)
        let event = CustomerEvent(
            id: EventID(ofKey: [kind.rawValue, bundleID.rawValue] + key), kind: kind,
            bundleID: bundleID, environment: environment,
            customer: keepsName ? customer : names.canonical(customer),
            data: String(decoding: json, as: UTF8.self), at: at)
        return .event(event, to: endpoints)
    }
}

extension Decision {
    /// Tells the app's backend what happened, in the same commit; nothing where nobody wants it.
    mutating func record(event: EventDraft, under catalog: Catalog, names: CustomerNames) {
        if let fact = event.fact(under: catalog, names: names) { facts.append(fact) }
    }

    /// The decision, with what its facts mean to customers told in the same commit.
    func telling(over snapshot: FactSnapshot, under catalog: Catalog) -> Decision {
        guard catalog.hasWebhooks else { return self }
        var told = self
        var snapshot = snapshot
        for fact in facts {
            snapshot.include(fact)
            if let event = snapshot.event(of: fact) {
                told.record(event: event, under: catalog, names: snapshot.names)
            }
        }
        return told
    }
}

// MARK: What facts tell by themselves

extension FactSnapshot {
    /// What a fact that is now recorded means to a customer; nil for most.
    ///
    /// The snapshot must hold the fact already.
    func event(of fact: Fact) -> EventDraft? {
        switch fact {
        case .grant(let book, let grant):
            draft(.purchaseGranted, grant, in: book, turn: 0, at: grant.grantedAt)
        case .grantChange(let book, let change):
            books[book]?.grants[change.key].map { grant in
                draft(
                    change.takesBack ? .purchaseRevoked : .purchaseRestored, grant, in: book,
                    turn: change.turn, at: change.at)
            }
        case .refusal(let book, let refusal): draft(refusal, in: book)
        case .share(let book, let share): share.draft(in: book)
        case .orderEvent(let event): orders[event.orderID].map { $0.order.draft(event) }
        case .movement(let movement): movement.draft
        case .promotion(let promotion):
            promotion.place.draft(
                .entitlementPromoted,
                [
                    "entitlement": .string(promotion.entitlement.rawValue),
                    "reason": .string(promotion.reason),
                ], at: promotion.at)
        case .promotionEnded(let place, let now):
            place.draft(.entitlementPromotionEnded, [:], at: now)
        default: nil
        }
    }

    private func draft(
        _ kind: EventKind, _ grant: Grant, in book: Book, turn: Int, at now: Timestamp
    ) -> EventDraft {
        var data: [String: JSONValue] = [
            "transactionId": .string(grant.transactionID.rawValue),
            "productId": .string(grant.productID.rawValue),
            "productType": .string(grant.kind.rawValue), "quantity": .integer(grant.quantity),
            "purchaseDate": .integer(grant.purchaseDate.milliseconds),
            "credits": .object(
                Dictionary(
                    grant.credits.map { ($0.rawValue, JSONValue.integer($1)) },
                    uniquingKeysWith: { first, _ in first })),
            "entitlements": .array(grant.entitlements.map { .string($0.rawValue) }),
        ]
        data["orderId"] = grant.orderID.map { .string($0.rawValue) }
        let transactions = books[book]?.transactions(of: grant.key) ?? []
        data["originalTransactionId"] = transactions.first.map { .string($0.originalID.rawValue) }
        let state = TransactionState(
            transactions.flatMap { books[book]?.observations[$0.id] ?? [] })
        data["expiresDate"] = state?.fields.expiresDate.map { .integer($0.milliseconds) }
        data["revocationDate"] = state?.fields.revocationDate.map { .integer($0.milliseconds) }
        data["revocationReason"] = state?.fields.revocationReason.map { .integer($0.rawValue) }
        return EventDraft(
            kind: kind, key: book.key + [grant.key.rawValue, String(turn)],
            bundleID: book.bundleID, environment: book.environment,
            // Who has it now, which may be another than the one who got it.
            customer: transactions.lazy.compactMap(\.holder).first ?? grant.customer, data: data,
            at: now)
    }

    private func draft(_ refusal: RecordedRefusal, in book: Book) -> EventDraft {
        var data: [String: JSONValue] = [
            "transactionId": .string(refusal.transactionID.rawValue),
            "reason": .string(refusal.reason.rawValue),
        ]
        let transaction = books[book]?.transactions[refusal.transactionID]
        data["productId"] = transaction.map { .string($0.productID.rawValue) }
        let key = [
            refusal.transactionID.rawValue, refusal.customer.rawValue, refusal.reason.rawValue,
        ]
        return EventDraft(
            kind: .purchaseRefused, key: book.key + key, bundleID: book.bundleID,
            environment: book.environment, customer: refusal.customer, data: data, at: refusal.at)
    }
}

extension WalletMovement {
    fileprivate var draft: EventDraft {
        var data: [String: JSONValue] = [
            "currency": .string(currency.rawValue), "amount": .integer(amount),
        ]
        data["reason"] = reason.map { .string($0) }
        return place.draft(account == .spent ? .walletSpent : .walletCredited, data, at: at)
    }
}

extension MovementPlace {
    /// What happened under the caller's name.
    fileprivate func draft(
        _ kind: EventKind, _ data: [String: JSONValue], at now: Timestamp
    ) -> EventDraft {
        EventDraft(
            kind: kind, key: book.key + [customer.rawValue, id.rawValue], bundleID: book.bundleID,
            environment: book.environment, customer: customer,
            data: data.merging(["id": .string(id.rawValue)]) { first, _ in first }, at: now)
    }
}

extension Share {
    fileprivate func draft(in book: Book) -> EventDraft {
        EventDraft(
            kind: .purchaseShared, key: book.key + [originalID.rawValue, String(number)],
            bundleID: book.bundleID, environment: book.environment, customer: customer,
            data: ["originalTransactionId": .string(originalID.rawValue)], at: since)
    }
}

extension Ownership {
    /// What a takeover means to the one who has it now, and to the one who had it.
    ///
    /// Neither is told who the other is: names in what is told would outlive an erasure.
    func drafts(
        from former: CustomerID, of transaction: RecordedTransaction, in book: Book
    ) -> [EventDraft] {
        [("former", former), ("new", customer)].map { role, customer in
            EventDraft(
                kind: .purchaseTransferred,
                key: book.key + [originalID.rawValue, String(number), role],
                bundleID: book.bundleID, environment: book.environment, customer: customer,
                data: [
                    "originalTransactionId": .string(originalID.rawValue),
                    "transactionId": .string(transaction.id.rawValue),
                    "productId": .string(transaction.productID.rawValue), "role": .string(role),
                ], at: since)
        }
    }
}

extension Merge {
    /// What a merge means to an app: the last word under the one name, and a word under the other.
    func drafts(in bundleID: BundleID) -> [EventDraft] {
        [("from", from, "into", into), ("into", into, "from", from)].map { name in
            EventDraft(
                kind: .customerMerged, key: [from.rawValue, into.rawValue, name.0],
                bundleID: bundleID, environment: nil, customer: name.1,
                data: [name.2: .string(name.3.rawValue)], at: at, keepsName: true)
        }
    }
}

extension Book {
    var key: [String] { [environment.rawValue, anchor ?? ""] }
}

extension OrderEvent.Kind {
    fileprivate var told: EventKind {
        switch self {
        case .deferred: .orderDeferred
        case .paid: .orderPaid
        case .fulfilled: .orderFulfilled
        case .refunded: .orderRefunded
        case .refundReversed: .orderRestored
        case .productMismatch, .quantityMismatch, .environmentMismatch, .priceMismatch,
            .paidTwice:
            .orderFlagged
        }
    }
}

extension Order {
    fileprivate func draft(_ event: OrderEvent) -> EventDraft {
        let kind = event.kind.told
        var draft = draft(
            kind, key: String(event.number), in: event.transaction?.book.environment, at: event.at)
        draft.data["transactionId"] = event.transaction.map { .string($0.id.rawValue) }
        if kind == .orderFlagged { draft.data["flag"] = .string(event.kind.rawValue) }
        return draft
    }

    /// What happened to the order; `key` tells it from what else happens to it.
    func draft(
        _ kind: EventKind, key: String, in environment: AppStoreEnvironment? = nil,
        at now: Timestamp
    ) -> EventDraft {
        EventDraft(
            kind: kind, key: [id.rawValue, key], bundleID: bundleID, environment: environment,
            customer: customer,
            data: [
                "orderId": .string(id.rawValue), "productId": .string(productID.rawValue),
                "quantity": .integer(quantity), "openedAt": .integer(openedAt.milliseconds),
            ], at: now)
    }
}
