public import AppStoreModel

/// A second customer's use of what Apple shares in a family; the owner keeps it.
///
/// It lasts while the purchase stands: what Apple takes back is taken back from both.
public struct Share: Sendable, Hashable {
    /// The most customers beside its owner who may share one original: a family has six members.
    public static let most = 5

    /// The original transaction.
    public let originalID: TransactionID
    /// Its place among the original's shares, from 1 on; unique there.
    public let number: Int
    /// Who may use it too.
    public let customer: CustomerID
    /// Since when, by the server's clock.
    public let since: Timestamp

    /// Makes a share.
    public init(
        originalID: TransactionID, number: Int, customer: CustomerID, since: Timestamp
    ) {
        self.originalID = originalID
        self.number = number
        self.customer = customer
        self.since = since
    }
}
