import AppStoreModel
import TillLedger

/// What the ledger needs from time to time.
enum Upkeep {
    /// How long each kind of record is kept, in days.
    private static func days(_ kind: PrunableRecord) -> Int64 {
        switch kind {
        case .idempotentAnswers: 30
        case .refusals: 365
        case .events: 90
        }
    }

    private static let dayLength: Int64 = 86_400_000
    /// Rows that are removed in one transaction, so that nobody who writes waits long.
    private static let rows = 500

    /// What recurs; known tasks stay as they are.
    static func tasks(at now: Timestamp) -> [ScheduledTask] {
        PrunableRecord.allCases.map { ScheduledTask(.prune, subject: $0.subject, due: now) }
    }

    static func handlers(_ ledger: Ledger) -> [TaskHandler] {
        [
            TaskHandler(.expireOrder) { task, now in
                if let id = OrderID(rawValue: task.key.subject) {
                    _ = try await ledger.expireOrder(id, now: now)
                }
                return .finished
            },
            TaskHandler(.tellSubscription) { task, now in
                if let subject = BookedSubject(task.key.subject) {
                    _ = try await ledger.tellSubscription(subject, now: now)
                }
                return .finished
            },
            TaskHandler(.prune) { task, now in
                let kind = PrunableRecord.allCases.first { $0.subject == task.key.subject }
                guard let kind else { return .finished }
                let time = now.advanced(byMilliseconds: -days(kind) * dayLength)
                let count = try await ledger.work.prune(kind, before: time, limit: rows)
                return .again(
                    at: count < rows ? now.advanced(byMilliseconds: dayLength) : now)
            },
        ]
    }
}

extension PrunableRecord {
    fileprivate var subject: String {
        switch self {
        case .idempotentAnswers: "idempotentAnswers"
        case .refusals: "refusals"
        case .events: "events"
        }
    }
}
