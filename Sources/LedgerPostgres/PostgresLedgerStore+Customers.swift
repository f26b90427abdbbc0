public import AppStoreModel
import PostgresDriver
public import TillLedger

extension PostgresLedgerStore {
    /// Reads transactions of an app that nobody owns, by the numbers of its books.
    public func unclaimed(
        of app: BundleID, after place: TransactionReference?, limit: Int
    ) async throws(LedgerError) -> [UnclaimedTransaction] {
        try await read { session throws(PostgresError) in
            var start: Int64 = 0
            if let place {
                guard let book = try session.bookID(place.book) else { return [] }
                start = book
            }
            let reading = UnclaimedReading(
                app, after: start, place?.id.rawValue ?? "", limit: limit)
            return try session.moment(reading.queries) { results throws(PostgresError) in
                try reading.transactions(results)
            }
        }
    }

    /// Reads the signals about a customer under all names.
    public func signals(of customer: CustomerID) async throws(LedgerError) -> KnownSignals {
        try await read { session throws(PostgresError) in
            let reading = SignalReading(customer)
            return try session.moment(reading.queries) { results throws(PostgresError) in
                try reading.signals(results)
            }
        }
    }

    /// Reads every introductory offer that a customer has or had.
    public func introductoryOffers(
        of customer: CustomerID
    ) async throws(LedgerError) -> [IntroductoryOfferUse] {
        try await read { session throws(PostgresError) in
            try session.moment([IntroductoryReading.query(customer)]) {
                results throws(PostgresError) in
                var uses: [IntroductoryOfferUse] = []
                for rows in results {
                    while rows.step() { uses.append(IntroductoryReading.use(rows)) }
                }
                return uses
            }
        }
    }

    /// Replaces a customer's names by pseudonyms in one transaction, during which nobody else decides.
    ///
    /// What stood there before lies in the tables' free space until `VACUUM`, and in the log that archives keep.
    public func erase(
        _ customer: CustomerID, at now: Timestamp,
        pseudonym: @escaping @Sendable () -> CustomerID
    ) async throws(LedgerError) -> Bool {
        try await write { session throws(PostgresError) in
            try session.erase(customer, at: now, pseudonym: pseudonym)
        }
    }
}
