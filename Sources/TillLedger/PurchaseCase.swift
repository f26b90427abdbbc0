import AppStoreModel

/// A submission made ready to be decided: what is out of question is refused, the rest is put in order.
struct PurchaseCase: Sendable {
    let customer: CustomerID?
    let orderID: OrderID?
    let isRestore: Bool
    let track: String?
    let cause: String?
    let idempotency: IdempotencyKey?
    let catalog: Catalog
    let now: Timestamp
    /// What can be recorded; ordered by book, purchase date and id, so that the order of the proofs
    /// changes nothing.
    let items: [PurchaseItem]
    /// What is refused without being recorded.
    let refused: [TransactionResult]
    /// What the uploader waits for, as it was said.
    let claimed: [TransactionID]
    /// Claimed and in no proof, and not known either.
    let absent: [TransactionID]
    /// Claimed and in no proof, but known; empty until the ledger was asked.
    let known: [KnownClaim]
    let proofs: [ProofDigest: StoredProof]
    /// Of apps and environments that are granted alone; oldest first.
    let renewals: [VerifiedRenewal]

    init(
        _ submission: PurchaseSubmission, catalog: Catalog, idempotency: IdempotencyKey?,
        now: Timestamp, knowing known: [KnownClaim] = []
    ) throws(LedgerError) {
        let selected = submission.selectedFacts(knowing: known)
        guard selected.facts.count <= PurchaseSubmission.mostTransactions else {
            throw LedgerError(
                .tooManyTransactions,
                "more than \(PurchaseSubmission.mostTransactions) transactions at once")
        }
        var items: [PurchaseItem] = []
        var refused: [TransactionResult] = []
        for facts in Self.grouped(selected.facts) {
            let reason = catalog.refusal(of: facts[0], requested: submission.bundleID)
            if let reason {
                refused.append(facts[0].refused(reason))
            } else if let item = PurchaseItem(merging: facts) {
                items.append(item)
            } else {
                refused.append(facts[0].refused(.proofIncomplete))
            }
        }
        self.items = items.sorted(by: Self.precedes)
        self.refused = refused.sorted {
            ($0.book, $0.transactionID) < ($1.book, $1.transactionID)
        }
        claimed = submission.transactionIDs
        absent = selected.absent
        self.known = known
        customer = submission.customer
        orderID = submission.orderID
        isRestore = submission.isRestore
        track = submission.track
        cause = submission.cause
        self.idempotency = idempotency
        self.catalog = catalog
        self.now = now
        renewals = submission.renewals
            .filter { catalog.apps[$0.book.bundleID]?.records($0.book.environment) == true }
            .sorted { $0.signedAt < $1.signedAt }
        let kept = submission.proofs + submission.renewals.compactMap(\.kept)
        proofs = Dictionary(
            kept.map { ($0.digest, $0.stored(at: now)) },
            uniquingKeysWith: { first, _ in first })
    }

    /// The facts of each transaction; mostly there is one fact alone.
    private static func grouped(_ facts: [PurchaseFact]) -> [[PurchaseFact]] {
        facts.count == 1 ? [facts] : Array(Dictionary(grouping: facts, by: \.place).values)
    }

    /// The answer when there is nothing to record.
    var answerOfNothing: PurchaseAnswer { PurchaseAnswer(results: refused, absent: absent) }

    private static func precedes(_ left: PurchaseItem, _ right: PurchaseItem) -> Bool {
        if left.book != right.book { return left.book < right.book }
        return (left.purchaseDate, left.id) < (right.purchaseDate, right.id)
    }

