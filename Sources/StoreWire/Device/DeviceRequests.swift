public import AppStoreModel

/// The payments in a device's queue.
public struct QueueResponse: Codable, Sendable, Hashable {
    /// Oldest first.
    public var items: [QueueItem]

    /// Makes the value out of its fields.
    public init(
        items: [QueueItem]
    ) {
        self.items = items
    }
}

/// Transactions of the signed-in account.
public struct TransactionsResponse: Codable, Sendable, Hashable {
    /// Newest first.
    public var transactions: [SignedTransaction]

    /// Makes the value out of its fields.
    public init(
        transactions: [SignedTransaction]
    ) {
        self.transactions = transactions
    }
}

/// Lets go of payments and transactions.
public struct FinishRequest: Codable, Sendable, Hashable {
    /// By the payment's name.
    public var itemIDs: [String]?
    /// By the transaction's name.
    public var transactionIDs: [TransactionID]?

    /// Makes the value out of its fields.
    public init(
        itemIDs: [String]? = nil, transactionIDs: [TransactionID]? = nil
    ) {
        self.itemIDs = itemIDs
        self.transactionIDs = transactionIDs
    }

    private enum CodingKeys: String, CodingKey {
        case itemIDs = "itemIds"
        case transactionIDs = "transactionIds"
    }
}

/// What was let go; what was finished before is named again.
public struct FinishResponse: Codable, Sendable, Hashable {
    /// The payments that left the queue.
    public var itemIDs: [String]
    /// The transactions that are finished now.
    public var transactionIDs: [TransactionID]

    /// Makes the value out of its fields.
    public init(
        itemIDs: [String], transactionIDs: [TransactionID]
    ) {
        self.itemIDs = itemIDs
        self.transactionIDs = transactionIDs
    }

    private enum CodingKeys: String, CodingKey {
        case itemIDs = "itemIds"
        case transactionIDs = "transactionIds"
    }
}

/// Asks for what the account bought before.
public struct RestoreRequest: Codable, Sendable, Hashable {
    /// StoreKit 1's hint; the store records it and decides nothing by it.
    public var applicationUsername: String?
    /// The person closes the password sheet.
    public var userCancels: Bool

    /// Makes the value out of its fields.
    public init(
        applicationUsername: String? = nil, userCancels: Bool = false
    ) {
        self.applicationUsername = applicationUsername
        self.userCancels = userCancels
    }

    private enum CodingKeys: String, CodingKey {
        case applicationUsername
        case userCancels
    }

    /// Decodes; fields with a usual value may be left out.
    public init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        applicationUsername = try fields.decodeIfPresent(String.self, forKey: .applicationUsername)
        userCancels = try fields.decodeIfPresent(Bool.self, forKey: .userCancels) ?? false
    }
}

/// What came back.
public struct RestoreResponse: Codable, Sendable, Hashable {
    /// One for each earlier transaction, each with a transaction name of its own.
    public var items: [QueueItem]
    /// Why nothing came back.
    public var failure: StoreFailure?

    /// Makes the value out of its fields.
    public init(
        items: [QueueItem], failure: StoreFailure? = nil
    ) {
        self.items = items
        self.failure = failure
    }
}

/// Asks for a new receipt.
public struct ReceiptRefreshRequest: Codable, Sendable, Hashable {
    /// Sandbox: make an expired one.
    public var isExpired: Bool?
    /// Sandbox: make a revoked one.
    public var isRevoked: Bool?
    /// Sandbox: make a volume purchase one.
    public var isVolumePurchase: Bool?
    /// The person closes the password sheet.
    public var userCancels: Bool

    /// Makes the value out of its fields.
    public init(
        isExpired: Bool? = nil, isRevoked: Bool? = nil, isVolumePurchase: Bool? = nil,
        userCancels: Bool = false
    ) {
        self.isExpired = isExpired
        self.isRevoked = isRevoked
        self.isVolumePurchase = isVolumePurchase
        self.userCancels = userCancels
    }

    private enum CodingKeys: String, CodingKey {
        case isExpired
        case isRevoked
        case isVolumePurchase
        case userCancels
    }

    /// Decodes; fields with a usual value may be left out.
    public init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        isExpired = try fields.decodeIfPresent(Bool.self, forKey: .isExpired)
        isRevoked = try fields.decodeIfPresent(Bool.self, forKey: .isRevoked)
        isVolumePurchase = try fields.decodeIfPresent(Bool.self, forKey: .isVolumePurchase)
        userCancels = try fields.decodeIfPresent(Bool.self, forKey: .userCancels) ?? false
    }
}

/// The receipt file.
public struct ReceiptResponse: Codable, Sendable, Hashable {
    /// Base64 of the file; nothing while there is none.
    public var receipt: String?
    /// Why there is no new one.
    public var failure: StoreFailure?

    /// Makes the value out of its fields.
    public init(
        receipt: String? = nil, failure: StoreFailure? = nil
    ) {
        self.receipt = receipt
        self.failure = failure
    }
}

/// Statuses of the account's subscriptions.
public struct SubscriptionStatusesResponse: Codable, Sendable, Hashable {
    /// One for each subscription, own or shared.
    public var statuses: [WireSubscriptionStatus]

    /// Makes the value out of its fields.
    public init(
        statuses: [WireSubscriptionStatus]
    ) {
        self.statuses = statuses
    }
}

