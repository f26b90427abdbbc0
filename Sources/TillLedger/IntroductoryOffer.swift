public import AppStoreModel

/// An introductory offer that was taken: a free trial or a low first price.
///
/// Apple gives each Apple account one for a subscription group; whoever has taken it is eligible no more.
public struct IntroductoryOfferUse: Sendable, Hashable {
    /// The book of the purchase.
    public let book: Book
    /// The subscription group; nil where Apple named none.
    public let groupID: SubscriptionGroupID?
    /// The product.
    public let productID: ProductID
    /// The transaction of the first period at the offer's price.
    public let transactionID: TransactionID
    /// The first transaction of its chain: one for each Apple account and group.
    public let originalID: TransactionID
    /// When that period began.
    public let purchaseDate: Timestamp

    /// Makes a use.
    public init(
        book: Book, groupID: SubscriptionGroupID?, productID: ProductID,
        transactionID: TransactionID, originalID: TransactionID, purchaseDate: Timestamp
    ) {
        self.book = book
        self.groupID = groupID
        self.productID = productID
        self.transactionID = transactionID
        self.originalID = originalID
        self.purchaseDate = purchaseDate
    }

    /// The first use of each group and of each product of no known group, the latest first.
    static func firstUses(_ uses: [IntroductoryOfferUse]) -> [IntroductoryOfferUse] {
        struct Place: Hashable {
            let book: Book
            let group: SubscriptionGroupID?
            let product: ProductID?
        }
        var first: [Place: IntroductoryOfferUse] = [:]
        for use in uses {
            let place = Place(
                book: use.book, group: use.groupID,
                product: use.groupID == nil ? use.productID : nil)
            if let known = first[place], known.isBefore(use) { continue }
            first[place] = use
        }
        return first.values.sorted { $1.isBefore($0) }
    }

    private func isBefore(_ other: IntroductoryOfferUse) -> Bool {
        (purchaseDate, transactionID) < (other.purchaseDate, other.transactionID)
    }
}
