import AppStoreClient
import AppStoreModel
import AppStoreTrust
import HTTPMessage
import TillLedger

/// Asks Apple about one app, and takes into the ledger what it answers, verified like everything else.
struct AppleDesk: Sendable {
    let client: AppStoreClient
    let ledger: Ledger
    let consumption: ConsumptionPolicy?
    private let bundleID: BundleID
    private let verifier: ProofVerifier

    init(
        _ app: AppConfiguration, access: AppleAccess, verifier: ProofVerifier, ledger: Ledger,
        fetcher: any HTTPFetching, surroundings: AppStoreClient.Surroundings
    ) throws(AppStoreClientError) {
        var configuration = access.client(of: app.bundleID)
        configuration.sharedSecret = app.sharedSecret
        // Where nothing is taken from an environment, nothing is asked there either: the production that a
        // test store does not have would be Apple's.
        let taken = configuration.environments.filter(app.verifiedEnvironments.contains)
        if !taken.isEmpty { configuration.environments = taken }
        client = try AppStoreClient(
            configuration, fetcher: fetcher, surroundings: surroundings)
        consumption = access.consumption
        bundleID = app.bundleID
        self.verifier = verifier
        self.ledger = ledger
    }

    /// What was recorded out of an answer.
    struct Taken: Sendable {
        var results: [TransactionResult] = []
        /// Signed texts that the verifier did not let through.
        var refused = 0
        /// When the latest period of what was asked about ends.
        var expiresAt: Timestamp?
        /// Whether some subscription may still be renewed or recovered.
        var mayRenew = false
    }

    /// Asks how a subscription stands, and records it.
    func checkSubscription(_ original: BookedSubject, now: Timestamp) async throws -> Taken {
        let answer = try await client.subscriptions(
            of: TransactionID(original.name), in: original.book.environment)
        var taken = Taken()
        var submission = PurchaseSubmission(customer: nil, proofs: [])
        submission.cause = "reconciliation:subscription"
        for subscription in answer.content {
            guard let transaction = try? verifier.verifyTransaction(subscription.transaction.text)
            else {
                taken.refused += 1
                continue
            }
            submission.proofs.append(VerifiedProof(transaction))
            if let text = subscription.renewal?.text {
                if let renewal = try? verifier.verifyRenewal(text, of: transaction),
                    let verified = VerifiedRenewal(renewal, of: transaction)
                {
                    submission.renewals.append(verified)
                } else {
                    taken.refused += 1
                }
            }
            guard transaction.value.originalTransactionID.rawValue == original.name else {
                continue
            }
            taken.expiresAt = transaction.value.expiresDate
            // The word is unsigned: it says when to ask again, and nothing else.
            taken.mayRenew = ![.expired, .revoked].contains(subscription.claimedStatus)
        }
        taken.results = try await ledger.record(submission, now: now).results
        return taken
    }

    /// Reads everything that a customer bought, page by page, and records it.
    func readHistory(_ transaction: BookedSubject, now: Timestamp) async throws -> Taken {
        try await readHistory(
            of: TransactionID(transaction.name), in: transaction.book.environment,
            "reconciliation:history", now: now)
    }

    /// Reads everything that was bought with a transaction's account, for a customer or for nobody yet.
    func readHistory(
        of id: TransactionID, in environment: AppStoreEnvironment?, _ cause: String,
        for customer: CustomerID? = nil, now: Timestamp
    ) async throws -> Taken {
        var taken = Taken()
        _ = try await client.eachHistoryPage(of: id, in: environment) { page in
            try await take(page.content, cause, for: customer, now: now, into: &taken)
            return true
        }
        return taken
    }

    /// Reads what was paid back to a customer since a place, page by page, and records it.
    ///
    /// - Parameters:
    ///   - id: Anything that the customer bought.
    ///   - environment: Where.
    ///   - revision: The place that Apple gave the last time; nil for everything.
    ///   - now: The server's time.
    /// - Returns: What was recorded, and the place from which the next look goes on.
    /// - Throws: What keeps Apple from being asked, or the ledger from recording it.
    func checkRefunds(
        of id: TransactionID, in environment: AppStoreEnvironment, after revision: String?,
        now: Timestamp
    ) async throws -> (Taken, revision: String?) {
        var taken = Taken()
        let next = try await client.eachRefundPage(of: id, after: revision, in: environment) {
            page in
            try await take(page.content, "reconciliation:refunds", now: now, into: &taken)
            return true
        }
        return (taken, next)
    }

    private func take(
        _ page: UnverifiedTransactionPage, _ cause: String, for customer: CustomerID? = nil,
        now: Timestamp, into taken: inout Taken
    ) async throws {
        var submission = PurchaseSubmission(
            customer: customer, proofs: [], isRestore: customer != nil)
        submission.cause = cause
        for signed in page.transactions {
            if let transaction = try? verifier.verifyTransaction(signed.text) {
                submission.proofs.append(VerifiedProof(transaction))
            } else {
                taken.refused += 1
            }
        }
        guard !submission.proofs.isEmpty else { return }
        taken.results += try await ledger.record(submission, now: now).results
    }

    /// Fetches the notifications of a time that did not arrive, and records each as if it had.
    func fetchNotifications(
        from start: Timestamp, to end: Timestamp, in book: Book
    ) async throws -> (recorded: Int, refused: Int) {
        var request = NotificationHistoryRequest()
        request.startDate = start
        request.endDate = end
        request.onlyFailures = true
        var counts = (recorded: 0, refused: 0)
        try await client.eachNotificationPage(request, in: book.environment) { page in
            for notification in page.content.notifications {
                guard
                    let verified = try? verifier.verifyNotification(notification.signed.text),
                    verified.notification.bundleID == bundleID,
                    let submission = NotificationSubmission(verified)
                else {
                    counts.refused += 1
                    continue
                }
                let answer = try await ledger.record(submission, now: end)
                if !answer.isRepeated { counts.recorded += 1 }
            }
            return true
        }
        return counts
    }

    /// Tells Apple what became of a purchase, from the records.
    func answerConsumption(_ transaction: BookedSubject, now: Timestamp) async throws {
        guard let consumption else { return }
        let id = TransactionID(transaction.name)
        let record = try await ledger.delivery(of: id, in: transaction.book)
        var request = ConsumptionRequest()
        request.customerConsented = true
        request.sampleContentProvided = consumption.sampleContentProvided
        request.deliveryStatus = record.isDelivered ? .delivered : .other
        request.consumptionPercentage = record.consumedShare
        request.refundPreference = consumption.refundPreference.flatMap {
            Self.preference($0, for: record)
        }
        _ = try await client.sendConsumption(request, of: id, in: transaction.book.environment)
    }

    /// What may be preferred of a purchase.
    ///
    /// Apple refuses the whole answer where a part is to be paid back of what is no subscription and of which not
    /// just a part is used. Of what is not used at all a part is the whole, of what is used up it is nothing.
    static func preference(
        _ configured: RefundPreference, for record: DeliveryRecord
    ) -> RefundPreference? {
        guard configured == .grantProrated, !record.isPeriod else { return configured }
        guard let share = record.consumedShare else { return nil }
        if share <= 0 { return .grantFull }
        return share < 100_000 ? .grantProrated : .decline
    }

    /// Finishes a transaction in place of the device that never came back, if it is handed out.
    func finish(_ transaction: BookedSubject) async throws {
        let id = TransactionID(transaction.name)
        guard try await ledger.delivery(of: id, in: transaction.book).isDelivered else { return }
        _ = try await client.finish(id, in: transaction.book.environment)
    }
}
