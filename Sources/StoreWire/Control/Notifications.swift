public import AppStoreModel

/// A server notification with its attempts.
public struct NotificationInfo: Codable, Sendable, Hashable {
    /// Its name, the same at each attempt.
    public var notificationUUID: String
    /// The one that it belongs to.
    public var environment: AppStoreEnvironment
    /// Apple's word.
    public var notificationType: String
    /// Apple's word.
    public var subtype: String?
    /// 2 or 1.
    public var version: Int
    /// When it arose.
    public var date: Timestamp
    /// What it is about.
    public var transactionID: TransactionID?
    /// What it is about.
    public var originalTransactionID: TransactionID?
    /// Who it is about.
    public var accountID: AccountID?
    /// Oldest first.
    public var attempts: [NotificationAttempt]
    /// When it will be tried next.
    public var nextAttempt: Timestamp?
    /// The body as it is sent, when a single one is asked for.
    public var payload: String?

    /// Makes the value out of its fields.
    public init(
        notificationUUID: String, environment: AppStoreEnvironment,
        notificationType:
            String, subtype: String? = nil, version: Int, date: Timestamp,
        transactionID:
            TransactionID? = nil, originalTransactionID: TransactionID? = nil,
        accountID:
            AccountID? = nil, attempts: [NotificationAttempt], nextAttempt: Timestamp? = nil,
        payload: String? = nil
    ) {
        self.notificationUUID = notificationUUID
        self.environment = environment
        self.notificationType = notificationType
        self.subtype = subtype
        self.version = version
        self.date = date
        self.transactionID = transactionID
        self.originalTransactionID = originalTransactionID
        self.accountID = accountID
        self.attempts = attempts
        self.nextAttempt = nextAttempt
        self.payload = payload
    }

    private enum CodingKeys: String, CodingKey {
        case notificationUUID
        case environment
        case notificationType
        case subtype
        case version
        case date
        case transactionID = "transactionId"
        case originalTransactionID = "originalTransactionId"
        case accountID = "accountId"
        case attempts
        case nextAttempt
        case payload
    }
}

/// One attempt to deliver.
public struct NotificationAttempt: Codable, Sendable, Hashable {
    /// On the store's clock.
    public var date: Timestamp
    /// Apple's word, as `SUCCESS` or `TIMED_OUT`.
    public var result: String
    /// The HTTP status, if there was an answer.
    public var status: Int?

    /// Makes the value out of its fields.
    public init(
        date: Timestamp, result: String, status: Int? = nil
    ) {
        self.date = date
        self.result = result
        self.status = status
    }
}

/// The notifications.
public struct NotificationsResponse: Codable, Sendable, Hashable {
    /// Newest first, 200 at the most.
    public var notifications: [NotificationInfo]

    /// Makes the value out of its fields.
    public init(
        notifications: [NotificationInfo]
    ) {
        self.notifications = notifications
    }
}

/// The name of a test notification.
public struct TestNotificationResponse: Codable, Sendable, Hashable {
    /// To ask for its state.
    public var testNotificationToken: String

    /// Makes the value out of its fields.
    public init(
        testNotificationToken: String
    ) {
        self.testNotificationToken = testNotificationToken
    }
}
