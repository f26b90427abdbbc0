import TillAPI

/// Sorts transactions into requests: one for each order, since a request names one, and as few as
/// possible for the rest.
struct Parcels {
    /// Transactions of one request at the most; a signed one has about five kilobytes.
    static let capacity = 64
    /// Requests of one look at what is unfinished that may be sent again in two halves.
    static let splitsOfOneSweep = 16

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

extension Parcel {
    /// The same in two requests; `nil` for what pays one order, and for a single transaction.
    var halves: [Parcel]? {
        guard order == nil, transactions.count > 1 else { return nil }
        let middle = transactions.count / 2
        return [transactions[..<middle], transactions[middle...]].map { part in
            var parcel = self
            parcel.transactions = Array(part)
            return parcel
        }
    }
}
