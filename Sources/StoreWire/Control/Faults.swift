public import AppStoreModel

/// What goes wrong, where and how often.
public struct FaultPlan: Codable, Sendable, Hashable {
    /// Of the random choices; the store's own when left out.
    public var seed: UInt64?
    /// In order: the first that applies to an occasion decides.
    public var rules: [FaultRule]

    /// Makes the value out of its fields.
    public init(
        seed: UInt64? = nil, rules: [FaultRule]
    ) {
        self.seed = seed
        self.rules = rules
    }
}

/// One thing that goes wrong.
public struct FaultRule: Codable, Sendable, Hashable {
    /// A name for the log.
    public var ruleID: String?
    /// What goes wrong.
    public var kind: FaultKind
    /// Where: a path that may end in `*`, an occasion, or `*` for everything.
    public var on: String
    /// Only there.
    public var environment: AppStoreEnvironment?
    /// 0 to 1, from the seed.
    public var probability: Double
    /// How many occasions pass first.
    public var skip: Int
    /// How often at the most.
    public var times: Int?
    /// Of a delay, of an early or late notification.
    public var milliseconds: Int?
    /// Of an error: the HTTP status; for `verifyReceipt` also Apple's status, 21000 and above.
    public var status: Int?
    /// Of an error of the Server API: Apple's code.
    public var errorCode: Int?
    /// Of a status 21100 to 21199.
    public var isRetryable: Bool?
    /// How that flag is spelled: `is-retryable` or `is_retryable`.
    public var retryableKey: String?
    /// Of a cut: how many bytes remain.
    public var bytes: Int?

    /// Makes the value out of its fields.
    public init(
        ruleID: String? = nil, kind: FaultKind, on: String = "*",
        environment:
            AppStoreEnvironment? = nil, probability: Double = 1, skip: Int = 0,
        times: Int? =
            nil, milliseconds: Int? = nil, status: Int? = nil, errorCode: Int? = nil,
        isRetryable: Bool? = nil, retryableKey: String? = nil, bytes: Int? = nil
    ) {
        self.ruleID = ruleID
        self.kind = kind
        self.on = on
        self.environment = environment
        self.probability = probability
        self.skip = skip
        self.times = times
        self.milliseconds = milliseconds
        self.status = status
        self.errorCode = errorCode
        self.isRetryable = isRetryable
        self.retryableKey = retryableKey
        self.bytes = bytes
    }

    private enum CodingKeys: String, CodingKey {
        case ruleID = "ruleId"
        case kind
        case on
        case environment
        case probability
        case skip
        case times
        case milliseconds
        case status
        case errorCode
        case isRetryable
        case retryableKey
        case bytes
    }

    /// Decodes; fields with a usual value may be left out.
    public init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        ruleID = try fields.decodeIfPresent(String.self, forKey: .ruleID)
        kind = try fields.decode(FaultKind.self, forKey: .kind)
        on = try fields.decodeIfPresent(String.self, forKey: .on) ?? "*"
        environment = try fields.decodeIfPresent(AppStoreEnvironment.self, forKey: .environment)
        probability = try fields.decodeIfPresent(Double.self, forKey: .probability) ?? 1
        skip = try fields.decodeIfPresent(Int.self, forKey: .skip) ?? 0
        times = try fields.decodeIfPresent(Int.self, forKey: .times)
        milliseconds = try fields.decodeIfPresent(Int.self, forKey: .milliseconds)
        status = try fields.decodeIfPresent(Int.self, forKey: .status)
        errorCode = try fields.decodeIfPresent(Int.self, forKey: .errorCode)
        isRetryable = try fields.decodeIfPresent(Bool.self, forKey: .isRetryable)
        retryableKey = try fields.decodeIfPresent(String.self, forKey: .retryableKey)
        bytes = try fields.decodeIfPresent(Int.self, forKey: .bytes)
    }
}

