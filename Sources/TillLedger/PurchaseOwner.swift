public import AppStoreModel

/// Whose a purchase is, as far as the one who asks may know.
public enum PurchaseOwner: String, Sendable, Hashable, Codable, CaseIterable {
    /// The one who asks.
    case you
    /// Somebody else; who is never told.
    case another
    /// Nobody: whoever shows it first owns it.
    case nobody
}

/// The answer about one transaction.
public struct OwnedTransaction: Sendable, Hashable {
    /// The transaction, as Apple signed it.
    public let transactionID: TransactionID
    /// The first transaction of its chain.
    public let originalTransactionID: TransactionID
    /// What was bought.
    public let productID: ProductID
    /// The book in which it stands, or would.
    public let book: Book
    /// When the paid period ends, as the proofs say it.
    public let expiresDate: Timestamp?
    /// Whose it is.
    public let owner: PurchaseOwner
}

extension PurchaseOwner {
    /// Whose a whole proof is: another's as soon as anything in it is.
    public init(_ transactions: [OwnedTransaction]) {
        let owners = Set(transactions.map(\.owner))
        self = owners.contains(.another) ? .another : owners.contains(.you) ? .you : .nobody
    }
}

extension Ledger {
    /// Tells whose the transactions of proofs are, before anything is bought; records nothing.
    ///
    /// - Parameters:
    ///   - submission: The proofs, and who asks.
    ///   - now: The moment of the question.
    /// - Returns: One answer for each transaction that could be recorded, in the ledger's order.
    /// - Throws: What keeps the store from being read.
    public func owners(
        of submission: PurchaseSubmission, now: Timestamp
    ) async throws(LedgerError) -> [OwnedTransaction] {
        let purchase = try PurchaseCase(
            submission, catalog: catalog, idempotency: nil, now: now)
        guard !purchase.items.isEmpty else { return [] }
        let decision = PurchaseDecision(purchase, over: try await store.facts(purchase.query))
        return purchase.items.map { decision.owned($0) }
    }
}

extension PurchaseDecision {
    fileprivate func owned(_ item: PurchaseItem) -> OwnedTransaction {
        let owner: PurchaseOwner
        if let holder = holder(of: item) {
            if snapshot.names.isSame(holder, customer)
                || isShared(item.originalID, in: item.book, with: customer)
            {
                owner = .you
            } else {
                // What somebody left behind who was erased waits for whoever restores it.
                owner = snapshot.names.isErased(holder) ? .nobody : .another
            }
        } else {
            owner = .nobody
        }
        return OwnedTransaction(
            transactionID: item.signedID, originalTransactionID: item.signedOriginalID,
            productID: item.productID, book: item.book,
            expiresDate: item.facts.last { $0.fields.expiresDate != nil }?.fields.expiresDate,
            owner: owner)
    }
}
