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
    /// Whether anybody may want to hear of what happens.
    private let tells: Bool

    init(_ purchase: PurchaseCase, over snapshot: FactSnapshot) {
        self.purchase = purchase
        self.snapshot = snapshot
        tells = purchase.catalog.hasWebhooks
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
        return Decision(facts: decision.facts, answer: .fresh(answer))
    }

    private mutating func decideAll() -> PurchaseAnswer {
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
        let outcome = settle(transaction, in: item.book)
        if let customer = purchase.customer, transaction.holder != customer {
            return refuse(item, .belongsToAnother, mayFinish: outcome.mayFinish)
        }
        if case .refused(let reason) = outcome {
            return refuse(item, reason, orderID: transaction.orderID, mayFinish: reason.mayFinish)
        }
        return item.result(outcome, orderID: transaction.orderID, mayFinish: outcome.mayFinish)
    }

    /// The facts of the item's book.
    func book(_ item: PurchaseItem) -> BookFacts { facts(of: item.book) }

    /// The facts of a book.
    func facts(of book: Book) -> BookFacts { snapshot.books[book] ?? BookFacts() }

    /// Lists a fact and lets the rest of the decision see it.
    mutating func record(_ fact: Fact) {
        facts.append(fact)
        snapshot.include(fact)
        if tells, let event = snapshot.event(of: fact) { record(event: event) }
    }

    /// Tells the app's backend what happened, in the same commit; nothing where nobody wants it.
    mutating func record(event: EventDraft) {
        if let fact = event.fact(under: purchase.catalog) { facts.append(fact) }
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
        }
        if let customer = bound.customer { own(item, customer, bound.binding) }
        if let order = bound.order { notePayment(item, on: order, isPayable: bound.isPayable) }
        guard let transaction = book(item).transactions[item.id] else {
            preconditionFailure("a recorded transaction is in the facts")
        }
        return transaction
    }

    /// Makes the customer the original's owner, if it has none, and hands out what waited for one.
    private mutating func own(_ item: PurchaseItem, _ customer: CustomerID, _ binding: Binding) {
        guard book(item).owners[item.originalID] == nil else { return }
        let ownership = Ownership(
            originalID: item.originalID, number: 0, customer: customer, binding: binding,
            since: purchase.now)
        record(.ownership(item.book, ownership))
        for waiting in book(item).transactions(ofOriginal: item.originalID)
        where waiting.holder == nil {
            let claim = Claim(
                transactionID: waiting.id, customer: customer, binding: .originalTransaction,
                orderID: nil, at: purchase.now)
            record(.claimed(item.book, claim))
            guard let claimed = book(item).transactions[waiting.id] else { continue }
            _ = settle(claimed, in: item.book)
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
            if let proof = purchase.proofs[fact.proof], keptProofs.insert(fact.proof).inserted {
                facts.append(.proof(proof))
            }
            let observation = Observation(
                number: known.count, signedAt: fact.signedAt, fields: fact.fields,
                proof: fact.proof)
            record(.observation(item.book, item.id, observation))
        }
    }

    private mutating func refuse(
        _ item: PurchaseItem, _ reason: RefusalReason, orderID: OrderID? = nil, mayFinish: Bool
    ) -> TransactionResult {
        let shown = ShownRefusal(transactionID: item.id, reason: reason)
        if let customer = purchase.customer, !book(item).refusals.contains(shown) {
            let refusal = RecordedRefusal(
                transactionID: item.id, customer: customer, reason: reason, at: purchase.now)
            record(.refusal(item.book, refusal))
        }
        return item.result(.refused(reason), orderID: orderID, mayFinish: mayFinish)
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
