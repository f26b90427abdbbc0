public import AppStoreModel

/// A purchase as the app asks for it.
public struct PurchaseRequest: Codable, Sendable, Hashable {
    /// What to buy.
    public var productID: ProductID
    /// 1 to 10; more than 1 for consumables and non-renewing subscriptions alone.
    public var quantity: Int
    /// A name for this try: the same one again gives the same answer and buys nothing more.
    public var requestID: String?
    /// StoreKit 1's field; it reaches the signed data only if it is a UUID.
    public var applicationUsername: String?
    /// StoreKit 2's field.
    public var appAccountToken: AppAccountToken?
    /// Makes the purchase wait for approval.
    public var simulatesAskToBuy: Bool
    /// A promotional, win-back or code offer.
    public var offer: PurchaseOffer?
    /// A signed override of the introductory offer's eligibility.
    public var introductoryEligibilityJWS: String?
    /// `MONTHLY` for monthly bills under a yearly commitment.
    public var billingPlanType: String?
    /// The promoted purchase that this one answers.
    public var intentID: String?
    /// The person closes the payment sheet.
    public var userCancels: Bool
    /// The payment needs something done in Settings first.
    public var interrupts: Bool

    /// Makes the value out of its fields.
    public init(
        productID: ProductID, quantity: Int = 1, requestID: String? = nil,
        applicationUsername: String? = nil, appAccountToken: AppAccountToken? = nil,
        simulatesAskToBuy: Bool = false, offer: PurchaseOffer? = nil,
        introductoryEligibilityJWS: String? = nil, billingPlanType: String? = nil,
        intentID: String? = nil, userCancels: Bool = false, interrupts: Bool = false
    ) {
        self.productID = productID
        self.quantity = quantity
        self.requestID = requestID
        self.applicationUsername = applicationUsername
        self.appAccountToken = appAccountToken
        self.simulatesAskToBuy = simulatesAskToBuy
        self.offer = offer
        self.introductoryEligibilityJWS = introductoryEligibilityJWS
        self.billingPlanType = billingPlanType
        self.intentID = intentID
        self.userCancels = userCancels
        self.interrupts = interrupts
    }

    private enum CodingKeys: String, CodingKey {
        case productID = "productId"
        case quantity
        case requestID = "requestId"
        case applicationUsername
        case appAccountToken
        case simulatesAskToBuy
        case offer
        case introductoryEligibilityJWS
        case billingPlanType
        case intentID = "intentId"
        case userCancels
        case interrupts
    }

    /// Decodes; fields with a usual value may be left out.
    public init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        productID = try fields.decode(ProductID.self, forKey: .productID)
        quantity = try fields.decodeIfPresent(Int.self, forKey: .quantity) ?? 1
        requestID = try fields.decodeIfPresent(String.self, forKey: .requestID)
        applicationUsername = try fields.decodeIfPresent(String.self, forKey: .applicationUsername)
        appAccountToken = try fields.decodeIfPresent(AppAccountToken.self, forKey: .appAccountToken)
        simulatesAskToBuy =
            try fields.decodeIfPresent(Bool.self, forKey: .simulatesAskToBuy) ?? false
        offer = try fields.decodeIfPresent(PurchaseOffer.self, forKey: .offer)
        introductoryEligibilityJWS = try fields.decodeIfPresent(
            String.self, forKey: .introductoryEligibilityJWS)
        billingPlanType = try fields.decodeIfPresent(String.self, forKey: .billingPlanType)
        intentID = try fields.decodeIfPresent(String.self, forKey: .intentID)
        userCancels = try fields.decodeIfPresent(Bool.self, forKey: .userCancels) ?? false
        interrupts = try fields.decodeIfPresent(Bool.self, forKey: .interrupts) ?? false
    }
}

/// The offer of a purchase, with its proof.
public struct PurchaseOffer: Codable, Sendable, Hashable {
    /// Promotional, win-back or code.
    public var kind: WireOfferKind
    /// The offer's name; a code offer's reference name.
    public var offerID: String
    /// Signature V1: the key's name.
    public var keyID: String?
    /// Signature V1: the UUID, in lower case.
    public var nonce: String?
    /// Signature V1: milliseconds.
    public var timestamp: Int64?
    /// Signature V1: base64 of the DER signature.
    public var signature: String?
    /// Signature V2: the signed request.
    public var compactJWS: String?

