public import AppStoreModel
import SQLiteDriver
public import TillLedger

extension SQLiteLedgerStore {
    /// Reads transactions of an app that nobody owns, by the numbers of its books.
    public func unclaimed(
        of app: BundleID, after place: TransactionReference?, limit: Int
    ) async throws(LedgerError) -> [UnclaimedTransaction] {
        try await read { connection throws(SQLiteError) in
            try connection.unclaimed(of: app, after: place, limit: limit)
        }
    }

    /// Reads the signals about a customer under all names.
    public func signals(of customer: CustomerID) async throws(LedgerError) -> KnownSignals {
        try await read { connection throws(SQLiteError) in
            try connection.signals(of: customer)
        }
    }

    /// Reads every introductory offer that a customer has or had.
    public func introductoryOffers(
        of customer: CustomerID
    ) async throws(LedgerError) -> [IntroductoryOfferUse] {
        try await read { connection throws(SQLiteError) in
            try connection.introductoryOffers(of: customer)
        }
    }

    /// Replaces a customer's names by pseudonyms in one transaction.
    ///
    /// The file's free space may hold what stood there until `VACUUM`.
    public func erase(
        _ customer: CustomerID, at now: Timestamp,
        pseudonym: @escaping @Sendable () -> CustomerID
    ) async throws(LedgerError) -> Bool {
        try await writer.perform { connection throws(SQLiteError) in
            try connection.erase(customer, at: now, pseudonym: pseudonym)
        }
    }
}
