import AppStoreModel

extension PurchaseDecision {
    /// Hands out, takes back or gives back what the purchase stands for, as its state asks.
    mutating func settle(
        _ item: PurchaseItem, _ transaction: RecordedTransaction
    ) -> TransactionOutcome {
        let purchase = purchaseFacts(item, transaction.grantKey)
        guard let state = purchase.state else { return .refused(.proofIncomplete) }
        guard let grant = purchase.grant else {
            guard state.isRevoked else { return grantAnew(item, transaction) }
            noteRefund(item, transaction.orderID)
            return .refused(.revoked)
        }
        switch (state.isRevoked, purchase.stands) {
        case (true, true):
            turn(grant, purchase, item)
            return .refused(.revoked)
        case (true, false):
            return .refused(.revoked)
        case (false, true):
            return .alreadyGranted
        case (false, false):
            turn(grant, purchase, item)
            return .granted
        }
    }

    private mutating func grantAnew(
        _ item: PurchaseItem, _ transaction: RecordedTransaction
    ) -> TransactionOutcome {
        guard let rule = purchase.catalog.apps[item.book.bundleID]?.products[transaction.productID]
        else { return .refused(.productUnknown) }
        let grant = Grant(
            key: transaction.grantKey, transactionID: item.id, customer: transaction.customer,
            productID: transaction.productID, kind: rule.kind, quantity: transaction.quantity,
            purchaseDate: transaction.purchaseDate,
            credits: rule.credits.mapValues { $0 * transaction.quantity },
            entitlements: rule.entitlements.sorted(), duration: rule.duration,
            orderID: transaction.orderID, grantedAt: purchase.now)
        record(.grant(item.book, grant))
        move(grant, in: item.book, turn: 0)
        note(.fulfilled, grant, item)
        return .granted
    }

    /// Takes the grant back if it stands, and gives it back if it does not.
    private mutating func turn(_ grant: Grant, _ facts: PurchaseFacts, _ item: PurchaseItem) {
        let change = GrantChange(
            key: grant.key, turn: (facts.changes.last?.turn ?? 0) + 1, transactionID: item.id,
            at: purchase.now)
        record(.grantChange(item.book, change))
        move(grant, in: item.book, turn: change.turn)
        note(change.takesBack ? .refunded : .refundReversed, grant, item)
    }

    private mutating func move(_ grant: Grant, in book: Book, turn: Int) {
        for entry in grant.entries(turn: turn, at: purchase.now) {
            record(.walletEntry(book, entry))
        }
    }

    /// Tells an order that was paid by what is refunded already; nothing was handed out for it.
    private mutating func noteRefund(_ item: PurchaseItem, _ id: OrderID?) {
        guard let order = id.flatMap({ snapshot.orders[$0] }),
            order.status(at: purchase.now) != .refunded
        else { return }
        record(.orderEvent(order.nextEvent(.refunded, item.reference, at: purchase.now)))
    }

    private mutating func note(_ kind: OrderEvent.Kind, _ grant: Grant, _ item: PurchaseItem) {
        guard let order = grant.orderID.flatMap({ snapshot.orders[$0] }) else { return }
        record(.orderEvent(order.nextEvent(kind, item.reference, at: purchase.now)))
    }

    private func purchaseFacts(_ item: PurchaseItem, _ key: GrantKey) -> PurchaseFacts {
        let facts = book(item)
        let transactions = facts.transactions(of: key)
        return PurchaseFacts(
            book: item.book, key: key, transactions: transactions,
            observations: transactions.flatMap { facts.observations[$0.id] ?? [] },
            grant: facts.grants[key], changes: facts.changes[key] ?? [])
    }
}

extension Grant {
    /// The movements of a turn, by currency: an even turn adds, an odd one takes away.
    func entries(turn: Int, at now: Timestamp) -> [WalletEntry] {
        credits.sorted { $0.key < $1.key }.filter { $0.value != 0 }.map { currency, amount in
            WalletEntry(
                customer: customer, currency: currency, amount: turn % 2 == 0 ? amount : -amount,
                key: key, turn: turn, at: now)
        }
    }
}
