/// Rows in which stores repeat what the facts say, so that questions cost the same however many facts
/// there are.
public enum DerivedList: Sendable, Hashable, CaseIterable {
    /// Balances, by the wallets' entries and movements.
    case balances
    /// The lists of unpaid and of owed orders, by what the orders say.
    case orders
    /// What stands in the list of unpaid orders and is no order.
    case unpaidOrders
    /// What stands in the list of owed orders and is no order.
    case owedOrders
    /// Whose grants are, by their transactions.
    case holders
}

/// How an order stands, and in which lists.
public struct OrderListing: Sendable, Hashable {
    /// The order's id as it is stored.
    public let order: String
    /// Whether it was paid.
    public let isPaid: Bool
    /// Whether its goods were handed out, or the payment refunded.
    public let isClosed: Bool
    /// Whether it is in the list of unpaid orders.
    public let isListed: Bool
    /// Whether it is in the list of owed orders.
    public let isOwed: Bool

    /// Makes a listing.
    public init(order: String, isPaid: Bool, isClosed: Bool, isListed: Bool, isOwed: Bool) {
        self.order = order
        self.isPaid = isPaid
        self.isClosed = isClosed
        self.isListed = isListed
        self.isOwed = isOwed
    }

    /// What does not follow from the order's events.
    public var discrepancies: [Discrepancy] {
        var found: [Discrepancy] = []
        if isListed == isPaid {
            found.append(
                Discrepancy(
                    subject: "order \(order)", recorded: isListed ? "unpaid" : "paid",
                    expected: isPaid ? "paid" : "unpaid"))
        }
        let owes = isPaid && !isClosed
        if isOwed != owes {
            found.append(
                Discrepancy(
                    subject: "goods of the order \(order)",
                    recorded: isOwed ? "owed" : "not owed", expected: owes ? "owed" : "not owed"))
        }
        return found
    }

    /// What stands in a list of orders and is none.
    public static func stranger(_ order: String, in list: DerivedList) -> Discrepancy {
        Discrepancy(
            subject: "order \(order)", recorded: list == .owedOrders ? "owed" : "unpaid",
            expected: "no order")
    }
}
