/// An error of the App Store Server API.
public struct ServerErrorResponse: AppStoreObject {
    /// The number.
    public var errorCode: ServerErrorCode?
    /// A sentence.
    public var errorMessage: String?
    /// Names that this program does not know.
    public var otherFields: [String: JSONValue] = [:]

    /// An empty one; set what is known.
    public init() {}
    /// An empty one, to be filled by a pass.
    public init(unfilled: ()) {}

    /// Reads or writes every field.
    public mutating func fields(_ pass: inout FieldPass) throws {
        try pass("errorCode", &errorCode)
        try pass("errorMessage", &errorMessage)
    }
}

/// One signed transaction.
public struct TransactionInfoResponse: AppStoreObject {
    /// A signed `TransactionPayload`.
    public var signedTransactionInfo: String?
    /// Names that this program does not know.
    public var otherFields: [String: JSONValue] = [:]

    /// An empty one; set what is known.
    public init() {}
    /// An empty one, to be filled by a pass.
    public init(unfilled: ()) {}

    /// Reads or writes every field.
    public mutating func fields(_ pass: inout FieldPass) throws {
        try pass("signedTransactionInfo", &signedTransactionInfo)
    }
}

/// A page of a customer's signed transactions.
public struct HistoryResponse: AppStoreObject {
    /// Where the next page begins.
    public var revision: String?
    /// Whether there is a next page.
    public var hasMore: Bool?
    /// The app.
    public var bundleID: BundleID?
    /// The app's number.
    public var appAppleID: Int64?
    /// Where they were bought.
    public var environment: AppStoreEnvironment?
    /// Signed `TransactionPayload`s.
    public var signedTransactions: [String]?
    /// Names that this program does not know.
    public var otherFields: [String: JSONValue] = [:]

    /// An empty one; set what is known.
    public init() {}
    /// An empty one, to be filled by a pass.
    public init(unfilled: ()) {}

    /// Reads or writes every field.
    public mutating func fields(_ pass: inout FieldPass) throws {
        try pass("revision", &revision)
        try pass("hasMore", &hasMore)
        try pass("bundleId", &bundleID)
        try pass("appAppleId", &appAppleID)
        try pass("environment", &environment)
        try pass("signedTransactions", &signedTransactions)
    }
}

/// How all of a customer's subscriptions stand.
public struct StatusResponse: AppStoreObject {
    /// Where they were bought.
    public var environment: AppStoreEnvironment?
    /// The app.
    public var bundleID: BundleID?
    /// The app's number.
    public var appAppleID: Int64?
    /// By group.
    public var data: [SubscriptionGroupStatus]?
    /// Names that this program does not know.
    public var otherFields: [String: JSONValue] = [:]

    /// An empty one; set what is known.
    public init() {}
    /// An empty one, to be filled by a pass.
    public init(unfilled: ()) {}

    /// Reads or writes every field.
    public mutating func fields(_ pass: inout FieldPass) throws {
        try pass("environment", &environment)
        try pass("bundleId", &bundleID)
        try pass("appAppleId", &appAppleID)
        try pass("data", &data)
    }
}

/// How the subscriptions of one group stand.
public struct SubscriptionGroupStatus: AppStoreObject {
    /// The group.
    public var subscriptionGroupIdentifier: SubscriptionGroupID?
    /// One for each original transaction.
    public var lastTransactions: [LastTransaction]?
    /// Names that this program does not know.
    public var otherFields: [String: JSONValue] = [:]

    /// An empty one; set what is known.
    public init() {}
    /// An empty one, to be filled by a pass.
    public init(unfilled: ()) {}

    /// Reads or writes every field.
    public mutating func fields(_ pass: inout FieldPass) throws {
        try pass("subscriptionGroupIdentifier", &subscriptionGroupIdentifier)
        try pass("lastTransactions", &lastTransactions)
    }
}

/// How one subscription stands.
public struct LastTransaction: AppStoreObject {
    /// The state.
    public var status: SubscriptionStatus?
    /// The first purchase.
    public var originalTransactionID: TransactionID?
    /// A signed `TransactionPayload`.
    public var signedTransactionInfo: String?
    /// A signed `RenewalPayload`.
    public var signedRenewalInfo: String?
    /// Names that this program does not know.
    public var otherFields: [String: JSONValue] = [:]

    /// An empty one; set what is known.
    public init() {}
    /// An empty one, to be filled by a pass.
    public init(unfilled: ()) {}

