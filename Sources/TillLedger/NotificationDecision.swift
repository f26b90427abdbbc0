public import AppStoreModel

/// The ledger's answer to a notification.
public struct NotificationAnswer: Sendable, Hashable {
    /// The notification as it was recorded, now or before.
    public let notification: RecordedNotification
    /// Whether it had been recorded before; then nothing new came of it.
    public let isRepeated: Bool
    /// What became of the transactions in it.
    public let results: [TransactionResult]

    /// Makes an answer.
    public init(
        notification: RecordedNotification, isRepeated: Bool, results: [TransactionResult]
    ) {
        self.notification = notification
        self.isRepeated = isRepeated
        self.results = results
    }
}

extension PurchaseCase {
    /// A notification made ready to be decided; nobody uploads it.
    init(
        _ notification: NotificationSubmission, catalog: Catalog, now: Timestamp
    ) throws(LedgerError) {
        let isTaken = notification.rule != .keep
        let purchases = isTaken ? notification.purchases.map { [$0] } : nil
        var submission = PurchaseSubmission(customer: nil, proofs: purchases ?? [])
        submission.cause = "notification:\(notification.type.rawValue)"
        if isTaken, let renewal = notification.renewal { submission.renewals = [renewal] }
        try self.init(submission, catalog: catalog, idempotency: nil, now: now)
    }
}

extension PurchaseDecision {
    /// Decides a notification: what is signed inside is taken like any proof, and its name is kept.
    static func decide(
        _ notification: NotificationSubmission, _ purchase: PurchaseCase,
        over snapshot: FactSnapshot
    ) -> Decision<NotificationAnswer> {
        if let known = snapshot.books[notification.book]?.notifications[notification.id] {
            return heardAgain(notification, known, purchase, over: snapshot)
        }
        var decision = PurchaseDecision(purchase, over: snapshot)
        let results = decision.decideAll().results
        let about = notification.isHint ? nil : notification.purchases?.facts.first
        let isQuestion = notification.rule == .observeAndAnswer
        let recorded = RecordedNotification(
            id: notification.id, type: notification.type, subtype: notification.subtype,
            signedAt: notification.signedAt, originalID: about?.originalID,
            transactionID: about?.id,
            effect: purchase.catalog.effect(of: notification, results),
            answerBefore: isQuestion
                ? notification.signedAt?.advanced(
                    byMilliseconds: NotificationRule.consumptionDeadline) : nil,
            proof: notification.proof.digest, receivedAt: purchase.now)
        decision.record(.proof(notification.proof.stored(at: purchase.now)))
        decision.record(.notification(notification.book, recorded))
        if let task = decision.work(after: notification) { decision.record(.task(task)) }
        return Decision(
            facts: decision.facts,
            answer: NotificationAnswer(
                notification: recorded, isRepeated: false, results: results))
    }
}

extension PurchaseDecision {
    /// Records what is signed anew under a known name like any proof of it; the notification stays the first.
    ///
    /// Apple repeats a notification as it was, and then there is nothing to record.
    private static func heardAgain(
        _ notification: NotificationSubmission, _ known: RecordedNotification,
        _ purchase: PurchaseCase, over snapshot: FactSnapshot
    ) -> Decision<NotificationAnswer> {
        var decision = PurchaseDecision(purchase, over: snapshot)
        let isSame = known.proof == notification.proof.digest
        let results = isSame ? [] : decision.decideAll().results
        return Decision(
            facts: decision.facts,
            answer: NotificationAnswer(notification: known, isRepeated: true, results: results))
    }
}

extension Catalog {
    /// What a notification came to.
    fileprivate func effect(
        of notification: NotificationSubmission, _ results: [TransactionResult]
    ) -> NotificationEffect {
        let app = apps[notification.book.bundleID]
        guard let app, app.records(notification.book.environment) else {
            return .environmentNotAdmitted
        }
        if notification.isHint {
            // A hint gives nothing by itself, and where nothing is handed out it hints at nothing.
            let isGranted =
                app.environments.contains(notification.book.environment)
                || app.otherEnvironments != .record
            return isGranted ? .hint : .environmentNotAdmitted
        }
        guard let outcome = results.first?.outcome else { return .kept }
        return switch outcome {
        case .granted: .granted
        case .alreadyGranted: .recorded
        case .pending, .refused(.productUnknown): .waiting
        case .refused(.revoked): .takenBack
        case .refused(.environmentNotAdmitted): .environmentNotAdmitted
        case .refused: .incomplete
        }
    }
}

extension Ledger {
    /// Records a verified notification and what follows from it, once; durable when this returns.
    ///
    /// The same notification again does nothing new, and an older one never undoes what a newer one said:
    /// each statement counts by the time at which Apple signed it.
    public func record(
        _ notification: NotificationSubmission, now: Timestamp
    ) async throws(LedgerError) -> NotificationAnswer {
        let purchase = try PurchaseCase(notification, catalog: catalog, now: now)
        var query = purchase.query
        query.books[notification.book, default: BookQuery()].notifications = [notification.id]
        if let hinted = notification.hinted {
            query.books[hinted.book, default: BookQuery()].originals.insert(hinted.id)
        }
        return try await store.transact(reading: query) { snapshot in
            PurchaseDecision.decide(notification, purchase, over: snapshot)
        }
    }
}
