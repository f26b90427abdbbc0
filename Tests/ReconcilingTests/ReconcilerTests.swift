import AppStoreClient
import AppStoreModel
import AppStoreTrust
import Foundation
import StoreWire
import Testing
import TillAPI
import TillLedger

@testable import TillServer

/// The ledger kept true while no app comes back, with the local App Store as Apple over HTTP.
@Suite(.serialized) struct ReconcilerTests {
    @Test func `A renewal that nobody told of is found after the period's end`() async throws {
        try await AppleWorld.run { world in
            let id = try await world.buy("com.example.pro.monthly")
            #expect(try await world.show(id, by: "anna").map(\.outcome) == [.granted])
            #expect(try await world.work()[Reconciliation.checkSubscription] == nil)
            try await world.pass(minutes: 6)
            #expect(try await world.customer("anna").entitlements.filter(\.isActive).isEmpty)
            let outcomes = try await world.work()[Reconciliation.checkSubscription]
            guard case .again(let due)? = outcomes?.first else {
                Issue.record("outcomes: \(outcomes ?? [])")
                return
            }
            let entitlement = try #require(
                try await world.customer("anna").entitlements.first(where: \.isActive))
            #expect(entitlement.entitlement == "pro")
            let end = try #require(entitlement.expiresAt)
            #expect(due == end.advanced(byMilliseconds: Reconciliation.afterExpiry(in: .sandbox)))
            #expect(try await world.ledger.rebuild().discrepancies == [])
        }
    }

    @Test func `A subscription that ended is asked about once more and then let be`() async throws {
        try await AppleWorld.run { world in
            let id = try await world.buy("com.example.pro.monthly")
            _ = try await world.show(id, by: "anna")
            try await world.turnOff(id)
            try await world.pass(days: 33)
            #expect(try await world.work()[Reconciliation.checkSubscription] == [.finished])
            #expect(try await world.waiting()[Reconciliation.checkSubscription] == nil)
            #expect(try await world.customer("anna").entitlements.filter(\.isActive).isEmpty)
        }
    }

    @Test func `A refund that nobody told of is found and taken back once`() async throws {
        try await AppleWorld.run { world in
            let id = try await world.buy()
            _ = try await world.show(id, by: "anna")
            #expect(try await world.customer("anna").balances.first?.amount == 20)
            try await world.act(.refund, on: id)
            try await world.pass(days: 8)
            for _ in 0..<2 {
                try await world.work()
                #expect(try await world.customer("anna").balances.first?.amount == 0)
            }
            try await world.pass(days: 100)
            #expect(try await world.work()[Reconciliation.checkRefunds] == [.finished])
            #expect(try await world.ledger.rebuild().discrepancies == [])
        }
    }

    @Test func `Refunds are asked about once for a customer, each time from where it was left`()
        async throws
    {
        try await AppleWorld.run { world in
            let first = try await world.buy()
            let second = try await world.buy()
            for id in [first, second] { _ = try await world.show(id, by: "anna") }
            #expect(try await world.waiting()[Reconciliation.checkRefunds] == 1)
            // The one that Apple is asked by is not the one that was paid back.
            try await world.act(.refund, on: first)
            try await world.pass(days: 8)
            guard
                case .resume(let due, let payload)? = try await world.work()[
                    Reconciliation.checkRefunds]?.first
            else {
                Issue.record("not asked again")
                return
            }
            #expect(
                due == world.now.advanced(byMilliseconds: Reconciliation.refundInterval))
            #expect(payload.contains("revision"))
            #expect(try await world.customer("anna").balances.first?.amount == 20)
            try await world.act(.refund, on: second)
            try await world.pass(days: 22)
            #expect(try await world.work()[Reconciliation.checkRefunds]?.count == 1)
            #expect(try await world.customer("anna").balances.first?.amount == 0)
            #expect(try await world.ledger.rebuild().discrepancies == [])
        }
    }

    @Test func `Notifications that did not arrive are fetched, each once`() async throws {
        try await AppleWorld.run { world in
            let request = OrderRequest(
                bundleID: AppleWorld.app, customer: try #require(CustomerID(rawValue: "anna")),
                productID: "com.example.coins20")
            guard
                case .opened(let order) = try await world.ledger.openOrder(request, now: world.now)
            else {
                Issue.record("no order")
                return
            }
            // Nobody listens at the store's notification address, so nothing arrives.
            let _ = try await world.buy(token: order.order.id)
            try await world.ledger.schedule(world.reconciler.tasks(at: world.now))
            try await world.pass(days: 1)
            let first = try await world.work()[Reconciliation.fetchNotifications]
            #expect(first?.count == 1)
            #expect(try await world.customer("anna").balances.first?.amount == 20)
            let paid = try await world.ledger.order(order.order.id, of: nil)
            #expect(paid?.status(at: world.now) == .fulfilled)
            try await world.pass(days: 1)
            try await world.work()
            #expect(try await world.customer("anna").balances.first?.amount == 20)
            #expect(try await world.ledger.rebuild().discrepancies == [])
        }
    }

    @Test func `After a long outage notifications are asked for as far back as Apple keeps them`()
        async throws
    {
        try await AppleWorld.run { world in
            let path = "/inApps/v1/notifications/history"
            func fetch() async throws -> [TaskOutcome] {
                try await world.work()[Reconciliation.fetchNotifications] ?? []
            }
            try await world.ledger.schedule(world.reconciler.tasks(at: world.now))
            try await world.pass(days: 1)
            guard case .again? = try await fetch().first else {
                Issue.record("the first look back is refused")
                return
            }
            // For longer than the sandbox keeps them nothing can be asked.
            try await world.set(FaultRule(kind: .unauthorized, on: path))
            try await world.pass(days: 40)
            guard case .failed? = try await fetch().first else {
                Issue.record("nothing was refused")
                return
            }
            try await world.set()
            try await world.pass(days: 1)
            guard case .again? = try await fetch().first else {
                Issue.record("it is asked for more than there is")
                return
            }
            // Even what Apple refuses for good is asked for again: the next hour's request is another.
            try await world.set(FaultRule(kind: .error, on: path, errorCode: 4_000_012))
            try await world.pass(days: 1)
            guard case .failed? = try await fetch().first else {
                Issue.record("it is never asked for again")
                return
            }
        }
    }

    @Test(arguments: [
        // nothing used, a part, all; what no wallet tells of; a subscription; what was not handed out
        (DeliveryRecord(isDelivered: true, consumedShare: 0), RefundPreference.grantFull),
        (DeliveryRecord(isDelivered: true, consumedShare: 1), .grantProrated),
        (DeliveryRecord(isDelivered: true, consumedShare: 99_999), .grantProrated),
        (DeliveryRecord(isDelivered: true, consumedShare: 100_000), .decline),
        (DeliveryRecord(isDelivered: true, consumedShare: nil), nil),
        (DeliveryRecord(isDelivered: true, consumedShare: 50, isPeriod: true), .grantProrated),
        (DeliveryRecord(isDelivered: false, consumedShare: nil), nil),
    ])
    func `A part is asked to be paid back only where a part is used, other wishes stay`(
        record: DeliveryRecord, wish: RefundPreference?
    ) {
        #expect(AppleDesk.preference(.grantProrated, for: record) == wish)
        #expect(AppleDesk.preference(.decline, for: record) == .decline)
        #expect(AppleDesk.preference(.grantFull, for: record) == .grantFull)
    }

    @Test(arguments: ["com.example.pro.monthly", "com.example.coins20"])
    func `Apple takes what it is told of a subscription with credits and of an unused purchase`(
        product: ProductID
    ) async throws {
        let settings = #"""
            , "consumption": {"customerConsented": true, "refundPreference": "GRANT_PRORATED"}
            """#
        let products = #"""
            {"com.example.coins20": {"type": "consumable", "credits": {"coins": 20}},
             "com.example.pro.monthly": {"type": "autoRenewable", "credits": {"coins": 20}}}
            """#
        try await AppleWorld.run(appStore: settings, products: products) { world in
            let id = try await world.buy(product)
            _ = try await world.show(id, by: "anna")
            let desk = try #require(world.reconciler.desks[AppleWorld.app])
            // Throws what Apple says no with.
            try await desk.answerConsumption(
                BookedSubject(book: world.book, name: id.rawValue), now: world.now)
        }
    }

    @Test func `What was handed out without its device is finished in its place`() async throws {
        try await AppleWorld.run { world in
            let request = OrderRequest(
                bundleID: AppleWorld.app, customer: try #require(CustomerID(rawValue: "anna")),
                productID: "com.example.coins20")
            guard
                case .opened(let order) = try await world.ledger.openOrder(request, now: world.now)
            else {
                Issue.record("no order")
                return
            }
            let id = try await world.buy(token: order.order.id)
            let proof = try world.service.proofs.verifier.verifyTransaction(
                try await world.signed(id))
            let told = try await world.ledger.record(
                PurchaseSubmission(customer: nil, proofs: [VerifiedProof(proof)]), now: world.now)
            #expect(told.results.map(\.outcome) == [.granted])
            #expect(try await world.work()[Reconciliation.finishTransaction] == nil)
            try await world.pass(days: 2)
            #expect(try await world.work()[Reconciliation.finishTransaction] == [.finished])
            #expect(try await world.waiting()[Reconciliation.finishTransaction] == nil)
        }
    }

    @Test func `A product that no catalog knew is handed out when one does`() async throws {
        let poor = #"{"com.example.coins999": {"type": "consumable", "credits": {"coins": 999}}}"#
        try await AppleWorld.run(products: poor) { world in
            let id = try await world.buy()
            #expect(
                try await world.show(id, by: "anna").map(\.outcome) == [.refused(.productUnknown)])
            world.wait(milliseconds: 10_000)
            let outcomes = try await world.work()[Reconciliation.settlePurchase]
            guard case .failed? = outcomes?.first else {
                Issue.record("outcomes: \(outcomes ?? [])")
                return
            }
            #expect(try await world.waiting()[Reconciliation.settlePurchase] == 1)
            var catalog = world.ledger.catalog
            catalog.apps[AppleWorld.app]?.products["com.example.coins20"] = ProductRule(
                kind: .consumable, credits: ["coins": 20])
            let rich = world.ledger.with(catalog)
            let place = PurchasePlace(book: world.book, key: GrantKey(rawValue: "once/\(id)"))
            #expect(try await rich.settle(place, now: world.now) == .settled(.granted))
            #expect(try await rich.settle(place, now: world.now) == .settled(.alreadyGranted))
            #expect(try await world.customer("anna").balances.first?.amount == 20)
            let nothing = PurchasePlace(book: world.book, key: GrantKey(rawValue: "once/none"))
            #expect(try await rich.settle(nothing, now: world.now) == .unknown)
        }
    }

    @Test func `Trouble at Apple's keeps the work, and a moment to wait for is kept to`()
        async throws
    {
        try await AppleWorld.run { world in
            let id = try await world.buy("com.example.pro.monthly")
            _ = try await world.show(id, by: "anna")
            try await world.pass(minutes: 5)
            try await world.set(FaultRule(kind: .unauthorized, on: "/inApps/*"))
            let refused = try await world.work()[Reconciliation.checkSubscription]
            guard case .failed? = refused?.first else {
                Issue.record("\(refused ?? [])")
                return
            }
            try await world.set()
            world.wait(milliseconds: 30_000)
            let outcomes = try await world.work()[Reconciliation.checkSubscription]
            guard case .again? = outcomes?.first else {
                Issue.record("outcomes: \(outcomes ?? [])")
                return
            }
            #expect(try await world.customer("anna").entitlements.contains(where: \.isActive))
        }
    }

    @Test
    func `How much of a purchase is used is told from the wallet, where the customer consented`()
        async throws
    {
        let consent = #", "consumption": {"customerConsented": true}"#
        try await AppleWorld.run(appStore: consent) { world in
            let id = try await world.buy()
            _ = try await world.show(id, by: "anna")
            let anna = try #require(CustomerID(rawValue: "anna"))
            let place = MovementPlace(
                book: world.book, customer: anna, id: try #require(MovementID(rawValue: "x")))
            let spend = try #require(SpendRequest(place: place, currency: "coins", amount: 5))
            _ = try await world.ledger.spend(spend, now: world.now)
            let record = try await world.ledger.delivery(of: id, in: world.book)
            #expect(record == DeliveryRecord(isDelivered: true, consumedShare: 25_000))
            let nothing = try await world.ledger.delivery(of: "none", in: world.book)
            #expect(nothing == DeliveryRecord(isDelivered: false, consumedShare: nil))
            try await world.act(.requestRefund, on: id)
            try await world.ledger.schedule(world.reconciler.tasks(at: world.now))
            try await world.pass(days: 0)
            try await world.work()
            let outcomes = try await world.work()
            #expect(outcomes[Reconciliation.answerConsumption] == [.finished])
        }
    }

    @Test func `Two servers on one ledger never do one task twice`() async throws {
        try await AppleWorld.run { world in
            for number in 0..<6 {
                _ = try await world.show(
                    try await world.buy("com.example.coins20"), by: "customer-\(number)")
            }
            try await world.pass(days: 8)
            let kinds = [Reconciliation.checkRefunds]
            async let left = world.ledger.work.claimTasks(
                WorkClaim(owner: "a", now: world.now, lease: 60_000, limit: 4), of: kinds)
            async let right = world.ledger.work.claimTasks(
                WorkClaim(owner: "b", now: world.now, lease: 60_000, limit: 4), of: kinds)
            let (first, second) = try await (left, right)
            #expect(Set(first.map(\.key)).isDisjoint(with: second.map(\.key)))
            #expect(first.count + second.count == 6)
        }
    }

    @Test func `Production is not asked for an app that takes nothing from it`() async throws {
        // Nobody listens there.
        try await AppleWorld.run(production: "http://127.0.0.1:1") { world in
            let id = try await world.buy()
            let reports = try await world.importing(
                #"{"customerId": "anna", "transactionId": "\#(id)"}"#)
            #expect(reports.flatMap(\.results).map(\.outcome) == [.granted])
        }
    }

    @Test func `An import asks Apple for the proofs that a vendor's table does not have`()
        async throws
    {
        try await AppleWorld.run { world in
            let id = try await world.buy()
            let table = """
                rc_original_app_user_id,store,original_store_transaction_id
                anna,app_store,\(id)
                ben,app_store,70000000000000
                """
            for outcome in [TillAPI.TransactionOutcome.granted, .alreadyGranted] {
                let reports = try await world.importing(table)
                #expect(reports.map(\.results.count) == [1, 0])
                #expect(reports[0].results.map(\.outcome) == [outcome])
                #expect(reports[1].unproven == "70000000000000")
                #expect(reports[1].problem != nil)
            }
            #expect(try await world.customer("anna").balances.first?.amount == 20)
        }
    }

    @Test(arguments: [
        #", "consumption": {"customerConsented": true, "refundPreference": "PLEASE"}"#,
        #", "surprise": 1"#,
    ])
    func `Settings that cannot be meant are refused`(more: String) async {
        await #expect(throws: ConfigurationError.self) {
            try await AppleWorld.run(appStore: more) { _ in }
        }
    }
}
