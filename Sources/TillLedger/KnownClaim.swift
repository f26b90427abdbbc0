import AppStoreModel

/// A transaction that the uploader waits for, that no proof shows and that the ledger knows.
///
/// StoreKit 1 gives a restored purchase a new id, and a second device may see another one, while the
/// receipt has the first. Apple's notification may have told of the other id. An id alone proves
/// nothing: it is answered only where what is recorded, or a proof of the same chain, makes it the
/// uploader's.
struct KnownClaim: Sendable, Hashable {
    let book: Book
    let id: TransactionID
    let originalID: TransactionID

    /// Where the chain belongs of which it is.
    var chain: TransactionPlace { TransactionPlace(book: book, id: originalID) }
}

extension Ledger {
    /// Makes a submission ready to be decided; asks what is known of claims that no proof shows.
    ///
    /// What a transaction's id and original are never changes, so it need not be read again to decide.
    func purchaseCase(
        _ submission: PurchaseSubmission, idempotency: IdempotencyKey?, now: Timestamp
    ) async throws(LedgerError) -> PurchaseCase {
        let purchase = try PurchaseCase(
            submission, catalog: catalog, idempotency: idempotency, now: now)
        guard !purchase.absent.isEmpty, purchase.customer != nil else { return purchase }
        var query = FactQuery()
        for book in submission.books where catalog.looks(in: book, for: submission) {
            query.books[book] = BookQuery()
            query.books[book]?.transactions = Set(purchase.absent)
        }
        guard !query.books.isEmpty else { return purchase }
        let snapshot = try await store.facts(query)
        let known = query.books.keys.sorted().flatMap { book in
            purchase.absent.compactMap { id in
                snapshot.books[book]?.transactions[id].map {
                    KnownClaim(book: book, id: id, originalID: $0.originalID)
                }
            }
        }
        guard !known.isEmpty else { return purchase }
        return try PurchaseCase(
            submission, catalog: catalog, idempotency: idempotency, now: now, knowing: known)
    }
}

extension PurchaseSubmission {
    /// The books of the proofs, also of those that show nothing.
    fileprivate var books: Set<Book> {
        Set(proofs.flatMap { proof in proof.facts.map(\.book) + (proof.book.map { [$0] } ?? []) })
    }
}

extension Catalog {
    /// Whether what is claimed may be looked for in a book.
    fileprivate func looks(in book: Book, for submission: PurchaseSubmission) -> Bool {
        (submission.bundleID ?? book.bundleID) == book.bundleID
            && apps[book.bundleID]?.records(book.environment) == true
    }
}

extension PurchaseCase {
    /// Asks for what decides about a claim.
    func include(_ claim: KnownClaim, in query: inout FactQuery) {
        var book = query.books[claim.book] ?? BookQuery()
        book.transactions.insert(claim.id)
        book.originals.insert(claim.originalID)
        book.viewer = customer
        book.includesBalances =
            catalog.apps[claim.book.bundleID]?.keepsWalletsAboveZero ?? false
        query.books[claim.book] = book
    }
}

extension PurchaseDecision {
    /// Decides about the claims that only the ledger knows, after everything that the proofs show.
    mutating func decideKnown(into answer: inout PurchaseAnswer) {
        let shown = answer.results
        let results = purchase.known.compactMap { decide($0, beside: shown) }
        answer.results += results
        let open = Set(answer.absent).union(purchase.known.map(\.id))
            .subtracting(results.map(\.transactionID))
        var seen: Set<TransactionID> = []
        answer.absent = purchase.claimed.filter { open.contains($0) && seen.insert($0).inserted }
    }

    /// Nil where nothing makes it the uploader's, who is told nothing then.
    private mutating func decide(
        _ claim: KnownClaim, beside results: [TransactionResult]
    ) -> TransactionResult? {
        guard let transaction = facts(of: claim.book).transactions[claim.id] else { return nil }
        let isOwn =
            isUploaders(transaction.holder)
            || isShared(transaction.originalID, in: claim.book, with: customer)
        // A proof of its chain was shown, and that is another's.
        let isAnothers = results.contains {
            $0.book == claim.book && $0.originalTransactionID == claim.originalID
                && $0.outcome == .refused(.belongsToAnother)
        }
        guard isOwn || isAnothers else { return nil }
        let outcome = settle(transaction, in: claim.book)
        return TransactionResult(
            transactionID: claim.id, originalTransactionID: claim.originalID,
            productID: transaction.productID, book: claim.book,
            outcome: isOwn ? outcome : .refused(.belongsToAnother),
            orderID: isOwn ? shownOrder(of: transaction) : nil, mayFinish: outcome.mayFinish)
    }
}
