import AppStoreModel

/// Decides a submission over recorded facts.
///
/// Pure: it reads a snapshot and lists what to record.
struct PurchaseDecision {
    let purchase: PurchaseCase
    /// The facts, those decided so far included.
    private(set) var snapshot: FactSnapshot
    private(set) var facts: [Fact] = []
    private var keptProofs: Set<ProofDigest> = []

    init(_ purchase: PurchaseCase, over snapshot: FactSnapshot) {
        self.purchase = purchase
        self.snapshot = snapshot
    }

    /// Decides every transaction of the submission.
    static func decide(
        _ purchase: PurchaseCase, over snapshot: FactSnapshot
    ) -> Decision<Keyed<PurchaseAnswer>> {
        if let key = purchase.idempotency, let before = snapshot.answer {
            guard before.isFor(key), let answer = PurchaseAnswer(stored: before.answer) else {
                return Decision(answer: .keyReused)
            }
            return Decision(answer: .replayed(answer))
        }
        var decision = PurchaseDecision(purchase, over: snapshot)
        let answer = decision.decideAll()
        return Decision(
            facts: decision.facts, answer: .fresh(answer), outcome: decision.snapshot)
    }

    mutating func decideAll() -> PurchaseAnswer {
        let told = purchase.toldSubscriptions.sorted { $0.id < $1.id }
        let before = told.isEmpty ? nil : snapshot
        let journaled = journaledItem()
        var isTracked = purchase.track == nil
        var answer = PurchaseAnswer(absent: purchase.absent)
        for item in purchase.items {
            let isNew = book(item).transactions[item.id] == nil
            answer.results.append(decide(item, isJournaled: item.reference == journaled))
            if isNew, !isTracked, let track = purchase.track, let customer = purchase.customer {
                isTracked = true
                let entry = Track(
                    transactionID: item.id, customer: customer, json: track, at: purchase.now)
                facts.append(.track(item.book, entry))
            }
        }
        if !purchase.known.isEmpty { decideKnown(into: &answer) }
        for renewal in purchase.renewals { observe(renewal) }
        if let before {
            for subscription in told { tell(subscription.id, in: subscription.book, over: before) }
        }
        answer.results += purchase.refused
        // What may turn out otherwise next time is not frozen under the key.
        if let key = purchase.idempotency, answer.isFinal, let text = answer.stored {
            facts.append(.answer(StoredAnswer(key: key, answer: text, at: purchase.now)))
        }
        return answer
    }

    private mutating func decide(_ item: PurchaseItem, isJournaled: Bool) -> TransactionResult {
        let transaction = ownedTransaction(item, isJournaled: isJournaled)
        observe(item)
        var outcome = settle(transaction, in: item.book)
        if purchase.customer != nil, !isUploaders(transaction.holder) {
            guard isGranted(in: item.book, to: customer) else {
                return refuse(item, .environmentNotAdmitted, transaction, mayFinish: true)
            }
            guard let taken = takeOver(transaction, in: item.book, after: outcome) else {
                return refuse(
                    item, .belongsToAnother, transaction, mayFinish: outcome.mayFinish)
            }
            outcome = taken
        }
        if case .refused(let reason) = outcome {
            return refuse(item, reason, transaction, mayFinish: reason.mayFinish)
        }
        return item.result(
            outcome, orderID: shownOrder(of: transaction), mayFinish: outcome.mayFinish)
    }

    /// The facts of the item's book.
    func book(_ item: PurchaseItem) -> BookFacts { facts(of: item.book) }

    /// The facts of a book.
    func facts(of book: Book) -> BookFacts { snapshot.books[book] ?? BookFacts() }

    /// Lists a fact and lets the rest of the decision see it.
    mutating func record(_ fact: Fact) {
        facts.append(fact)
        snapshot.include(fact)
        if purchase.catalog.hasWebhooks, var event = snapshot.event(of: fact) {
            event.data["cause"] = purchase.cause.map { .string($0) }
            record(event: event)
        }
        if purchase.catalog.asksApple { facts += work(after: fact).map { .task($0) } }
    }

    /// Tells the app's backend what happened, in the same commit; nothing where nobody wants it.
    mutating func record(event: EventDraft) {
        if let fact = event.fact(under: purchase.catalog, names: snapshot.names) {
            facts.append(fact)
        }
    }

    // MARK: Recording