    /// Makes the value out of its fields.
    public init(
        kind: WireOfferKind, offerID: String, keyID: String? = nil, nonce: String? = nil,
        timestamp: Int64? = nil, signature: String? = nil, compactJWS: String? = nil
    ) {
        self.kind = kind
        self.offerID = offerID
        self.keyID = keyID
        self.nonce = nonce
        self.timestamp = timestamp
        self.signature = signature
        self.compactJWS = compactJWS
    }

    private enum CodingKeys: String, CodingKey {
        case kind
        case offerID = "offerId"
        case keyID = "keyId"
        case nonce
        case timestamp
        case signature
        case compactJWS
    }
}

/// How a purchase ended, for now.
public struct PurchaseResponse: Codable, Sendable, Hashable {
    /// The end.
    public var outcome: PurchaseOutcome
    /// The payment as it stands in the queue; it has to be finished unless it waits.
    public var item: QueueItem
    /// Why it failed or was cancelled.
    public var failure: StoreFailure?

    /// Makes the value out of its fields.
    public init(
        outcome: PurchaseOutcome, item: QueueItem, failure: StoreFailure? = nil
    ) {
        self.outcome = outcome
        self.item = item
        self.failure = failure
    }
}

/// The ends of a purchase.
public struct PurchaseOutcome: RawRepresentable, Codable, Sendable, Hashable {
    /// The word on the wire; unknown ones pass.
    public let rawValue: String
    /// Takes any word.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Paid: the item carries the transaction.
    public static let purchased = PurchaseOutcome(rawValue: "purchased")
    /// Waits for somebody's approval; comes later as an event, or never.
    public static let pending = PurchaseOutcome(rawValue: "pending")
    /// The person closed the sheet.
    public static let cancelled = PurchaseOutcome(rawValue: "cancelled")
    /// It failed; an interrupted purchase fails too, and may succeed later as an event.
    public static let failed = PurchaseOutcome(rawValue: "failed")
}

/// One payment in a device's queue: what StoreKit 1 calls a transaction.
public struct QueueItem: Codable, Sendable, Hashable {
    /// The payment's name; the same at each delivery.
    public var itemID: String
    /// Where it stands.
    public var state: QueueState
    /// What was asked for.
    public var productID: ProductID
    /// How many.
    public var quantity: Int
    /// As the app gave it, in the process that gave it; forgotten at the next launch.
    public var applicationUsername: String?
    /// The offer that it asked for.
    public var offerID: String?
    /// Once paid or restored.
    public var transactionID: TransactionID?
    /// Once paid or restored.
    public var transactionDate: Timestamp?
    /// Of the first purchase, for what was restored or renewed.
    public var originalTransactionID: TransactionID?
    /// Of the first purchase, for what was restored or renewed.
    public var originalTransactionDate: Timestamp?
    /// Once failed.
    public var failure: StoreFailure?
    /// True when the failed payment may still succeed, once its issue is solved.
    public var isInterrupted: Bool?
    /// Once paid or restored.
    public var transaction: SignedTransaction?
    /// Base64 of the iOS 6 transaction receipt, where asked for.
    public var transactionReceipt: String?

    /// Makes the value out of its fields.
    public init(
        itemID: String, state: QueueState, productID: ProductID, quantity: Int,
        applicationUsername: String? = nil, offerID: String? = nil,
        transactionID:
            TransactionID? = nil, transactionDate: Timestamp? = nil,
        originalTransactionID:
            TransactionID? = nil, originalTransactionDate: Timestamp? = nil,
        failure:
            StoreFailure? = nil, isInterrupted: Bool? = nil,
        transaction: SignedTransaction? =
            nil, transactionReceipt: String? = nil
    ) {
        self.itemID = itemID
        self.state = state
        self.productID = productID
        self.quantity = quantity
        self.applicationUsername = applicationUsername
        self.offerID = offerID
        self.transactionID = transactionID
        self.transactionDate = transactionDate
        self.originalTransactionID = originalTransactionID
        self.originalTransactionDate = originalTransactionDate
        self.failure = failure
        self.isInterrupted = isInterrupted
        self.transaction = transaction
        self.transactionReceipt = transactionReceipt
    }

