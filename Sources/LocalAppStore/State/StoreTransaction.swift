import AppStoreModel
import StoreWire

/// A purchase or a period, as the store's books have it.
struct StoreTransaction: TableRow {
    let id: TransactionID
    let originalID: TransactionID
    let account: AccountID
    let environment: AppStoreEnvironment
    let productID: ProductID
    let type: ProductType
    let groupID: SubscriptionGroupID?
    var lineItemID: WebOrderLineItemID?
    let quantity: Int
    let purchaseDate: Timestamp
    let originalPurchaseDate: Timestamp
    var expiresDate: Timestamp?
    /// In milliunits, for all of them.
    let price: Int64
    let currency: String
    let storefront: String
    var token: AppAccountToken?
    /// The purchaser's transaction that a family member shares.
    var sharedFrom: TransactionID?
    let reason: TransactionReason
    var offer: UsedOffer?
    let orderID: String
    var upgraded: Timestamp?
    var revocation: Revocation?
    var refund: RefundState?
    /// What the developer would like the App Store to decide.
    var preference: RefundPreference?
    /// What is taken back or given again is unfinished anew, so that the app hears of it at its next launch.
    var isFinished = false
    /// Whether it was ever finished: a consumable is gone from receipts for good then.
    var wasFinished = false
    /// The store-wide count at its last change: what history is ordered by.
    var revision: Int64
    var plan: BillingPlanType?
    var commitment: Commitment?

    var isFamilyShared: Bool { sharedFrom != nil }
    /// A finished consumable, which receipts no longer list.
    var isUsedUp: Bool { type == .consumable && wasFinished }
}

/// An offer as a transaction or the next renewal has it.
struct UsedOffer: Codable, Sendable, Hashable {
    let kind: OfferType
    let id: String?
    let mode: OfferDiscountType
    let price: Int64
    /// The length of one of its periods.
    let period: Period
    /// How many of them there are in all.
    let count: Int

    init(_ offer: Offer) {
        kind = offer.kind
        id = offer.id
        mode = offer.mode
        price = offer.price
        period = offer.period
        count = offer.periodCount
    }

    /// The length of the whole offer, as Apple spells it.
    var wholePeriod: Period { Period(period.count * count, period.unit) ?? period }
    /// How many renewals it spans: one, unless it is paid as one goes.
    var renewals: Int { mode == .payAsYouGo ? count : 1 }
}

/// How a transaction was taken back.
struct Revocation: Codable, Sendable, Hashable {
    let date: Timestamp
    let reason: RevocationReason
    let type: RevocationType
    let percentage: Int64?
}

/// A yearly commitment that is paid by the month.
struct Commitment: Codable, Sendable, Hashable {
    let number: Int
    let total: Int
    let expires: Timestamp
    let price: Int64
}

/// A subscription of one account in one group, for ever: lapses and new beginnings keep its name.
struct Subscription: TableRow {
    enum State: Codable, Sendable, Hashable {
        case active
        case grace(until: Timestamp)
        case retry
        case expired
        case revoked
    }

    /// The original transaction.
    let id: TransactionID
    let account: AccountID
    let environment: AppStoreEnvironment
    let groupID: SubscriptionGroupID
    /// The purchaser's subscription that a family member shares.
    let sharedFrom: TransactionID?
    let began: Timestamp
    /// The latest period.
    var current: TransactionID
    var productID: ProductID
    var expires: Timestamp
    var state = State.active
    var autoRenews = true
    /// When renewal was turned on or off last.
    var renewalChanged: Timestamp
    /// The plan of the next period.
    var nextProductID: ProductID
    /// The regular price of the next period, fixed when the plan was chosen.
    var nextPrice: Int64
    /// The offer that runs, with the renewals that it still covers.
    var running: UsedOffer?
    var runningLeft = 0
    /// An offer that begins with the next renewal.
    var nextOffer: UsedOffer?
    var billingFails = false
    var retryUntil: Timestamp?
    var intent: ExpirationIntent?
    var increase: PriceIncrease?
    var lastIncrease: Timestamp?
    var token: AppAccountToken?
    /// The start of the run without long gaps.
    var recentStart: Timestamp
    var periods = 1
    var renewalsSincePurchase = 0
    var extensions: [Timestamp] = []
    /// How it stood before the refund, to be put back.
    var beforeRevocation: Before?
    var plan: BillingPlanType?

    struct Before: Codable, Sendable, Hashable {
        let state: State
        let autoRenews: Bool
    }

    struct PriceIncrease: Codable, Sendable, Hashable {
        let price: Int64
        let needsConsent: Bool
        var isAgreed: Bool
    }

    var isFamilyShared: Bool { sharedFrom != nil }
    /// Whether the customer gets what was bought.
    var isServed: Bool {
        switch state {
        case .active, .grace: true
        case .retry, .expired, .revoked: false
        }
    }
    /// Whether the store still wants to charge for it.
    var isRunning: Bool { state != .expired && state != .revoked }

    /// Apple's number of the state.
    var status: SubscriptionStatus {
        switch state {
        case .active: .active
        case .grace: .billingGracePeriod
        case .retry: .billingRetry
        case .expired: .expired
        case .revoked: .revoked
        }
    }

    /// When the store does something to it on its own; a family member follows the purchaser.
    var due: Timestamp? {
        if isFamilyShared { return nil }
        switch state {
        case .active: return expires
        case .grace(let until): return until
        case .retry: return retryUntil
        case .expired, .revoked: return nil
        }
    }
}

/// A payment in a device's queue.
struct Payment: TableRow {
    let id: String
    let device: DeviceID
    let account: AccountID
    let order: PurchaseOrder
    let date: Timestamp
    var state: QueueState
    var transaction: TransactionID?
    /// The name under which the device sees the transaction, when it is another.
    var alias: TransactionID?
    var failure: StoreFailure?
    /// What it waits for.
    var waits: WaitingKind?
    var lapses: Timestamp?
    /// The launch in which it is seen first, and whose username it remembers.
    var launch: Int
    var forgetsUsername = false
    /// A failed payment that came through later is no more than a record.
    var isGone = false
}

/// What was asked for, without the proof of an offer, which was checked before.
struct PurchaseOrder: Codable, Sendable, Hashable {
    /// What to buy.
    var productID: ProductID
    /// How many.
    var quantity = 1
    /// StoreKit 1's field.
    var applicationUsername: String?
    /// StoreKit 2's field.
    var token: AppAccountToken?
    /// The kind of the offer that is asked for.
    var offerKind: OfferType?
    /// The name of the offer that is asked for.
    var offerID: String?
    /// What a signed override says about the introductory offer.
    var allowsIntroductory: Bool?
    /// Monthly bills under a commitment.
    var plan: BillingPlanType?

    init(_ productID: ProductID) { self.productID = productID }

    /// The account token: StoreKit 2's, else StoreKit 1's username if it is a UUID.
    var boundToken: AppAccountToken? {
        if let token { return token }
        guard let applicationUsername, UUIDText.isValid(applicationUsername) else { return nil }
        return AppAccountToken(applicationUsername)
    }
}

/// Tells whether a text is a UUID, without Foundation's leniency.
enum UUIDText {
    static func isValid(_ text: String) -> Bool {
        let bytes = Array(text.utf8)
        guard bytes.count == 36 else { return false }
        return bytes.enumerated().allSatisfy { place, byte in
            [8, 13, 18, 23].contains(place)
                ? byte == 0x2D
                : (0x30...0x39).contains(byte) || (0x61...0x66).contains(byte | 0x20)
        }
    }
}
