import AppStoreModel

/// What the journal says at one moment.
struct JournalView: Sendable {
    /// Every order that is not over, oldest first, under the names that count.
    var orders: [Order] = []
    /// Orders whose files cannot be read: they are somebody's, and nobody can say whose.
    var unreadable: [OrderID] = []
    var ties = Ties()

    func canonical(_ customerID: String) -> String { ties.canonical(customerID) }
}

/// Who is who, and who said that a purchase is theirs.
struct Ties: Sendable, Hashable, Codable {
    static let mergeLimit = 64
    static let claimLimit = 256

    /// Customers who became part of others, as the server confirmed it.
    private(set) var merged: [String: String] = [:]
    /// Customers by the transaction that they claimed, until it is over.
    private(set) var claims: [String: String] = [:]

    /// The one name under which a customer is known at last.
    func canonical(_ customerID: String) -> String {
        var name = customerID
        // The count keeps a damaged file from going in circles.
        for _ in 0...merged.count {
            guard let next = merged[name] else { return name }
            name = next
        }
        return customerID
    }

    mutating func merge(_ from: String, into customerID: String) {
        guard canonical(from) != canonical(customerID) else { return }
        // The farther end may be the one that was merged before.
        merged[canonical(from)] = canonical(customerID)
        while merged.count > Self.mergeLimit, let first = merged.keys.min() {
            merged[first] = nil
        }
    }

    func claimant(of id: TransactionID) -> String? { claims[id.rawValue].map { canonical($0) } }

    mutating func claim(_ id: TransactionID, by customerID: String) {
        claims[id.rawValue] = customerID
        while claims.count > Self.claimLimit, let first = claims.keys.min() { claims[first] = nil }
    }

    mutating func forgetClaim(_ id: TransactionID) { claims[id.rawValue] = nil }
}
