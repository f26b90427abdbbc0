public import AppStoreModel
import HTTPMessage

/// Which of a customer's transactions are wanted: values of one kind add up, kinds narrow each other down.
public struct HistoryFilter: Sendable, Hashable {
    /// Bought then or later.
    public var startDate: Timestamp?
    /// Bought before then.
    public var endDate: Timestamp?
    /// Only these products.
    public var productIDs: [ProductID] = []
    /// Only these kinds of products.
    public var productTypes: [HistoryProductType] = []
    /// Only these subscription groups.
    public var subscriptionGroups: [SubscriptionGroupID] = []
    /// Only bought, or only shared by the family.
    public var ownership: OwnershipType?
    /// Only taken back, or only not taken back.
    public var isRevoked: Bool?
    /// By when they last changed; oldest first where nothing is said.
    public var order: HistoryOrder?

    /// Everything.
    public init() {}

    func add(to query: inout HTTPQuery) {
        if let startDate { query.append("startDate", String(startDate.milliseconds)) }
        if let endDate { query.append("endDate", String(endDate.milliseconds)) }
        for id in productIDs { query.append("productId", id.rawValue) }
        for type in productTypes { query.append("productType", type.rawValue) }
        for group in subscriptionGroups {
            query.append("subscriptionGroupIdentifier", group.rawValue)
        }
        if let ownership { query.append("inAppOwnershipType", ownership.rawValue) }
        if let order { query.append("sort", order.rawValue) }
        if let isRevoked { query.append("revoked", isRevoked ? "true" : "false") }
    }
}
