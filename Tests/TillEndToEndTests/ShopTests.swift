import AppStoreModel
import Foundation
import StoreKit
import StoreWire
import TestKit
import Testing
import TillAPI

@testable import LocalAppStore
@testable import Till

/// The real SDK over the real StoreKit module, the local store's engine and a Till server behind a
/// socket.
@Suite(.serialized, .usesTheOneQueue, .timeLimit(.minutes(5))) struct ShopTests {
    static let both: [TillConfiguration.StoreKitChoice] = [.original, .automatic]

    @Test(arguments: both)
    func `coins are bought, delivered once and let go of`(
        _ choice: TillConfiguration.StoreKitChoice
    ) async throws {
        try await inShop { shop in
            let till = try await shop.launch(choice)
            let products = try await till.products([Shop.coins, Shop.monthly, "com.example.none"])
            #expect(products.map(\.id) == [Shop.coins, Shop.monthly])
            #expect(products.first?.displayPrice.contains("19.99") == true)
            #expect(products.last?.subscription?.period == BillingPeriod(unit: .month, count: 1))
            let outcome = await till.buy(Shop.coins, quantity: 2)
            guard case .granted(let delivery) = outcome else {
                Issue.record("\(outcome)")
                return
            }
            #expect(delivery.balances == ["coins": 1_200])
            #expect(delivery.quantity == 2)
            #expect(delivery.environment?.rawValue == "Sandbox")
            #expect(await shop.unfinished() == 0)
            #expect(shop.openOrders == 0)
            _ = try await shop.launch(choice)
            #expect(await till.balance(of: "coins") == 1_200)
        }
    }

    @Test(arguments: both)
    func `a subscription opens its entitlement, and a refund closes it`(
        _ choice: TillConfiguration.StoreKitChoice
    ) async throws {
        try await inShop { shop in
            let till = try await shop.launch(choice)
            let outcome = await till.buy(Shop.monthly)
            guard case .granted(let delivery) = outcome else {
                Issue.record("\(outcome)")
                return
            }
            #expect(delivery.entitlements == ["pro"])
            #expect(await till.entitlements().isActive("pro"))
            let events = till.events
            try await shop.act(.refund, on: delivery.transactionID)
            await eventually { await !till.entitlements().isActive("pro") }
            for await event in events where event.productID == Shop.monthly {
                #expect(event.kind == .revoked && event.isQuiet)
                break
            }
        }
    }

    @Test(arguments: both)
    func `Ask to Buy waits, outlives the launch and is delivered when it is approved`(
        _ choice: TillConfiguration.StoreKitChoice
    ) async throws {
        try await inShop { shop in
            let first = try await shop.launch(choice)
            try await shop.change(AccountRequest(asksToBuy: true))
            #expect(await first.buy(Shop.coins) == .pending(.approval))
            let order = try #require(await first.journal.all().first).orderID
            let alice = Caller(customerID: "alice", token: "dev:alice")
            await eventually {
                (try? await first.desk.order(order, for: alice))?.value.status == .deferred
            }
            let till = try await shop.launch(choice)
            #expect(await till.balance(of: "coins") ?? 0 == 0)
            try await shop.decide(.approve)
            await eventually { await till.balance(of: "coins") == 600 }
            await eventually { await shop.unfinished() == 0 }
            await eventually { shop.openOrders == 0 }
        }
    }

    @Test(arguments: both)
    func `an app that dies between payment and delivery delivers at its next launch`(
        _ choice: TillConfiguration.StoreKitChoice
    ) async throws {
        for product in [Shop.coins, Shop.monthly, Shop.lifetime] {
            try await inShop { shop in
                let first = try await shop.launch(choice)
                shop.loseAnswers(on: "/v1/purchases")
                guard case .failed(let failure) = await first.buy(product) else {
                    Issue.record("not failed")
                    return
                }
                #expect(failure.next == .deliveredLater)
                #expect(await shop.unfinished() == 1)
                let till = try await shop.launch(choice)
                await eventually { await shop.unfinished() == 0 }
                await eventually { shop.openOrders == 0 }
                let view = await till.refresh()
                #expect(
                    await till.balance(of: "coins") ?? 0 == (product == Shop.coins ? 600 : 0))
                #expect(view.active.isEmpty == (product == Shop.coins))
            }
        }
    }

    @Test(arguments: both)
    func `another customer's purchase is not credited to whoever is logged in`(
        _ choice: TillConfiguration.StoreKitChoice
    ) async throws {
        try await inShop { shop in
            let first = try await shop.launch(choice)
            shop.loseAnswers(on: "/v1/purchases")
            _ = await first.buy(Shop.coins)
            await first.logout()
            let bob = try await shop.launch(choice, as: "bob")
            #expect(await shop.unfinished() == 1)
            await bob.refresh()
            #expect(await bob.balance(of: "coins") == 0)
            let alice = try await shop.launch(choice, as: "alice")
            await eventually { await shop.unfinished() == 0 }
            #expect(await alice.balance(of: "coins") == 600)
        }
    }

    @Test(arguments: both)
    func `a restore brings back what was bought, and grants nothing new`(
        _ choice: TillConfiguration.StoreKitChoice
    ) async throws {
        try await inShop { shop in
            let till = try await shop.launch(choice)
            #expect(await till.restore() == .nothingToRestore)
            _ = await till.buy(Shop.coins)
            _ = await till.buy(Shop.lifetime)
            _ = await till.buy(Shop.monthly)
            for _ in 0..<2 {
                let outcome = await till.restore()
                guard case .restored(let restoration) = outcome else {
                    Issue.record("\(outcome)")
                    return
                }
                #expect(Set(restoration.productIDs) == [Shop.lifetime, Shop.monthly])
                #expect(restoration.entitlements.sorted() == ["forever", "pro"])
            }
            #expect(await till.balance(of: "coins") == 600)
            #expect(await shop.unfinished() == 0)
        }
    }

    @Test("F14: two consumables bought at once are two transactions", arguments: both)
    func buysTwice(_ choice: TillConfiguration.StoreKitChoice) async throws {
        try await inShop { shop in
            let till = try await shop.launch(choice)
            async let one = till.buy(Shop.coins)
            async let two = till.buy(Shop.coins)
            _ = await [one, two]
            #expect(await till.balance(of: "coins") == 1_200)
            #expect(await shop.unfinished() == 0)
        }
    }

    @Test("F11: an interrupted purchase completes the same order", arguments: both)
    func completesInterruptedPurchases(
        _ choice: TillConfiguration.StoreKitChoice
    ) async throws {
        try await inShop { shop in
            let till = try await shop.launch(choice)
            try await shop.change(AccountRequest(interruptsPurchases: true))
            _ = await till.buy(Shop.coins)
            #expect(await till.balance(of: "coins") ?? 0 == 0)
            try await shop.decide(.resolve)
            await eventually { await till.balance(of: "coins") == 600 }
            await eventually { await shop.unfinished() == 0 }
        }
    }

    @Test("F05: StoreKit 2's path puts no observer on StoreKit 1's queue")
    func oneStoreKitOwnsTheQueue() async throws {
        try await inShop { shop in
            let modern = try await shop.launch(.automatic)
            #expect(SKPaymentQueue.default().transactionObservers.isEmpty)
            await modern.start()
            let original = try await shop.launch(.original)
            #expect(SKPaymentQueue.default().transactionObservers.count == 1)
            await original.start()
        }
    }

    @Test(
        "F06, promoted purchases: what the App Store's page began goes through an order",
        arguments: both)
    func buysPromotedProducts(_ choice: TillConfiguration.StoreKitChoice) async throws {
        try await inShop { shop in
            let till = try await shop.launch(choice, as: nil)
            let device = try #require(await shop.store.devicesInfo().devices.first).deviceID
            _ = try await shop.store.promote(
                PromoteRequest(deviceID: device, productID: Shop.coins))
            _ = try await shop.store.buy(
                ControlBuyRequest(productID: Shop.lifetime, deviceID: device, outsideApp: true))
            try await till.login(customerToken: "dev:alice", customerID: "alice")
            await eventually { await till.balance(of: "coins") == 600 }
            await eventually { await till.entitlements().isActive("forever") }
            await eventually { await shop.unfinished() == 0 }
        }
    }
}
