import AppStoreModel
import TestKit
import Testing

@testable import TillLedger

/// Law L7 for everything that Apple tells: the same statements end in the same ledger, byte for byte.
@Suite struct ExportTests {
    /// One thing that reaches the ledger.
    private enum Event: Sendable {
        case upload(Sale, CustomerID)
        case receipt([Sale], Timestamp)
        case notice(Notice)
    }

    private static func day(_ days: Int) -> Timestamp { Sale.noon.later(days: days) }

    private static func period(
        _ month: Int, on days: Int, _ change: (inout Sale) -> Void = { _ in }
    ) -> Sale {
        Sale.month(month) {
            $0.signed = day(days)
            change(&$0)
        }
    }

    /// Two subscriptions and some coins, with every trouble: a failed payment and its recovery, changes of
    /// plan, an upgrade, a dearer price, refunds and a reversal, an extension, two ids of one period, a
    /// kind that nobody knows, and orders that tokens name.
    private static func story(order: OrderID) -> [Event] {
        let charge = Sale("1") { $0.token = order.rawValue }
        func coins(_ days: Int, revoked: Int? = nil) -> Sale {
            var sale = charge
            sale.signed = day(days)
            sale.revoked = revoked.map { day($0) }
            return sale
        }
        let yearly = period(3, on: 100) {
            $0.id = "777"
            $0.item = "999"
            $0.product = Sale.yearly
            $0.purchased = day(100)
            $0.expires = day(465)
        }
        let longer = period(2, on: 95) { $0.expires = day(110) }
        let notices: [Notice] = [
            Notice("a", .subscribed, .initialBuy, period(0, on: 0)) { _ in },
            Notice("b", .didChangeRenewalStatus, .autoRenewDisabled, period(0, on: 5)) {
                $0.autoRenewStatus = .off
            },
            Notice("c", .didChangeRenewalStatus, .autoRenewEnabled, period(0, on: 6)) { _ in },
            Notice("d", .didFailToRenew, .gracePeriod, period(0, on: 30)) {
                $0.isInBillingRetryPeriod = true
                $0.gracePeriodExpiresDate = day(46)
            },
            Notice("e", .didRenew, .billingRecovery, period(1, on: 40)) { _ in },
            Notice("f", .didChangeRenewalPreference, .downgrade, period(1, on: 45)) {
                $0.autoRenewProductID = Sale.yearly
            },
            Notice("g", .didChangeRenewalPreference, nil, period(1, on: 46)) { _ in },
            Notice("h", .didRenew, nil, period(2, on: 60)) { _ in },
            Notice("i", .priceIncrease, .pending, period(2, on: 70)) {
                $0.priceIncreaseStatus = .awaitingConsent
            },
            Notice("j", .priceIncrease, .accepted, period(2, on: 71)) {
                $0.priceIncreaseStatus = .consentedOrNotified
            },
            Notice("k", .renewalExtended, nil, longer) { $0.renewalDate = day(110) },
            Notice("l", .didChangeRenewalPreference, .upgrade, yearly) { _ in },
            Notice("m", .refund, nil, period(0, on: 120) { $0.revoked = day(120) }) { _ in },
            Notice("n", .oneTimeCharge, nil, coins(0)),
            Notice("o", .consumptionRequest, nil, coins(1)),
            Notice("p", .refund, nil, coins(2, revoked: 2)),
            Notice("q", .refundReversed, nil, coins(4)),
            Notice("r", "FUTURE_X", "Y", coins(9, revoked: 9)),
            Notice("s", .renewalExtension, .summary),
        ]
        let twin = period(1, on: 41) { $0.id = "20000177" }
        return notices.map { .notice($0) } + [
            .upload(coins(0), .anna), .upload(period(0, on: 1), .anna), .upload(twin, .anna),
            .upload(yearly, .anna), .upload(coins(3, revoked: 2), .anna),
            .receipt([coins(0), period(0, on: 0), period(1, on: 0)], day(65)),
        ]
    }

    private static func deliver(_ event: Event, to shop: Shop) async throws {
        switch event {
        case .upload(let sale, let customer): try await shop.show(sale, by: customer, alone: false)
        case .receipt(let sales, let created):
            try await shop.showReceipt(sales, created: created, alone: false)
        case .notice(let notice): try await shop.tell(notice)
        }
    }

    /// A shop that heard the story as it happened.
    private static func straight() async throws -> (shop: Shop, story: [Event], order: OrderID) {
        let shop = try await Shop(.memory)
        let order = try await shop.order().order.id
        let story = story(order: order)
        for event in story { try await deliver(event, to: shop) }
        return (shop, story, order)
    }

    private static let moments = [5, 35, 47, 99, 112, 125, 470]

    private static func exports(_ shop: Shop) async throws -> [String] {
        var exports: [String] = []
        for moment in moments { exports.append(try await shop.export(at: day(moment))) }
        return exports
    }

    /// N01: file order, reversed, and any shuffle with repetitions.
    @Test(arguments: StoreKind.allCases, 0...8 as ClosedRange<UInt64>)
    func `Any order, repetition and delay of the same statements gives the same ledger`(
        kind: StoreKind, seed: UInt64
    ) async throws {
        let (straight, story, order) = try await Self.straight()
        var random = SeededRandom(seed: seed)
        let shop = try await Shop(kind)
        #expect(try await shop.order().order.id == order)
        let shuffled =
            seed == 0
            ? story.reversed()
            : (story + story.shuffled(using: &random).prefix(9)).shuffled(using: &random)
        for event in shuffled { try await Self.deliver(event, to: shop) }

        #expect(try await Self.exports(shop) == Self.exports(straight))
        try await shop.expectSound()
    }

    @Test(arguments: StoreKind.allCases, 1...3 as ClosedRange<UInt64>)
    func `All statements at the same time give the same ledger`(
        kind: StoreKind, seed: UInt64
    ) async throws {
        let (straight, story, _) = try await Self.straight()
        var random = SeededRandom(seed: seed)
        let shop = try await Shop(kind)
        _ = try await shop.order()
        let shuffled = (story + story).shuffled(using: &random)
        try await withThrowingTaskGroup { group in
            for event in shuffled { group.addTask { try await Self.deliver(event, to: shop) } }
            try await group.waitForAll()
        }
        #expect(try await Self.exports(shop) == Self.exports(straight))
        try await shop.expectSound()
    }

    @Test func `One statement less is another ledger`() async throws {
        let (whole, story, _) = try await Self.straight()
        let exports = try await Self.exports(whole)
        // Two uploads say nothing that notifications do not.
        for place in [0, 2, 3, 10, 11, 12, 16, 17, 19, 22] {
            let shop = try await Shop(.memory)
            _ = try await shop.order()
            for (number, event) in story.enumerated() where number != place {
                try await Self.deliver(event, to: shop)
            }
            let differs = try await Self.exports(shop) != exports
            #expect(differs == ![19, 22].contains(place), "\(place)")
        }
    }

    @Test func `An export says what happened, and nothing of how it came`() async throws {
        let (shop, _, order) = try await Self.straight()
        let text = try await shop.export(at: Self.day(125))
        for line in [
            "book com.example.app/Production", "  purchase once/1", "    holder anna",
            "  order \(order.rawValue) fulfilled", "  wallet anna coins 600",
            "  subscription 200000", "  entitlement anna extra active until",
            "  notification r FUTURE_X Y", "    does not stand",
        ] {
            #expect(text.contains(line), "\(line)")
        }
        #expect(try await Shop(.memory).export() == "")
    }
}
