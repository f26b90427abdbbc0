import AppStoreModel
import Foundation
import HTTPMessage
import Testing
import TillAPI
import TillLedger

@testable import TillServer

/// Merging and erasing customers, and what is noted about them, over HTTP.
@Suite struct CustomerNameTests {
    private static let key: KeyValuePairs = ["Authorization": "Bearer \(TestShop.secretKey)"]

    private func merge(
        _ from: String, into: String, _ shop: TestShop, token: String? = nil,
        as customer: String? = nil
    ) async throws -> HTTPResponse {
        let body = try JSONEncoder().encode(MergeRequest(from: from, fromToken: token))
        return try await shop.send(
            .post, "\(APIWire.customers)/\(into)/merge", body, as: customer,
            fields: customer == nil ? Self.key : [:])
    }

    private func buy(_ shop: TestShop, _ id: TransactionID, by name: String) async throws {
        try await shop.purchase(
            PurchaseRequest(signedTransactions: [try shop.signed(id)]), by: name)
    }

    // MARK: Merging

    @Test func `a backend makes an anonymous customer part of another`() async throws {
        let shop = try TestShop()
        try await buy(shop, "1", by: "anon-1")
        try await buy(shop, "2", by: "anna")
        for _ in 0..<2 {
            let response = try await merge("anon-1", into: "anna", shop)
            #expect(response.status == .ok)
            let merged = try JSONDecoder().decode(CustomerDocument.self, from: response.body)
            #expect(merged.customerID == "anna")
            #expect(merged.balances == ["coins": 1_200])
        }
        #expect(try await shop.customer("anon-1").balances == ["coins": 1_200])
        let stranger = try await shop.send(.get, "\(APIWire.customers)/anna", as: "ben")
        #expect(stranger.status == .forbidden)
    }

    @Test func `a customer needs the tokens of both`() async throws {
        let shop = try TestShop()
        try await buy(shop, "1", by: "anon-1")
        let token = try shop.token("anon-1")
        func status(
            _ into: String = "anna", token: String?, as customer: String
        ) async throws -> HTTPStatus {
            try await merge("anon-1", into: into, shop, token: token, as: customer).status
        }
        #expect(try await status(token: nil, as: "anna") == .forbidden)
        #expect(try await status(token: shop.token("anna"), as: "anna") == .forbidden)
        #expect(try await status(token: TestShop.secretKey, as: "anna") == .unauthorized)
        #expect(try await status(token: token + "x", as: "anna") == .unauthorized)
        #expect(try await status(token: token, as: "ben") == .forbidden)
        #expect(try await shop.customer("anna").balances.isEmpty)
        #expect(try await status(token: token, as: "anna") == .ok)
        #expect(try await shop.customer("anna").balances == ["coins": 600])
    }

    @Test func `what is part of one customer becomes part of no other`() async throws {
        let shop = try TestShop()
        #expect(try await merge("anon-1", into: "anna", shop).status == .ok)
        for (from, into) in [("anon-1", "ben"), ("anna", "anon-1")] {
            let response = try await merge(from, into: into, shop)
            #expect(response.status == .conflict)
            #expect(try shop.problem(response).code.kind == .mergeRefused)
        }
        #expect(try await merge("anna", into: "anna", shop).status == .badRequest)
        #expect(try await merge("", into: "anna", shop).status == .badRequest)
    }

    @Test func `nobody reaches the account of another spelling of their name`() async throws {
        let shop = try TestShop()
        let (composed, decomposed) = ("caf\u{e9}", "cafe\u{301}")
        let path = "\(APIWire.customers)/caf%C3%A9"
        try await buy(shop, "1", by: composed)
        #expect(try await shop.send(.get, path, as: composed).status == .ok)
        #expect(try await shop.send(.get, path, as: decomposed).status == .forbidden)
        let spend = Data(#"{"currency": "coins", "amount": 1, "spendId": "x"}"#.utf8)
        #expect(
            try await shop.send(.post, path + "/spend", spend, as: decomposed).status == .forbidden)
        let backend = try await shop.send(
            .get, path, as: nil,
            fields: [
                "Authorization": "Bearer \(TestShop.secretKey)", APIWire.customerField: decomposed,
            ])
        #expect(backend.status == .forbidden)
    }

