/// Asks to extend one subscription's renewal date.
public struct ExtendRenewalDateRequest: AppStoreObject {
    /// 1 to 90.
    public var extendByDays: Int64?
    /// Why.
    public var extendReasonCode: ExtendReasonCode?
    /// Names the request; at most 128 characters.
    public var requestIdentifier: String?
    /// Names that this program does not know.
    public var otherFields: [String: JSONValue] = [:]

    /// An empty one; set what is known.
    public init() {}
    /// An empty one, to be filled by a pass.
    public init(unfilled: ()) {}

    /// Reads or writes every field.
    public mutating func fields(_ pass: inout FieldPass) throws {
        try pass("extendByDays", &extendByDays)
        try pass("extendReasonCode", &extendReasonCode)
        try pass("requestIdentifier", &requestIdentifier)
    }
}

/// Asks to extend the renewal date of all active subscribers of a product.
public struct MassExtendRenewalDateRequest: AppStoreObject {
    /// 1 to 90.
    public var extendByDays: Int64?
    /// Why.
    public var extendReasonCode: ExtendReasonCode?
    /// Names the request; at most 128 characters.
    public var requestIdentifier: String?
    /// The storefronts; absent for all.
    public var storefrontCountryCodes: [String]?
    /// The product.
    public var productID: ProductID?
    /// Names that this program does not know.
    public var otherFields: [String: JSONValue] = [:]

    /// An empty one; set what is known.
    public init() {}
    /// An empty one, to be filled by a pass.
    public init(unfilled: ()) {}

    /// Reads or writes every field.
    public mutating func fields(_ pass: inout FieldPass) throws {
        try pass("extendByDays", &extendByDays)
        try pass("extendReasonCode", &extendReasonCode)
        try pass("requestIdentifier", &requestIdentifier)
        try pass("storefrontCountryCodes", &storefrontCountryCodes)
        try pass("productId", &productID)
    }
}

/// Asks for notifications that were sent.
public struct NotificationHistoryRequest: AppStoreObject {
    /// The earliest; within 180 days, in the sandbox within 30.
    public var startDate: Timestamp?
    /// The latest.
    public var endDate: Timestamp?
    /// Only that type.
    public var notificationType: NotificationType?
    /// Only that subtype.
    public var notificationSubtype: NotificationSubtype?
    /// Only that customer's; not together with a type.
    public var transactionID: TransactionID?
    /// Only those that did not arrive.
    public var onlyFailures: Bool?
    /// Names that this program does not know.
    public var otherFields: [String: JSONValue] = [:]

    /// An empty one; set what is known.
    public init() {}
    /// An empty one, to be filled by a pass.
    public init(unfilled: ()) {}

    /// Reads or writes every field.
    public mutating func fields(_ pass: inout FieldPass) throws {
        try pass("startDate", &startDate)
        try pass("endDate", &endDate)
        try pass("notificationType", &notificationType)
        try pass("notificationSubtype", &notificationSubtype)
        try pass("transactionId", &transactionID)
        try pass("onlyFailures", &onlyFailures)
    }
}

/// Sets the account token of a purchase.
public struct UpdateAppAccountTokenRequest: AppStoreObject {
    /// A UUID.
    public var appAccountToken: String?
    /// Names that this program does not know.
    public var otherFields: [String: JSONValue] = [:]

    /// An empty one; set what is known.
    public init() {}
    /// An empty one, to be filled by a pass.
    public init(unfilled: ()) {}

    /// Reads or writes every field.
    public mutating func fields(_ pass: inout FieldPass) throws {
        try pass("appAccountToken", &appAccountToken)
    }
}

/// Tells Apple what became of the goods (version 2).
public struct ConsumptionRequest: AppStoreObject {
    /// Must be true.
    public var customerConsented: Bool?
    /// Whether there was a trial.
    public var sampleContentProvided: Bool?
    /// Whether they were delivered.
    public var deliveryStatus: DeliveryStatus?
    /// How much was used, in thousandths of a per cent.
    public var consumptionPercentage: Int64?
    /// What the developer would like.
    public var refundPreference: RefundPreference?
    /// Names that this program does not know.
    public var otherFields: [String: JSONValue] = [:]

    /// An empty one; set what is known.
    public init() {}
    /// An empty one, to be filled by a pass.
    public init(unfilled: ()) {}

    /// Reads or writes every field.
    public mutating func fields(_ pass: inout FieldPass) throws {
        try pass("customerConsented", &customerConsented)
        try pass("sampleContentProvided", &sampleContentProvided)
        try pass("deliveryStatus", &deliveryStatus)
        try pass("consumptionPercentage", &consumptionPercentage)
        try pass("refundPreference", &refundPreference)
    }
}

/// Tells Apple what became of the goods (version 1, all in numbers).
public struct ConsumptionRequestV1: AppStoreObject {
    /// Must be true.
    public var customerConsented: Bool?
    /// 0 undeclared, 1 not, 2 partially, 3 fully consumed.
    public var consumptionStatus: Int64?
    /// 0 undeclared, 1 Apple, 2 another.
    public var platform: Int64?
    /// Whether there was a trial.
    public var sampleContentProvided: Bool?
    /// 0 delivered, 1 faulty, 2 wrong item, 3 outage, 4 currency change, 5 other.
    public var deliveryStatus: Int64?
    /// A UUID or empty.
    public var appAccountToken: String?
    /// Age of the account, 0 to 7.
    public var accountTenure: Int64?
    /// Time of use, 0 to 7.
    public var playTime: Int64?
    /// Refunded in all, 0 to 7.
    public var lifetimeDollarsRefunded: Int64?
    /// Bought in all, 0 to 7.
    public var lifetimeDollarsPurchased: Int64?
    /// 0 undeclared, 1 active, 2 suspended, 3 terminated, 4 limited.
    public var userStatus: Int64?
    /// 0 undeclared, 1 grant, 2 decline, 3 none.
    public var refundPreference: Int64?
    /// Names that this program does not know.
    public var otherFields: [String: JSONValue] = [:]

    /// An empty one; set what is known.
    public init() {}
    /// An empty one, to be filled by a pass.
    public init(unfilled: ()) {}

    /// Reads or writes every field.
    public mutating func fields(_ pass: inout FieldPass) throws {
        try pass("customerConsented", &customerConsented)
        try pass("consumptionStatus", &consumptionStatus)
        try pass("platform", &platform)
        try pass("sampleContentProvided", &sampleContentProvided)
        try pass("deliveryStatus", &deliveryStatus)
        try pass("appAccountToken", &appAccountToken)
        try pass("accountTenure", &accountTenure)
        try pass("playTime", &playTime)
        try pass("lifetimeDollarsRefunded", &lifetimeDollarsRefunded)
        try pass("lifetimeDollarsPurchased", &lifetimeDollarsPurchased)
        try pass("userStatus", &userStatus)
        try pass("refundPreference", &refundPreference)
    }
}
