import AppStoreModel
import Foundation
import StoreWire
import TestKit
import Testing
import TillAPI

@testable import LocalAppStore
@testable import Till

/// Several customers, one Apple account, and what is signed about them.
@Suite(.serialized, .usesTheOneQueue, .timeLimit(.minutes(5))) struct CustomerCaseTests {
    static let both = ShopTests.both

    @Test(arguments: both)
    func `an Apple account's running subscription is sold to nobody else`(
        _ choice: TillConfiguration.StoreKitChoice
    ) async throws {
        try await inShop { shop in
            let alice = try await shop.launch(choice)
            guard case .granted(let delivery) = await alice.buy(Shop.monthly) else {
                Issue.record("not granted")
                return
            }
            #expect(await alice.owner(of: Shop.monthly) == .you)
            let bob = try await shop.launch(choice, as: "bob")
            #expect(await bob.owner(of: Shop.monthly) == .anotherCustomer)
            guard case .failed(let failure) = await bob.buy(Shop.monthly) else {
                Issue.record("sold")
                return
            }
            #expect(failure.code == .ownedByAnother)
            #expect(await shop.store.state.transactions.rows.count == 1)
            _ = try await shop.store.act(
                on: delivery.transactionID, SubscriptionAction(action: .expireNow))
            guard choice == .automatic else {
                // A receipt carries no token: what begins again would be its first owner's.
                _ = await bob.restore()
                #expect(await bob.owner(of: Shop.monthly) == .anotherCustomer)
                return
            }
            // When it is over, anybody may have one of their own.
            #expect(await bob.owner(of: Shop.monthly) == .nobody)
            let outcome = await bob.buy(Shop.monthly)
            guard case .granted = outcome else {
                Issue.record("\(outcome)")
                return
            }
            #expect(try await shop.customer("bob").entitlements.contains { $0.isActive })
        }
    }

    @Test(arguments: both)
    func `an anonymous customer's purchases become those of whoever logs in`(
        _ choice: TillConfiguration.StoreKitChoice
    ) async throws {
        try await inShop { shop in
            let till = try await shop.launch(choice, as: "anon")
            guard case .granted = await till.buy(Shop.lifetime) else {
                Issue.record("not granted")
                return
            }
            shop.loseAnswers(on: "/v1/purchases")
            _ = await till.buy(Shop.coins)
            #expect(await shop.unfinished() == 1)
            let outcome = try await till.login(mergingInto: "dev:alice", customerID: "alice")
            #expect(outcome == .merged)
            await till.recover()
            #expect(await till.entitlements().isActive("forever"))
            #expect(await till.balance(of: "coins") == 600)
            #expect(await shop.unfinished() == 0)
            #expect(shop.openOrders == 0)
            // The former name, should it log in once more, is the same customer.
            let again = try await shop.launch(choice, as: "anon")
            await again.refresh()
            #expect(await again.balance(of: "coins") == 600)
        }
    }

    @Test(arguments: both)
    func `a purchase that is approved after the customers became one reaches the one`(
        _ choice: TillConfiguration.StoreKitChoice
    ) async throws {
        try await inShop { shop in
            let till = try await shop.launch(choice, as: "anon")
            try await shop.change(AccountRequest(asksToBuy: true))
            guard case .pending = await till.buy(Shop.coins) else {
                Issue.record("not pending")
                return
            }
            #expect(
                try await till.login(mergingInto: "dev:alice", customerID: "alice") == .merged)
            let next = try await shop.launch(choice)
            try await shop.decide(.approve)
            await eventually { await next.balance(of: "coins") == 600 }
            await eventually { await shop.unfinished() == 0 }
            await eventually { shop.openOrders == 0 }
        }
    }

    @Test func `what the server signed is believed offline, and under its own key alone`()
        async throws
    {
        try await inShop { shop in
            let signed = { (configuration: inout TillConfiguration) in
                configuration.entitlementProof = .signedByServer
            }
            let till = try await shop.launch(.automatic, configure: signed)
            guard case .granted(let delivery) = await till.buy(Shop.lifetime) else {
                Issue.record("not granted")
                return
            }
            #expect(delivery.entitlements == ["forever"])
            #expect(await till.refresh().distrust == nil)
            shop.loseAnswers(on: "/v1/customers/alice", times: 100)
            let next = try await shop.launch(.automatic, configure: signed)
            let view = await next.entitlements()
            #expect(view.isActive("forever") && view.basis == .remembered)
            // Another key than the server's.
            let foreign = try #require(
                EntitlementKey.keys(
                    inKeySet: """
                        {"keys":[{"kty":"EC","crv":"P-256","alg":"ES256","kid":"other",
                        "x":"f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU",
                        "y":"x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"}]}
                        """))
            let doubting = try await shop.launch(.automatic) {
                $0.entitlementProof = .signed(by: foreign)
            }
            #expect(await doubting.entitlements().active.isEmpty)
            #expect(await doubting.entitlements().distrust == .unknownKey)
        }
    }

    @Test func `the introductory offer is given on the server's word, and refused on it`()
        async throws
    {
        try await inShop { shop in
            let till = try await shop.launch(.automatic)
            let shown = try await till.productsOnSale([Shop.monthly])
            #expect(shown.first?.introductoryOffer != nil)
            guard case .granted(let delivery) = await till.buy(Shop.monthly, offer: .introductory)
            else {
                Issue.record("not granted")
                return
            }
            let first = await shop.store.state.transactions.rows.last
            #expect(first?.offer?.kind == .introductory)
            _ = try await shop.store.act(
                on: delivery.transactionID, SubscriptionAction(action: .expireNow))
            let after = try await till.productsOnSale([Shop.monthly])
            #expect(after.first?.introductoryOffer == nil)
            let outcome = await till.buy(Shop.monthly, offer: .introductory)
            guard case .failed(let failure) = outcome else {
                Issue.record("\(outcome)")
                return
            }
            #expect(failure.code == .offerNotAvailable)
            #expect(await shop.store.state.transactions.rows.count == 1)
        }
    }
}