    /// Reads or writes every field.
    public mutating func fields(_ pass: inout FieldPass) throws {
        try pass("status", &status)
        try pass("originalTransactionId", &originalTransactionID)
        try pass("signedTransactionInfo", &signedTransactionInfo)
        try pass("signedRenewalInfo", &signedRenewalInfo)
    }
}

/// A page of a customer's refunded transactions.
public struct RefundHistoryResponse: AppStoreObject {
    /// Signed `TransactionPayload`s.
    public var signedTransactions: [String]?
    /// Where the next page begins.
    public var revision: String?
    /// Whether there is a next page.
    public var hasMore: Bool?
    /// Names that this program does not know.
    public var otherFields: [String: JSONValue] = [:]

    /// An empty one; set what is known.
    public init() {}
    /// An empty one, to be filled by a pass.
    public init(unfilled: ()) {}

    /// Reads or writes every field.
    public mutating func fields(_ pass: inout FieldPass) throws {
        try pass("signedTransactions", &signedTransactions)
        try pass("revision", &revision)
        try pass("hasMore", &hasMore)
    }
}

/// The purchases of an order number.
public struct OrderLookupResponse: AppStoreObject {
    /// Whether the number is known.
    public var status: OrderLookupStatus?
    /// Signed `TransactionPayload`s.
    public var signedTransactions: [String]?
    /// Names that this program does not know.
    public var otherFields: [String: JSONValue] = [:]

    /// An empty one; set what is known.
    public init() {}
    /// An empty one, to be filled by a pass.
    public init(unfilled: ()) {}

    /// Reads or writes every field.
    public mutating func fields(_ pass: inout FieldPass) throws {
        try pass("status", &status)
        try pass("signedTransactions", &signedTransactions)
    }
}

/// The outcome of one extension.
public struct ExtendRenewalDateResponse: AppStoreObject {
    /// The first purchase.
    public var originalTransactionID: TransactionID?
    /// The period.
    public var webOrderLineItemID: WebOrderLineItemID?
    /// Whether it was extended.
    public var success: Bool?
    /// The new renewal date.
    public var effectiveDate: Timestamp?
    /// Names that this program does not know.
    public var otherFields: [String: JSONValue] = [:]

    /// An empty one; set what is known.
    public init() {}
    /// An empty one, to be filled by a pass.
    public init(unfilled: ()) {}

    /// Reads or writes every field.
    public mutating func fields(_ pass: inout FieldPass) throws {
        try pass("originalTransactionId", &originalTransactionID)
        try pass("webOrderLineItemId", &webOrderLineItemID)
        try pass("success", &success)
        try pass("effectiveDate", &effectiveDate)
    }
}

/// Says that a mass extension was taken up.
public struct MassExtendRenewalDateResponse: AppStoreObject {
    /// The developer's name of the request.
    public var requestIdentifier: String?
    /// Names that this program does not know.
    public var otherFields: [String: JSONValue] = [:]

    /// An empty one; set what is known.
    public init() {}
    /// An empty one, to be filled by a pass.
    public init(unfilled: ()) {}

    /// Reads or writes every field.
    public mutating func fields(_ pass: inout FieldPass) throws {
        try pass("requestIdentifier", &requestIdentifier)
    }
}

/// How a mass extension stands.
public struct MassExtendRenewalDateStatusResponse: AppStoreObject {
    /// The developer's name of the request.
    public var requestIdentifier: String?
    /// Whether it is done.
    public var complete: Bool?
    /// When it was done.
    public var completeDate: Timestamp?
    /// How many were extended.
    public var succeededCount: Int64?
    /// How many were not.
    public var failedCount: Int64?
    /// Names that this program does not know.
    public var otherFields: [String: JSONValue] = [:]

    /// An empty one; set what is known.
    public init() {}
    /// An empty one, to be filled by a pass.
    public init(unfilled: ()) {}

    /// Reads or writes every field.
    public mutating func fields(_ pass: inout FieldPass) throws {
        try pass("requestIdentifier", &requestIdentifier)
        try pass("complete", &complete)
        try pass("completeDate", &completeDate)
        try pass("succeededCount", &succeededCount)
        try pass("failedCount", &failedCount)
    }
}

/// Says that a test notification will be sent.
public struct SendTestNotificationResponse: AppStoreObject {
    /// Names the test.
    public var testNotificationToken: String?
    /// Names that this program does not know.
    public var otherFields: [String: JSONValue] = [:]

    /// An empty one; set what is known.
    public init() {}
    /// An empty one, to be filled by a pass.
    public init(unfilled: ()) {}

