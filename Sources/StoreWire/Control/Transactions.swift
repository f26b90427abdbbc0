public import AppStoreModel

/// A transaction with what the store knows of it beside the signed data.
public struct TransactionRecord: Codable, Sendable, Hashable {
    /// The signed forms.
    public var transaction: SignedTransaction
    /// Whose it is.
    public var accountID: AccountID
    /// The one that it belongs to.
    public var environment: AppStoreEnvironment
    /// As in the buyer's mail.
    public var orderID: String
    /// How many.
    public var quantity: Int
    /// In milliunits, for all of them.
    public var price: Int64
    /// ISO 4217.
    public var currency: String
    /// The app's tie to a user.
    public var appAccountToken: AppAccountToken?
    /// The period's name.
    public var webOrderLineItemID: WebOrderLineItemID?
    /// The offer.
    public var offerID: String?
    /// The kind of offer.
    public var offerKind: WireOfferKind?
    /// Replaced by an upgrade.
    public var isUpgraded: Bool
    /// Shared by a family's organizer.
    public var isFamilyShared: Bool
    /// What became of a request for a refund.
    public var refund: RefundState?

    /// Makes the value out of its fields.
    public init(
        transaction: SignedTransaction, accountID: AccountID,
        environment:
            AppStoreEnvironment, orderID: String, quantity: Int, price: Int64,
        currency:
            String, appAccountToken: AppAccountToken? = nil,
        webOrderLineItemID:
            WebOrderLineItemID? = nil, offerID: String? = nil,
        offerKind: WireOfferKind? =
            nil, isUpgraded: Bool, isFamilyShared: Bool, refund: RefundState? = nil
    ) {
        self.transaction = transaction
        self.accountID = accountID
        self.environment = environment
        self.orderID = orderID
        self.quantity = quantity
        self.price = price
        self.currency = currency
        self.appAccountToken = appAccountToken
        self.webOrderLineItemID = webOrderLineItemID
        self.offerID = offerID
        self.offerKind = offerKind
        self.isUpgraded = isUpgraded
        self.isFamilyShared = isFamilyShared
        self.refund = refund
    }

    private enum CodingKeys: String, CodingKey {
        case transaction
        case accountID = "accountId"
        case environment
        case orderID = "orderId"
        case quantity
        case price
        case currency
        case appAccountToken
        case webOrderLineItemID = "webOrderLineItemId"
        case offerID = "offerId"
        case offerKind
        case isUpgraded
        case isFamilyShared
        case refund
    }
}

/// What became of a request for a refund.
public struct RefundState: RawRepresentable, Codable, Sendable, Hashable {
    /// The word on the wire; unknown ones pass.
    public let rawValue: String
    /// Takes any word.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The store thinks about it.
    public static let requested = RefundState(rawValue: "requested")
    /// Granted.
    public static let refunded = RefundState(rawValue: "refunded")
    /// Refused.
    public static let declined = RefundState(rawValue: "declined")
    /// Granted and taken back.
    public static let reversed = RefundState(rawValue: "reversed")
}

/// Transactions, newest first.
public struct TransactionsPage: Codable, Sendable, Hashable {
    /// At most 200; ask again with `before`.
    public var transactions: [TransactionRecord]
    /// How many there are.
    public var total: Int

    /// Makes the value out of its fields.
    public init(
        transactions: [TransactionRecord], total: Int
    ) {
        self.transactions = transactions
        self.total = total
    }
}

/// Something that happens to a transaction.
public struct TransactionAction: Codable, Sendable, Hashable {
    /// What.
    public var action: TransactionActionKind
    /// Of a refund: 0 other, 1 an issue with the app.
    public var reason: Int?
    /// Of a prorated refund: 1 to 100000 thousandths of a percent.
    public var percentage: Int?
    /// Of a request: as `UNINTENDED_PURCHASE`.
    public var requestReason: String?
    /// A new token.
    public var appAccountToken: AppAccountToken?

    /// Makes the value out of its fields.
    public init(
        action: TransactionActionKind, reason: Int? = nil, percentage: Int? = nil,
        requestReason: String? = nil, appAccountToken: AppAccountToken? = nil
    ) {
        self.action = action
        self.reason = reason
        self.percentage = percentage
        self.requestReason = requestReason
        self.appAccountToken = appAccountToken
    }
}

/// What can happen to a transaction.
public struct TransactionActionKind: RawRepresentable, Codable, Sendable, Hashable {
    /// The word on the wire; unknown ones pass.
    public let rawValue: String
    /// Takes any word.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The App Store pays back.
    public static let refund = TransactionActionKind(rawValue: "refund")
    /// The customer asks for the money back.
    public static let requestRefund = TransactionActionKind(rawValue: "requestRefund")
    /// The App Store refuses.
    public static let declineRefund = TransactionActionKind(rawValue: "declineRefund")
    /// A refund is undone.
    public static let reverseRefund = TransactionActionKind(rawValue: "reverseRefund")
    /// Sends another request for consumption data, with a new UUID.
    public static let askConsumptionAgain = TransactionActionKind(rawValue: "askConsumptionAgain")
    /// As the app's `finish`.
    public static let finish = TransactionActionKind(rawValue: "finish")
    /// The same period comes under a second transaction name.
    public static let duplicate = TransactionActionKind(rawValue: "duplicate")
    /// Gives it a token.
    public static let setAppAccountToken = TransactionActionKind(rawValue: "setAppAccountToken")
}
