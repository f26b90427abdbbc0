public import AppStoreModel

/// A transaction that nobody owns yet.
public struct UnclaimedTransaction: Sendable, Hashable {
    /// The book.
    public let book: Book
    /// The transaction.
    public let transaction: RecordedTransaction

    /// Puts the two together.
    public init(book: Book, transaction: RecordedTransaction) {
        self.book = book
        self.transaction = transaction
    }

    /// Its place, from which the next piece of a list goes on.
    public var reference: TransactionReference {
        TransactionReference(book: book, id: transaction.id)
    }
}

/// What became of a backend's claim for a customer.
public enum ClaimAnswer: Sendable, Hashable {
    /// It is the customer's, by this call or before.
    case claimed(TransactionResult)
    /// No such transaction is recorded.
    case unknown
    /// Somebody else owns it.
    case belongsToAnother
}

extension Ledger {
    /// The most unclaimed transactions in one piece.
    public static let unclaimedLimit = 200

    /// The transactions of an app that nobody owns, in the store's own order.
    public func unclaimed(
        of app: BundleID, after place: TransactionReference? = nil,
        limit: Int = Ledger.unclaimedLimit
    ) async throws(LedgerError) -> [UnclaimedTransaction] {
        try await store.unclaimed(
            of: app, after: place, limit: min(max(limit, 1), Self.unclaimedLimit))
    }

    /// Makes a transaction that nobody owns a customer's, on a backend's word, and hands out what it brings.
    ///
    /// - Parameters:
    ///   - id: The transaction.
    ///   - books: Where to look for it; the first that has it counts.
    ///   - customer: Whose it shall be.
    ///   - now: The server's time.
    /// - Returns: What became of it. By exactly one: of two claims at once, one is told that it is another's.
    /// - Throws: What keeps the store from recording it.
    public func claim(
        _ id: TransactionID, in books: [Book], for customer: CustomerID, now: Timestamp
    ) async throws(LedgerError) -> ClaimAnswer {
        // Looked for first, since everything of its original matters and only it names that.
        guard let place = try await place(of: id, in: books) else { return .unknown }
        let purchase = try PurchaseCase(
            PurchaseSubmission(customer: customer, proofs: []), catalog: catalog,
            idempotency: nil, now: now)
        var query = FactQuery()
        query.customers = [customer]
        var keys = BookQuery()
        keys.transactions = [id]
        keys.originals = [place.original]
        let isTold = catalog.tellsSubscriptions(of: place.book)
        if isTold { keys.subscriptions = [place.original] }
        keys.viewer = customer
        keys.includesBalances =
            catalog.apps[place.book.bundleID]?.keepsWalletsAboveZero ?? false
        query.books[place.book] = keys
        return try await store.transact(reading: query) { snapshot in
            var decision = PurchaseDecision(purchase, over: snapshot)
            let answer = decision.claim(id, in: place.book, for: customer)
            if isTold { decision.tell(place.original, in: place.book, over: snapshot) }
            return Decision(facts: decision.facts, answer: answer)
        }
    }

    private func place(
        of id: TransactionID, in books: [Book]
    ) async throws(LedgerError) -> (book: Book, original: TransactionID)? {
        var query = FactQuery()
        var keys = BookQuery()
        keys.transactions = [id]
        for book in books { query.books[book] = keys }
        let found = try await store.facts(query)
        for book in books {
            if let transaction = found.books[book]?.transactions[id] {
                return (book, transaction.originalID)
            }
        }
        return nil
    }
}

extension PurchaseDecision {
    fileprivate mutating func claim(
        _ id: TransactionID, in book: Book, for customer: CustomerID
    ) -> ClaimAnswer {
        guard let known = facts(of: book).transactions[id] else { return .unknown }
        let owner = known.holder ?? facts(of: book).owners[known.originalID]?.customer
        if let owner, !snapshot.names.isSame(owner, customer) { return .belongsToAnother }
        if known.holder == nil {
            let claim = Claim(
                transactionID: id, customer: snapshot.names.canonical(customer),
                binding: .backend, orderID: nil, at: purchase.now)
            record(.claimed(book, claim))
            own(known.originalID, in: book, claim.customer, .backend)
        }
        guard let transaction = facts(of: book).transactions[id] else { return .unknown }
        let outcome = settle(transaction, in: book)
        return .claimed(
            TransactionResult(
                transactionID: id, originalTransactionID: transaction.originalID,
                productID: transaction.productID, book: book, outcome: outcome,
                orderID: shownOrder(of: transaction), mayFinish: outcome.mayFinish))
    }
}
