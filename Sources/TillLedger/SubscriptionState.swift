public import AppStoreModel

/// How a subscription stands at a moment; the raw values are stable and stand on the wire.
public enum SubscriptionStanding: String, Sendable, Hashable, Codable, CaseIterable, Comparable {
    /// A paid period runs.
    case active
    /// The payment failed, and Apple asks that service goes on for a while.
    case inGracePeriod
    /// The payment failed, and Apple tries again; no service.
    case inBillingRetry
    /// It ended.
    case expired
    /// Apple took the last period back.
    case revoked

    /// Whether the customer is served.
    public var isServed: Bool { self == .active || self == .inGracePeriod }

    /// Orders from the best for the customer to the worst.
    public static func < (left: Self, right: Self) -> Bool { left.place < right.place }

    private var place: Int { Self.allCases.firstIndex(of: self) ?? Self.allCases.count }
}

/// An offer under which a period was or will be sold.
public struct SubscriptionOffer: Sendable, Hashable {
    /// Which kind of offer.
    public let type: OfferType
    /// Which offer; introductory ones have no name.
    public let identifier: String?

    /// Names an offer; nil where there is none.
    init?(_ type: OfferType?, _ identifier: String?) {
        guard let type else { return nil }
        self.type = type
        self.identifier = identifier
    }
}

/// A subscription at a moment: a pure function of what is recorded about it and the clock.
public struct SubscriptionState: Sendable, Hashable {
    /// For how long Apple tries to collect a failed payment, in milliseconds: 60 days.
    static let longestRetry: Int64 = 60 * 86_400_000

    /// The book.
    public let book: Book
    /// The original transaction.
    public let originalID: TransactionID
    /// The subscription group, where a signed transaction named it.
    public let groupID: SubscriptionGroupID?
    /// How it stands.
    public let standing: SubscriptionStanding
    /// The product of the period that counts.
    public let productID: ProductID
    /// The transaction of the period that counts: of those neither taken back nor replaced the one that
    /// lasts longest; when there is none, the last one.
    public let transactionID: TransactionID
    /// The purchase of that period.
    public let key: GrantKey
    /// When that period began.
    public let startedAt: Timestamp
    /// When that period ends, or ended.
    public let expiresAt: Timestamp
    /// Until when service goes on though the payment failed, as Apple signed it.
    public let graceUntil: Timestamp?
    /// Whether it will renew; nil where Apple has not said since that period began.
    public let isAutoRenewing: Bool?
    /// The product that will be renewed; nil where Apple has not said.
    public let autoRenewProductID: ProductID?
    /// Why it ended, or will end; nil where it goes on or Apple has not said.
    public let endingReason: ExpirationIntent?
    /// The offer of that period.
    public let offer: SubscriptionOffer?
    /// The offer of the next one.
    public let nextOffer: SubscriptionOffer?
    /// Whether the customer answered a price increase; nil where there is none.
    public let priceIncrease: PriceIncreaseStatus?
    /// Whether it is shared by a family member who pays.
    public let isFamilyShared: Bool
    /// Whether Apple charged for that period without the customer's doing; nil where it has not said.
    let isRenewal: Bool?

    /// The product of the next period, where it is another.
    public var pendingProductID: ProductID? {
        autoRenewProductID == productID ? nil : autoRenewProductID
    }

    /// Judges a subscription by the clock; nil when no period of it is known.
    public init?(_ facts: SubscriptionFacts, at now: Timestamp) {
        let periods = facts.periods
        guard let last = periods.last(where: { !$0.isReplaced }) ?? periods.last else { return nil }
        let current = periods.filter(\.counts)
            .max { ($0.expires, $0.start, $0.key) < ($1.expires, $1.start, $1.key) }
        let period = current ?? last
        let info = RenewalInfo(RenewalObservation.newest(facts.renewals), of: period)
        let standing = Self.standing(of: current, last: last, info, at: now)
        let shown = standing == .revoked ? last : period
        self.standing = standing
        book = facts.book
        originalID = facts.originalID
        productID = shown.productID
        transactionID = shown.transactionID
        key = shown.key
        startedAt = shown.start
        expiresAt = shown.expires
        isRenewal = shown.fields.transactionReason.map { $0 == .renewal }
        groupID =
            shown.fields.subscriptionGroupID
            ?? periods.lazy.compactMap(\.fields.subscriptionGroupID).last
        isFamilyShared = shown.fields.ownership == .familyShared
        offer = SubscriptionOffer(shown.fields.offerType, shown.fields.offerIdentifier)
        graceUntil = standing == .revoked ? nil : info.graceUntil
        isAutoRenewing = info.fields?.autoRenewStatus.map { $0 == .on }
        autoRenewProductID = info.fields?.autoRenewProductID
        nextOffer = SubscriptionOffer(info.fields?.offerType, info.fields?.offerIdentifier)
        priceIncrease = info.fields?.priceIncreaseStatus
        endingReason = Self.reason(standing, info, at: now, expired: shown.expires)
    }

