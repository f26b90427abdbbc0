public import AppStoreModel

/// Which customers are one, and which were erased: the names that a decision's facts bring up.
///
/// A merge moves nothing. Whatever is recorded under either name is read and compared as the canonical one's.
public struct CustomerNames: Sendable, Hashable {
    /// Merged names, each with the one that it became a part of; chains are followed.
    public private(set) var merges: [CustomerID: CustomerID]
    /// Pseudonyms of customers who were erased.
    public private(set) var erased: Set<CustomerID>

    /// Names of which nothing special is known.
    public init(merges: [CustomerID: CustomerID] = [:], erased: Set<CustomerID> = []) {
        self.merges = merges
        self.erased = erased
    }

    /// Takes in a merge.
    public mutating func include(_ merge: Merge) { merges[merge.from] = merge.into }

    /// Takes in that a name is the pseudonym of somebody who was erased.
    public mutating func include(erased customer: CustomerID) { erased.insert(customer) }

    /// The one name under which a customer is known at last.
    public func canonical(_ customer: CustomerID) -> CustomerID {
        var name = customer
        // Decisions refuse cycles; the count keeps a damaged record from hanging the server.
        for _ in 0...merges.count {
            guard let next = merges[name] else { return name }
            name = next
        }
        return name
    }

    /// Whether two names are of one customer; nobody is no one's same.
    public func isSame(_ left: CustomerID?, _ right: CustomerID?) -> Bool {
        guard let left, let right else { return false }
        return left == right || canonical(left) == canonical(right)
    }

    /// Whether it is what stands in for somebody who was erased.
    public func isErased(_ customer: CustomerID) -> Bool { erased.contains(canonical(customer)) }
}

/// One customer found to be another, such as an anonymous one who logged in.
public struct Merge: Sendable, Hashable {
    /// The name that becomes part of the other.
    public let from: CustomerID
    /// The name under which both go on.
    public let into: CustomerID
    /// When, by the server's clock.
    public let at: Timestamp

    /// Makes a merge.
    public init(from: CustomerID, into: CustomerID, at: Timestamp) {
        self.from = from
        self.into = into
        self.at = at
    }
}
