public import AppStoreModel
public import TillLedger

extension MemoryLedgerStore {
    /// Reads transactions of an app that nobody owns, by book and id.
    public func unclaimed(
        of app: BundleID, after place: TransactionReference?, limit: Int
    ) async throws(LedgerError) -> [UnclaimedTransaction] {
        try withFacts { facts throws(LedgerError) in
            facts.unclaimed(of: app, after: place, limit: limit)
        }
    }

    /// Reads the signals about a customer under all names.
    public func signals(of customer: CustomerID) async throws(LedgerError) -> KnownSignals {
        try withFacts { facts throws(LedgerError) in facts.customers.signals(of: customer) }
    }

    /// Reads every introductory offer that a customer has or had.
    public func introductoryOffers(
        of customer: CustomerID
    ) async throws(LedgerError) -> [IntroductoryOfferUse] {
        try withFacts { facts throws(LedgerError) in facts.introductoryOffers(of: customer) }
    }

    /// Replaces a customer's names by pseudonyms.
    public func erase(
        _ customer: CustomerID, at now: Timestamp,
        pseudonym: @escaping @Sendable () -> CustomerID
    ) async throws(LedgerError) -> Bool {
        try withFacts { facts throws(LedgerError) in
            facts.erase(customer, pseudonym: pseudonym)
        }
    }
}
