public import AppStoreModel

/// Proofs of payment, and what the uploader says about them.
///
/// The proofs alone prove; the rest helps to find the order and the owner.
public struct PurchaseSubmission: Sendable {
    /// The most transactions that one submission may bring.
    public static let mostTransactions = 10_000

    /// Who uploads, authenticated; nil when nobody does, but Apple tells of it.
    public var customer: CustomerID?
    /// The app that the request names; nil when it names none.
    public var bundleID: BundleID?
    /// The proofs.
    public var proofs: [VerifiedProof]
    /// What Apple said of the renewal of subscriptions in the proofs.
    public var renewals: [VerifiedRenewal] = []
    /// What brought it, where no customer did: told with the events that follow.
    public var cause: String?
    /// The order that the uploader journaled for this payment.
    public var orderID: OrderID?
    /// The transactions that the uploader waits for.
    ///
    /// They select the records of a receipt; none for all.
    public var transactionIDs: [TransactionID]
    /// Whether the customer asked to get former purchases back.
    public var isRestore: Bool
    /// Analytics that travel with the purchase, a JSON object.
    public var track: String?

    /// Makes a submission.
    public init(
        customer: CustomerID?, bundleID: BundleID? = nil, proofs: [VerifiedProof],
        orderID: OrderID? = nil, transactionIDs: [TransactionID] = [], isRestore: Bool = false,
        track: String? = nil
    ) {
        self.customer = customer
        self.bundleID = bundleID
        self.proofs = proofs
        self.orderID = orderID
        self.transactionIDs = transactionIDs
        self.isRestore = isRestore
        self.track = track
    }
}
