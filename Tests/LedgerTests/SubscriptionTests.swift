import AppStoreModel
import TestKit
import Testing

@testable import TillLedger

/// How a subscription stands, whatever way and in whatever order it was told.
@Suite struct SubscriptionTests {
    private static func day(_ days: Int) -> Timestamp { Sale.noon.later(days: days) }

    /// A renewal info that comes with the period of a month and is signed on a day.
    private static func notice(
        _ id: String, _ type: NotificationType, _ subtype: NotificationSubtype? = nil,
        month: Int = 0, on days: Int, _ change: @escaping (inout RenewalPayload) -> Void
    ) -> Notice {
        let sale = Sale.month(month) { $0.signed = day(days) }
        return Notice(id, type, subtype, sale) { payload in change(&payload) }
    }

    /// S07: what counts is neither the last in a list nor the greatest id.
    @Test(arguments: StoreKind.allCases, 1...5 as ClosedRange<UInt64>)
    func `The period that counts is the one that ends last, in any order and under any id`(
        kind: StoreKind, seed: UInt64
    ) async throws {
        let shop = try await Shop(kind)
        let periods = (0..<6).map { number in
            // Ids fall while time goes on, and one is of the 18 digits that family members have.
            Sale.month(number) {
                $0.id = number == 2 ? "501136461303889853" : TransactionID("90000\(9 - number)")
            }
        }
        let refunded = Sale.month(6) { $0.revoked = Self.day(185) }
        let lifetime = Sale("1") { $0.product = Sale.lifetime }
        var random = SeededRandom(seed: seed)
        try await shop.showReceipt(
            (periods + [lifetime, refunded]).shuffled(using: &random), created: Self.day(190))
        let state = try #require(try await shop.subscription(at: Self.day(179)))
        #expect(state.transactionID == "900004")
        #expect(state.standing == .active)
        #expect(state.expiresAt == Self.day(180))
        #expect(state.originalID == "200000")
        #expect(try await shop.subscription(at: Self.day(186))?.standing == .revoked)
    }

    /// S08: refunded is out at once, replaced is out, and no longer renewing is not over.
    @Test(arguments: StoreKind.allCases)
    func `Only what was taken back or replaced ends before its time`(
        kind: StoreKind
    ) async throws {
        let off = try await Shop(kind)
        try await off.show(Sale.month(0))
        try await off.tell(
            Self.notice("off", .didChangeRenewalStatus, .autoRenewDisabled, on: 3) {
                $0.autoRenewStatus = .off
            })
        let running = try #require(try await off.subscription(at: Self.day(29)))
        #expect(running.standing == .active && running.isAutoRenewing == false)
        #expect(running.endingReason == .customerCancelled)
        #expect(try await off.active(at: Self.day(29)) == ["pro"])
        #expect(try await off.active(at: Self.day(30)) == [])

        let refund = try await Shop(kind)
        try await refund.show(Sale.month(0))
        let back = Sale.month(0) {
            $0.revoked = Self.day(5)
            $0.signed = Self.day(5)
        }
        try await refund.tell(Notice("refund", .refund, nil, back) { $0.autoRenewStatus = .off })
        #expect(try await refund.active(at: Self.day(6)) == [])
        #expect(try await refund.subscription(at: Self.day(6))?.standing == .revoked)
        #expect(try await refund.balance(.anna, "gems") == 0)
        try await refund.expectSound()
    }

    /// Apple tells of an upgrade by the new transaction; the old one may never be shown again.
    @Test(arguments: StoreKind.allCases)
    func `An upgrade told by the new product alone ends the old period`(
        kind: StoreKind
    ) async throws {
        let shop = try await Shop(kind)
        let year = Sale.month(0) {
            $0.product = Sale.yearly
            $0.expires = Self.day(365)
        }
        let month = Sale.month(1) {
            $0.purchased = Self.day(10)
            $0.expires = Self.day(40)
            $0.signed = Self.day(10)
        }
        try await shop.show(year)
        try await shop.tell(Notice("up", .didChangeRenewalPreference, .upgrade, month) { _ in })
        let state = try #require(try await shop.subscription(at: Self.day(11)))
        #expect(state.productID == Sale.monthly && state.expiresAt == Self.day(40))
        #expect(try await shop.active(at: Self.day(11)) == ["pro"])
        #expect(try await shop.active(at: Self.day(41)) == [])
        // Until then the old one gave what it gave.
        #expect(try await shop.active(at: Self.day(9)) == ["extra", "pro"])
        // The next period of the same product, beside it, replaces nothing before its end.
        let renewed = try await Shop(kind)
        try await renewed.show(Sale.month(0), Sale.month(1))
        #expect(try await renewed.active(at: Self.day(29)) == ["pro"])
    }

