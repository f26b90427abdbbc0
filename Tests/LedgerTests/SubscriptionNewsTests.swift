import AppStoreModel
import TestKit
import Testing

@testable import TillLedger

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// What is told of subscriptions, by what comes in and by the clock.
@Suite(.serialized) struct SubscriptionNewsTests {
    private static func day(_ days: Int) -> Timestamp { Sale.noon.later(days: days) }

    private static func notice(
        _ id: String, _ type: NotificationType, _ subtype: NotificationSubtype? = nil,
        month: Int = 0, on days: Int, _ change: @escaping (inout RenewalPayload) -> Void = { _ in }
    ) -> Notice {
        let sale = Sale.month(month) { $0.signed = day(days) }
        return Notice(id, type, subtype, sale) { payload in change(&payload) }
    }

    /// Does what is due by the clock, and gives what is told of subscriptions.
    private static func told(
        _ outgoing: Outgoing, at now: Timestamp
    ) async throws -> [CustomerEvent] {
        try await tick(outgoing, at: now)
        return try await outgoing.drain(at: now).map(\.event)
            .filter { $0.kind.rawValue.hasPrefix("subscription.") }
    }

    private static func tick(_ outgoing: Outgoing, at now: Timestamp) async throws {
        while true {
            let tasks = try await outgoing.claimTasks([.tellSubscription], at: now)
            guard !tasks.isEmpty else { return }
            for task in tasks {
                let subject = try #require(BookedSubject(task.key.subject))
                // A worker that stops in the middle has it done once more.
                for _ in 0..<2 {
                    _ = try await outgoing.shop.ledger.tellSubscription(subject, now: now)
                }
                #expect(try await outgoing.work.settle(task, .finished(at: now)))
            }
        }
    }

    private func data(_ event: CustomerEvent) throws -> JSONValue {
        try JSONDecoder().decode(JSONValue.self, from: Data(event.data.utf8))
    }