    /// Orders by book and group, and within a group the best for the customer first.
    static func precedes(_ left: SubscriptionState, _ right: SubscriptionState) -> Bool {
        if left.book != right.book { return left.book < right.book }
        let leftGroup = left.groupID?.rawValue ?? ""
        let rightGroup = right.groupID?.rawValue ?? ""
        if leftGroup != rightGroup { return leftGroup < rightGroup }
        if left.standing != right.standing { return left.standing < right.standing }
        return (left.graceUntil ?? left.expiresAt, left.originalID)
            > (right.graceUntil ?? right.expiresAt, right.originalID)
    }

    private static func standing(
        of current: SubscriptionPeriod?, last: SubscriptionPeriod, _ info: RenewalInfo,
        at now: Timestamp
    ) -> SubscriptionStanding {
        if let current, now < current.end { return .active }
        // A refund of an old period says nothing of the newer one; that of the last one ends it.
        if last.isRevoked { return .revoked }
        guard let current else { return .expired }
        if let grace = info.graceUntil, now < grace { return .inGracePeriod }
        let isTried = now < current.expires.advanced(byMilliseconds: longestRetry)
        return info.isInRetry && isTried ? .inBillingRetry : .expired
    }

    private static func reason(
        _ standing: SubscriptionStanding, _ info: RenewalInfo, at now: Timestamp,
        expired: Timestamp
    ) -> ExpirationIntent? {
        switch standing {
        case .active: info.fields?.autoRenewStatus == .off ? .customerCancelled : nil
        case .inGracePeriod, .inBillingRetry: .billingError
        case .expired: info.isInRetry ? .billingError : info.endingReason
        case .revoked: nil
        }
    }
}

/// The newest renewal info, as far as it is about the period that counts.
private struct RenewalInfo {
    /// What it says; nil where it is about an earlier period.
    let fields: RenewalPayload?
    private let isOfThePeriod: Bool
    private let expires: Timestamp

    init(_ observation: RenewalObservation?, of period: SubscriptionPeriod) {
        expires = period.expires
        guard let observation else {
            fields = nil
            isOfThePeriod = false
            return
        }
        let info = observation.fields.info
        isOfThePeriod = observation.signedAt >= period.start
        // Apple signs a renewal before the new period begins. What goes on as it should may be told
        // so early; a failure, an end or a change that is older than the period was of another one.
        let goesOn =
            info.autoRenewStatus == .on && info.productID == period.productID
            && info.expirationIntent == nil && info.isInBillingRetryPeriod != true
        fields = isOfThePeriod || goesOn ? info : nil
    }

    /// Whether Apple tries to collect the payment that should have followed the period.
    var isInRetry: Bool { isOfThePeriod && fields?.isInBillingRetryPeriod == true }

    /// The date up to which Apple asks for service without payment.
    var graceUntil: Timestamp? {
        guard isOfThePeriod, fields?.isInBillingRetryPeriod != false,
            let date = fields?.gracePeriodExpiresDate, date > expires
        else { return nil }
        return date
    }

    var endingReason: ExpirationIntent? { isOfThePeriod ? fields?.expirationIntent : nil }
}

extension SubscriptionFacts {
    /// When each period ends for entitlements: cut where another product took its place, lengthened by the
    /// grace that Apple signed for the one that counts.
    var ends: [GrantKey: Timestamp] {
        let periods = periods
        var ends = Dictionary(
            periods.map { ($0.key, $0.end) }, uniquingKeysWith: { first, _ in first })
        let current = periods.filter(\.counts)
            .max { ($0.expires, $0.start, $0.key) < ($1.expires, $1.start, $1.key) }
        if let current, periods.last(where: { !$0.isReplaced })?.isRevoked != true,
            let grace = RenewalInfo(RenewalObservation.newest(renewals), of: current).graceUntil
        {
            ends[current.key] = grace
        }
        return ends
    }
}
