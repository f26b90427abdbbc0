public import AppStoreModel

/// What a store keeps of customers beside their purchases.
public protocol CustomerStore: Sendable {
    /// Reads transactions of an app that nobody owns, after a place in the store's own order.
    func unclaimed(
        of app: BundleID, after place: TransactionReference?, limit: Int
    ) async throws(LedgerError) -> [UnclaimedTransaction]

    /// Reads the signals about a customer under all names, and the name that counts.
    func signals(of customer: CustomerID) async throws(LedgerError) -> KnownSignals

    /// Reads every introductory offer that a customer has, or had before it was taken over by another.
    func introductoryOffers(
        of customer: CustomerID
    ) async throws(LedgerError) -> [IntroductoryOfferUse]

    /// Replaces each of a customer's names by a pseudonym, all or nothing, and remembers no connection.
    ///
    /// The last pseudonym is marked as that of somebody erased. False when nothing is recorded of them.
    func erase(
        _ customer: CustomerID, at now: Timestamp,
        pseudonym: @escaping @Sendable () -> CustomerID
    ) async throws(LedgerError) -> Bool
}

/// The signals about a customer as they are kept.
public struct KnownSignals: Sendable, Hashable {
    /// The name that counts.
    public let customer: CustomerID
    /// The signals under all names, in no order.
    public let signals: [SignalCount]

    /// Puts the two together.
    public init(customer: CustomerID, signals: [SignalCount]) {
        self.customer = customer
        self.signals = signals
    }
}