/// One subscription's status.
public struct WireSubscriptionStatus: Codable, Sendable, Hashable {
    /// Its group.
    public var groupID: SubscriptionGroupID
    /// Its name.
    public var originalTransactionID: TransactionID
    /// 1 active, 2 expired, 3 billing retry, 4 grace, 5 revoked.
    public var status: Int
    /// Its latest transaction.
    public var transaction: SignedTransaction
    /// The JWS.
    public var signedRenewalInfo: String

    /// Makes the value out of its fields.
    public init(
        groupID: SubscriptionGroupID, originalTransactionID: TransactionID, status: Int,
        transaction: SignedTransaction, signedRenewalInfo: String
    ) {
        self.groupID = groupID
        self.originalTransactionID = originalTransactionID
        self.status = status
        self.transaction = transaction
        self.signedRenewalInfo = signedRenewalInfo
    }

    private enum CodingKeys: String, CodingKey {
        case groupID = "groupId"
        case originalTransactionID = "originalTransactionId"
        case status
        case transaction
        case signedRenewalInfo
    }
}

/// The app's own purchase.
public struct AppTransactionResponse: Codable, Sendable, Hashable {
    /// The JWS.
    public var signedAppTransactionInfo: String

    /// Makes the value out of its fields.
    public init(
        signedAppTransactionInfo: String
    ) {
        self.signedAppTransactionInfo = signedAppTransactionInfo
    }
}

/// Redeems a code.
public struct OfferCodeRequest: Codable, Sendable, Hashable {
    /// As on the paper or in the link.
    public var code: String
    /// Ties the purchase to a user.
    public var appAccountToken: AppAccountToken?

    /// Makes the value out of its fields.
    public init(
        code: String, appAccountToken: AppAccountToken? = nil
    ) {
        self.code = code
        self.appAccountToken = appAccountToken
    }
}

/// Asks for the money back.
public struct DeviceRefundRequest: Codable, Sendable, Hashable {
    /// What was bought.
    public var transactionID: TransactionID
    /// Why, as `UNINTENDED_PURCHASE`; in the sandbox `REJECT` gets a no.
    public var reason: String?
    /// The person closes the sheet.
    public var userCancels: Bool

    /// Makes the value out of its fields.
    public init(
        transactionID: TransactionID, reason: String? = nil, userCancels: Bool = false
    ) {
        self.transactionID = transactionID
        self.reason = reason
        self.userCancels = userCancels
    }

    private enum CodingKeys: String, CodingKey {
        case transactionID = "transactionId"
        case reason
        case userCancels
    }

    /// Decodes; fields with a usual value may be left out.
    public init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        transactionID = try fields.decode(TransactionID.self, forKey: .transactionID)
        reason = try fields.decodeIfPresent(String.self, forKey: .reason)
        userCancels = try fields.decodeIfPresent(Bool.self, forKey: .userCancels) ?? false
    }
}

/// Whether the request was taken.
public struct DeviceRefundResponse: Codable, Sendable, Hashable {
    /// How it went.
    public var status: DeviceRefundStatus

    /// Makes the value out of its fields.
    public init(
        status: DeviceRefundStatus
    ) {
        self.status = status
    }
}

/// How a request for a refund went.
public struct DeviceRefundStatus: RawRepresentable, Codable, Sendable, Hashable {
    /// The word on the wire; unknown ones pass.
    public let rawValue: String
    /// Takes any word.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Taken; the decision comes later.
    public static let success = DeviceRefundStatus(rawValue: "success")
    /// The person closed the sheet.
    public static let userCancelled = DeviceRefundStatus(rawValue: "userCancelled")
    /// Asked for or granted before.
    public static let duplicateRequest = DeviceRefundStatus(rawValue: "duplicateRequest")
    /// Not possible.
    public static let failed = DeviceRefundStatus(rawValue: "failed")
}

/// The answer to a price increase.
public struct PriceConsentRequest: Codable, Sendable, Hashable {
    /// The subscription.
    public var originalTransactionID: TransactionID
    /// The answer.
    public var consents: Bool

    /// Makes the value out of its fields.
    public init(
        originalTransactionID: TransactionID, consents: Bool
    ) {
        self.originalTransactionID = originalTransactionID
        self.consents = consents
    }

    private enum CodingKeys: String, CodingKey {
        case originalTransactionID = "originalTransactionId"
        case consents
    }
}

/// What a person does in the subscriptions sheet.
public struct ManageSubscriptionRequest: Codable, Sendable, Hashable {
    /// The subscription.
    public var originalTransactionID: TransactionID
    /// Turns renewal on or off.
    public var autoRenew: Bool?
    /// Changes the plan.
    public var productID: ProductID?

    /// Makes the value out of its fields.
    public init(
        originalTransactionID: TransactionID, autoRenew: Bool? = nil,
        productID:
            ProductID? = nil
    ) {
        self.originalTransactionID = originalTransactionID
        self.autoRenew = autoRenew
        self.productID = productID
    }

    private enum CodingKeys: String, CodingKey {
        case originalTransactionID = "originalTransactionId"
        case autoRenew
        case productID = "productId"
    }
}

/// Whether the account may have an introductory offer of a group.
public struct IntroEligibilityResponse: Codable, Sendable, Hashable {
    /// The group.
    public var groupID: SubscriptionGroupID
    /// Never had one, and not subscribed now.
    public var isEligible: Bool

    /// Makes the value out of its fields.
    public init(
        groupID: SubscriptionGroupID, isEligible: Bool
    ) {
        self.groupID = groupID
        self.isEligible = isEligible
    }

    private enum CodingKeys: String, CodingKey {
        case groupID = "groupId"
        case isEligible
    }
}
