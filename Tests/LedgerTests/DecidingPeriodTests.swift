import AppStoreModel
import TestKit
import Testing

@testable import TillLedger

/// Of a subscription's periods those that decide are read, and the answers are those that all would give.
@Suite(.serialized) struct DecidingPeriodTests {
    private static let weekly: ProductID = "com.example.weekly"

    /// The catalog, with a short plan; what that gives was more once.
    private static func catalog(_ entitlements: [EntitlementName]) -> Catalog {
        var catalog = Sale.catalog
        catalog.apps[Sale.app]?.products[weekly] = ProductRule(
            kind: .autoRenewable, entitlements: entitlements)
        return catalog
    }

    private static func length(_ product: ProductID) -> Int {
        product == weekly ? 7 : product == Sale.monthly ? 30 : 365
    }

    /// The periods of one original, as Apple makes them: each follows upon another or takes its place.
    private static func life(
        _ original: Int, _ random: inout SeededRandom
    ) -> [Sale] {
        let products = [weekly, Sale.monthly, Sale.yearly]
        var sales: [Sale] = []
        var start = Sale.noon.later(days: Int.random(in: 0...60, using: &random))
        var product = products.randomElement(using: &random) ?? weekly
        for number in 0..<Int.random(in: 1...45, using: &random) {
            var sale = Sale(TransactionID("\(original)\(1_000 + number)"))
            sale.original = TransactionID("\(original)1000")
            sale.product = product
            sale.purchased = start
            sale.expires = start.later(days: length(product))
            sale.item = WebOrderLineItemID("9\(original)\(1_000 + number)")
            sale.signed = start.later(minutes: 1)
            if Int.random(in: 0..<3, using: &random) == 0 { sale.group = "7" }
            var end = start.later(days: length(product))
            switch Int.random(in: 0..<12, using: &random) {
            case 0: end = end.later(days: Int.random(in: 1...90, using: &random))
            case 1:
                end = end.later(days: 20)
                sale.expires = end
            case 2, 3:
                // Another product in the middle of it.
                product = products.filter { $0 != product }.randomElement(using: &random) ?? product
                end = start.later(days: Int.random(in: 1..<length(sale.product), using: &random))
                if Bool.random(using: &random) {
                    sales.append(sale)
                    sale.isUpgraded = true
                    sale.signed = end.later(minutes: 1)
                }
            case 4: product = products.randomElement(using: &random) ?? product
            case 5:
                sales.append(sale)
                sale.id = TransactionID("\(original)\(5_000 + number)")
            case 6, 7:
                sales.append(sale)
                sale.revoked = end
                sale.signed = end
            default: break
            }
            sales.append(sale)
            start = end
        }
        // Now and then much is paid back at once.
        if Int.random(in: 0..<4, using: &random) == 0 {
            for sale in sales.suffix(Int.random(in: 1...25, using: &random)) {
                var back = sale
                back.revoked = start
                back.signed = start.later(minutes: 5)
                sales.append(back)
            }
        }
        return sales
    }

    private struct Answers: Equatable {
        var subscriptions: [[SubscriptionState]] = []
        var entitlements: [[EntitlementState]] = []
    }

    private static func answers(_ shop: Shop, limit: Int) async throws -> Answers {
        var answers = Answers()
        for day in stride(from: 0, through: 4_000, by: 137) {
            let customer = try await shop.ledger.customer(
                .anna, now: Sale.noon.later(days: day), limit: limit)
            answers.subscriptions.append(customer.subscriptions)
            answers.entitlements.append(customer.entitlements)
        }
        return answers
    }

    @Test(arguments: StoreKind.allCases.filter { $0 != .memory }, 1...25 as ClosedRange<UInt64>)
    func `What is read decides as everything would`(kind: StoreKind, seed: UInt64) async throws {
        var random = SeededRandom(seed: seed)
        var sales: [Sale] = []
        for original in 0..<Int.random(in: 1...3, using: &random) {
            sales += Self.life(original + 1, &random)
        }
        let renewals = sales.filter { _ in Int.random(in: 0..<6, using: &random) == 0 }
        let whole = try await Shop(.memory)
        let bounded = try await Shop(kind)
        for shop in [whole, bounded] {
            for (number, sale) in sales.enumerated() {
                let catalog = Self.catalog(number < 20 ? ["week", "trial"] : ["week"])
                _ = try await shop.with(catalog).record(
                    PurchaseSubmission(customer: .anna, proofs: [sale.proof]), now: sale.signed)
            }
            for (number, sale) in renewals.enumerated() {
                try await shop.tell(
                    Notice("n\(number)", .didChangeRenewalStatus, nil, sale) {
                        $0.autoRenewStatus = number % 2 == 0 ? .off : .on
                    })
            }
        }
        for limit in [0, 3] {
            let answers = try await Self.answers(bounded, limit: limit)
            let expected = try await Self.answers(whole, limit: limit)
            #expect(answers == expected)
        }
        try await bounded.expectSound()
    }

    @Test(arguments: StoreKind.allCases.filter { $0 != .memory })
    func `Years of weekly renewals, and many subscriptions, are not read whole`(
        kind: StoreKind
    ) async throws {
        let shop = try await Shop(kind, catalog: Self.catalog(["week"]))
        let weeks = (0..<300).map { number in
            Sale(TransactionID("\(1_000 + number)")) {
                $0.original = "1000"
                $0.product = number == 7 ? Sale.yearly : Self.weekly
                $0.purchased = Sale.noon.later(days: 7 * number)
                $0.expires = Sale.noon.later(days: 7 * (number + 1))
                $0.item = WebOrderLineItemID("9\(number)")
                $0.group = "7"
            }
        }
        try await shop.showReceipt(weeks, created: Sale.noon.later(days: 2_101))
        let facts = try await shop.store.holdings(of: .anna, limit: 0)
        #expect(facts.subscriptions.map(\.purchases.count).max() ?? 0 <= 16)
        #expect(facts.purchases.count <= 16)
        let now = Sale.noon.later(days: 2_099)
        let customer = try await shop.ledger.customer(.anna, now: now, limit: 0)
        #expect(
            customer.entitlements.map(\.entitlement) == ["extra", "pro", "week"])
        #expect(customer.entitlements.map(\.isActive) == [false, false, true])
        #expect(customer.entitlements[0].expiresAt == Sale.noon.later(days: 56))
        #expect(customer.subscriptions.first?.standing == .active)
    }

    /// Where nothing of the newest counts, more is read until something does.
    @Test(arguments: StoreKind.allCases)
    func `Any number of refunds in a row leaves what was before them`(
        kind: StoreKind
    ) async throws {
        let shop = try await Shop(kind)
        for number in 0..<40 {
            try await shop.show(
                Sale.month(number) {
                    $0.id = TransactionID("\(3_000 + number)")
                    $0.item = WebOrderLineItemID("8\(3_000 + number)")
                    $0.revoked = number == 0 ? nil : Sale.noon.later(days: 1_500)
                })
        }
        let now = Sale.noon.later(days: 10)
        let customer = try await shop.ledger.customer(.anna, now: now, limit: 0)
        #expect(customer.subscriptions.map(\.standing) == [.active])
        #expect(customer.entitlements.map(\.isActive) == [true])
    }
}
