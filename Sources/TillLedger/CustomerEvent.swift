public import AppStoreModel
import CryptoPrimitives

/// Names an event: a UUID made out of the event's own key, so that deciding again names it the same.
///
/// Version 8 (RFC 9562 section 5.8), the first bytes of a SHA-256.
public struct EventID: AppStoreIdentifier {
    /// The UUID's text in lower case.
    public let rawValue: String
    /// Takes the text as it is.
    public init(_ text: String) { rawValue = text }

    /// Names the event of a key; keys of different parts never meet.
    public init(ofKey parts: [String]) {
        // Each part behind its length, so that no two keys spell the same.
        let text = parts.map { "\($0.utf8.count):\($0)" }.joined()
        var bytes = Array(SHA256.hash(Array(text.utf8)).prefix(16))
        bytes[6] = bytes[6] & 0x0F | 0x80
        bytes[8] = bytes[8] & 0x3F | 0x80
        let digits = Array("0123456789abcdef".utf8)
        var name: [UInt8] = []
        for (place, byte) in bytes.enumerated() {
            if place == 4 || place == 6 || place == 8 || place == 10 { name.append(0x2D) }
            name.append(digits[Int(byte >> 4)])
            name.append(digits[Int(byte & 0x0F)])
        }
        self.init(String(decoding: name, as: UTF8.self))
    }
}

/// What happened to a customer, in two words such as `purchase.granted`; the spellings are stable.
public struct EventKind: AppStoreIdentifier {
    /// The two words.
    public let rawValue: String
    /// Takes the text as it is.
    public init(_ text: String) { rawValue = text }

    /// Goods were handed out.
    public static let purchaseGranted = EventKind("purchase.granted")
    /// A customer's proof was refused; once for each transaction and reason.
    public static let purchaseRefused = EventKind("purchase.refused")
    /// Goods were taken back: refunded, or no longer shared.
    public static let purchaseRevoked = EventKind("purchase.revoked")
    /// Goods were given back: the refund was reversed.
    public static let purchaseRestored = EventKind("purchase.restored")
    /// A customer who restored it took it over from another; told to both, `data.role` says who this one is.
    public static let purchaseTransferred = EventKind("purchase.transferred")
    /// A customer may use what Apple shares in another's family.
    public static let purchaseShared = EventKind("purchase.shared")
    /// The buyer waits for somebody's approval.
    public static let orderDeferred = EventKind("order.deferred")
    /// A verified transaction paid for the order.
    public static let orderPaid = EventKind("order.paid")
    /// The goods of the order were handed out.
    public static let orderFulfilled = EventKind("order.fulfilled")
    /// What the order brought was taken back.
    public static let orderRefunded = EventKind("order.refunded")
    /// The refund was reversed.
    public static let orderRestored = EventKind("order.restored")
    /// Something about the order's payment did not fit; `data.flag` says what.
    public static let orderFlagged = EventKind("order.flagged")
    /// The order was not paid in time; a late payment still revives it.
    public static let orderExpired = EventKind("order.expired")
    /// Something was spent from a wallet.
    public static let walletSpent = EventKind("wallet.spent")
    /// The backend gave a credit without a purchase.
    public static let walletCredited = EventKind("wallet.credited")
    /// The backend let a customer use something without a purchase.
    public static let entitlementPromoted = EventKind("entitlement.promoted")
    /// The backend ended that early.
    public static let entitlementPromotionEnded = EventKind("entitlement.promotionEnded")