    private enum CodingKeys: String, CodingKey {
        case itemID = "itemId"
        case state
        case productID = "productId"
        case quantity
        case applicationUsername
        case offerID = "offerId"
        case transactionID = "transactionId"
        case transactionDate
        case originalTransactionID = "originalTransactionId"
        case originalTransactionDate
        case failure
        case isInterrupted
        case transaction
        case transactionReceipt
    }
}

/// The states of a payment, in StoreKit 1's words.
public struct QueueState: RawRepresentable, Codable, Sendable, Hashable {
    /// The word on the wire; unknown ones pass.
    public let rawValue: String
    /// Takes any word.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// On its way.
    public static let purchasing = QueueState(rawValue: "purchasing")
    /// Paid.
    public static let purchased = QueueState(rawValue: "purchased")
    /// Failed or cancelled.
    public static let failed = QueueState(rawValue: "failed")
    /// Came back by a restore.
    public static let restored = QueueState(rawValue: "restored")
    /// Waits for approval.
    public static let deferred = QueueState(rawValue: "deferred")
}

/// A transaction with its signed forms.
public struct SignedTransaction: Codable, Sendable, Hashable {
    /// Its name.
    public var transactionID: TransactionID
    /// The first of its chain.
    public var originalTransactionID: TransactionID
    /// What was bought.
    public var productID: ProductID
    /// Apple's word for the kind.
    public var type: ProductType
    /// When this period or purchase began.
    public var purchaseDate: Timestamp
    /// For subscriptions.
    public var expiresDate: Timestamp?
    /// Once taken back.
    public var revocationDate: Timestamp?
    /// Whether the app or its server finished it.
    public var isFinished: Bool
    /// The JWS.
    public var signedTransactionInfo: String
    /// The JWS, for auto-renewable subscriptions.
    public var signedRenewalInfo: String?

    /// Makes the value out of its fields.
    public init(
        transactionID: TransactionID, originalTransactionID: TransactionID,
        productID:
            ProductID, type: ProductType, purchaseDate: Timestamp,
        expiresDate: Timestamp? =
            nil, revocationDate: Timestamp? = nil, isFinished: Bool,
        signedTransactionInfo:
            String, signedRenewalInfo: String? = nil
    ) {
        self.transactionID = transactionID
        self.originalTransactionID = originalTransactionID
        self.productID = productID
        self.type = type
        self.purchaseDate = purchaseDate
        self.expiresDate = expiresDate
        self.revocationDate = revocationDate
        self.isFinished = isFinished
        self.signedTransactionInfo = signedTransactionInfo
        self.signedRenewalInfo = signedRenewalInfo
    }

    private enum CodingKeys: String, CodingKey {
        case transactionID = "transactionId"
        case originalTransactionID = "originalTransactionId"
        case productID = "productId"
        case type
        case purchaseDate
        case expiresDate
        case revocationDate
        case isFinished
        case signedTransactionInfo
        case signedRenewalInfo
    }
}

/// Why a purchase or another action failed, in the words of both StoreKits.
public struct StoreFailure: Codable, Sendable, Hashable {
    /// Till's word: StoreKit's own name of the error, as `paymentCancelled`.
    public var code: String
    /// The number of StoreKit 1's `SKError`.
    public var skErrorCode: Int?
    /// The case of StoreKit 2's `Product.PurchaseError`.
    public var purchaseError: String?
    /// The case of `StoreKitError`.
    public var storeKitError: String?
    /// For people.
    public var message: String

    /// Makes the value out of its fields.
    public init(
        code: String, skErrorCode: Int? = nil, purchaseError: String? = nil,
        storeKitError: String? = nil, message: String
    ) {
        self.code = code
        self.skErrorCode = skErrorCode
        self.purchaseError = purchaseError
        self.storeKitError = storeKitError
        self.message = message
    }
}
