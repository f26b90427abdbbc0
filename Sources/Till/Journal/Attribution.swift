import AppStoreModel

/// What is done with a purchase that carries no trace of an order.
public enum UnattributedPurchases: Sendable, Hashable {
    /// It is shown to the server in the name of the customer who is logged in; the server decides by
    /// what is signed. Right for offer codes and for purchases on the App Store's own pages.
    case deliver
    /// It waits until a customer claims it.
    case askFirst
}

/// Whose a transaction is, as far as this device can tell.
///
/// The order is that of the server: the token of the transaction, then the journal, then the server's
/// own knowledge. Nothing here guesses across customers.
enum Attribution: Sendable, Hashable {
    /// It pays this order of the customer who is logged in.
    case order(Order)
    /// The server says whose it is.
    case server
    case waitsForLogin
    /// It pays an order of another customer of this device.
    case waitsForOwner(String)
    /// It may be somebody else's.
    case unclaimed

    static func of(
        _ transaction: StoreTransaction, in journal: JournalView, customer: String?,
        policy: UnattributedPurchases
    ) -> Attribution {
        guard let customer = customer.map({ journal.canonical($0) }) else { return .waitsForLogin }
        func ofOwner(_ order: Order) -> Attribution {
            order.customerID == customer ? .order(order) : .waitsForOwner(order.customerID)
        }
        if let token = transaction.token {
            guard let id = OrderID(token),
                let order = journal.orders.first(where: { $0.orderID == id })
            else {
                // Another installation's order: the server knows it by the signed token.
                return .server
            }
            return ofOwner(order)
        }
        if let id = transaction.transactionID {
            if let order = journal.orders.first(where: { $0.transactionID == id }) {
                return ofOwner(order)
            }
            if let claimant = journal.ties.claimant(of: id) {
                return claimant == customer ? .server : .waitsForOwner(claimant)
            }
        }
        return withoutToken(transaction, in: journal, customer: customer, policy: policy)
    }

    /// StoreKit 1 forgets `applicationUsername` between launches.
    private static func withoutToken(
        _ transaction: StoreTransaction, in journal: JournalView, customer: String,
        policy: UnattributedPurchases
    ) -> Attribution {
        // A former purchase that comes back pays no order.
        if transaction.state == .restored || isRenewal(transaction) { return .server }
        let candidates = journal.orders.filter {
            $0.productID == transaction.productID && $0.transactionID == nil
        }
        let own = candidates.filter { $0.customerID == customer }
        // What cannot be read may be the order of somebody else for just this.
        guard own.count == candidates.count, journal.unreadable.isEmpty else { return .unclaimed }
        if let order = nearest(own, to: transaction) { return .order(order) }
        return policy == .deliver ? .server : .unclaimed
    }

    private static func isRenewal(_ transaction: StoreTransaction) -> Bool {
        guard let original = transaction.originalTransactionID else { return false }
        return original != transaction.transactionID
    }

    /// An order that still waits for its payment comes before one that the store gave up; among equals
    /// the one that was opened last before the payment.
    private static func nearest(_ orders: [Order], to transaction: StoreTransaction) -> Order? {
        let waiting = orders.filter { $0.state == .paying || $0.state == .pending }
        let pool = waiting.isEmpty ? orders : waiting
        guard let date = transaction.date else { return pool.first }
        return pool.last { $0.openedAt <= date } ?? pool.first
    }
}