    /// The transaction as it is recorded now: entered when it is new, claimed when nobody owned it.
    private mutating func ownedTransaction(
        _ item: PurchaseItem, isJournaled: Bool
    ) -> RecordedTransaction {
        let known = book(item).transactions[item.id]
        if let known, known.holder != nil || purchase.customer == nil { return known }
        let bound = bind(item, isJournaled: isJournaled)
        if known != nil {
            if let claim = bound.claim(of: item.id, at: purchase.now) {
                record(.claimed(item.book, claim))
            }
        } else {
            let transaction = RecordedTransaction(
                id: item.id, originalID: item.originalID, grantKey: item.grantKey,
                productID: item.productID, quantity: item.quantity,
                purchaseDate: item.purchaseDate, webOrderLineItemID: item.webOrderLineItemID,
                customer: bound.customer, binding: bound.binding, orderID: bound.payableOrder,
                recordedAt: purchase.now,
                ownerNumber: book(item).owners[item.originalID]?.number ?? 0)
            record(.transaction(item.book, transaction))
            noteNew(item)
        }
        if let customer = bound.customer {
            own(item.originalID, in: item.book, customer, bound.binding)
        }
        if let order = bound.order { notePayment(item, on: order, isPayable: bound.isPayable) }
        guard let transaction = book(item).transactions[item.id] else {
            preconditionFailure("a recorded transaction is in the facts")
        }
        return transaction
    }

    /// Makes the customer the original's owner, if it has none, and hands out what waited for one.
    mutating func own(
        _ original: TransactionID, in book: Book, _ customer: CustomerID, _ binding: Binding
    ) {
        guard facts(of: book).owners[original] == nil else { return }
        let ownership = Ownership(
            originalID: original, number: 0, customer: customer, binding: binding,
            since: purchase.now)
        record(.ownership(book, ownership))
        for waiting in facts(of: book).transactions(ofOriginal: original)
        where waiting.holder == nil {
            let claim = Claim(
                transactionID: waiting.id, customer: customer, binding: .originalTransaction,
                orderID: nil, at: purchase.now)
            record(.claimed(book, claim))
            guard let claimed = facts(of: book).transactions[waiting.id] else { continue }
            _ = settle(claimed, in: book)
        }
    }

    /// Records what the proofs say that is not known yet, and keeps the proofs that say it.
    private mutating func observe(_ item: PurchaseItem) {
        for fact in item.facts {
            let known = book(item).observations[item.id] ?? []
            if let same = known.first(where: { $0.fields == fact.fields }) {
                guard same.signedAt < fact.signedAt else { continue }
                record(.signedAgain(item.book, item.id, number: same.number, at: fact.signedAt))
                continue
            }
            keep(fact.proof)
            let observation = Observation(
                number: known.count, signedAt: fact.signedAt, fields: fact.fields,
                proof: fact.proof)
            record(.observation(item.book, item.id, observation))
        }
    }

    /// Records what a renewal info says, if it is not known yet.
    private mutating func observe(_ renewal: VerifiedRenewal) {
        let known = facts(of: renewal.book).renewals[renewal.originalID] ?? []
        if let same = known.first(where: { $0.fields == renewal.fields }) {
            guard same.signedAt < renewal.signedAt else { return }
            return record(
                .renewalSignedAgain(
                    renewal.book, renewal.originalID, number: same.number, at: renewal.signedAt))
        }
        keep(renewal.proof)
        let observation = RenewalObservation(
            originalID: renewal.originalID, number: known.count, signedAt: renewal.signedAt,
            fields: renewal.fields, proof: renewal.proof)
        record(.renewal(renewal.book, observation))
    }

    /// Keeps a proof, once.
    mutating func keep(_ digest: ProofDigest) {
        guard let proof = purchase.proofs[digest], keptProofs.insert(digest).inserted else {
            return
        }
        facts.append(.proof(proof))
    }

    private mutating func refuse(
        _ item: PurchaseItem, _ reason: RefusalReason, _ transaction: RecordedTransaction,
        mayFinish: Bool
    ) -> TransactionResult {
        let shown = ShownRefusal(transactionID: item.id, reason: reason)
        if let customer = purchase.customer, !book(item).refusals.contains(shown) {
            let refusal = RecordedRefusal(
                transactionID: item.id, customer: customer, reason: reason, at: purchase.now)
            record(.refusal(item.book, refusal))
            noteRefusal(reason, of: transaction, in: item.book)
        }
        let isOwn = purchase.customer == nil || isUploaders(transaction.holder)
        return item.result(
            .refused(reason), orderID: isOwn ? shownOrder(of: transaction) : nil,
            mayFinish: mayFinish)
    }
}

extension TransactionOutcome {
    /// Whether the app may let go of what came to this, as far as its owner is concerned.
    var mayFinish: Bool {
        switch self {
        case .granted, .alreadyGranted: true
        case .pending: false
        case .refused(let reason): reason.mayFinish
        }
    }
}

extension PurchaseItem {
    func result(
        _ outcome: TransactionOutcome, orderID: OrderID?, mayFinish: Bool
    ) -> TransactionResult {
        TransactionResult(
            transactionID: signedID, originalTransactionID: signedOriginalID, productID: productID,
            book: book, outcome: outcome, orderID: orderID, mayFinish: mayFinish)
    }
}
