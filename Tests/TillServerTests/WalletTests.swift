import AppStoreModel
import Foundation
import HTTPMessage
import HTTPServer
import LedgerMemory
import Testing
import TillAPI
import TillLedger

@testable import TillServer

/// Wallets and promotional grants over the wire.
@Suite struct WalletTests {
    private static let backend: KeyValuePairs = ["Authorization": "Bearer \(TestShop.secretKey)"]

    private func rich() async throws -> TestShop {
        let shop = try TestShop()
        try await shop.purchase(
            PurchaseRequest(signedTransactions: [try shop.signed("1")]), by: "anna")
        return shop
    }

    private func post(
        _ shop: TestShop, _ path: String, _ body: String, as customer: String? = "anna",
        fields: KeyValuePairs<String, String> = [:]
    ) async throws -> HTTPResponse {
        try await shop.send(
            .post, "\(APIWire.customers)/\(path)", Data(body.utf8), as: customer, fields: fields)
    }

    private func movement(_ response: HTTPResponse) throws -> MovementDocument {
        try #require(response.status == .ok, "\(String(decoding: response.body, as: UTF8.self))")
        return try JSONDecoder().decode(MovementDocument.self, from: response.body)
    }

    @Test func `a customer spends, once for each name, and never below zero`() async throws {
        let shop = try await rich()
        let body = #"{"currency": "coins", "amount": 400, "spendId": "sword", "reason": "a sword"}"#
        let first = try movement(try await post(shop, "anna/spend", body))
        #expect(first.balance == 200)
        #expect(first.amount == -400)
        #expect(try movement(try await post(shop, "anna/spend", body)) == first)
        let other = #"{"currency": "coins", "amount": 1, "spendId": "sword"}"#
        let taken = try await post(shop, "anna/spend", other)
        #expect(taken.status.rawValue == 409)
        #expect(try shop.problem(taken).code == .init(.nameTaken))
        let dear = #"{"currency": "coins", "amount": 201, "spendId": "shield"}"#
        let short = try await post(shop, "anna/spend", dear)
        #expect(short.status.rawValue == 409)
        #expect(try shop.problem(short).code == .init(.insufficientBalance))
        #expect(try await shop.customer("anna").balances == ["coins": 200])
    }

    @Test func `an idempotency key names a spend, and without any name nothing is spent`()
        async throws
    {
        let shop = try await rich()
        let body = #"{"currency": "coins", "amount": 100}"#
        let key: KeyValuePairs = [APIWire.idempotencyField: "tap-17"]
        #expect(try movement(try await post(shop, "anna/spend", body, fields: key)).balance == 500)
        #expect(try movement(try await post(shop, "anna/spend", body, fields: key)).balance == 500)
        let nameless = try await post(shop, "anna/spend", body)
        #expect(try shop.problem(nameless).code == .init(.nameMissing))
        #expect(try await shop.customer("anna").balances == ["coins": 500])
    }

    @Test(arguments: [
        #"{"amount": 1, "spendId": "x"}"#,
        #"{"currency": "", "amount": 1, "spendId": "x"}"#,
        #"{"currency": "coins", "amount": 0, "spendId": "x"}"#,
        #"{"currency": "coins", "amount": -5, "spendId": "x"}"#,
        #"{"currency": "coins", "amount": 1.5, "spendId": "x"}"#,
        #"{"currency": "coins", "amount": 9223372036854775807, "spendId": "x"}"#,
        #"{"currency": "coins", "amount": 1, "spendId": ""}"#,
        #"{"currency": "coins", "amount": 1, "spendId": "x", "environment": "Production"}"#,
        #"{"currency": "coins", "amount": 1, "spendId": "x", "bundleId": "com.example.other"}"#,
    ])
    func `a spend that cannot be read takes nothing`(body: String) async throws {
        let shop = try await rich()
        let response = try await post(shop, "anna/spend", body)
        #expect((400..<500).contains(response.status.rawValue))
        #expect(try await shop.customer("anna").balances == ["coins": 600])
    }

    @Test func `nobody spends from another's wallet, and customers give themselves nothing`()
        async throws
    {
        let shop = try await rich()
        let spend = #"{"currency": "coins", "amount": 1, "spendId": "x"}"#
        #expect(try await post(shop, "anna/spend", spend, as: "ben").status == .forbidden)
        #expect(try await post(shop, "anna/spend", spend, as: nil).status == .unauthorized)
        let credit = #"{"currency": "coins", "amount": 1, "creditId": "x", "reason": "-"}"#
        #expect(try await post(shop, "anna/credits", credit).status == .forbidden)
        let pro = #"{"entitlement": "pro", "promotionId": "x", "reason": "-"}"#
        #expect(try await post(shop, "anna/promotions", pro).status == .forbidden)
        #expect(try await shop.customer("anna").balances == ["coins": 600])
    }

    @Test func `a backend gives a credit once, and the statement tells everything`() async throws {
        let shop = try await rich()
        let credit =
            #"{"currency": "coins", "amount": 50, "creditId": "c1", "reason": "an outage"}"#
        for _ in 0..<2 {
            let response = try await post(
                shop, "anna/credits", credit, as: nil, fields: Self.backend)
            #expect(try movement(response).balance == 650)
        }
        shop.clock.advance(seconds: 5)
        let spend =
            #"{"currency": "coins", "amount": 400, "spendId": "sword", "reason": "a sword"}"#
        _ = try movement(try await post(shop, "anna/spend", spend))
        var lines: [StatementLine] = []
        var query = "?limit=2"
        while true {
            let response = try await shop.send(
                .get, "\(APIWire.customers)/anna/wallet\(query)", as: "anna")
            try #require(response.status == .ok)
            let page = try JSONDecoder().decode(StatementDocument.self, from: response.body)
            lines += page.entries
            guard let next = page.next else { break }
            query = "?limit=2&after=\(next)"
        }
        #expect(lines.map(\.account) == ["spent", "promotions", "sales"])
        #expect(lines.map(\.amount) == [-400, 50, 600])
        #expect(lines.map(\.reason) == ["a sword", "an outage", nil])
        let wrong = try await shop.send(
            .get, "\(APIWire.customers)/anna/wallet?after=rubbish!", as: "anna")
        #expect(wrong.status == .badRequest)
    }

