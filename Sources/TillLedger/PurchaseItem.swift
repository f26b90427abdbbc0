import AppStoreModel

/// One transaction of a submission, with everything that its proofs say about it.
struct PurchaseItem: Sendable, Hashable {
    /// The most units in one transaction that are believed; StoreKit's own limit is ten.
    static let mostUnits: Int64 = 10_000

    let book: Book
    let id: TransactionID
    let originalID: TransactionID
    let signedID: TransactionID
    let signedOriginalID: TransactionID
    let productID: ProductID
    let quantity: Int64
    let purchaseDate: Timestamp
    let webOrderLineItemID: WebOrderLineItemID?
    let grantKey: GrantKey
    /// The newest token that Apple signed.
    let token: AppAccountToken?
    /// Oldest first.
    let facts: [PurchaseFact]

    /// Merges what several proofs say about the same transaction; nil when a grant's needs are missing.
    init?(merging facts: [PurchaseFact]) {
        let sorted = facts.sorted(by: PurchaseFact.isOlder)
        guard let newest = sorted.last,
            let purchaseDate = sorted.last(where: { $0.purchaseDate != nil })?.purchaseDate,
            !newest.signedID.rawValue.isEmpty, !newest.productID.rawValue.isEmpty,
            (1...Self.mostUnits).contains(newest.quantity)
        else { return nil }
        book = newest.book
        id = newest.id
        originalID = newest.originalID
        signedID = newest.signedID
        signedOriginalID = newest.signedOriginalID
        productID = newest.productID
        quantity = newest.quantity
        self.purchaseDate = purchaseDate
        webOrderLineItemID = sorted.last { $0.webOrderLineItemID != nil }?.webOrderLineItemID
        token = sorted.last { $0.fields.appAccountToken != nil }?.fields.appAccountToken
        grantKey = GrantKey(
            originalTransactionID: newest.originalID, webOrderLineItemID: webOrderLineItemID,
            purchaseDate: purchaseDate,
            expires: sorted.contains { $0.fields.expiresDate != nil })
        self.facts = sorted
    }

    /// The transaction as others refer to it.
    var reference: TransactionReference { TransactionReference(book: book, id: id) }

    /// Whether a restore gave it a new id: no new payment, and so none for an order by itself.
    var isRestored: Bool { grantKey.rawValue.hasPrefix("once/") && id != originalID }

    /// The newest price that Apple signed, for all units together.
    var price: (price: Int64, currency: String?)? {
        for fact in facts.reversed() {
            if let price = fact.fields.price { return (price, fact.fields.currency) }
        }
        return nil
    }

    /// The order that its token may name.
    var tokenOrder: OrderID? { token.flatMap { OrderID($0) } }
}
