public import AppStoreModel

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// What an app's backend was last told of a subscription; what differs from it is told next.
///
/// So what is told never hangs on who told the ledger, how often and in which order: whatever came between,
/// the last thing told is how the subscription stands.
public struct SubscriptionTale: Sendable, Hashable {
    /// The original transaction.
    public let originalID: TransactionID
    /// How often something was told, from 1 on; each takes the place of the one before.
    public let number: Int
    /// What was told, in the ledger's own form, JSON.
    public let text: String

    /// Takes what a store kept.
    public init(originalID: TransactionID, number: Int, text: String) {
        self.originalID = originalID
        self.number = number
        self.text = text
    }

    init(_ told: ToldSubscription, of originalID: TransactionID, number: Int) {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        // Texts, whole numbers and flags: there is nothing in it that cannot be encoded.
        let text = (try? encoder.encode(told)).map { String(decoding: $0, as: UTF8.self) } ?? "{}"
        self.init(originalID: originalID, number: number, text: text)
    }

    /// What was told; nil where this program does not understand it.
    var told: ToldSubscription? {
        try? JSONDecoder().decode(ToldSubscription.self, from: Data(text.utf8))
    }
}

/// How a subscription stood when it was told of.
struct ToldSubscription: Sendable, Hashable, Codable {
    let standing: SubscriptionStanding
    let productID: ProductID
    /// The purchase of the period that counted.
    let period: String
    let expiresAt: Timestamp
    var graceUntil: Timestamp?
    /// What was last told of it; nil while nothing was but that it goes on.
    var isAutoRenewing: Bool?
    /// The product of the next period, where it is another.
    var nextProductID: ProductID?
    /// Apple's number for the answer to a price increase.
    var priceIncrease: Int64?
    /// Apple's number for why it ended.
    var reason: Int64?

    init(_ state: SubscriptionState) {
        standing = state.standing
        productID = state.productID
        period = state.key.rawValue
        expiresAt = state.expiresAt
        graceUntil = state.graceUntil
        isAutoRenewing = state.isAutoRenewing
        nextProductID = state.autoRenewProductID == nil ? nil : state.pendingProductID
        priceIncrease = state.priceIncrease?.rawValue
        reason = state.standing == .expired ? state.endingReason?.rawValue : nil
    }
}

/// What there is to tell between what was told of a subscription and how it stands.
struct SubscriptionNews: Sendable, Hashable {
    /// What is told, in this order.
    private(set) var kinds: [EventKind] = []
    /// What is told then.
    private(set) var told: ToldSubscription

    /// Compares; a subscription of which nothing was told has begun, if it is served.
    init(of state: SubscriptionState, after before: ToldSubscription?) {
        told = ToldSubscription(state)
        let main = Self.main(state, after: before)
        if let main { kinds.append(main) }
        // What begins tells everything about itself.
        guard let before, main != .subscriptionStarted else { return }
        let isSamePeriod = before.period == told.period
        if state.standing.isServed, before.productID != told.productID {
            kinds.append(.subscriptionPlanChanged)
        }
        keepUnsaid(of: before, isSamePeriod: isSamePeriod, by: state)
        switch state.standing {
        case .active, .inGracePeriod, .inBillingRetry:
            if let renews = state.isAutoRenewing, renews != before.isAutoRenewing ?? true {
                kinds.append(.subscriptionAutoRenewChanged)
            }
            // That what was to come has come is told above.
            let hasCome = told.nextProductID == nil && before.nextProductID == told.productID
            if told.nextProductID != before.nextProductID, state.autoRenewProductID != nil,
                !hasCome
            {
                kinds.append(.subscriptionNextPlanChanged)
            }
            if let answer = told.priceIncrease, answer != before.priceIncrease {
                kinds.append(.subscriptionPriceConsent)
            }
        case .expired:
            if main == nil, told.reason != nil, told.reason != before.reason {
                kinds.append(.subscriptionReasonKnown)
            }
        case .revoked: break
        }
    }

    /// What Apple does not say any more still stands while the period runs of which it said it.
    private mutating func keepUnsaid(
        of before: ToldSubscription, isSamePeriod: Bool, by state: SubscriptionState
    ) {
        guard isSamePeriod else { return }
        told.isAutoRenewing = told.isAutoRenewing ?? before.isAutoRenewing
        if state.autoRenewProductID == nil { told.nextProductID = before.nextProductID }
        told.priceIncrease = told.priceIncrease ?? before.priceIncrease
        if state.standing == .expired { told.reason = told.reason ?? before.reason }
    }