    /// Reads or writes every field.
    public mutating func fields(_ pass: inout FieldPass) throws {
        try pass("testNotificationToken", &testNotificationToken)
    }
}

/// How a test notification fared.
public struct CheckTestNotificationResponse: AppStoreObject {
    /// A signed `NotificationPayload`.
    public var signedPayload: String?
    /// The attempts.
    public var sendAttempts: [SendAttempt]?
    /// The first attempt's outcome; no longer documented.
    public var firstSendAttemptResult: SendAttemptResult?
    /// Names that this program does not know.
    public var otherFields: [String: JSONValue] = [:]

    /// An empty one; set what is known.
    public init() {}
    /// An empty one, to be filled by a pass.
    public init(unfilled: ()) {}

    /// Reads or writes every field.
    public mutating func fields(_ pass: inout FieldPass) throws {
        try pass("signedPayload", &signedPayload)
        try pass("sendAttempts", &sendAttempts)
        try pass("firstSendAttemptResult", &firstSendAttemptResult)
    }
}

/// A page of the notifications that were sent.
public struct NotificationHistoryResponse: AppStoreObject {
    /// Where the next page begins.
    public var paginationToken: String?
    /// Whether there is a next page.
    public var hasMore: Bool?
    /// The notifications.
    public var notificationHistory: [NotificationHistoryItem]?
    /// Names that this program does not know.
    public var otherFields: [String: JSONValue] = [:]

    /// An empty one; set what is known.
    public init() {}
    /// An empty one, to be filled by a pass.
    public init(unfilled: ()) {}

    /// Reads or writes every field.
    public mutating func fields(_ pass: inout FieldPass) throws {
        try pass("paginationToken", &paginationToken)
        try pass("hasMore", &hasMore)
        try pass("notificationHistory", &notificationHistory)
    }
}

/// A notification that was sent.
public struct NotificationHistoryItem: AppStoreObject {
    /// A signed `NotificationPayload`.
    public var signedPayload: String?
    /// The attempts.
    public var sendAttempts: [SendAttempt]?
    /// The first attempt's outcome; no longer documented.
    public var firstSendAttemptResult: SendAttemptResult?
    /// Names that this program does not know.
    public var otherFields: [String: JSONValue] = [:]

    /// An empty one; set what is known.
    public init() {}
    /// An empty one, to be filled by a pass.
    public init(unfilled: ()) {}

    /// Reads or writes every field.
    public mutating func fields(_ pass: inout FieldPass) throws {
        try pass("signedPayload", &signedPayload)
        try pass("sendAttempts", &sendAttempts)
        try pass("firstSendAttemptResult", &firstSendAttemptResult)
    }
}

/// One attempt to send a notification.
public struct SendAttempt: AppStoreObject {
    /// When.
    public var attemptDate: Timestamp?
    /// How it ended.
    public var sendAttemptResult: SendAttemptResult?
    /// Names that this program does not know.
    public var otherFields: [String: JSONValue] = [:]

    /// An empty one; set what is known.
    public init() {}
    /// An empty one, to be filled by a pass.
    public init(unfilled: ()) {}

    /// Reads or writes every field.
    public mutating func fields(_ pass: inout FieldPass) throws {
        try pass("attemptDate", &attemptDate)
        try pass("sendAttemptResult", &sendAttemptResult)
    }
}

/// One signed app transaction.
public struct AppTransactionInfoResponse: AppStoreObject {
    /// A signed `AppTransactionPayload`.
    public var signedAppTransactionInfo: String?
    /// Names that this program does not know.
    public var otherFields: [String: JSONValue] = [:]

    /// An empty one; set what is known.
    public init() {}
    /// An empty one, to be filled by a pass.
    public init(unfilled: ()) {}

    /// Reads or writes every field.
    public mutating func fields(_ pass: inout FieldPass) throws {
        try pass("signedAppTransactionInfo", &signedAppTransactionInfo)
    }
}

/// The body of a version 2 notification or a retention request.
public struct SignedPayloadBody: AppStoreObject {
    /// The signed value.
    public var signedPayload: String?
    /// Names that this program does not know.
    public var otherFields: [String: JSONValue] = [:]

    /// An empty one; set what is known.
    public init() {}
    /// An empty one, to be filled by a pass.
    public init(unfilled: ()) {}

    /// Reads or writes every field.
    public mutating func fields(_ pass: inout FieldPass) throws {
        try pass("signedPayload", &signedPayload)
    }
}
