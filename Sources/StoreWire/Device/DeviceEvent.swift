public import AppStoreModel

/// Events of a device, oldest first.
public struct EventPage: Codable, Sendable, Hashable {
    /// Those after the cursor that was asked for.
    public var events: [DeviceEvent]
    /// Ask for events after this one next.
    public var cursor: Int64

    /// Makes the value out of its fields.
    public init(
        events: [DeviceEvent], cursor: Int64
    ) {
        self.events = events
        self.cursor = cursor
    }
}

/// Something that the store tells a device on its own.
public struct DeviceEvent: Codable, Sendable, Hashable {
    /// Its place in this device's stream.
    public var sequence: Int64
    /// What it is; unknown kinds are to be skipped.
    public var kind: DeviceEventKind
    /// When it happened, on the store's clock.
    public var date: Timestamp
    /// The payment, for the kinds that have one in this device's queue.
    public var item: QueueItem?
    /// The transaction, for the kinds that have one.
    public var transaction: SignedTransaction?
    /// The status, when a subscription changed.
    public var status: WireSubscriptionStatus?
    /// The products whose entitlement was taken back.
    public var productIDs: [ProductID]?
    /// The promoted purchase.
    public var intent: PurchaseIntentItem?
    /// The new storefront.
    public var storefront: WireStorefront?
    /// Who is signed in now.
    public var accountID: AccountID?
    /// The message to show.
    public var message: StoreMessage?

    /// Makes the value out of its fields.
    public init(
        sequence: Int64, kind: DeviceEventKind, date: Timestamp, item: QueueItem? = nil,
        transaction: SignedTransaction? = nil, status: WireSubscriptionStatus? = nil,
        productIDs: [ProductID]? = nil, intent: PurchaseIntentItem? = nil,
        storefront:
            WireStorefront? = nil, accountID: AccountID? = nil, message: StoreMessage? = nil
    ) {
        self.sequence = sequence
        self.kind = kind
        self.date = date
        self.item = item
        self.transaction = transaction
        self.status = status
        self.productIDs = productIDs
        self.intent = intent
        self.storefront = storefront
        self.accountID = accountID
        self.message = message
    }

    private enum CodingKeys: String, CodingKey {
        case sequence
        case kind
        case date
        case item
        case transaction
        case status
        case productIDs = "productIds"
        case intent
        case storefront
        case accountID = "accountId"
        case message
    }
}

/// What a device is told.
public struct DeviceEventKind: RawRepresentable, Codable, Sendable, Hashable {
    /// The word on the wire; unknown ones pass.
    public let rawValue: String
    /// Takes any word.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// A payment in this device's queue appeared or changed.
    public static let itemUpdated = DeviceEventKind(rawValue: "itemUpdated")
    /// A transaction of the account appeared or changed elsewhere: StoreKit 2's `updates`.
    public static let transactionUpdated = DeviceEventKind(rawValue: "transactionUpdated")
    /// Entitlements were taken back.
    public static let revoked = DeviceEventKind(rawValue: "revoked")
    /// A subscription's status or renewal information changed.
    public static let statusChanged = DeviceEventKind(rawValue: "statusChanged")
    /// Somebody wants to buy from the App Store's page.
    public static let purchaseIntent = DeviceEventKind(rawValue: "purchaseIntent")
    /// The account's storefront changed.
    public static let storefrontChanged = DeviceEventKind(rawValue: "storefrontChanged")
    /// Another account was signed in, or none.
    public static let accountChanged = DeviceEventKind(rawValue: "accountChanged")
    /// The store has something to show.
    public static let message = DeviceEventKind(rawValue: "message")
}

/// A purchase that began outside the app.
public struct PurchaseIntentItem: Codable, Sendable, Hashable {
    /// Its name.
    public var intentID: String
    /// What is to be bought.
    public var productID: ProductID
    /// The win-back offer that it carries.
    public var offerID: String?

    /// Makes the value out of its fields.
    public init(
        intentID: String, productID: ProductID, offerID: String? = nil
    ) {
        self.intentID = intentID
        self.productID = productID
        self.offerID = offerID
    }

    private enum CodingKeys: String, CodingKey {
        case intentID = "intentId"
        case productID = "productId"
        case offerID = "offerId"
    }
}

/// The promoted purchases that wait.
public struct PurchaseIntentsResponse: Codable, Sendable, Hashable {
    /// Oldest first.
    public var intents: [PurchaseIntentItem]

    /// Makes the value out of its fields.
    public init(
        intents: [PurchaseIntentItem]
    ) {
        self.intents = intents
    }
}

/// A sheet that the store would show.
public struct StoreMessage: Codable, Sendable, Hashable {
    /// Its name.
    public var messageID: String
    /// Why.
    public var reason: StoreMessageReason
    /// The subscription that it is about.
    public var productID: ProductID?
    /// The subscription that it is about.
    public var originalTransactionID: TransactionID?

    /// Makes the value out of its fields.
    public init(
        messageID: String, reason: StoreMessageReason, productID: ProductID? = nil,
        originalTransactionID: TransactionID? = nil
    ) {
        self.messageID = messageID
        self.reason = reason
        self.productID = productID
        self.originalTransactionID = originalTransactionID
    }

    private enum CodingKeys: String, CodingKey {
        case messageID = "messageId"
        case reason
        case productID = "productId"
        case originalTransactionID = "originalTransactionId"
    }
}

/// Why the store shows a sheet.
public struct StoreMessageReason: RawRepresentable, Codable, Sendable, Hashable {
    /// The word on the wire; unknown ones pass.
    public let rawValue: String
    /// Takes any word.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Anything else.
    public static let generic = StoreMessageReason(rawValue: "generic")
    /// A price increase waits for an answer.
    public static let priceIncreaseConsent = StoreMessageReason(rawValue: "priceIncreaseConsent")
    /// A renewal could not be paid.
    public static let billingIssue = StoreMessageReason(rawValue: "billingIssue")
    /// There is an offer to come back.
    public static let winBackOffer = StoreMessageReason(rawValue: "winBackOffer")
}

/// The sheets that wait.
public struct StoreMessagesResponse: Codable, Sendable, Hashable {
    /// Oldest first.
    public var messages: [StoreMessage]

    /// Makes the value out of its fields.
    public init(
        messages: [StoreMessage]
    ) {
        self.messages = messages
    }
}
