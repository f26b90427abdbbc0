public import AppStoreClient
public import AppStoreModel
import AppStoreTrust
public import HTTPMessage
import Synchronization
public import TillLedger

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Keeps the ledger true without any app: the handlers of the work that `Reconciliation` names.
///
/// It asks Apple within its rate budget, in as many processes as there are, each task once.
public struct Reconciler: Sendable {
    let desks: [BundleID: AppleDesk]
    private let books: [Book]
    private let ledger: Ledger
    private let log: ServerLog
    private let metrics: Metrics
    /// How far each book's notifications were fetched by this process.
    private let fetched = FetchedUntil()

    /// Makes the desks of every app that may ask Apple.
    ///
    /// - Throws: ``ConfigurationError``, naming the app whose settings Apple's client does not take.
    public init(
        _ configuration: ServerConfiguration, ledger: Ledger, fetcher: any HTTPFetching,
        surroundings: AppStoreClient.Surroundings = .system, log: ServerLog = .silent,
        metrics: Metrics = Metrics()
    ) throws(ConfigurationError) {
        let verifier = ProofVerifier(configuration: try configuration.trust())
        var desks: [BundleID: AppleDesk] = [:]
        var books: [Book] = []
        for app in configuration.apps {
            guard let access = app.appStore else { continue }
            do throws(AppStoreClientError) {
                desks[app.bundleID] = try AppleDesk(
                    app, access: access, verifier: verifier, ledger: ledger, fetcher: fetcher,
                    surroundings: surroundings)
            } catch {
                throw ConfigurationError(
                    faults: [.init(path: "apps.\(app.bundleID).appStore", text: "\(error)")])
            }
            for environment in app.environments
            where environment == .production || environment == .sandbox {
                books.append(configuration.book(of: app.bundleID, in: environment))
            }
        }
        self.desks = desks
        self.books = books
        self.ledger = ledger
        self.log = log
        self.metrics = metrics
    }

    /// What recurs; to be scheduled at the start.
    public func tasks(at now: Timestamp) -> [ScheduledTask] {
        books.map {
            ScheduledTask(
                Reconciliation.fetchNotifications,
                subject: BookedSubject(book: $0, name: "").text, due: now)
        }
    }

    /// The handlers, to be given to a ``Worker``.
    public var handlers: [TaskHandler] {
        [
            TaskHandler(Reconciliation.settlePurchase) { task, now in
                try await settle(task, now: now)
            },
            handler(Reconciliation.checkSubscription) { desk, subject, _, now in
                let taken = try await desk.checkSubscription(subject, now: now)
                note(Reconciliation.checkSubscription, subject, taken)
                guard taken.mayRenew else { return .finished }
                let environment = subject.book.environment
                let end = taken.expiresAt ?? now
                // Past its end and not given up: Apple tries to bill it, for days.
                return .again(
                    at: max(
                        end.advanced(
                            byMilliseconds: Reconciliation.afterExpiry(in: environment)),
                        now.advanced(
                            byMilliseconds: end > now
                                ? 0 : Reconciliation.billingPause(in: environment))))
            },
            handler(Reconciliation.readHistory) { desk, subject, _, now in
                let taken = try await desk.readHistory(subject, now: now)
                note(Reconciliation.readHistory, subject, taken)
                return .finished
            },
            handler(Reconciliation.checkRefunds) { desk, subject, task, now in
                guard let id = try await lastPurchase(of: subject, now: now) else {
                    return .finished
                }
                let before = RefundPlace(task.payload)
                let (taken, revision) = try await desk.checkRefunds(
                    of: id, in: subject.book.environment,
                    after: before?.transactionID == id ? before?.revision : nil, now: now)
                note(Reconciliation.checkRefunds, subject, taken)
                return .resume(
                    at: now.advanced(byMilliseconds: Reconciliation.refundInterval),
                    payload: RefundPlace(transactionID: id, revision: revision).text)
            },
            handler(Reconciliation.finishTransaction) { desk, subject, _, _ in
                try await desk.finish(subject)
                return .finished
            },
            handler(Reconciliation.answerConsumption) { desk, subject, _, now in
                try await desk.answerConsumption(subject, now: now)
                return .finished
            },
            handler(Reconciliation.fetchNotifications) { desk, subject, _, now in
                let start = fetched.start(of: subject.book, now: now)
                let counts = try await desk.fetchNotifications(
                    from: start, to: now, in: subject.book)
                fetched.set(now, of: subject.book)
                if counts.recorded + counts.refused > 0 {
                    log.write(
                        counts.refused > 0 ? .warning : .info, "notificationsFetched",
                        [
                            "book": .string("\(subject.book)"),
                            "recorded": .integer(Int64(counts.recorded)),
                            "refused": .integer(Int64(counts.refused)),
                        ])
                }
                return .again(
                    at: now.advanced(byMilliseconds: Reconciliation.notificationPause))
            },
        ]
    }

