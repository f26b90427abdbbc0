public import AppStoreModel

/// A purchase made by hand.
public struct ControlBuyRequest: Codable, Sendable, Hashable {
    /// What to buy.
    public var productID: ProductID
    /// Who buys; `default` when left out.
    public var accountID: AccountID?
    /// Where, when no account is named.
    public var environment: AppStoreEnvironment?
    /// On which device; the account's first one, or a new one, when left out.
    public var deviceID: DeviceID?
    /// 1 to 10.
    public var quantity: Int
    /// Ties the purchase to a user.
    public var appAccountToken: AppAccountToken?
    /// An offer; the store asks for no signature here.
    public var offer: PurchaseOffer?
    /// Another end than paid.
    public var outcome: SimulatedOutcome?
    /// StoreKit's name of the error, for an outcome of `fail`.
    public var failure: String?
    /// Bought on the App Store's page: the app hears of it by an event alone.
    public var outsideApp: Bool

    /// Makes the value out of its fields.
    public init(
        productID: ProductID, accountID: AccountID? = nil,
        environment:
            AppStoreEnvironment? = nil, deviceID: DeviceID? = nil, quantity: Int = 1,
        appAccountToken: AppAccountToken? = nil, offer: PurchaseOffer? = nil,
        outcome:
            SimulatedOutcome? = nil, failure: String? = nil, outsideApp: Bool = false
    ) {
        self.productID = productID
        self.accountID = accountID
        self.environment = environment
        self.deviceID = deviceID
        self.quantity = quantity
        self.appAccountToken = appAccountToken
        self.offer = offer
        self.outcome = outcome
        self.failure = failure
        self.outsideApp = outsideApp
    }

    private enum CodingKeys: String, CodingKey {
        case productID = "productId"
        case accountID = "accountId"
        case environment
        case deviceID = "deviceId"
        case quantity
        case appAccountToken
        case offer
        case outcome
        case failure
        case outsideApp
    }

    /// Decodes; fields with a usual value may be left out.
    public init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        productID = try fields.decode(ProductID.self, forKey: .productID)
        accountID = try fields.decodeIfPresent(AccountID.self, forKey: .accountID)
        environment = try fields.decodeIfPresent(AppStoreEnvironment.self, forKey: .environment)
        deviceID = try fields.decodeIfPresent(DeviceID.self, forKey: .deviceID)
        quantity = try fields.decodeIfPresent(Int.self, forKey: .quantity) ?? 1
        appAccountToken = try fields.decodeIfPresent(AppAccountToken.self, forKey: .appAccountToken)
        offer = try fields.decodeIfPresent(PurchaseOffer.self, forKey: .offer)
        outcome = try fields.decodeIfPresent(SimulatedOutcome.self, forKey: .outcome)
        failure = try fields.decodeIfPresent(String.self, forKey: .failure)
        outsideApp = try fields.decodeIfPresent(Bool.self, forKey: .outsideApp) ?? false
    }
}

/// Ends of a purchase that can be asked for.
public struct SimulatedOutcome: RawRepresentable, Codable, Sendable, Hashable {
    /// The word on the wire; unknown ones pass.
    public let rawValue: String
    /// Takes any word.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Paid.
    public static let purchase = SimulatedOutcome(rawValue: "purchase")
    /// Waits for approval.
    public static let askToBuy = SimulatedOutcome(rawValue: "askToBuy")
    /// Fails, and can be completed later.
    public static let interrupt = SimulatedOutcome(rawValue: "interrupt")
    /// The person closes the sheet.
    public static let cancel = SimulatedOutcome(rawValue: "cancel")
    /// Fails with a given error.
    public static let fail = SimulatedOutcome(rawValue: "fail")
}

/// How a purchase made by hand ended.
public struct ControlBuyResponse: Codable, Sendable, Hashable {
    /// The end.
    public var outcome: PurchaseOutcome
    /// The payment in the device's queue.
    public var itemID: String
    /// The device.
    public var deviceID: DeviceID
    /// Once paid.
    public var transactionID: TransactionID?
    /// Once paid.
    public var originalTransactionID: TransactionID?
    /// The JWS.
    public var signedTransactionInfo: String?
    /// The JWS.
    public var signedRenewalInfo: String?
    /// Base64 of the app receipt.
    public var receipt: String?
    /// Why not.
    public var failure: StoreFailure?

    /// Makes the value out of its fields.
    public init(
        outcome: PurchaseOutcome, itemID: String, deviceID: DeviceID,
        transactionID:
            TransactionID? = nil, originalTransactionID: TransactionID? = nil,
        signedTransactionInfo: String? = nil, signedRenewalInfo: String? = nil,
        receipt:
            String? = nil, failure: StoreFailure? = nil
    ) {
        self.outcome = outcome
        self.itemID = itemID
        self.deviceID = deviceID
        self.transactionID = transactionID
        self.originalTransactionID = originalTransactionID
        self.signedTransactionInfo = signedTransactionInfo
        self.signedRenewalInfo = signedRenewalInfo
        self.receipt = receipt
        self.failure = failure
    }