    /// A subscription is served for the first time, or again after it had ended.
    public static let subscriptionStarted = EventKind("subscription.started")
    /// Another period of it was paid.
    public static let subscriptionRenewed = EventKind("subscription.renewed")
    /// The payment that had failed was made good.
    public static let subscriptionRecovered = EventKind("subscription.recovered")
    /// It is served again without another payment: the refund was reversed, or the ended period lengthened.
    public static let subscriptionRestored = EventKind("subscription.restored")
    /// The running period ends at another time: Apple lengthened it, or took a later one back.
    public static let subscriptionPeriodChanged = EventKind("subscription.periodChanged")
    /// Another product of the group runs now.
    public static let subscriptionPlanChanged = EventKind("subscription.planChanged")
    /// The next period will be of another product, or no longer be.
    public static let subscriptionNextPlanChanged = EventKind("subscription.nextPlanChanged")
    /// Renewal was turned off, or on again.
    public static let subscriptionAutoRenewChanged = EventKind("subscription.autoRenewChanged")
    /// The customer is asked for consent to a higher price, or has given it.
    public static let subscriptionPriceConsent = EventKind("subscription.priceConsent")
    /// The payment failed, and service goes on for a while.
    public static let subscriptionGraceStarted = EventKind("subscription.graceStarted")
    /// The payment failed, Apple tries again, and there is no service.
    public static let subscriptionBillingRetryStarted = EventKind(
        "subscription.billingRetryStarted")
    /// It ended.
    public static let subscriptionExpired = EventKind("subscription.expired")
    /// Why it ended became known after it was told to have ended.
    public static let subscriptionReasonKnown = EventKind("subscription.reasonKnown")
    /// Apple took its last period back.
    public static let subscriptionRevoked = EventKind("subscription.revoked")
    /// Two names became one customer; told under both, and the last thing told under the one that went.
    public static let customerMerged = EventKind("customer.merged")

    /// Every kind that tells of subscriptions.
    public static let ofSubscriptions: [EventKind] = [
        .subscriptionStarted, .subscriptionRenewed, .subscriptionRecovered, .subscriptionRestored,
        .subscriptionPeriodChanged, .subscriptionPlanChanged, .subscriptionNextPlanChanged,
        .subscriptionAutoRenewChanged, .subscriptionPriceConsent, .subscriptionGraceStarted,
        .subscriptionBillingRetryStarted, .subscriptionExpired, .subscriptionReasonKnown,
        .subscriptionRevoked,
    ]

    /// Every kind that is told: what a configuration may name.
    public static let known: [EventKind] =
        [
            .purchaseGranted, .purchaseRefused, .purchaseRevoked, .purchaseRestored,
            .purchaseTransferred, .purchaseShared, .orderDeferred, .orderPaid, .orderFulfilled,
            .orderRefunded, .orderRestored, .orderFlagged, .orderExpired,
            .walletSpent, .walletCredited, .entitlementPromoted, .entitlementPromotionEnded,
            .customerMerged,
        ] + ofSubscriptions
}

/// Something that happened to a customer, to be told to the app's backend; recorded in the commit that
/// made it happen, and never without it.
public struct CustomerEvent: Sendable, Hashable {
    /// Its name, the same however often it is decided and sent.
    public let id: EventID
    /// What happened.
    public let kind: EventKind
    /// The app.
    public let bundleID: BundleID
    /// The environment; nil for what has none, such as an order nobody paid.
    public let environment: AppStoreEnvironment?
    /// To whom.
    public let customer: CustomerID
    /// What belongs to it: a JSON object.
    public let data: String
    /// When it was recorded, by the server's clock.
    public let at: Timestamp

    /// Makes an event.
    public init(
        id: EventID, kind: EventKind, bundleID: BundleID, environment: AppStoreEnvironment?,
        customer: CustomerID, data: String, at: Timestamp
    ) {
        self.id = id
        self.kind = kind
        self.bundleID = bundleID
        self.environment = environment
        self.customer = customer
        self.data = data
        self.at = at
    }
}

/// An event with its place among the customer's events.
public struct NumberedEvent: Sendable, Hashable {
    /// The event.
    public let event: CustomerEvent
    /// 1 for the customer's first event of that app, then 2, 3, … without holes.
    public let sequence: Int64

    /// Puts the two together.
    public init(event: CustomerEvent, sequence: Int64) {
        self.event = event
        self.sequence = sequence
    }
}
