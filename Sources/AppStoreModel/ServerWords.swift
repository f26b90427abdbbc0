/// How an attempt to send a notification ended.
public struct SendAttemptResult: OpenText {
    /// The word that Apple uses.
    public let rawValue: String
    /// Takes any word, known or not.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The server answered with success.
    public static let success = Self(rawValue: "SUCCESS")
    /// No answer in time.
    public static let timedOut = Self(rawValue: "TIMED_OUT")
    /// Trouble with TLS.
    public static let tlsIssue = Self(rawValue: "TLS_ISSUE")
    /// Redirected in a circle.
    public static let circularRedirect = Self(rawValue: "CIRCULAR_REDIRECT")
    /// The server did not answer.
    public static let noResponse = Self(rawValue: "NO_RESPONSE")
    /// The connection broke.
    public static let socketIssue = Self(rawValue: "SOCKET_ISSUE")
    /// The answer's character set is not supported.
    public static let unsupportedCharset = Self(rawValue: "UNSUPPORTED_CHARSET")
    /// The answer was no HTTP.
    public static let invalidResponse = Self(rawValue: "INVALID_RESPONSE")
    /// The connection closed too early.
    public static let prematureClose = Self(rawValue: "PREMATURE_CLOSE")
    /// The server answered with another code than success.
    public static let unsuccessfulStatus = Self(rawValue: "UNSUCCESSFUL_HTTP_RESPONSE_CODE")
    /// Another reason.
    public static let other = Self(rawValue: "OTHER")
}

/// Whether an order number is known.
public struct OrderLookupStatus: OpenNumber {
    /// The number that Apple uses.
    public let rawValue: Int64
    /// Takes any number, known or not.
    public init(rawValue: Int64) { self.rawValue = rawValue }

    /// It is.
    public static let valid = Self(rawValue: 0)
    /// It is not.
    public static let invalid = Self(rawValue: 1)
}

/// Why a renewal date is extended.
public struct ExtendReasonCode: OpenNumber {
    /// The number that Apple uses.
    public let rawValue: Int64
    /// Takes any number, known or not.
    public init(rawValue: Int64) { self.rawValue = rawValue }

    /// Not said.
    public static let undeclared = Self(rawValue: 0)
    /// To please the customer.
    public static let customerSatisfaction = Self(rawValue: 1)
    /// Another reason.
    public static let other = Self(rawValue: 2)
    /// The service failed.
    public static let serviceIssueOrOutage = Self(rawValue: 3)
}

/// A kind of product, as the history endpoint filters by it.
public struct HistoryProductType: OpenText {
    /// The word that Apple uses.
    public let rawValue: String
    /// Takes any word, known or not.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Auto-renewable subscriptions.
    public static let autoRenewable = Self(rawValue: "AUTO_RENEWABLE")
    /// Non-renewing subscriptions.
    public static let nonRenewing = Self(rawValue: "NON_RENEWABLE")
    /// Consumables.
    public static let consumable = Self(rawValue: "CONSUMABLE")
    /// Non-consumables.
    public static let nonConsumable = Self(rawValue: "NON_CONSUMABLE")
}

/// In which order the history endpoint lists.
public struct HistoryOrder: OpenText {
    /// The word that Apple uses.
    public let rawValue: String
    /// Takes any word, known or not.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Oldest change first.
    public static let ascending = Self(rawValue: "ASCENDING")
    /// Newest change first.
    public static let descending = Self(rawValue: "DESCENDING")
}

/// Why the customer asks for a refund.
public struct ConsumptionRequestReason: OpenText {
    /// The word that Apple uses.
    public let rawValue: String
    /// Takes any word, known or not.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Did not mean to buy.
    public static let unintendedPurchase = Self(rawValue: "UNINTENDED_PURCHASE")
    /// Did not receive it.
    public static let fulfillmentIssue = Self(rawValue: "FULFILLMENT_ISSUE")
    /// Was not satisfied.
    public static let unsatisfied = Self(rawValue: "UNSATISFIED_WITH_PURCHASE")
    /// For a legal reason.
    public static let legal = Self(rawValue: "LEGAL")
    /// Another reason.
    public static let other = Self(rawValue: "OTHER")
}

/// Whether the goods were delivered, in version 2 of the consumption endpoint.
public struct DeliveryStatus: OpenText {
    /// The word that Apple uses.
    public let rawValue: String
    /// Takes any word, known or not.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// They were.
    public static let delivered = Self(rawValue: "DELIVERED")
    /// They were faulty.
    public static let qualityIssue = Self(rawValue: "UNDELIVERED_QUALITY_ISSUE")
    /// Others were delivered.
    public static let wrongItem = Self(rawValue: "UNDELIVERED_WRONG_ITEM")
    /// The server was down.
    public static let serverOutage = Self(rawValue: "UNDELIVERED_SERVER_OUTAGE")
    /// Not delivered for another reason.
    public static let other = Self(rawValue: "UNDELIVERED_OTHER")
}

/// What the developer would like Apple to decide, in version 2 of the consumption endpoint.
public struct RefundPreference: OpenText {
    /// The word that Apple uses.
    public let rawValue: String
    /// Takes any word, known or not.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// No refund.
    public static let decline = Self(rawValue: "DECLINE")
    /// A full refund.
    public static let grantFull = Self(rawValue: "GRANT_FULL")
    /// A refund of what is unused.
    public static let grantProrated = Self(rawValue: "GRANT_PRORATED")
}