    /// The keys of every fact that can matter.
    var query: FactQuery {
        var query = FactQuery()
        query.idempotency = idempotency
        var products: [BundleID: Set<ProductID>] = [:]
        var named: [OrderID: Set<BundleID>] = [:]
        for item in items {
            var book = query.books[item.book] ?? BookQuery()
            book.transactions.insert(item.id)
            book.originals.insert(item.originalID)
            book.grants.insert(item.grantKey)
            book.viewer = customer
            book.includesBalances =
                catalog.apps[item.book.bundleID]?.keepsWalletsAboveZero ?? false
            if customer != nil, let group = item.introductoryGroup {
                book.introductoryGroups.insert(group)
            }
            query.books[item.book] = book
            if let order = item.tokenOrder {
                query.orders.insert(order)
                named[order, default: []].insert(item.book.bundleID)
            }
            products[item.book.bundleID, default: []].insert(item.productID)
        }
        for claim in known { include(claim, in: &query) }
        for renewal in renewals {
            query.books[renewal.book, default: BookQuery()].renewals.insert(renewal.originalID)
        }
        for subscription in toldSubscriptions {
            query.books[subscription.book, default: BookQuery()].subscriptions
                .insert(subscription.id)
        }
        if let orderID { query.orders.insert(orderID) }
        if let customer { query.customers.insert(customer) }
        if let customer, !items.isEmpty {
            query.unpaidOrders = UnpaidOrdersQuery(
                customer: customer, products: products,
                named: items.allSatisfy { $0.tokenOrder != nil } ? named : [:])
        }
        return query
    }
}

extension PurchaseSubmission {
    /// What the proofs show, the claimed records alone where a receipt brings many.
    ///
    /// A claim is an id; one that no record has may be the original of several. A restore names originals
    /// and means all that came of them. What the ledger knows by a claim selects the records of its chain.
    fileprivate func selectedFacts(
        knowing known: [KnownClaim]
    ) -> (facts: [PurchaseFact], absent: [TransactionID]) {
        let claimed = Set(transactionIDs)
        guard !claimed.isEmpty else { return (proofs.flatMap(\.facts), []) }
        let everything = proofs.flatMap(\.facts)
        let exact = claimed.intersection(everything.map(\.signedID))
        let originals = isRestore ? claimed : claimed.subtracting(exact)
        let chains = Set(known.map(\.chain))
        let facts = proofs.flatMap { proof in
            proof.source != .receipt
                ? proof.facts
                : proof.facts.filter {
                    exact.contains($0.signedID) || originals.contains($0.signedOriginalID)
                        || !chains.isEmpty && chains.contains($0.chain)
                }
        }
        let found = exact.union(originals.intersection(everything.map(\.signedOriginalID)))
            .union(known.map(\.id))
        var seen: Set<TransactionID> = []
        let absent = transactionIDs.filter { !found.contains($0) && seen.insert($0).inserted }
        return (facts, absent)
    }
}

extension VerifiedProof {
    /// The proof as it is kept.
    func stored(at now: Timestamp) -> StoredProof {
        StoredProof(digest: digest, kind: source, bytes: bytes, receivedAt: now)
    }
}

/// Where a fact belongs: facts of one place are about one transaction.
struct TransactionPlace: Hashable {
    let book: Book
    let id: TransactionID
}

extension PurchaseFact {
    fileprivate var place: TransactionPlace { TransactionPlace(book: book, id: id) }

    /// Where the chain belongs of which it is.
    var chain: TransactionPlace { TransactionPlace(book: book, id: originalID) }

    fileprivate func refused(_ reason: RefusalReason) -> TransactionResult {
        TransactionResult(
            transactionID: signedID, originalTransactionID: signedOriginalID, productID: productID,
            book: book, outcome: .refused(reason), orderID: nil, mayFinish: reason.mayFinish)
    }
}

extension Catalog {
    /// Why a proof is out of question whatever is recorded; nil when it is not.
    fileprivate func refusal(of fact: PurchaseFact, requested: BundleID?) -> RefusalReason? {
        if let requested, requested != fact.book.bundleID { return .bundleMismatch }
        guard let app = apps[fact.book.bundleID] else { return .appUnknown }
        return app.records(fact.book.environment) ? nil : .environmentNotAdmitted
    }
}