    /// The catalog may be late: who paid for more does not lose what was paid for before.
    @Test(arguments: StoreKind.allCases)
    func `An upgrade to a product that no catalog knows takes nothing away until one does`(
        kind: StoreKind
    ) async throws {
        let shop = try await Shop(kind)
        let better = Sale.month(1) {
            $0.product = "com.example.new.yearly"
            $0.purchased = Self.day(10)
            $0.expires = Self.day(375)
            $0.signed = Self.day(10)
        }
        try await shop.show(Sale.month(0))
        #expect(try await shop.show(better).map(\.outcome) == [.unknownProduct])
        #expect(try await shop.active(at: Self.day(11)) == ["pro"])
        #expect(try await shop.active(at: Self.day(31)) == [])
        // The nearest neighbour: once it is handed out, it alone counts.
        var catalog = Sale.catalog
        catalog.apps[Sale.app]?.products["com.example.new.yearly"] = ProductRule(
            kind: .autoRenewable, entitlements: ["best"])
        _ = try await shop.with(catalog).record(
            PurchaseSubmission(customer: .anna, proofs: [better.proof]), now: Self.day(11))
        #expect(try await shop.active(at: Self.day(11)) == ["best"])
        try await shop.expectSound()
    }

    /// S09: access until the signed grace date, none for billing retry alone, and no leeway of our own.
    @Test(arguments: StoreKind.allCases)
    func `Grace gives access to the millisecond that Apple signed, and retry alone gives none`(
        kind: StoreKind
    ) async throws {
        let grace = try await Shop(kind)
        try await grace.show(Sale.month(0))
        try await grace.tell(
            Self.notice("fail", .didFailToRenew, .gracePeriod, on: 30) {
                $0.isInBillingRetryPeriod = true
                $0.gracePeriodExpiresDate = Self.day(46)
            })
        let last = Self.day(46).advanced(byMilliseconds: -1)
        #expect(try await grace.subscription(at: last)?.standing == .inGracePeriod)
        #expect(try await grace.active(at: last) == ["pro"])
        let pro = try #require(try await grace.customer(at: last).entitlements.first)
        #expect(pro.expiresAt == Self.day(46))
        #expect(try await grace.subscription(at: Self.day(46))?.standing == .inBillingRetry)
        #expect(try await grace.active(at: Self.day(46)) == [])
        #expect(try await grace.subscription(at: Self.day(89))?.standing == .inBillingRetry)
        let over = try #require(try await grace.subscription(at: Self.day(90)))
        #expect(over.standing == .expired && over.endingReason == .billingError)

        let retry = try await Shop(kind)
        try await retry.show(Sale.month(0))
        try await retry.tell(
            Self.notice("fail", .didFailToRenew, on: 30) { $0.isInBillingRetryPeriod = true })
        #expect(try await retry.subscription(at: Self.day(30))?.standing == .inBillingRetry)
        #expect(try await retry.active(at: Self.day(30)) == [])
        // A failed payment that is tried before the end takes nothing of what was paid.
        #expect(try await retry.active(at: Self.day(29)) == ["pro"])
    }

    /// S09: renewal turned off in the grace period ends it, as soon as Apple says that it ended.
    @Test(arguments: StoreKind.allCases)
    func `A subscription that is cancelled in its grace period ends when Apple says so`(
        kind: StoreKind
    ) async throws {
        let shop = try await Shop(kind)
        try await shop.show(Sale.month(0))
        let failed = Self.notice("fail", .didFailToRenew, .gracePeriod, on: 30) {
            $0.isInBillingRetryPeriod = true
            $0.gracePeriodExpiresDate = Self.day(46)
        }
        let off = Self.notice("off", .didChangeRenewalStatus, .autoRenewDisabled, on: 33) {
            $0.autoRenewStatus = .off
            $0.isInBillingRetryPeriod = true
            $0.gracePeriodExpiresDate = Self.day(46)
        }
        let ended = Self.notice("end", .expired, .voluntary, on: 34) {
            $0.autoRenewStatus = .off
            $0.isInBillingRetryPeriod = false
            $0.expirationIntent = .customerCancelled
        }
        try await shop.tell(off)
        try await shop.tell(failed)
        #expect(try await shop.active(at: Self.day(33)) == ["pro"])
        try await shop.tell(ended)
        let state = try #require(try await shop.subscription(at: Self.day(35)))
        #expect(state.standing == .expired && state.endingReason == .customerCancelled)
        #expect(try await shop.active(at: Self.day(35)) == [])
    }