    /// What happened to the service.
    private static func main(
        _ state: SubscriptionState, after before: ToldSubscription?
    ) -> EventKind? {
        guard let before else { return state.standing.isServed ? .subscriptionStarted : nil }
        let isOther =
            before.standing != state.standing || before.period != state.key.rawValue
        let isMoved = isOther || before.expiresAt != state.expiresAt
        switch state.standing {
        case .active: return isMoved ? active(state, after: before) : nil
        case .inGracePeriod:
            return isOther || before.graceUntil != state.graceUntil
                ? .subscriptionGraceStarted : nil
        case .inBillingRetry: return isOther ? .subscriptionBillingRetryStarted : nil
        case .expired: return isMoved ? .subscriptionExpired : nil
        case .revoked: return isOther ? .subscriptionRevoked : nil
        }
    }

    private static func active(
        _ state: SubscriptionState, after before: ToldSubscription
    ) -> EventKind? {
        let isLater = before.period != state.key.rawValue && state.expiresAt > before.expiresAt
        switch before.standing {
        case .inGracePeriod, .inBillingRetry: return .subscriptionRecovered
        case .expired, .revoked:
            guard isLater else { return .subscriptionRestored }
            // A renewal that was late to be told is none the less a renewal.
            let followsOn =
                state.startedAt <= before.expiresAt.advanced(byMilliseconds: latestRenewal)
            return state.isRenewal ?? followsOn ? .subscriptionRenewed : .subscriptionStarted
        case .active:
            guard isLater else { return .subscriptionPeriodChanged }
            let isCutIn =
                state.productID != before.productID && state.startedAt < before.expiresAt
            // An upgrade takes the place of what runs; that alone is told.
            return isCutIn ? nil : .subscriptionRenewed
        }
    }

    /// How long after the end a period begins that renews it all the same, in milliseconds.
    private static let latestRenewal: Int64 = 3_600_000
}

extension BookFacts {
    /// A subscription as far as it was read: the periods that decide, and what Apple said of its renewal.
    func subscription(_ original: TransactionID, in book: Book) -> SubscriptionFacts {
        let keys = Set(
            transactions.values.filter { $0.originalID == original && $0.grantKey.isPeriod }
                .map(\.grantKey))
        return SubscriptionFacts(
            book: book, originalID: original,
            purchases: keys.sorted().map { purchase($0, in: book) },
            renewals: renewals[original] ?? [])
    }

    /// Whose the period that counts is.
    func holder(of state: SubscriptionState) -> CustomerID? {
        transactions(of: state.key).lazy.compactMap(\.holder).first
            ?? owners[state.originalID]?.customer
    }
}

extension PurchaseCase {
    /// The subscriptions that it may change and of which somebody wants to hear.
    var toldSubscriptions: Set<TransactionReference> {
        var all: Set<TransactionReference> = []
        for item in items where item.grantKey.isPeriod && catalog.tellsSubscriptions(of: item.book)
        {
            all.insert(TransactionReference(book: item.book, id: item.originalID))
        }
        for renewal in renewals where catalog.tellsSubscriptions(of: renewal.book) {
            all.insert(TransactionReference(book: renewal.book, id: renewal.originalID))
        }
        return all
    }
}

extension Catalog {
    /// Whether an app's backend wants to hear of its subscriptions.
    func tellsSubscriptions(of book: Book) -> Bool {
        (apps[book.bundleID]?.webhooks ?? []).contains { webhook in
            EventKind.ofSubscriptions.contains { webhook.wants($0) }
        }
    }
}

extension PurchaseDecision {
    /// Tells what became of a subscription since it was last told of, and when to look at it again by the clock.
    ///
    /// Where nothing was told yet, the difference is that to the facts before this decision.
    mutating func tell(
        _ original: TransactionID, in book: Book, over before: FactSnapshot, byClock: Bool = false
    ) {
        let known = facts(of: book)
        let now = purchase.now
        guard
            let state = SubscriptionState(known.subscription(original, in: book), at: now),
            let holder = known.holder(of: state), isGranted(in: book, to: holder)
        else { return }
        let tale = known.tales[original]
        let news = SubscriptionNews(
            of: state, after: tale?.told ?? before.baseline(of: original, in: book, at: now))
        // Of what is over and was never told, nothing needs to be kept.
        let isNews = tale == nil ? state.standing.isServed || !news.kinds.isEmpty : true
        let isChanged = isNews && news.told != tale?.told
        if isChanged {
            let next = SubscriptionTale(news.told, of: original, number: (tale?.number ?? 0) + 1)
            record(.told(book, next))
            for kind in news.kinds {
                record(
                    event: EventDraft(
                        kind: kind, key: book.key + [original.rawValue, String(next.number)],
                        bundleID: book.bundleID, environment: book.environment, customer: holder,
                        data: state.data(after: tale?.told, cause: purchase.cause), at: now))
            }
        }
        // What waits for the clock was scheduled when the last change was told.
        guard isChanged || byClock, let moment = state.nextChange(after: now) else { return }
        let name = "\(original)@\(moment.milliseconds)"
        record(
            .task(
                ScheduledTask(
                    .tellSubscription, subject: BookedSubject(book: book, name: name).text,
                    due: moment)))
    }
}

