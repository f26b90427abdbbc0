public import AppStoreModel

/// A call that came in or went out.
public struct CallRecord: Codable, Sendable, Hashable {
    /// Its place in the log.
    public var sequence: Int64
    /// On the store's clock.
    public var date: Timestamp
    /// The port's.
    public var environment: AppStoreEnvironment?
    /// True for notifications that the store sent.
    public var isOutgoing: Bool
    /// The request method.
    public var method: String
    /// Path and query.
    public var path: String
    /// The answer's status; nothing when there was none.
    public var status: Int?
    /// How long it took, in real time.
    public var milliseconds: Double
    /// The request's body, cut at 4,096 characters.
    public var request: String?
    /// The answer's body, cut at 4,096 characters.
    public var response: String?
    /// What went wrong on purpose.
    public var fault: String?

    /// Makes the value out of its fields.
    public init(
        sequence: Int64, date: Timestamp, environment: AppStoreEnvironment? = nil,
        isOutgoing: Bool, method: String, path: String, status: Int? = nil,
        milliseconds:
            Double, request: String? = nil, response: String? = nil, fault: String? = nil
    ) {
        self.sequence = sequence
        self.date = date
        self.environment = environment
        self.isOutgoing = isOutgoing
        self.method = method
        self.path = path
        self.status = status
        self.milliseconds = milliseconds
        self.request = request
        self.response = response
        self.fault = fault
    }
}

/// The latest calls.
public struct CallsResponse: Codable, Sendable, Hashable {
    /// Oldest first.
    public var calls: [CallRecord]
    /// Ask for calls after this one next.
    public var cursor: Int64

    /// Makes the value out of its fields.
    public init(
        calls: [CallRecord], cursor: Int64
    ) {
        self.calls = calls
        self.cursor = cursor
    }
}

/// Something that happened in the store.
public struct StoreEventRecord: Codable, Sendable, Hashable {
    /// Its place in the log.
    public var sequence: Int64
    /// On the store's clock.
    public var date: Timestamp
    /// Till's word, as `purchased` or `renewed`.
    public var kind: String
    /// Where.
    public var environment: AppStoreEnvironment?
    /// To whom.
    public var accountID: AccountID?
    /// To which transaction.
    public var transactionID: TransactionID?
    /// To which product.
    public var productID: ProductID?
    /// One line for people.
    public var detail: String?

    /// Makes the value out of its fields.
    public init(
        sequence: Int64, date: Timestamp, kind: String, environment: AppStoreEnvironment? = nil,
        accountID: AccountID? = nil, transactionID: TransactionID? = nil,
        productID: ProductID? = nil, detail: String? = nil
    ) {
        self.sequence = sequence
        self.date = date
        self.kind = kind
        self.environment = environment
        self.accountID = accountID
        self.transactionID = transactionID
        self.productID = productID
        self.detail = detail
    }

    private enum CodingKeys: String, CodingKey {
        case sequence
        case date
        case kind
        case environment
        case accountID = "accountId"
        case transactionID = "transactionId"
        case productID = "productId"
        case detail
    }
}

/// The latest events.
public struct StoreEventsResponse: Codable, Sendable, Hashable {
    /// Oldest first.
    public var events: [StoreEventRecord]
    /// Ask for events after this one next.
    public var cursor: Int64

    /// Makes the value out of its fields.
    public init(
        events: [StoreEventRecord], cursor: Int64
    ) {
        self.events = events
        self.cursor = cursor
    }
}
