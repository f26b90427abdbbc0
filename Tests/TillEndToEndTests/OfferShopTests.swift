import AppStoreModel
import Foundation
import HTTPFetch
import HTTPMessage
import HTTPServer
import StoreKit
import StoreWire
import TestKit
import Testing
import TillAPI

@testable import LocalAppStore
@testable import Till

/// Offers from the server that signs them to the store that checks the signature.
@Suite(.serialized, .usesTheOneQueue, .timeLimit(.minutes(5))) struct OfferShopTests {
    static let both = ShopTests.both
    private static let half = "pro.monthly.half"

    /// Somebody who has subscribed once, and whose subscription is over.
    private func formerSubscriber(
        _ choice: TillConfiguration.StoreKitChoice, of shop: Shop
    ) async throws -> Till {
        let till = try await shop.launch(choice)
        guard case .granted(let delivery) = await till.buy(Shop.monthly) else {
            Issue.record("not granted")
            return till
        }
        _ = try await shop.store.act(
            on: delivery.transactionID,
            SubscriptionAction(action: .turnOff))
        _ = try await shop.store.act(
            on: delivery.transactionID, SubscriptionAction(action: .expireNow))
        return till
    }

    private func latest(in shop: Shop) async throws -> StoreTransactionRow {
        let row = try #require(await shop.store.state.transactions.rows.last)
        return StoreTransactionRow(offerID: row.offer?.id, price: row.price)
    }

    private struct StoreTransactionRow {
        var offerID: String?
        var price: Int64
    }

    @Test(arguments: both)
    func `a promotional offer that the server signed is taken by the store`(
        _ choice: TillConfiguration.StoreKitChoice
    ) async throws {
        try await inShop { shop in
            let till = try await formerSubscriber(choice, of: shop)
            let outcome = await till.buy(Shop.monthly, offer: .promotional(id: Self.half))
            guard case .granted(let delivery) = outcome else {
                Issue.record("\(outcome)")
                return
            }
            #expect(delivery.entitlements == ["pro"])
            let row = try await latest(in: shop)
            #expect(row.offerID == Self.half)
            #expect(row.price == 4_990)
            #expect(await shop.unfinished() == 0)
            #expect(shop.openOrders == 0)
        }
    }

    @Test(arguments: both)
    func `an offer that the app may not ask for, or that the store does not know, costs nothing`(
        _ choice: TillConfiguration.StoreKitChoice
    ) async throws {
        try await inShop { shop in
            let till = try await formerSubscriber(choice, of: shop)
            let sales = await shop.store.state.transactions.rows.count
            let unlisted = await till.buy(Shop.monthly, offer: .promotional(id: "pro.monthly.free"))
            guard case .failed(let refused) = unlisted else {
                Issue.record("\(unlisted)")
                return
            }
            #expect(refused.code == .serverRefused && refused.next == .fixTheCause)
            #expect(refused.detail?.contains("unknownOffer") == true)
            let unknown = await till.buy(Shop.monthly, offer: .promotional(id: "no.such.offer"))
            guard case .failed(let failure) = unknown else {
                Issue.record("\(unknown)")
                return
            }
            #expect(failure.code == .offerNotAvailable)
            #expect(await shop.store.state.transactions.rows.count == sales)
        }
    }

    @Test(arguments: both)
    func `an offer that another key signed is refused by the store, and costs nothing`(
        _ choice: TillConfiguration.StoreKitChoice
    ) async throws {
        try await inShop(foreignKey: true) { shop in
            let till = try await formerSubscriber(choice, of: shop)
            let sales = await shop.store.state.transactions.rows.count
            let outcome = await till.buy(Shop.monthly, offer: .promotional(id: Self.half))
            guard case .failed(let failure) = outcome else {
                Issue.record("\(outcome)")
                return
            }
            #expect(failure.code == .offerNotAvailable && failure.next == .fixTheCause)
            #expect(await shop.store.state.transactions.rows.count == sales)
        }
    }

    @Test func `an offer to come back passes through StoreKit 2`() async throws {
        try await inShop { shop in
            let till = try await formerSubscriber(.automatic, of: shop)
            let terms = try await till.products([Shop.monthly]).first?.subscription
            #expect(terms?.winBackOffers.map(\.id) == ["pro.monthly.back"])
            let outcome = await till.buy(Shop.monthly, offer: .winBack(id: "pro.monthly.back"))
            guard case .granted = outcome else {
                Issue.record("\(outcome)")
                return
            }
            #expect(try await latest(in: shop).offerID == "pro.monthly.back")
        }
    }

    @Test func `StoreKit 1 has no offers to come back, and the regular price is not paid instead`()
        async throws
    {
        try await inShop { shop in
            let till = try await formerSubscriber(.original, of: shop)
            let sales = await shop.store.state.transactions.rows.count
            let outcome = await till.buy(Shop.monthly, offer: .winBack(id: "pro.monthly.back"))
            guard case .failed(let failure) = outcome else {
                Issue.record("\(outcome)")
                return
            }
            #expect(failure.code == .offerNotAvailable)
            #expect(await shop.store.state.transactions.rows.count == sales)
        }
    }

    @Test func `the server's token is taken by StoreKit 2 for offers and for the introductory one`()
        async throws
    {
        try await inShop { shop in
            let till = try await formerSubscriber(.automatic, of: shop)
            await till.refresh()
            let product = try #require(
                try await Product.products(for: [Shop.monthly.rawValue]).first)
            let former = try #require(await shop.store.state.transactions.rows.first).id
            let signed = try await token(
                OfferSignatureRequest(
                    productID: Shop.monthly, offerID: Self.half, transactionID: former), shop)
            let options = Product.PurchaseOption.promotionalOffer(Self.half, compactJWS: signed)
            guard case .success(let first) = try await product.purchase(options: Set(options))
            else {
                Issue.record("not bought")
                return
            }
            await first.unsafePayloadValue.finish()
            #expect(try await latest(in: shop).offerID == Self.half)
            // A nonce is good once.
            await #expect(throws: Product.PurchaseError.self) {
                _ = try await product.purchase(options: Set(options))
            }
            // The history says that there was a subscription, so the server allows no second trial.
            let eligibility = try await token(
                OfferSignatureRequest(
                    kind: .introductoryEligibility, productID: Shop.monthly,
                    transactionID: former), shop)
            _ = try await shop.store.act(on: former, SubscriptionAction(action: .expireNow))
            guard
                case .success(let second) = try await product.purchase(
                    options: [.introductoryOfferEligibility(compactJWS: eligibility)])
            else {
                Issue.record("not bought")
                return
            }
            await second.unsafePayloadValue.finish()
            let row = try await latest(in: shop)
            #expect(row.offerID == nil && row.price == 9_990)
        }
    }

    private func token(_ request: OfferSignatureRequest, _ shop: Shop) async throws -> String {
        let response = try await CurlFetcher().fetch(
            HTTPRequest(
                method: .post,
                target: "http://127.0.0.1:\(shop.listener.port)\(APIWire.offerSignatures)",
                fields: [
                    "Authorization": "Bearer dev:alice", "Content-Type": "application/json",
                ], body: try JSONEncoder().encode(request)), limits: HTTPFetchLimits())
        let document = try JSONDecoder().decode(OfferSignatureDocument.self, from: response.body)
        return try #require(document.compactJWS)
    }
}