    @Test func `A renewal info older than the period says nothing of its end`() async throws {
        let shop = try await Shop(.memory)
        try await shop.show(Sale.month(0))
        try await shop.tell(
            Self.notice("fail", .didFailToRenew, .gracePeriod, on: 30) {
                $0.isInBillingRetryPeriod = true
                $0.gracePeriodExpiresDate = Self.day(46)
            })
        // Recovered on day 60 and shown by the app alone; nobody tells that it is well.
        let recovered = Sale.month(2)
        try await shop.show(recovered)
        let running = try #require(try await shop.subscription(at: Self.day(61)))
        #expect(running.standing == .active && running.isAutoRenewing == nil)
        let over = try #require(try await shop.subscription(at: Self.day(90)))
        #expect(over.standing == .expired && over.endingReason == nil)
        #expect(over.graceUntil == nil)
    }

    /// Fact 7: a renewal is signed before its period begins.
    @Test func `A renewal that is signed before its period begins counts at once`() async throws {
        let shop = try await Shop(.memory)
        let early = Sale.month(1) {
            $0.signed = Self.day(30).advanced(byMilliseconds: -33_000)
        }
        try await shop.show(Sale.month(0))
        let answer = try await shop.tell(Notice("renew", .didRenew, nil, early) { _ in })
        #expect(answer.notification.effect == .granted)
        let state = try #require(
            try await shop.subscription(at: Self.day(30).advanced(byMilliseconds: -20_000)))
        #expect(state.standing == .active && state.isAutoRenewing == true)
        #expect(state.expiresAt == Self.day(60))
    }

    @Test(arguments: StoreKind.allCases)
    func `An extension raises the end of the period, and an old proof does not lower it`(
        kind: StoreKind
    ) async throws {
        let shop = try await Shop(kind)
        try await shop.show(Sale.month(0))
        let longer = Sale.month(0) {
            $0.expires = Self.day(44)
            $0.signed = Self.day(20)
        }
        try await shop.tell(
            Notice("longer", .renewalExtended, nil, longer) { $0.renewalDate = Self.day(44) })
        try await shop.show(Sale.month(0))
        #expect(try await shop.subscription(at: Self.day(43))?.expiresAt == Self.day(44))
        #expect(try await shop.active(at: Self.day(43)) == ["pro"])
        #expect(try await shop.balance(.anna, "gems") == 5)
        try await shop.expectSound()
    }

    @Test(arguments: StoreKind.allCases)
    func `The next plan, the offers and the answer to a dearer price are told`(
        kind: StoreKind
    ) async throws {
        let shop = try await Shop(kind)
        let sale = Sale.month(0) {
            $0.group = "7"
            $0.offer = .introductory
            $0.signed = Self.day(1)
        }
        try await shop.show(sale)
        let change = Sale.month(0) {
            $0.group = "7"
            $0.offer = .introductory
            $0.signed = Self.day(4)
        }
        try await shop.tell(
            Notice("down", .didChangeRenewalPreference, .downgrade, change) {
                $0.autoRenewProductID = Sale.yearly
                $0.offerType = .promotional
                $0.offerIdentifier = "half"
                $0.priceIncreaseStatus = .awaitingConsent
            })
        let state = try #require(try await shop.subscription(at: Self.day(5)))
        #expect(state.groupID == "7" && state.productID == Sale.monthly)
        #expect(state.pendingProductID == Sale.yearly)
        #expect(state.offer?.type == .introductory && state.offer?.identifier == nil)
        #expect(state.nextOffer?.type == .promotional && state.nextOffer?.identifier == "half")
        #expect(state.priceIncrease == .awaitingConsent)
        // Taken back: the same plan goes on.
        var same = change
        same.signed = Self.day(6)
        try await shop.tell(Notice("same", .didChangeRenewalPreference, nil, same) { _ in })
        let after = try #require(try await shop.subscription(at: Self.day(7)))
        #expect(after.pendingProductID == nil && after.priceIncrease == nil)
    }

    /// S11: each family member has a transaction of their own, and loses that alone.
    @Test(arguments: StoreKind.allCases)
    func `Two family members share, and one of them loses it`(kind: StoreKind) async throws {
        let shop = try await Shop(kind)
        func shared(_ original: TransactionID, revoked: Bool = false) -> Sale {
            Sale.month(0) {
                $0.id = original
                $0.original = original
                $0.item = WebOrderLineItemID("8\(original)")
                $0.ownership = .familyShared
                $0.revoked = revoked ? Self.day(5) : nil
                $0.signed = Self.day(revoked ? 5 : 0)
            }
        }
        try await shop.show(shared("501136461303889853"), by: .ben)
        try await shop.show(shared("501136461303889854"), by: .cleo)
        #expect(try await shop.subscription(.ben, at: Self.day(1))?.isFamilyShared == true)
        let answer = try await shop.tell(
            Notice("revoke", .revoke, nil, shared("501136461303889853", revoked: true)) { _ in })
        #expect(answer.notification.effect == .takenBack)
        #expect(try await shop.active(.ben, at: Self.day(6)) == [])
        #expect(try await shop.active(.cleo, at: Self.day(6)) == ["pro"])
        #expect(try await shop.subscription(.ben, at: Self.day(6))?.standing == .revoked)
        #expect(try await shop.subscription(.cleo, at: Self.day(6))?.standing == .active)
    }

    @Test(arguments: StoreKind.allCases)
    func `The best subscription of a group comes first`(kind: StoreKind) async throws {
        let shop = try await Shop(kind)
        func sale(_ id: TransactionID, ends days: Int, shared: Bool) -> Sale {
            Sale.month(0) {
                $0.id = id
                $0.original = id
                $0.item = WebOrderLineItemID("8\(id)")
                $0.group = "7"
                $0.expires = Self.day(days)
                $0.ownership = shared ? .familyShared : .purchased
            }
        }
        try await shop.show(sale("1", ends: 10, shared: false), sale("2", ends: 30, shared: true))
        let both = try await shop.customer(at: Self.day(5)).subscriptions
        #expect(both.map(\.originalID) == ["2", "1"])
        #expect(both.map(\.standing) == [.active, .active])
        let one = try await shop.customer(at: Self.day(20)).subscriptions
        #expect(one.map(\.standing) == [.active, .expired])
    }

    /// V11: two ids of one period are granted once, and are one period.
    @Test(arguments: StoreKind.allCases)
    func `A period under the ids of the app and of the notification is one`(
        kind: StoreKind
    ) async throws {
        let shop = try await Shop(kind)
        let other = Sale.month(0) { $0.id = "2000000000066278" }
        try await shop.tell(Notice("buy", .subscribed, .initialBuy, other) { _ in })
        // The claim of the one id hands out the period, which then is there under the other.
        #expect(try await shop.show(Sale.month(0)).map(\.outcome) == [.alreadyGranted])
        #expect(try await shop.show(other).map(\.outcome) == [.alreadyGranted])
        #expect(try await shop.balance(.anna, "gems") == 5)
        #expect(try await shop.customer(at: Self.day(1)).subscriptions.count == 1)
        // A consumable has no line item: two ids are two purchases.
        try await shop.show(Sale("1"), Sale("2"))
        #expect(try await shop.balance() == 1_200)
        try await shop.expectSound()
    }

    @Test(arguments: StoreKind.allCases)
    func `A subscription without entitlements is told beside any number of newer purchases`(
        kind: StoreKind
    ) async throws {
        var catalog = Sale.catalog
        catalog.apps[Sale.app]?.products[Sale.monthly]?.entitlements = []
        let shop = try await Shop(kind, catalog: catalog)
        try await shop.show(Sale.month(0))
        try await shop.showReceipt(
            (1...(Ledger.historyLimit + 20)).map { number in
                Sale(TransactionID("\(number)")) {
                    $0.purchased = Self.day(1).later(minutes: number)
                }
            }, created: Self.day(3))
        #expect(try await shop.subscription(at: Self.day(4))?.standing == .active)
    }

    @Test func `A renewal info is kept whole, without its date and the device's mark`() throws {
        var payload = RenewalPayload(originalTransactionID: "1")
        payload.signedDate = Sale.noon
        payload.renewalPrice = 49_000_000
        payload.eligibleWinBackOfferIDs = ["b", "a"]
        payload.otherFields = ["new": ["x": 1], "deviceVerification": "abc"]
        let fields = RenewalFields(payload)
        #expect(fields.info.signedDate == nil)
        #expect(fields.info.otherFields == ["new": ["x": 1]])
        #expect(RenewalFields(text: fields.text) == fields)
        payload.signedDate = Self.day(1)
        payload.otherFields["deviceVerification"] = "other"
        #expect(RenewalFields(payload) == fields)
        payload.renewalPrice = 49_000_001
        #expect(RenewalFields(payload) != fields)
        #expect(RenewalFields(text: "[]") == nil)
    }
}
