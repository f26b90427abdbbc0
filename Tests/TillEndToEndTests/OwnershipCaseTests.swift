import AppStoreModel
import Foundation
import StoreKit
import StoreWire
import TestKit
import Testing
import TillAPI

@testable import LocalAppStore
@testable import Till

/// Cases that people reported about whose a purchase is: the SDK on StoreKit, store and server.
@Suite(.serialized, .usesTheOneQueue, .timeLimit(.minutes(5))) struct OwnershipCaseTests {
    typealias Choice = TillConfiguration.StoreKitChoice
    static let both = ShopTests.both

    /// Pays for coins, and dies before the server knows.
    private func payAndDie(
        _ choice: Choice, in shop: Shop, as customer: String = "alice"
    ) async throws {
        let till = try await shop.launch(choice, as: customer)
        shop.loseAnswers(on: "/v1/purchases")
        guard case .failed(let failure) = await till.buy(Shop.coins) else {
            Issue.record("not failed")
            return
        }
        #expect(failure.next == .deliveredLater)
        LocalStoreLaunch.end()
    }

    @Test("F07: a username that is lost at once is found again by the journal", arguments: both)
    func findsByTheJournal(_ choice: Choice) async throws {
        try await inShop { shop in
            try await shop.setFaults(FaultRule(kind: .forgetUsername))
            try await payAndDie(choice, in: shop)
            let till = try await shop.launch(choice)
            await eventually { await till.balance(of: "coins") == 600 }
            await eventually { shop.openOrders == 0 }
            let paid = try #require(try await shop.customer("alice").transactions.first)
            #expect(paid.orderID != nil)
        }
    }

    @Test("F07: of two open orders for a product the payment closes one, and the other its own")
    func closesOneOfTwo() async throws {
        try await inShop { shop in
            let first = try await shop.launch(.original)
            try await shop.change(AccountRequest(interruptsPurchases: true))
            _ = await first.buy(Shop.coins)
            try await shop.change(AccountRequest(interruptsPurchases: false))
            #expect(shop.openOrders == 1)
            try await payAndDie(.original, in: shop)
            #expect(shop.openOrders == 2)
            let till = try await shop.launch(.original)
            await eventually { await till.balance(of: "coins") == 600 }
            await eventually { shop.openOrders == 1 }
            // The interrupted one completes later, and pays the order that is left.
            try await shop.decide(.resolve)
            await eventually { await till.balance(of: "coins") == 1_200 }
            await eventually { shop.openOrders == 0 }
            let orders = Set(try await shop.customer("alice").transactions.compactMap(\.orderID))
            #expect(orders.count == 2)
        }
    }

    @Test("F07: after a new installation the server knows whose the payment is", arguments: both)
    func deliversAfterReinstalling(_ choice: Choice) async throws {
        try await inShop { shop in
            try await payAndDie(choice, in: shop)
            let till = try await shop.launch(choice, app: "reinstalled")
            await eventually { await till.balance(of: "coins") == 600 }
            await eventually { await shop.unfinished() == 0 }
            #expect(shop.openOrders(in: "reinstalled") == 0)
        }
    }

    @Test("F07: a payment without any trace waits to be claimed, and is dropped by nobody")
    func waitsToBeClaimed() async throws {
        try await inShop { shop in
            try await payAndDie(.original, in: shop)
            let bob = try await shop.launch(.original, as: "bob", app: "reinstalled") {
                $0.unattributedPurchases = .askFirst
            }
            await eventually { await bob.unclaimedPurchases().count == 1 }
            #expect(await shop.unfinished() == 1)
            #expect(try await shop.granted(to: "bob") == 0)
            await bob.logout()
            try await bob.login(customerToken: "dev:alice", customerID: "alice")
            await eventually { await bob.unclaimedPurchases().count == 1 }
            let waiting = try #require(await bob.unclaimedPurchases().first)
            #expect(waiting.productID == Shop.coins)
            guard case .granted(let delivery) = await bob.claim(waiting) else {
                Issue.record("not granted")
                return
            }
            #expect(delivery.balances == ["coins": 600])
            #expect(await shop.unfinished() == 0)
            #expect(await bob.unclaimedPurchases().isEmpty)
        }
    }

    @Test("F07: StoreKit 2 signs the owner's order, so another customer's claim is refused")
    func refusesForeignClaims() async throws {
        try await inShop { shop in
            try await payAndDie(.automatic, in: shop)
            let bob = try await shop.launch(.automatic, as: "bob", app: "reinstalled")
            await bob.recover()
            #expect(try await shop.granted(to: "bob") == 0)
            #expect(await bob.balance(of: "coins") ?? 0 == 0)
        }
    }

    @Test(
        "F09: another customer of the app does not get what this Apple account has bought",
        arguments: both)
    func transfersNothing(_ choice: Choice) async throws {
        try await inShop { shop in
            let alice = try await shop.launch(choice)
            _ = await alice.buy(Shop.lifetime)
            await alice.logout()
            let bob = try await shop.launch(choice, as: "bob")
            let outcome = await bob.restore()
            guard case .refused(let refusal) = outcome else {
                Issue.record("\(outcome)")
                return
            }
            #expect(refusal.reason == "belongsToAnother")
            #expect(await bob.entitlements().active.isEmpty)
            await bob.logout()
            let again = try await shop.launch(choice)
            await again.refresh()
            #expect(await again.entitlements().isActive("forever"))
        }
    }

    @Test(
        "F09: with another Apple account on the phone nothing of the first one is restored",
        arguments: both)
    func seesTheAccountOfNow(_ choice: Choice) async throws {
        try await inShop { shop in
            let alice = try await shop.launch(choice)
            _ = await alice.buy(Shop.lifetime)
            _ = try await shop.store.makeAccount(AccountRequest(accountID: "other"))
            let bob = try await shop.launch(choice, as: "bob", account: "other")
            #expect(await bob.restore() == .nothingToRestore)
            #expect(try await shop.granted(to: "bob") == 0)
        }
    }

    @Test("F26: without an order of the server nothing is paid", arguments: both)
    func paysNothingWithoutAnOrder(_ choice: Choice) async throws {
        try await inShop { shop in
            let till = try await shop.launch(choice)
            for fate in [ScriptedNetwork.Fate.lost, .answered(200, "{}"), .answered(500, "")] {
                shop.serverNetwork.plan("/v1/orders", fate)
                guard case .failed(let failure) = await till.buy(Shop.coins) else {
                    Issue.record("\(fate): not failed")
                    continue
                }
                #expect(failure.stage == .openingOrder && failure.next == .tryAgain, "\(fate)")
            }
            #expect(await shop.store.state.transactions.rows.isEmpty)
            #expect(shop.openOrders == 0)
        }
    }

    @Test(
        "F26: a token that is nobody's order makes no customer and loses no payment",
        arguments: both)
    func survivesForeignTokens(_ choice: Choice) async throws {
        try await inShop { shop in
            _ = try await shop.launch(choice)
            let device = try #require(await shop.store.devicesInfo().devices.first).deviceID
            let token = UUID().uuidString.lowercased()
            _ = try await shop.store.buy(
                ControlBuyRequest(
                    productID: Shop.coins, deviceID: device,
                    appAccountToken: AppAccountToken(token), outsideApp: true))
            let till = try await shop.launch(choice)
            await eventually { await shop.unfinished() == 0 }
            await till.refresh()
            // Nobody else has a claim to it, so it is whose app it came to.
            #expect(await till.balance(of: "coins") == 600)
            #expect(try await shop.granted(to: token) == 0)
        }
    }
}
