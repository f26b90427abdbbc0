import AppStoreModel

extension PurchaseDecision {
    /// Hands out, takes back or gives back what the purchase stands for, as its state asks.
    mutating func settle(
        _ transaction: RecordedTransaction, in book: Book, isRetry: Bool = false
    ) -> TransactionOutcome {
        let purchase = purchaseFacts(transaction.grantKey, in: book)
        guard let state = purchase.state else { return .refused(.proofIncomplete) }
        guard let grant = purchase.grant else {
            guard state.isRevoked else {
                let outcome = grantAnew(transaction, in: book)
                if case .refused(.productUnknown) = outcome, !isRetry {
                    record(.task(waiting(transaction, in: book)))
                }
                return outcome
            }
            noteRefund(transaction, in: book)
            return .refused(.revoked)
        }
        switch (state.isRevoked, purchase.stands) {
        case (true, true):
            turn(grant, purchase, by: transaction)
            return .refused(.revoked)
        case (true, false):
            return .refused(.revoked)
        case (false, true):
            return .alreadyGranted
        case (false, false):
            turn(grant, purchase, by: transaction)
            return .granted
        }
    }

    private mutating func grantAnew(
        _ transaction: RecordedTransaction, in book: Book
    ) -> TransactionOutcome {
        guard isGranted(in: book, to: transaction.holder) else {
            return .refused(.environmentNotAdmitted)
        }
        guard let rule = purchase.catalog.apps[book.bundleID]?.products[transaction.productID]
        else { return .refused(.productUnknown) }
        guard let holder = transaction.holder else { return .pending }
        let grant = Grant(
            key: transaction.grantKey, transactionID: transaction.id, customer: holder,
            productID: transaction.productID, kind: rule.kind, quantity: transaction.quantity,
            purchaseDate: transaction.purchaseDate,
            credits: rule.credits.mapValues { $0 * transaction.quantity },
            entitlements: rule.entitlements.sorted(), duration: rule.duration,
            orderID: transaction.orderID, grantedAt: purchase.now)
        record(.grant(book, grant))
        move(grant, in: book, turn: 0)
        note(.fulfilled, grant, transaction, in: book)
        return .granted
    }

    /// Takes the grant back if it stands, and gives it back if it does not.
    private mutating func turn(
        _ grant: Grant, _ facts: PurchaseFacts, by transaction: RecordedTransaction
    ) {
        let change = GrantChange(
            key: grant.key, turn: (facts.changes.last?.turn ?? 0) + 1,
            transactionID: transaction.id, at: purchase.now)
        record(.grantChange(facts.book, change))
        move(grant, in: facts.book, turn: change.turn)
        if change.takesBack, !snapshot.names.isErased(grant.customer) {
            note(
                .refund, of: snapshot.names.canonical(grant.customer),
                "\(facts.book.environment) \(grant.key)")
        }
        note(
            change.takesBack ? .refunded : .refundReversed, grant, transaction, in: facts.book)
    }

    private mutating func move(_ grant: Grant, in book: Book, turn: Int) {
        let facts = facts(of: book)
        let before = (facts.entries[grant.key] ?? []).filter { $0.turn == turn - 1 }
        let keepsAboveZero =
            purchase.catalog.apps[book.bundleID]?.keepsWalletsAboveZero ?? false
        for entry in grant.entries(turn: turn, at: purchase.now) {
            let undone = before.first { $0.currency == entry.currency }
            if turn % 2 == 0 {
                // Given back is what was taken, and what is owed for it is owed no more.
                record(.walletEntry(book, entry.owing(-(undone?.debt ?? 0))))
            } else if keepsAboveZero {
                let balance = facts.balances.reduce(Int64(0)) { sum, wallet in
                    snapshot.names.isSame(wallet.key, grant.customer)
                        ? sum + (wallet.value[entry.currency] ?? 0) : sum
                }
                record(.walletEntry(book, entry.owing(max(0, -entry.amount - max(0, balance)))))
            } else {
                record(.walletEntry(book, entry))
            }
        }
    }

    /// Tells an order that was paid by what is refunded already; nothing was handed out for it.
    private mutating func noteRefund(_ transaction: RecordedTransaction, in book: Book) {
        guard let order = transaction.orderID.flatMap({ snapshot.orders[$0] }),
            order.status(at: purchase.now) != .refunded
        else { return }
        record(
            .orderEvent(
                order.nextEvent(.refunded, transaction.reference(in: book), at: purchase.now)))
    }

    private mutating func note(
        _ kind: OrderEvent.Kind, _ grant: Grant, _ transaction: RecordedTransaction,
        in book: Book
    ) {
        guard let order = grant.orderID.flatMap({ snapshot.orders[$0] }) else { return }
        record(
            .orderEvent(order.nextEvent(kind, transaction.reference(in: book), at: purchase.now)))
    }

    func purchaseFacts(_ key: GrantKey, in book: Book) -> PurchaseFacts {
        facts(of: book).purchase(key, in: book)
    }
}

extension RecordedTransaction {
    /// The transaction as others refer to it.
    func reference(in book: Book) -> TransactionReference {
        TransactionReference(book: book, id: id)
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

extension WalletEntry {
    /// The same movement with a part of it owed instead of taken.
    fileprivate func owing(_ debt: Int64) -> WalletEntry {
        WalletEntry(
            customer: customer, currency: currency, amount: amount + debt, debt: debt, key: key,
            turn: turn, at: at)
    }
}
