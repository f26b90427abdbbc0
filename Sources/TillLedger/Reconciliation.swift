public import AppStoreModel

/// Work that keeps the ledger true though no app comes back.
///
/// It is scheduled by the decisions that need it, so it stands in the same commit.
public enum Reconciliation {
    /// Tries again to hand out what no catalog knew; the subject is a ``BookedSubject`` of a grant key.
    public static let settlePurchase = TaskKind("ledger.settle")
    /// Asks Apple how a subscription stands; of an original transaction.
    public static let checkSubscription = TaskKind("apple.subscription")
    /// Asks Apple for everything that a customer bought; of any of their transactions.
    public static let readHistory = TaskKind("apple.history")
    /// Asks Apple what was paid back to a customer; of the customer, by the name under which the first of it was
    /// bought.
    public static let checkRefunds = TaskKind("apple.refunds")
    /// Finishes a transaction that was handed out and that no device has shown; of the transaction.
    public static let finishTransaction = TaskKind("apple.finish")
    /// Tells Apple what became of goods that a customer wants the money back for; of the transaction.
    public static let answerConsumption = TaskKind("apple.consumption")
    /// Asks Apple for the notifications that did not arrive; the subject's name is empty.
    public static let fetchNotifications = TaskKind("apple.notifications")

    /// When Apple is asked because of what nobody signed: at the end of the ten minutes in which it came.
    ///
    /// So however many come, Apple is asked about one customer six times an hour at the most.
    public static func afterHint(_ now: Timestamp) -> Timestamp {
        Timestamp(milliseconds: (now.milliseconds / hintPause + 1) * hintPause)
    }

    private static let hintPause = 10 * minute
    private static let hour: Int64 = 3_600_000
    private static let minute: Int64 = 60_000
    /// How long after its end a period is asked about, in milliseconds.
    ///
    /// The sandbox renews a month within minutes, and twelve times at most.
    public static func afterExpiry(in environment: AppStoreEnvironment) -> Int64 {
        environment == .sandbox ? minute : hour
    }
    /// How long a subscription that Apple tries to bill waits before it is asked about again, in milliseconds.
    public static func billingPause(in environment: AppStoreEnvironment) -> Int64 {
        environment == .sandbox ? 5 * minute : 6 * hour
    }
    /// How long a device has to come back before a transaction is finished in its place, in milliseconds.
    public static let deviceTime = 24 * hour
    /// How long after the first purchase refunds are asked about, in milliseconds.
    public static let refundPause = 7 * 24 * hour
    /// How long it takes until they are asked about again, in milliseconds.
    public static let refundInterval = 3 * refundPause
    /// The kinds of work of which the subject's name is a customer's, to be replaced when one is erased.
    public static let ofCustomers = [checkRefunds]
    /// How long after the last purchase a refund is still expected, in milliseconds.
    public static let refundTime = 90 * 24 * hour
    /// How often Apple is asked for notifications that did not arrive, in milliseconds.
    public static let notificationPause = hour
    /// How far back Apple can be asked for notifications, in milliseconds.
    ///
    /// Apple keeps them for 180 days, those of the sandbox for 30, and refuses whoever asks for more; a day is left
    /// for clocks that differ.
    public static func notificationsKept(in environment: AppStoreEnvironment) -> Int64 {
        (environment == .sandbox ? 29 : 179) * 24 * hour
    }
}

/// A name within a book, as the subject of a task: app, environment, root, name.
public struct BookedSubject: Sendable, Hashable {
    /// The book.
    public let book: Book
    /// What in it.
    public let name: String

    /// Names something.
    public init(book: Book, name: String) {
        self.book = book
        self.name = name
    }

    /// Reads a subject; nil when it is none.
    public init?(_ text: String) {
        // Names of apps, environments and roots hold no line feed: each is a plain name.
        let parts = text.split(separator: "\n", maxSplits: 3, omittingEmptySubsequences: false)
        guard parts.count == 4 else { return nil }
        book = Book(
            bundleID: BundleID(String(parts[0])),
            environment: AppStoreEnvironment(rawValue: String(parts[1])),
            anchor: parts[2].isEmpty ? nil : String(parts[2]))
        name = String(parts[3])
    }

    /// The subject's text.
    public var text: String {
        [book.bundleID.rawValue, book.environment.rawValue, book.anchor ?? "", name]
            .joined(separator: "\n")
    }

    /// Schedules work on it.
    func task(_ kind: TaskKind, due: Timestamp) -> ScheduledTask {
        ScheduledTask(kind, subject: text, due: due)
    }
}

/// Which of Apple's answers an app wants to be asked for.
public struct AppleWork: Sendable, Hashable {
    /// Whether there is a key for the App Store Server API.
    public var asks: Bool
    /// Whether the app's customers consented to telling Apple about consumption.
    public var answersConsumption: Bool

    /// Says what is wanted.
    public init(asks: Bool = false, answersConsumption: Bool = false) {
        self.asks = asks
        self.answersConsumption = answersConsumption
    }
}

