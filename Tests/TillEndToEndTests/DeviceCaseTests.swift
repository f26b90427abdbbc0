import AppStoreModel
import Foundation
import StoreKit
import StoreWire
import TestKit
import Testing
import TillAPI

@testable import LocalAppStore
@testable import Till

/// Cases that people reported about refunds, receipts, clocks and proofs: the SDK on StoreKit, store and
/// server.
@Suite(.serialized, .usesTheOneQueue, .timeLimit(.minutes(5))) struct DeviceCaseTests {
    typealias Choice = TillConfiguration.StoreKitChoice
    static let both = ShopTests.both

    @Test("F18: a refund has an id that was seen, and takes the goods back once", arguments: both)
    func takesBack(_ choice: Choice) async throws {
        try await inShop { shop in
            // StoreKit 1 tells of what can be owned alone: a finished consumable is in no receipt.
            let product = choice == .original ? Shop.lifetime : Shop.coins
            let till = try await shop.launch(choice)
            guard case .granted(let delivery) = await till.buy(product) else {
                Issue.record("not granted")
                return
            }
            #expect(try await shop.granted(to: "alice") == 1)
            try await shop.act(.refund, on: delivery.transactionID)
            await eventually { (try? await shop.granted(to: "alice")) == 0 }
            await eventually { await till.entitlements().active.isEmpty }
            let next = try await shop.launch(choice)
            _ = await next.restore()
            await next.refresh()
            #expect(await next.balance(of: "coins") ?? 0 == 0)
            #expect(await next.entitlements().active.isEmpty)
            // StoreKit 1 shows what was taken back in no queue, so there is nothing to let go of.
            if choice == .automatic { await eventually { await shop.unfinished() == 0 } }
        }
    }

    @Test(
        "F18: a family member who leaves loses what was shared, and nobody else does",
        arguments: both)
    func endsSharing(_ choice: Choice) async throws {
        try await inShop { shop in
            let alice = try await shop.launch(choice)
            _ = await alice.buy(Shop.lifetime)
            _ = try await shop.store.makeAccount(AccountRequest(accountID: "kid"))
            _ = try await shop.store.setFamily(
                FamilyRequest(organizer: "default", members: ["kid"]))
            let kid = try await shop.launch(
                choice, as: "kid", device: "kids-phone", account: "kid", app: "kids-app")
            _ = await kid.restore()
            await eventually { await kid.entitlements().isActive("forever") }
            _ = try await shop.store.setFamily(FamilyRequest(organizer: "default", members: []))
            await eventually { await !kid.entitlements().isActive("forever") }
            let again = try await shop.launch(choice)
            await again.refresh()
            #expect(await again.entitlements().isActive("forever"))
        }
    }

    @Test(
        "F19: a finished consumable is credited once, whatever later launches see",
        arguments: both)
    func creditsOnce(_ choice: Choice) async throws {
        try await inShop { shop in
            _ = await (try await shop.launch(choice)).buy(Shop.coins)
            for _ in 0..<3 {
                let till = try await shop.launch(choice)
                #expect(await till.restore() == .nothingToRestore)
                await till.refresh()
                #expect(await till.balance(of: "coins") == 600)
                #expect(await till.entitlements().active.isEmpty)
            }
            #expect(try await shop.granted(to: "alice") == 1)
        }
    }

    @Test("F20: a missing receipt is asked for once for the person who waits")
    func refreshesReceiptsOnce() async throws {
        try await inShop { shop in
            let till = try await shop.launch(.original)
            shop.storeNetwork.plan("/receipt", .lost, times: 8)
            let outcome = await till.buy(Shop.coins)
            guard case .granted = outcome else {
                Issue.record("\(outcome)")
                return
            }
            #expect(shop.storeNetwork.count("/receipt/refresh") == 1)
        }
    }

    @Test(
        "F20: a receipt that cannot be had keeps the purchase, and nobody is asked in the background"
    )
    func keepsWithoutReceipt() async throws {
        try await inShop { shop in
            let first = try await shop.launch(.original)
            shop.storeNetwork.plan("/receipt", .lost, times: 64)
            shop.storeNetwork.plan("/receipt/refresh", .lost, times: 64)
            guard case .failed(let failure) = await first.buy(Shop.coins) else {
                Issue.record("not failed")
                return
            }
            #expect(failure.code == .receiptMissing && failure.next == .deliveredLater)
            #expect(shop.storeNetwork.count("/receipt/refresh") == 1)
            let second = try await shop.launch(.original)
            await second.recover()
            #expect(shop.storeNetwork.count("/receipt/refresh") == 1)
            #expect(await shop.unfinished() == 1)
            shop.storeNetwork.clear()
            let till = try await shop.launch(.original)
            await eventually { await till.balance(of: "coins") == 600 }
        }
    }

    @Test("F20: a receipt without the purchase lets go of nothing")
    func keepsOnEmptyReceipts() async throws {
        try await inShop { shop in
            let first = try await shop.launch(.original)
            try await shop.setFaults(FaultRule(kind: .emptyReceipt, on: "signing/receipt"))
            guard case .failed(let failure) = await first.buy(Shop.coins) else {
                Issue.record("not failed")
                return
            }
            #expect(failure.next == .deliveredLater)
            #expect(await shop.unfinished() == 1)
            try await shop.setFaults()
            let till = try await shop.launch(.original)
            await eventually { await till.balance(of: "coins") == 600 }
        }
    }

    /// The system's clocks with the person's hand on one of them.
    private struct SetClock: Timekeeping {
        var ahead: Int64 = 0
        var running: Int64 = 0
        private let system = SystemClock()

        init(ahead: Int64 = 0, running: Int64 = 0) {
            self.ahead = ahead
            self.running = running
        }

        func deviceTime() -> Timestamp { system.deviceTime().advanced(byMilliseconds: ahead) }

        func uptime() -> Uptime {
            var uptime = system.uptime()
            uptime.milliseconds += running
            return uptime
        }

        func sleep(milliseconds: Int64) async throws {
            try await system.sleep(milliseconds: milliseconds)
        }
    }

    @Test(
        "F23: a wrong clock opens and closes nothing, and the time that has run closes what is over"
    )
    func trustsNoClock() async throws {
        try await inShop { shop in
            let year: Int64 = 365 * 86_400_000
            let first = try await shop.launch(.automatic)
            _ = await first.buy(Shop.monthly)
            #expect(await first.entitlements().isActive("pro"))
            for ahead in [year, -year] {
                shop.serverNetwork.clear()
                shop.serverNetwork.plan("/v1/customers/alice", .lost, times: 8)
                shop.serverNetwork.plan("/v1/purchases", .lost, times: 8)
                let till = try await shop.launch(.automatic, clock: SetClock(ahead: ahead))
                let view = await till.entitlements()
                #expect(view.basis == .remembered && view.isActive("pro"), "\(ahead)")
            }
            // Ten days after the server spoke, whatever the clock says.
            let late = try await shop.launch(
                .automatic, clock: SetClock(ahead: -year, running: 10 * 86_400_000))
            let view = await late.entitlements()
            #expect(view.basis == .tooOld && view.active.isEmpty)
        }
    }

    @Test("F24: a transaction with a wrong signature opens nothing here, and the server refuses it")
    func sendsUnverified() async throws {
        try await inShop { shop in
            let till = try await shop.launch(.automatic)
            try await shop.setFaults(
                FaultRule(kind: .wrongSignature, on: "signing/transaction"))
            let outcome = await till.buy(Shop.lifetime)
            guard case .refused(let refusal) = outcome else {
                Issue.record("\(outcome)")
                return
            }
            #expect(refusal.reason == "wrongSignature" && refusal.isFinal)
            #expect(await till.entitlements().active.isEmpty)
            #expect(try await shop.granted(to: "alice") == 0)
            // The last word of the server alone has let go of it.
            await eventually { await shop.unfinished() == 0 }
        }
    }

    @Test(
        "F25: only a server that cannot be reached or is in trouble leaves the remembered view",
        arguments: both)
    func closesOnRefusals(_ choice: Choice) async throws {
        try await inShop { shop in
            let till = try await shop.launch(choice)
            _ = await till.buy(Shop.lifetime)
            let path = "/v1/customers/alice"
            for (fate, isOpen) in [
                (ScriptedNetwork.Fate.lost, true), (.answered(500, "{}"), true),
                (.answered(503, "{}"), true), (.answered(429, "{}"), true),
                (.answered(400, "{}"), false), (.answered(403, "{}"), false),
                (.answered(401, "{}"), false),
            ] {
                await till.refresh()
                #expect(await till.entitlements().isActive("forever"))
                shop.serverNetwork.plan(path, fate)
                await till.refresh()
                #expect(await till.entitlements().isActive("forever") == isOpen, "\(fate)")
            }
        }
    }

    @Test(
        "F27: who has had a trial gets no second one, whatever is in the receipt",
        arguments: both)
    func knowsWhoHadATrial(_ choice: Choice) async throws {
        try await inShop { shop in
            let till = try await shop.launch(choice)
            #expect(await till.introductoryOfferEligibility(Shop.monthly) == .eligible)
            #expect(await till.introductoryOfferEligibility(Shop.coins) == .ineligible)
            guard case .granted = await till.buy(Shop.monthly) else {
                Issue.record("not granted")
                return
            }
            try await shop.setFaults(FaultRule(kind: .emptyReceipt, on: "signing/receipt"))
            let next = try await shop.launch(choice)
            #expect(await next.introductoryOfferEligibility(Shop.monthly) == .ineligible)
        }
    }
}
