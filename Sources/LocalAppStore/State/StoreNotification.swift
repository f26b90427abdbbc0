import AppStoreModel
import StoreWire

/// A server notification with what it tells, as it was when it arose, and its attempts.
struct StoreNotification: TableRow {
    let id: String
    let environment: AppStoreEnvironment
    let type: NotificationType
    let subtype: NotificationSubtype?
    /// Of version 1: its own word; nothing in version 2.
    let versionOneType: String?
    let date: Timestamp
    let account: AccountID?
    /// What it tells of the transaction.
    let transaction: TransactionPayload?
    let renewal: RenewalPayload?
    let status: SubscriptionStatus?
    let reason: ConsumptionRequestReason?
    var summary: NotificationSummary?
    /// The body as it was sent first; every attempt and the history give it unchanged.
    var body: String?
    var attempts: [Attempt] = []
    var nextAttempt: Timestamp?
    /// How often each attempt sends it.
    var copies = 1
    /// Of a test: the name to ask by.
    var testToken: String?

    struct Attempt: Codable, Sendable, Hashable {
        let date: Timestamp
        let result: SendAttemptResult
        let status: Int?
    }

    var version: Int { versionOneType == nil ? 2 : 1 }

    /// Milliseconds from one attempt to the next; sandbox notifications of version 2 are tried once.
    var ladder: [Int64] {
        let hours: [Int64] =
            switch (version, environment) {
            case (1, _): [6, 24, 48]
            case (_, .production): [1, 12, 24, 48, 72]
            default: []
            }
        return hours.map { $0 * 3_600_000 }
    }
}
