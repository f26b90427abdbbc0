import TillAPI

/// Sorts transactions into requests: one for each order, since a request names one, and as few as
/// possible for the rest.
struct Parcels {
    /// Transactions of one request at the most; a signed one has about five kilobytes.
    static let capacity = 64

    private var ordered: [Parcel] = []
    private var loose: [StoreTransaction] = []

    mutating func add(_ transaction: StoreTransaction, to order: Order) {
        if let place = ordered.firstIndex(where: { $0.order?.orderID == order.orderID }) {
            ordered[place].transactions.append(transaction)
        } else {
            ordered.append(Parcel(transactions: [transaction], order: order, isAttended: false))
        }
    }

    mutating func addLoose(_ transaction: StoreTransaction) { loose.append(transaction) }

    var all: [Parcel] {
        let starts = stride(from: 0, to: loose.count, by: Self.capacity)
        return ordered
            + starts.map { start in
                let part = loose[start..<min(start + Self.capacity, loose.count)]
                return Parcel(transactions: Array(part), isAttended: false)
            }
    }
}