    @Test(arguments: StoreKind.allCases)
    func `A life is told from its beginning to its end, the end by the clock alone`(
        kind: StoreKind
    ) async throws {
        let outgoing = try await Outgoing(kind)
        let shop = outgoing.shop
        try await shop.show(Sale.month(0))
        var events = try await Self.told(outgoing, at: Sale.noon)
        #expect(events.map(\.kind) == [.subscriptionStarted])
        let started = try data(events[0])
        #expect(started["status"] == "active" && started["productId"] == "com.example.monthly")
        #expect(started["originalTransactionId"] == "200000")
        #expect(started["expiresAt"]?.integer == Self.day(30).milliseconds)
        #expect(events[0].customer == .anna && events[0].environment == .production)

        try await shop.tell(Notice("1", .didRenew, nil, .month(1)) { _ in }, at: Self.day(29))
        events = try await Self.told(outgoing, at: Self.day(30))
        #expect(events.map(\.kind) == [.subscriptionRenewed])
        #expect(try data(events[0])["cause"] == "notification:DID_RENEW")

        try await shop.tell(
            Self.notice("off", .didChangeRenewalStatus, .autoRenewDisabled, month: 1, on: 40) {
                $0.autoRenewStatus = .off
            }, at: Self.day(40))
        events = try await Self.told(outgoing, at: Self.day(59))
        #expect(events.map(\.kind) == [.subscriptionAutoRenewChanged])
        #expect(try data(events[0])["autoRenew"] == false)

        events = try await Self.told(outgoing, at: Self.day(60))
        #expect(events.map(\.kind) == [.subscriptionExpired])
        #expect(try data(events[0])["cause"] == "clock")
        #expect(try data(events[0])["previousStatus"] == "active")
        try await shop.tell(
            Self.notice("end", .expired, .voluntary, month: 1, on: 60) {
                $0.autoRenewStatus = .off
                $0.expirationIntent = .customerCancelled
            }, at: Self.day(60))
        events = try await Self.told(outgoing, at: Self.day(90))
        #expect(events.map(\.kind) == [.subscriptionReasonKnown])
        #expect(try data(events[0])["willExpireReason"] == "customerCancelled")

        // Months later the customer comes back.
        try await shop.show(Sale.month(6), at: Self.day(180))
        events = try await Self.told(outgoing, at: Self.day(180))
        #expect(events.map(\.kind) == [.subscriptionStarted])
        #expect(try data(events[0])["previousStatus"] == "expired")
        #expect(try await Self.told(outgoing, at: Self.day(209)).isEmpty)
        #expect(
            try await Self.told(outgoing, at: Self.day(500)).map(\.kind) == [.subscriptionExpired])
        #expect(try await outgoing.claimTasks([.tellSubscription], at: Self.day(9_999)).isEmpty)
        try await shop.expectSound()
    }

    @Test(arguments: StoreKind.allCases)
    func `A failed payment is told as grace, then as retry, then as recovered or as the end`(
        kind: StoreKind
    ) async throws {
        for recovers in [true, false] {
            let outgoing = try await Outgoing(kind)
            let shop = outgoing.shop
            try await shop.show(Sale.month(0))
            // Apple says so before the end, which changes nothing until then.
            try await shop.tell(
                Self.notice("fail", .didFailToRenew, .gracePeriod, on: 29) {
                    $0.isInBillingRetryPeriod = true
                    $0.gracePeriodExpiresDate = Self.day(46)
                }, at: Self.day(29))
            var events = try await Self.told(outgoing, at: Self.day(29))
            #expect(events.map(\.kind) == [.subscriptionStarted])
            events = try await Self.told(outgoing, at: Self.day(30))
            #expect(events.map(\.kind) == [.subscriptionGraceStarted])
            #expect(
                try data(events[0])["gracePeriodExpiresAt"]?.integer == Self.day(46).milliseconds)
            events = try await Self.told(outgoing, at: Self.day(46))
            #expect(events.map(\.kind) == [.subscriptionBillingRetryStarted])
            if recovers {
                try await shop.tell(
                    Notice("well", .didRenew, .billingRecovery, .month(2)) { _ in },
                    at: Self.day(60))
                events = try await Self.told(outgoing, at: Self.day(60))
                #expect(events.map(\.kind) == [.subscriptionRecovered])
            } else {
                #expect(try await Self.told(outgoing, at: Self.day(89)).isEmpty)
                events = try await Self.told(outgoing, at: Self.day(90))
                #expect(events.map(\.kind) == [.subscriptionExpired])
                #expect(try data(events[0])["willExpireReason"] == "billingError")
            }
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `Plans, consent, extensions, refunds and reversals are told`(
        kind: StoreKind
    ) async throws {
        let outgoing = try await Outgoing(kind)
        let shop = outgoing.shop
        try await shop.show(Sale.month(0))
        try await shop.tell(
            Self.notice("down", .didChangeRenewalPreference, .downgrade, on: 2) {
                $0.autoRenewProductID = Sale.yearly
                $0.priceIncreaseStatus = .awaitingConsent
            })
        var events = try await Self.told(outgoing, at: Self.day(2))
        #expect(
            events.map(\.kind) == [
                .subscriptionStarted, .subscriptionNextPlanChanged, .subscriptionPriceConsent,
            ])
        #expect(try data(events[1])["autoRenewProductId"] == "com.example.yearly")
        #expect(try data(events[2])["priceIncrease"] == "awaitingConsent")
        try await shop.tell(
            Self.notice("yes", .priceIncrease, .accepted, on: 3) {
                $0.autoRenewProductID = Sale.yearly
                $0.priceIncreaseStatus = .consentedOrNotified
            })
        events = try await Self.told(outgoing, at: Self.day(3))
        #expect(events.map(\.kind) == [.subscriptionPriceConsent])

        let longer = Sale.month(0) {
            $0.expires = Self.day(44)
            $0.signed = Self.day(20)
        }
        try await shop.show(longer, at: Self.day(20))
        events = try await Self.told(outgoing, at: Self.day(20))
        #expect(events.map(\.kind) == [.subscriptionPeriodChanged])
        // The clock of the former end finds it running.
        #expect(try await Self.told(outgoing, at: Self.day(31)).isEmpty)

        let year = Sale.month(1) {
            $0.product = Sale.yearly
            $0.purchased = Self.day(44)
            $0.expires = Self.day(409)
            $0.signed = Self.day(43)
        }
        try await shop.show(year, at: Self.day(43))
        events = try await Self.told(outgoing, at: Self.day(44))
        #expect(events.map(\.kind) == [.subscriptionRenewed, .subscriptionPlanChanged])
        #expect(try data(events[1])["previousProductId"] == "com.example.monthly")

        var back = year
        back.revoked = Self.day(50)
        back.signed = Self.day(50)
        try await shop.show(back, at: Self.day(50))
        events = try await Self.told(outgoing, at: Self.day(50))
        #expect(events.map(\.kind) == [.subscriptionRevoked])
        var again = year
        again.signed = Self.day(51)
        try await shop.show(again, at: Self.day(51))
        events = try await Self.told(outgoing, at: Self.day(51))
        #expect(events.map(\.kind) == [.subscriptionRestored])
        // Once more, with the very same dates: what is told is the last that is true.
        var anew = back
        anew.signed = Self.day(52)
        try await shop.show(anew, at: Self.day(52))
        events = try await Self.told(outgoing, at: Self.day(52))
        #expect(events.map(\.kind) == [.subscriptionRevoked])

        let upgrade = try await Outgoing(kind)
        try await upgrade.shop.show(Sale.month(0))
        let better = Sale.month(1) {
            $0.product = Sale.yearly
            $0.purchased = Self.day(10)
            $0.expires = Self.day(375)
        }
        try await upgrade.shop.show(better, at: Self.day(10))
        events = try await Self.told(upgrade, at: Self.day(31))
        #expect(events.map(\.kind) == [.subscriptionStarted, .subscriptionPlanChanged])
    }

    @Test(arguments: StoreKind.allCases)
    func `What nobody has and what nobody is granted is not told; a claim begins it`(
        kind: StoreKind
    ) async throws {
        let outgoing = try await Outgoing(kind)
        let shop = outgoing.shop
        try await shop.tell(Notice("buy", .subscribed, .initialBuy, .month(0)) { _ in })
        #expect(try await Self.told(outgoing, at: Sale.noon).isEmpty)
        _ = try await shop.ledger.claim(
            "200000", in: [Book(bundleID: Sale.app, environment: .production)], for: .ben,
            now: Sale.noon)
        let events = try await Self.told(outgoing, at: Sale.noon)
        #expect(events.map(\.kind) == [.subscriptionStarted])
        #expect(events.map(\.customer) == [.ben])

        var catalog = try Outgoing.catalog
        catalog.apps[Sale.app]?.environments = [.production]
        let strict = shop.with(catalog)
        _ = try await strict.record(
            PurchaseSubmission(
                customer: .anna, proofs: [Sale.month(0) { $0.environment = .sandbox }.proof]),
            now: Sale.noon)
        #expect(try await Self.told(outgoing, at: Sale.noon).isEmpty)
    }

    @Test(arguments: StoreKind.allCases)
    func `A subscription from before the first endpoint goes on, and does not begin`(
        kind: StoreKind
    ) async throws {
        let outgoing = try await Outgoing(kind)
        let silent = outgoing.shop.with(Sale.catalog)
        _ = try await silent.record(
            PurchaseSubmission(customer: .anna, proofs: [Sale.month(0).proof]), now: Sale.noon)
        try await outgoing.shop.show(Sale.month(1), at: Self.day(29))
        let events = try await Self.told(outgoing, at: Self.day(31))
        #expect(events.map(\.kind) == [.subscriptionRenewed])
        // Of what was over before, nothing is told when it is shown again.
        let other = Sale.month(0) {
            $0.id = "3"
            $0.original = "3"
            $0.item = "93"
        }
        try await outgoing.shop.show(other, by: .ben, at: Self.day(45))
        #expect(try await Self.told(outgoing, at: Self.day(45)).isEmpty)
    }

    /// Everything that the property tests tell, each with the day on which it happened.
    private static let story: [Notice] = {
        var all: [Notice] = [
            notice("a", .subscribed, .initialBuy, on: 0),
            notice("b", .didChangeRenewalStatus, .autoRenewDisabled, on: 5) {
                $0.autoRenewStatus = .off
            },
            notice("c", .didChangeRenewalStatus, .autoRenewEnabled, on: 6),
            notice("d", .didRenew, month: 1, on: 30),
            notice("e", .didFailToRenew, .gracePeriod, month: 1, on: 59) {
                $0.isInBillingRetryPeriod = true
                $0.gracePeriodExpiresDate = day(70)
            },
            notice("f", .didRenew, .billingRecovery, month: 2, on: 62),
            notice("g", .priceIncrease, .pending, month: 2, on: 66) {
                $0.priceIncreaseStatus = .awaitingConsent
            },
            notice("h", .didChangeRenewalPreference, .downgrade, month: 2, on: 67) {
                $0.autoRenewProductID = Sale.yearly
            },
        ]
        let back = Sale.month(2) {
            $0.revoked = day(75)
            $0.signed = day(75)
        }
        all.append(Notice("i", .refund, nil, back) { $0.autoRenewStatus = .off })
        all.append(
            Notice("j", .refundReversed, nil, Sale.month(2) { $0.signed = day(76) }) {
                $0.autoRenewStatus = .off
            })
        return all
    }()

    @Test(arguments: StoreKind.allCases, 1...12 as ClosedRange<UInt64>)
    func `In any order, however often and however late, the last thing told is how it stands`(
        kind: StoreKind, seed: UInt64
    ) async throws {
        let outgoing = try await Outgoing(kind)
        let shop = outgoing.shop
        try await shop.show(Sale.month(0))
        var random = SeededRandom(seed: seed)
        let notices = (Self.story + Self.story.shuffled(using: &random).prefix(4))
            .shuffled(using: &random)
        var events = try await Self.told(outgoing, at: Sale.noon)
        var now = Sale.noon
        for notice in notices {
            now = now.later(minutes: Int.random(in: 0...14_400, using: &random))
            if Bool.random(using: &random) { try await Self.tick(outgoing, at: now) }
            try await shop.tell(notice, at: now)
            try await shop.show(notice.sale ?? Sale.month(0), at: now)
            events += try await Self.told(outgoing, at: now)
            let state = try #require(try await shop.subscription(at: now))
            let last = try data(try #require(events.last))
            #expect(last["status"]?.string == state.standing.rawValue)
            #expect(last["productId"]?.string == state.productID.rawValue)
            #expect(last["expiresAt"]?.integer == state.expiresAt.milliseconds)
        }
        events += try await Self.told(outgoing, at: Self.day(900))
        let last = try data(try #require(events.last))
        #expect(last["status"] == "expired" && events.last?.kind == .subscriptionExpired)
        #expect(events.filter { $0.kind == .subscriptionStarted }.count >= 1)
        #expect(Set(events.map(\.id)).count == events.count)
        // Nothing is told twice in a row: each tells of something that was otherwise before.
        for (before, after) in zip(events, events.dropFirst()) {
            #expect(before.kind != after.kind || before.data != after.data)
        }
        try await shop.expectSound()
    }

    @Test(arguments: StoreKind.allCases)
    func `Told by many at once it is told once`(kind: StoreKind) async throws {
        let outgoing = try await Outgoing(kind)
        let shop = outgoing.shop
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<12 {
                group.addTask {
                    try await shop.show(Sale.month(number % 2), at: Sale.noon, alone: false)
                }
                group.addTask {
                    try await shop.tell(
                        Notice("n\(number % 3)", .didRenew, nil, .month(1)) { _ in })
                }
            }
            try await group.waitForAll()
        }
        let events = try await Self.told(outgoing, at: Sale.noon)
        #expect(events.first?.kind == .subscriptionStarted)
        #expect(events.filter { $0.kind == .subscriptionStarted }.count == 1)
        #expect(events.count <= 2)
        #expect(
            try data(try #require(events.last))["expiresAt"]?.integer
                == Self.day(60).milliseconds)
    }
}