    // MARK: Erasing

    @Test func `an erased customer is unknown, and doing it again is no fault`() async throws {
        let shop = try TestShop()
        _ = try await shop.openOrder(TestShop.gems, by: "anna")
        try await buy(shop, "1", by: "anna")
        for _ in 0..<2 {
            let response = try await shop.send(
                .delete, "\(APIWire.customers)/anna", as: nil, fields: Self.key)
            #expect(response.status == .noContent)
            #expect(response.body.isEmpty)
        }
        let anna = try await shop.customer("anna")
        #expect(anna.transactions.isEmpty && anna.balances.isEmpty)
        let again = try await shop.purchase(
            PurchaseRequest(signedTransactions: [try shop.signed("1")]), by: "anna")
        #expect(again.results.map(\.outcome) == [.refused])
        #expect(again.customer.balances.isEmpty)
        #expect(try await shop.service.ledger.rebuild().discrepancies == [])
    }

    // MARK: Signals

    private func signals(_ name: String, _ shop: TestShop) async throws -> JSONValue {
        let response = try await shop.send(
            .get, "\(APIWire.customers)/\(name)/signals", as: nil, fields: Self.key)
        #expect(response.status == .ok)
        return try JSONDecoder().decode(JSONValue.self, from: response.body)
    }

    private func kinds(_ name: String, _ shop: TestShop) async throws -> Set<String> {
        guard case .array(let list)? = try await signals(name, shop)["signals"] else { return [] }
        return Set(list.compactMap { $0["kind"]?.string })
    }

    @Test func `forgeries and another app's proofs are noted, however often they come`()
        async throws
    {
        let shop = try TestShop()
        let forged = try TestAuthority.stranger.sign(TestShop.transaction("1"))
        let foreign = try shop.signed("2") { $0.bundleID = "com.example.other" }
        for _ in 0..<30 {
            _ = try await shop.refusal(
                PurchaseRequest(signedTransactions: [forged, foreign]), by: "ben")
        }
        #expect(try await kinds("ben", shop) == ["forgery", "foreignApp"])
        #expect(try await signals("ben", shop)["score"] == .integer(15))
        #expect(try await signals("ben", shop)["signals"]?[0]?["count"] == .integer(1))
        #expect(try await kinds("anna", shop) == [])
    }

    @Test func `a purchase of another and a clock far off are noted, an honest one is not`()
        async throws
    {
        let shop = try TestShop()
        try await buy(shop, "1", by: "anna")
        try await buy(shop, "1", by: "ben")
        #expect(try await kinds("ben", shop) == ["anothersPurchase"])
        #expect(try await kinds("anna", shop) == ["sharedProof"])
        let body = try JSONEncoder().encode(
            PurchaseRequest(signedTransactions: [try shop.signed("7")]))
        let now = shop.clock.now.milliseconds
        for (name, time, noted) in [
            ("cleo", "\(now + 3_600_000)", false), ("dora", "\(now - 90_000_000)", true),
            ("eric", "\(Int64.min)", true), ("finn", "yesterday", false),
        ] {
            _ = try await shop.send(
                .post, APIWire.purchases, body, as: name,
                fields: [APIWire.deviceTimeField: time])
            #expect(try await kinds(name, shop).contains("deviceClock") == noted, "\(name)")
        }
    }

    @Test func `a trial that was used is told to its customer and to backends`() async throws {
        let shop = try TestShop()
        let trial = try shop.signed("1", TestShop.monthly, type: .autoRenewable) {
            $0.expiresDate = TestClock.start.advanced(byMilliseconds: 7 * 86_400_000)
            $0.offerType = .introductory
            $0.subscriptionGroupIdentifier = "21000001"
        }
        try await shop.purchase(PurchaseRequest(signedTransactions: [trial]), by: "anna")
        let path = "\(APIWire.customers)/anna/offers"
        let response = try await shop.send(.get, path, as: "anna")
        let offers = try JSONDecoder().decode(JSONValue.self, from: response.body)
        #expect(offers["usedIntroductoryOffers"]?[0]?["subscriptionGroupId"] == "21000001")
        #expect(try await shop.send(.get, path, as: nil, fields: Self.key).status == .ok)
        #expect(try await shop.send(.get, path, as: "ben").status == .forbidden)
    }
}