    private enum CodingKeys: String, CodingKey {
        case outcome
        case itemID = "itemId"
        case deviceID = "deviceId"
        case transactionID = "transactionId"
        case originalTransactionID = "originalTransactionId"
        case signedTransactionInfo
        case signedRenewalInfo
        case receipt
        case failure
    }
}

/// A purchase that waits for somebody.
public struct WaitingPurchase: Codable, Sendable, Hashable {
    /// The payment.
    public var itemID: String
    /// What it waits for.
    public var kind: WaitingKind
    /// Who buys.
    public var accountID: AccountID
    /// Where.
    public var deviceID: DeviceID
    /// In which environment.
    public var environment: AppStoreEnvironment
    /// What.
    public var productID: ProductID
    /// How many.
    public var quantity: Int
    /// Since when.
    public var date: Timestamp
    /// When it will be dropped.
    public var lapses: Timestamp?

    /// Makes the value out of its fields.
    public init(
        itemID: String, kind: WaitingKind, accountID: AccountID, deviceID: DeviceID,
        environment: AppStoreEnvironment, productID: ProductID, quantity: Int,
        date:
            Timestamp, lapses: Timestamp? = nil
    ) {
        self.itemID = itemID
        self.kind = kind
        self.accountID = accountID
        self.deviceID = deviceID
        self.environment = environment
        self.productID = productID
        self.quantity = quantity
        self.date = date
        self.lapses = lapses
    }

    private enum CodingKeys: String, CodingKey {
        case itemID = "itemId"
        case kind
        case accountID = "accountId"
        case deviceID = "deviceId"
        case environment
        case productID = "productId"
        case quantity
        case date
        case lapses
    }
}

/// What a purchase waits for.
public struct WaitingKind: RawRepresentable, Codable, Sendable, Hashable {
    /// The word on the wire; unknown ones pass.
    public let rawValue: String
    /// Takes any word.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The organizer's answer.
    public static let approval = WaitingKind(rawValue: "approval")
    /// Something to be done in Settings.
    public static let resolution = WaitingKind(rawValue: "resolution")
}

/// The purchases that wait.
public struct WaitingPurchasesResponse: Codable, Sendable, Hashable {
    /// Oldest first.
    public var purchases: [WaitingPurchase]

    /// Makes the value out of its fields.
    public init(
        purchases: [WaitingPurchase]
    ) {
        self.purchases = purchases
    }
}

/// Ends the wait.
public struct WaitingDecision: Codable, Sendable, Hashable {
    /// How.
    public var decision: WaitingDecisionKind

    /// Makes the value out of its fields.
    public init(
        decision: WaitingDecisionKind
    ) {
        self.decision = decision
    }
}

/// The ways in which a wait ends.
public struct WaitingDecisionKind: RawRepresentable, Codable, Sendable, Hashable {
    /// The word on the wire; unknown ones pass.
    public let rawValue: String
    /// Takes any word.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The organizer says yes.
    public static let approve = WaitingDecisionKind(rawValue: "approve")
    /// The organizer says no.
    public static let decline = WaitingDecisionKind(rawValue: "decline")
    /// Nobody answers within a day.
    public static let lapse = WaitingDecisionKind(rawValue: "lapse")
    /// The issue is solved, the payment goes through.
    public static let resolve = WaitingDecisionKind(rawValue: "resolve")
}

/// A tap on a promoted purchase on the App Store's page.
public struct PromoteRequest: Codable, Sendable, Hashable {
    /// Where the app opens.
    public var deviceID: DeviceID
    /// What is to be bought.
    public var productID: ProductID
    /// The win-back offer that goes with it.
    public var offerID: String?

    /// Makes the value out of its fields.
    public init(
        deviceID: DeviceID, productID: ProductID, offerID: String? = nil
    ) {
        self.deviceID = deviceID
        self.productID = productID
        self.offerID = offerID
    }

    private enum CodingKeys: String, CodingKey {
        case deviceID = "deviceId"
        case productID = "productId"
        case offerID = "offerId"
    }
}

/// Makes offer codes.
public struct OfferCodesRequest: Codable, Sendable, Hashable {
    /// The subscription.
    public var productID: ProductID
    /// The code offer's reference name.
    public var offerID: String
    /// A custom code; else one-time codes are made.
    public var code: String?
    /// How many one-time codes, or how often a custom one may be used.
    public var count: Int

    /// Makes the value out of its fields.
    public init(
        productID: ProductID, offerID: String, code: String? = nil, count: Int = 1
    ) {
        self.productID = productID
        self.offerID = offerID
        self.code = code
        self.count = count
    }

    private enum CodingKeys: String, CodingKey {
        case productID = "productId"
        case offerID = "offerId"
        case code
        case count
    }

    /// Decodes; fields with a usual value may be left out.
    public init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        productID = try fields.decode(ProductID.self, forKey: .productID)
        offerID = try fields.decode(String.self, forKey: .offerID)
        code = try fields.decodeIfPresent(String.self, forKey: .code)
        count = try fields.decodeIfPresent(Int.self, forKey: .count) ?? 1
    }
}

/// The codes.
public struct OfferCodesResponse: Codable, Sendable, Hashable {
    /// To be redeemed.
    public var codes: [String]

    /// Makes the value out of its fields.
    public init(
        codes: [String]
    ) {
        self.codes = codes
    }
}