extension PurchaseDecision {
    /// The work that a fact asks for; none for most, and none of Apple's where nobody may ask Apple.
    func work(after fact: Fact) -> [ScheduledTask] {
        switch fact {
        case .observation(let book, let id, let observation):
            return work(after: observation, of: id, in: book)
        case .grant(let book, let grant):
            guard apple(book).asks else { return [] }
            var tasks: [ScheduledTask] = []
            if purchase.customer == nil {
                tasks.append(
                    BookedSubject(book: book, name: grant.transactionID.rawValue).task(
                        Reconciliation.finishTransaction,
                        due: purchase.now.advanced(byMilliseconds: Reconciliation.deviceTime)))
            }
            if grant.kind != .autoRenewable {
                tasks.append(
                    // Apple answers for a customer, so one task does for everything that one buys.
                    BookedSubject(book: book, name: grant.customer.rawValue).task(
                        Reconciliation.checkRefunds,
                        due: grant.purchaseDate.advanced(
                            byMilliseconds: Reconciliation.refundPause)))
            }
            return tasks
        default:
            return []
        }
    }

    /// The work that a notification asks for.
    func work(after notification: NotificationSubmission) -> ScheduledTask? {
        let apple = apple(notification.book)
        if let hinted = notification.hinted { return work(hintedAt: hinted) }
        guard apple.asks, let about = notification.purchases?.facts.first else { return nil }
        let subject = BookedSubject(book: notification.book, name: about.id.rawValue)
        if notification.isHint {
            // Nobody signed it, so Apple is asked what is true.
            return subject.task(
                Reconciliation.readHistory, due: Reconciliation.afterHint(purchase.now))
        }
        guard apple.answersConsumption, notification.rule == .observeAndAnswer else { return nil }
        return subject.task(Reconciliation.answerConsumption, due: purchase.now)
    }

    /// Of what nobody signed, the name alone is taken, and only where the ledger knows it.
    private func work(hintedAt hinted: TransactionReference) -> ScheduledTask? {
        let known = facts(of: hinted.book)
        guard apple(hinted.book).asks,
            known.owners[hinted.id] != nil || !known.transactions(ofOriginal: hinted.id).isEmpty
        else { return nil }
        return BookedSubject(book: hinted.book, name: hinted.id.rawValue).task(
            Reconciliation.readHistory, due: Reconciliation.afterHint(purchase.now))
    }

    private func work(
        after observation: Observation, of id: TransactionID, in book: Book
    ) -> [ScheduledTask] {
        guard apple(book).asks, let end = observation.fields.expiresDate,
            observation.fields.revocationDate == nil,
            let original = facts(of: book).transactions[id]?.originalID
        else { return [] }
        // A proof of a period long past says nothing that is worth asking Apple about once more, unless it
        // is all that is known of the subscription; then asking at once is right.
        let pause = Reconciliation.afterExpiry(in: book.environment)
        let due = max(end.advanced(byMilliseconds: pause), purchase.now)
        return [
            BookedSubject(book: book, name: original.rawValue)
                .task(Reconciliation.checkSubscription, due: due)
        ]
    }

    /// What waits for a catalog is tried again, whether the app shows it again or not.
    func waiting(_ transaction: RecordedTransaction, in book: Book) -> ScheduledTask {
        BookedSubject(book: book, name: transaction.grantKey.rawValue).task(
            Reconciliation.settlePurchase, due: purchase.now.advanced(byMilliseconds: 5_000))
    }

    /// What may be asked about a book: Apple signs production and sandbox alone.
    private func apple(_ book: Book) -> AppleWork {
        guard book.environment == .production || book.environment == .sandbox else {
            return AppleWork()
        }
        return purchase.catalog.apps[book.bundleID]?.apple ?? AppleWork()
    }
}

/// What came of trying again.
public enum SettleAnswer: Sendable, Hashable {
    /// It is handed out, or taken back: there is nothing more to try.
    case settled(TransactionOutcome)
    /// It still waits.
    case waiting(TransactionOutcome)
    /// There is no such purchase.
    case unknown
}

extension Ledger {
    /// Tries again to hand out a recorded purchase, by the catalog of now; durable when this returns.
    public func settle(
        _ place: PurchasePlace, now: Timestamp
    ) async throws(LedgerError) -> SettleAnswer {
        var submission = PurchaseSubmission(customer: nil, proofs: [])
        submission.cause = "reconciliation"
        let purchase = try PurchaseCase(submission, catalog: catalog, idempotency: nil, now: now)
        var query = FactQuery()
        var keys = BookQuery()
        keys.grants = [place.key]
        keys.includesBalances = catalog.apps[place.book.bundleID]?.keepsWalletsAboveZero ?? false
        query.books[place.book] = keys
        return try await store.transact(reading: query) { snapshot in
            var decision = PurchaseDecision(purchase, over: snapshot)
            let transactions = decision.facts(of: place.book).transactions(of: place.key)
            guard
                let first = transactions.min(by: {
                    ($0.recordedAt, $0.id) < ($1.recordedAt, $1.id)
                })
            else { return Decision(answer: .unknown) }
            let outcome = decision.settle(first, in: place.book, isRetry: true)
            let answer: SettleAnswer =
                switch outcome {
                case .pending, .refused(.productUnknown): .waiting(outcome)
                default: .settled(outcome)
                }
            return Decision(facts: decision.facts, answer: answer)
        }
    }
}
