import AppStoreModel
import Foundation
import StoreKit
import StoreWire
import TestKit
import Testing
import TillAPI

@testable import LocalAppStore
@testable import Till

/// Cases that people reported, from the payment to the delivery: the SDK on StoreKit, store and server.
@Suite(.serialized, .usesTheOneQueue, .timeLimit(.minutes(5))) struct DeliveryCaseTests {
    typealias Choice = TillConfiguration.StoreKitChoice
    static let both = ShopTests.both

    /// What somebody on the way to the server may answer that is not the server's word.
    static let noAnswers: [ScriptedNetwork.Fate] = [
        .lost, .unanswered, .answered(500, "oops"), .answered(502, "<html>bad gateway</html>"),
        .answered(200, "<html>please accept our terms</html>"),
    ]

    @Test func `a purchase that the store tells under a second id is one grant, and let go of`()
        async throws
    {
        try await inShop { shop in
            try await shop.setFaults(FaultRule(kind: .secondID))
            let till = try await shop.launch(.automatic)
            let outcome = await till.buy(Shop.coins)
            guard case .granted = outcome else {
                Issue.record("\(outcome)")
                return
            }
            #expect(try await shop.customer("alice").balances == ["coins": 600])
            #expect(await shop.unfinished() == 0)
            #expect(shop.openOrders == 0)
        }
    }

    @Test(
        "F01: whatever happens at the delivery, it stays in the queue and is delivered later",
        arguments: both)
    func deliversLater(_ choice: Choice) async throws {
        try await inShop { shop in
            for (number, fate) in Self.noAnswers.enumerated() {
                let first = try await shop.launch(choice)
                shop.serverNetwork.plan("/v1/purchases", fate)
                guard case .failed(let failure) = await first.buy(Shop.coins) else {
                    Issue.record("\(fate): not failed")
                    continue
                }
                #expect(failure.next == .deliveredLater, "\(fate)")
                #expect(await shop.unfinished() == 1, "\(fate)")
                let till = try await shop.launch(choice)
                await eventually { await shop.unfinished() == 0 }
                await eventually { shop.openOrders == 0 }
                await till.refresh()
                #expect(await till.balance(of: "coins") == Int64(600 * (number + 1)), "\(fate)")
            }
        }
    }

    @Test("F02: an answer that does not list the transaction lets go of nothing", arguments: both)
    func keepsWhatIsNotListed(_ choice: Choice) async throws {
        try await inShop { shop in
            let first = try await shop.launch(choice)
            shop.serverNetwork.plan(
                "/v1/purchases",
                .answered(
                    200,
                    """
                    {"results": [], "customer": {"customerId": "alice", "entitlements": [],
                     "balances": {}, "balancesByEnvironment": {}, "transactions": []}}
                    """))
            guard case .failed(let failure) = await first.buy(Shop.coins) else {
                Issue.record("not failed")
                return
            }
            #expect(failure.code == .notInAnswer && failure.next == .deliveredLater)
            #expect(await shop.unfinished() == 1)
            let till = try await shop.launch(choice)
            await eventually { await shop.unfinished() == 0 }
            #expect(try await shop.granted(to: "alice") == 1)
            #expect(await till.balance(of: "coins") == 600)
        }
    }

    @Test(
        "F03: what the store tells twice, early, or again later is one grant and one success",
        arguments: both, [FaultKind.repeatEvent, .earlyEvent])
    func grantsOnce(_ choice: Choice, _ kind: FaultKind) async throws {
        try await inShop { shop in
            let till = try await shop.launch(choice)
            try await shop.setFaults(FaultRule(kind: kind))
            let events = till.events
            guard case .granted(let delivery) = await till.buy(Shop.coins) else {
                Issue.record("not granted")
                return
            }
            try await shop.setFaults()
            await till.recover()
            await eventually { await shop.unfinished() == 0 }
            #expect(try await shop.granted(to: "alice") == 1)
            #expect(await till.balance(of: "coins") == 600)
            #expect(delivery.balances == ["coins": 600])
            _ = await till.buy(Shop.lifetime)
            var successes = 0
            for await event in events {
                // Nobody is shown what recovery tells besides.
                if event.kind == .purchased, event.productID == Shop.coins, !event.isQuiet {
                    successes += 1
                }
                if event.kind == .purchased, event.productID == Shop.lifetime { break }
            }
            #expect(successes == 1)
        }
    }

    @Test("F10: a purchase that is declined leaves nothing behind", arguments: both)
    func declines(_ choice: Choice) async throws {
        try await inShop { shop in
            let till = try await shop.launch(choice)
            try await shop.change(AccountRequest(asksToBuy: true))
            #expect(await till.buy(Shop.coins) == .pending(.approval))
            try await shop.decide(.decline)
            try await shop.change(AccountRequest(asksToBuy: false))
            guard case .granted = await till.buy(Shop.coins) else {
                Issue.record("not granted")
                return
            }
            #expect(try await shop.granted(to: "alice") == 1)
            #expect(await shop.unfinished() == 0)
        }
    }

    @Test("F10: what is approved while nobody is logged in waits for the login", arguments: both)
    func approvesWhileSignedOut(_ choice: Choice) async throws {
        try await inShop { shop in
            let first = try await shop.launch(choice)
            try await shop.change(AccountRequest(asksToBuy: true))
            #expect(await first.buy(Shop.coins) == .pending(.approval))
            await first.logout()
            let till = try await shop.launch(choice, as: nil)
            try await shop.decide(.approve)
            await eventually { await shop.unfinished() == 1 }
            await till.recover()
            #expect(await shop.unfinished() == 1)
            #expect(try await shop.granted(to: "alice") == 0)
            try await till.login(customerToken: "dev:alice", customerID: "alice")
            await eventually { await till.balance(of: "coins") == 600 }
            await eventually { await shop.unfinished() == 0 }
            await eventually { shop.openOrders == 0 }
        }
    }

    @Test("F12: a failed transaction in the queue is let go of without asking the server")
    func letsGoOfFailed() async throws {
        try await inShop { shop in
            let first = try await shop.launch(.original)
            try await shop.change(AccountRequest(asksToBuy: true))
            #expect(await first.buy(Shop.coins) == .pending(.approval))
            LocalStoreLaunch.end()
            // Declined while the app is closed: StoreKit 1 has it in the queue as failed.
            try await shop.decide(.decline)
            let handedIn = shop.serverNetwork.count("/v1/purchases")
            let finished = shop.storeNetwork.count("/finish")
            let till = try await shop.launch(.original)
            await eventually { shop.storeNetwork.count("/finish") == finished + 1 }
            await eventually { SKPaymentQueue.default().transactions.isEmpty }
            #expect(shop.serverNetwork.count("/v1/purchases") == handedIn)
            try await shop.change(AccountRequest(asksToBuy: false))
            guard case .granted = await till.buy(Shop.coins) else {
                Issue.record("not granted")
                return
            }
        }
    }

    @Test(
        "F16: buying again what is owned is a success, grants nothing, and leaves nothing behind",
        arguments: both)
    func buysWhatIsOwned(_ choice: Choice) async throws {
        try await inShop { shop in
            let till = try await shop.launch(choice)
            guard case .granted = await till.buy(Shop.lifetime) else {
                Issue.record("not granted")
                return
            }
            let outcome = await till.buy(Shop.lifetime)
            guard case .alreadyGranted(let delivery) = outcome else {
                Issue.record("\(outcome)")
                return
            }
            #expect(delivery.entitlements == ["forever"])
            #expect(try await shop.granted(to: "alice") == 1)
            #expect(await shop.unfinished() == 0)
            #expect(shop.openOrders == 0)
        }
    }

    @Test("F17: each restore has new ids, and none of them is granted", arguments: both)
    func restoresThrice(_ choice: Choice) async throws {
        try await inShop { shop in
            let till = try await shop.launch(choice)
            _ = await till.buy(Shop.lifetime)
            for _ in 0..<3 {
                guard case .restored(let restoration) = await till.restore() else {
                    Issue.record("not restored")
                    return
                }
                #expect(restoration.entitlements == ["forever"])
            }
            #expect(try await shop.granted(to: "alice") == 1)
            #expect(await shop.unfinished() == 0)
            await eventually { SKPaymentQueue.default().transactions.isEmpty }
        }
    }
}