    /// Tries again to hand out what waits for a catalog.
    private func settle(_ task: ClaimedTask, now: Timestamp) async throws -> TaskOutcome {
        guard let subject = BookedSubject(task.key.subject) else { return .finished }
        let place = PurchasePlace(
            book: subject.book, key: GrantKey(rawValue: subject.name))
        switch try await ledger.settle(place, now: now) {
        case .unknown: return .finished
        case .waiting(let outcome):
            return .failed(outcome.reason?.sentence ?? "nobody has claimed it")
        case .settled(let outcome):
            log.write(
                .info, "purchaseSettled",
                [
                    "book": .string("\(subject.book)"), "purchase": .string(subject.name),
                    "outcome": .string(outcome.code),
                ])
            return .finished
        }
    }

    /// What a customer bought last and may still be paid back; Apple answers by it for everything that its
    /// account bought.
    private func lastPurchase(
        of customer: BookedSubject, now: Timestamp
    ) async throws -> TransactionID? {
        guard let name = CustomerID(rawValue: customer.name) else { return nil }
        let last = try await ledger.holdings(of: name, now: now).history.first {
            $0.book == customer.book && !$0.transaction.grantKey.isPeriod
        }
        guard let last,
            now
                < last.transaction.purchaseDate.advanced(
                    byMilliseconds: Reconciliation.refundTime)
        else { return nil }
        return last.transaction.id
    }

    /// A handler that asks Apple: where that is not configured any more the work is given up, what Apple
    /// says no to for good is told and given up (but for what recurs), and the rest is tried again.
    private func handler(
        _ kind: TaskKind,
        _ run:
            @escaping @Sendable (AppleDesk, BookedSubject, ClaimedTask, Timestamp) async throws ->
            TaskOutcome
    ) -> TaskHandler {
        TaskHandler(kind) { task, now in
            guard let subject = BookedSubject(task.key.subject),
                let desk = desks[subject.book.bundleID]
            else { return .finished }
            do {
                return try await run(desk, subject, task, now)
            } catch let error as AppStoreClientError {
                switch error.remedy {
                case .retry(let moment?) where moment > now: return .again(at: moment)
                case .retry, .configuration: return .failed("\(error)")
                case .final:
                    log.write(
                        .warning, "appleRefused",
                        [
                            "kind": .string(kind.rawValue), "book": .string("\(subject.book)"),
                            "subject": .string(subject.name),
                            "code": .string(error.code.rawValue),
                        ])
                    // What is asked for again and again is not over because Apple said no once.
                    return kind == Reconciliation.fetchNotifications
                        ? .failed("\(error)") : .finished
                }
            }
        }
    }

    /// A repair is worth a line; finding everything as it was is not.
    private func note(_ kind: TaskKind, _ subject: BookedSubject, _ taken: AppleDesk.Taken) {
        let granted = taken.results.count { $0.outcome == .granted }
        let revoked = taken.results.count { $0.outcome == .refused(.revoked) }
        guard granted + taken.refused > 0 || revoked > 0 else { return }
        for (outcome, count) in [
            ("granted", granted), ("revoked", revoked), ("refused", taken.refused),
        ] {
            metrics.count(.repairs, [kind.rawValue, outcome], by: count)
        }
        log.write(
            taken.refused > 0 ? .warning : .info, "reconciled",
            [
                "kind": .string(kind.rawValue), "book": .string("\(subject.book)"),
                "subject": .string(subject.name), "granted": .integer(Int64(granted)),
                "revoked": .integer(Int64(revoked)), "refused": .integer(Int64(taken.refused)),
            ])
    }
}

/// How far a customer's refunds were read: what was asked by, and the place that Apple gave.
private struct RefundPlace: Codable {
    let transactionID: TransactionID
    let revision: String?

    private enum CodingKeys: String, CodingKey {
        case transactionID = "transactionId"
        case revision
    }

    init(transactionID: TransactionID, revision: String?) {
        self.transactionID = transactionID
        self.revision = revision
    }

    init?(_ text: String) {
        guard let place = try? JSONDecoder().decode(Self.self, from: Data(text.utf8)) else {
            return nil
        }
        self = place
    }

    var text: String {
        (try? JSONEncoder().encode(self)).map { String(decoding: $0, as: UTF8.self) } ?? "{}"
    }
}

/// How far the notifications were fetched.
///
/// A process that has just started asks for all that Apple still keeps: nobody knows how long none ran.
private final class FetchedUntil: Sendable {
    private static let overlap: Int64 = 3_600_000
    private let times = Mutex<[Book: Timestamp]>([:])

    func start(of book: Book, now: Timestamp) -> Timestamp {
        let kept = now.advanced(
            byMilliseconds: -Reconciliation.notificationsKept(in: book.environment))
        guard let last = times.withLock({ $0[book] }) else { return kept }
        // Whoever could not ask for longer than Apple keeps them asks for what there is.
        return max(kept, last.advanced(byMilliseconds: -Self.overlap))
    }

    func set(_ time: Timestamp, of book: Book) { times.withLock { $0[book] = time } }
}