/// What can go wrong.
public struct FaultKind: RawRepresentable, Codable, Sendable, Hashable {
    /// The word on the wire; unknown ones pass.
    public let rawValue: String
    /// Takes any word.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The answer comes late.
    public static let delay = FaultKind(rawValue: "delay")
    /// The connection closes without an answer, after the work was done.
    public static let drop = FaultKind(rawValue: "drop")
    /// The connection closes before any work.
    public static let refuse = FaultKind(rawValue: "refuse")
    /// It comes twice.
    public static let duplicate = FaultKind(rawValue: "duplicate")
    /// A notification comes after the next one.
    public static let reorder = FaultKind(rawValue: "reorder")
    /// The body, or a signed payload within it, ends too early.
    public static let cut = FaultKind(rawValue: "cut")
    /// An HTTP error, or a status of `verifyReceipt`.
    public static let error = FaultKind(rawValue: "error")
    /// 429 with Apple's kind of Retry-After.
    public static let rateLimit = FaultKind(rawValue: "rateLimit")
    /// 401 with Apple's bare body.
    public static let unauthorized = FaultKind(rawValue: "unauthorized")
    /// Signed data carries a signature that does not fit.
    public static let wrongSignature = FaultKind(rawValue: "wrongSignature")
    /// Signed data is signed by a certificate that was over at that time.
    public static let expiredCertificate = FaultKind(rawValue: "expiredCertificate")
    /// Signed data is signed under another root.
    public static let foreignRoot = FaultKind(rawValue: "foreignRoot")
    /// The signing certificate lacks Apple's marker.
    public static let missingMarker = FaultKind(rawValue: "missingMarker")
    /// Receipts in the older form.
    public static let sha1Receipt = FaultKind(rawValue: "sha1Receipt")
    /// Receipts in indefinite lengths, as Xcode writes them.
    public static let berReceipt = FaultKind(rawValue: "berReceipt")
    /// Fractional dates in signed data and offsets in receipts.
    public static let xcodeDates = FaultKind(rawValue: "xcodeDates")
    /// The records of a receipt in no order.
    public static let unsortedReceipt = FaultKind(rawValue: "unsortedReceipt")
    /// A receipt without records.
    public static let emptyReceipt = FaultKind(rawValue: "emptyReceipt")
    /// A period comes under a second transaction name.
    public static let secondID = FaultKind(rawValue: "secondID")
    /// The notification comes before the answer to the purchase.
    public static let earlyNotification = FaultKind(rawValue: "earlyNotification")
    /// The notification comes long after.
    public static let lateNotification = FaultKind(rawValue: "lateNotification")
    /// The notification comes again under a new UUID.
    public static let newUUID = FaultKind(rawValue: "newUUID")
    /// Words and numbers that Apple has not used yet.
    public static let unknownValue = FaultKind(rawValue: "unknownValue")
    /// Fields that Apple has not used yet.
    public static let unknownField = FaultKind(rawValue: "unknownField")
    /// The purchase date lies after the signed date.
    public static let futurePurchaseDate = FaultKind(rawValue: "futurePurchaseDate")
    /// The original purchase date lies after the purchase date.
    public static let lateOriginalDate = FaultKind(rawValue: "lateOriginalDate")
    /// The application username is lost in the queue.
    public static let forgetUsername = FaultKind(rawValue: "forgetUsername")
    /// A device hears of a transaction twice.
    public static let repeatEvent = FaultKind(rawValue: "repeatEvent")
    /// A device hears of a transaction by an event before the purchase is answered.
    public static let earlyEvent = FaultKind(rawValue: "earlyEvent")
}

/// The plan and what it has done.
public struct FaultsResponse: Codable, Sendable, Hashable {
    /// As it stands.
    public var plan: FaultPlan
    /// The latest 200 times that it struck, newest first.
    public var struck: [FaultRecord]

    /// Makes the value out of its fields.
    public init(
        plan: FaultPlan, struck: [FaultRecord]
    ) {
        self.plan = plan
        self.struck = struck
    }
}

/// One time that something went wrong on purpose.
public struct FaultRecord: Codable, Sendable, Hashable {
    /// On the store's clock.
    public var date: Timestamp
    /// What.
    public var kind: FaultKind
    /// Where.
    public var on: String
    /// By which rule.
    public var ruleID: String?

    /// Makes the value out of its fields.
    public init(
        date: Timestamp, kind: FaultKind, on: String, ruleID: String? = nil
    ) {
        self.date = date
        self.kind = kind
        self.on = on
        self.ruleID = ruleID
    }

    private enum CodingKeys: String, CodingKey {
        case date
        case kind
        case on
        case ruleID = "ruleId"
    }
}
