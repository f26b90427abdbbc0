/// What facts that are recorded together do to the list of orders that were paid and not handed out yet.
///
/// Nearly every purchase pays and fulfils its order at once, and then the list stays as it is.
public struct OwedOrders: Sendable, Hashable {
    /// Paid, and neither handed out nor refunded by the same facts.
    public private(set) var added: Set<OrderID> = []
    /// Handed out or refunded, and not paid by the same facts.
    public private(set) var settled: Set<OrderID> = []

    /// Looks through facts.
    public init(_ facts: [Fact]) {
        var (paid, closed): ([OrderID], [OrderID]) = ([], [])
        for fact in facts {
            guard case .orderEvent(let event) = fact else { continue }
            switch event.kind {
            case .paid: paid.append(event.orderID)
            case .fulfilled, .refunded: closed.append(event.orderID)
            default: break
            }
        }
        guard paid != closed else { return }
        added = Set(paid).subtracting(closed)
        settled = Set(closed).subtracting(paid)
    }
}