    @Test func `a promotional grant lets the customer use it until it ends or is ended`()
        async throws
    {
        let shop = try await rich()
        let end = shop.clock.now.advanced(byMilliseconds: 60_000).milliseconds
        let body =
            #"{"entitlement": "pro", "endsAt": \#(end), "promotionId": "p1", "reason": "hi"}"#
        let response = try await post(
            shop, "anna/promotions", body, as: nil, fields: Self.backend)
        #expect(response.status == .created)
        let entitlement = try #require(try await shop.customer("anna").entitlements.first)
        #expect(entitlement.isActive)
        #expect(entitlement.promotionID == "p1")
        #expect(entitlement.expiresAt?.milliseconds == end)
        let path = "\(APIWire.customers)/anna/promotions/p1"
        #expect(try await shop.send(.delete, path, as: "anna").status == .forbidden)
        let ended = try await shop.send(.delete, path, as: nil, fields: Self.backend)
        #expect(ended.status == .ok)
        #expect(try await shop.customer("anna").entitlements.first?.isActive == false)
        let none = try await shop.send(
            .delete, "\(APIWire.customers)/anna/promotions/p2", as: nil, fields: Self.backend)
        #expect(none.status == .notFound)
        let past = #"{"entitlement": "pro", "endsAt": 1, "promotionId": "p3", "reason": "hi"}"#
        let refused = try await post(
            shop, "anna/promotions", past, as: nil, fields: Self.backend)
        #expect(refused.status == .badRequest)
    }

    @Test func `a configuration says whether refunds take wallets below zero`() async throws {
        let shop = try TestShop(app: #", "refunds": "neverBelowZero""#)
        try await shop.purchase(
            PurchaseRequest(signedTransactions: [try shop.signed("1")]), by: "anna")
        let spend = #"{"currency": "coins", "amount": 500, "spendId": "sword"}"#
        _ = try movement(try await post(shop, "anna/spend", spend))
        let refund = try shop.signed("1") {
            $0.revocationDate = TestClock.start
            $0.signedDate = TestClock.start.advanced(byMilliseconds: 1_000)
        }
        try await shop.purchase(PurchaseRequest(signedTransactions: [refund]), by: "anna")
        let anna = try await shop.customer("anna")
        #expect(anna.balances == ["coins": 0])
        #expect(anna.debtsByEnvironment == ["Sandbox": ["coins": 500]])
        #expect(throws: ConfigurationError.self) {
            try TestShop(app: #", "refunds": "never""#)
        }
    }

    @Test(arguments: [("testers", true), ("record", false)])
    func `what testers hold of a sandbox they can spend, and nobody else holds anything`(
        rule: String, isGranted: Bool
    ) async throws {
        let configuration = try ServerConfiguration.read(
            Data(
                """
                {"listen": "127.0.0.1:0", "database": "sqlite:x",
                 "secretKeys": ["\(TestShop.secretKey)"],
                 "apps": [{"bundleId": "com.example.app", "appAppleId": 1, "products": {},
                   "otherEnvironments": "\(rule)"}]}
                """.utf8), folder: "/", environment: [:])
        let ids = IDSource()
        let ledger = Ledger(
            store: MemoryLedgerStore(), catalog: configuration.catalog, newOrderID: { ids.next() })
        let router = try TillService(
            configuration: configuration, ledger: ledger, clock: { TestClock.start }
        ).router
        func status(_ path: String, _ body: String) async -> Int {
            let request = HTTPRequest(
                method: .post, target: "\(APIWire.customers)/anna/\(path)",
                fields: HTTPFields(Self.backend), body: Data(body.utf8))
            return await router.respond(to: request).status.rawValue
        }
        let credit =
            #"{"currency": "coins", "amount": 9, "creditId": "c", "reason": "r", "environment": "Sandbox"}"#
        let spend =
            #"{"currency": "coins", "amount": 9, "spendId": "s", "environment": "Sandbox"}"#
        #expect(await status("credits", credit) == (isGranted ? 200 : 400))
        #expect(await status("spend", spend) == (isGranted ? 200 : 400))
        // Neither pays for anything in production.
        #expect(
            await status("spend", #"{"currency": "coins", "amount": 9, "spendId": "p"}"#) == 409)
    }

    @Test func `a query that cannot be read ends no promotion and lists nothing`() async throws {
        let shop = try TestShop()
        let pro = #"{"entitlement": "pro", "promotionId": "gift", "reason": "-"}"#
        #expect(
            try await post(shop, "anna/promotions", pro, as: nil, fields: Self.backend).status
                == .created)
        let end = "\(APIWire.customers)/anna/promotions/gift?environment=%ZZ"
        #expect(
            try await shop.send(.delete, end, as: nil, fields: Self.backend).status == .badRequest)
        #expect(try await shop.customer("anna").entitlements.map(\.isActive) == [true])
        let wallet = "\(APIWire.customers)/anna/wallet?limit=%ZZ"
        #expect(try await shop.send(.get, wallet, as: "anna").status == .badRequest)
    }
}