extension FactSnapshot {
    /// How a subscription stood of which nothing was told, if it was anybody's.
    fileprivate func baseline(
        of original: TransactionID, in book: Book, at now: Timestamp
    ) -> ToldSubscription? {
        guard let facts = books[book],
            let state = SubscriptionState(facts.subscription(original, in: book), at: now),
            facts.holder(of: state) != nil
        else { return nil }
        return ToldSubscription(state)
    }
}

extension SubscriptionState {
    /// When the clock alone will change how it stands, at the earliest.
    func nextChange(after now: Timestamp) -> Timestamp? {
        let retried = expiresAt.advanced(byMilliseconds: Self.longestRetry)
        return [expiresAt, graceUntil, standing == .inBillingRetry ? retried : nil]
            .compactMap { $0 }.filter { $0 > now }.min()
    }

    /// What is told of it.
    fileprivate func data(after before: ToldSubscription?, cause: String?) -> [String: JSONValue] {
        var data: [String: JSONValue] = [
            "originalTransactionId": .string(originalID.rawValue),
            "transactionId": .string(transactionID.rawValue),
            "productId": .string(productID.rawValue), "status": .string(standing.rawValue),
            "startedAt": .integer(startedAt.milliseconds),
            "expiresAt": .integer(expiresAt.milliseconds), "familyShared": .bool(isFamilyShared),
        ]
        data["groupId"] = groupID.map { .string($0.rawValue) }
        data["gracePeriodExpiresAt"] = graceUntil.map { .integer($0.milliseconds) }
        data["autoRenew"] = isAutoRenewing.map { .bool($0) }
        data["autoRenewProductId"] = autoRenewProductID.map { .string($0.rawValue) }
        data["willExpireReason"] = endingReason.map { .string($0.word) }
        data["priceIncrease"] = priceIncrease.map { .string($0.word) }
        data["offerType"] = offer.map { .string($0.type.word) }
        data["offerId"] = offer?.identifier.map { .string($0) }
        data["previousStatus"] = before.map { .string($0.standing.rawValue) }
        data["previousProductId"] = before.map { .string($0.productID.rawValue) }
        data["cause"] = cause.map { .string($0) }
        return data
    }
}

extension ExpirationIntent {
    /// The word for it on the wire.
    public var word: String {
        switch self {
        case .customerCancelled: "customerCancelled"
        case .billingError: "billingError"
        case .noConsentToPriceIncrease: "noConsentToPriceIncrease"
        case .productUnavailable: "productUnavailable"
        default: "other"
        }
    }
}

extension PriceIncreaseStatus {
    /// The word for it on the wire.
    public var word: String { self == .awaitingConsent ? "awaitingConsent" : "accepted" }
}

extension OfferType {
    /// The word for it on the wire.
    public var word: String {
        switch self {
        case .introductory: "introductory"
        case .promotional: "promotional"
        case .offerCode: "offerCode"
        case .winBack: "winBack"
        default: description
        }
    }
}

extension Ledger {
    /// Tells what the clock alone did to a subscription.
    ///
    /// - Parameters:
    ///   - subject: The book; the name is the original transaction, `@` and the moment.
    ///   - now: The server's time.
    /// - Returns: Whether anything was recorded; doing it twice tells nothing twice.
    /// - Throws: What keeps the store from recording it.
    public func tellSubscription(
        _ subject: BookedSubject, now: Timestamp
    ) async throws(LedgerError) -> Bool {
        guard let at = subject.name.lastIndex(of: "@"),
            catalog.tellsSubscriptions(of: subject.book)
        else { return false }
        let original = TransactionID(String(subject.name[..<at]))
        var submission = PurchaseSubmission(customer: nil, proofs: [])
        submission.cause = "clock"
        let purchase = try PurchaseCase(submission, catalog: catalog, idempotency: nil, now: now)
        var query = FactQuery()
        var keys = BookQuery()
        keys.originals = [original]
        keys.subscriptions = [original]
        query.books[subject.book] = keys
        return try await store.transact(reading: query) { snapshot in
            var decision = PurchaseDecision(purchase, over: snapshot)
            decision.tell(original, in: subject.book, over: snapshot, byClock: true)
            return Decision(facts: decision.facts, answer: !decision.facts.isEmpty)
        }
    }
}
