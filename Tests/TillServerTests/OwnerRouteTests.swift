import AppStoreModel
import Foundation
import HTTPMessage
import Testing
import TillAPI
import TillLedger

@testable import TillServer

/// Whose a purchase is, over HTTP.
@Suite struct OwnerRouteTests {
    private func backend(
        _ shop: TestShop, _ method: HTTPMethod, _ target: String, _ body: String = ""
    ) async throws -> HTTPResponse {
        try await shop.send(
            method, target, Data(body.utf8), as: nil,
            fields: ["Authorization": "Bearer \(TestShop.secretKey)"])
    }

    private func json(_ response: HTTPResponse) throws -> JSONValue {
        try JSONDecoder().decode(JSONValue.self, from: response.body)
    }

    private func pro(_ shop: TestShop) throws -> String {
        try shop.signed("1", TestShop.pro, type: .nonConsumable)
    }

    // MARK: Policies

    @Test func `a restore moves a purchase only where the app's rules say so`() async throws {
        for (app, outcome) in [
            ("", TillAPI.TransactionOutcome.refused), (#", "owners": "transfer""#, .granted),
        ] {
            let shop = try TestShop(app: app)
            let proof = try pro(shop)
            try await shop.purchase(PurchaseRequest(signedTransactions: [proof]), by: "anna")
            let shown = try await shop.purchase(
                PurchaseRequest(signedTransactions: [proof]), by: "ben")
            #expect(shown.results.map(\.outcome) == [.refused])
            let restored = try await shop.purchase(
                PurchaseRequest(signedTransactions: [proof], isRestore: true), by: "ben")
            #expect(restored.results.map(\.outcome) == [outcome])
            let active = try await shop.customer("anna").entitlements.filter(\.isActive)
            #expect(active.isEmpty == (outcome == .granted))
        }
    }

    @Test func `what a family shares may be used by two where the app's rules say so`()
        async throws
    {
        let shop = try TestShop(app: #", "owners": ["transfer", "share"]"#)
        let proof = try shop.signed("1", TestShop.pro, type: .nonConsumable) {
            $0.inAppOwnershipType = .familyShared
        }
        for name in ["anna", "ben"] {
            let answer = try await shop.purchase(
                PurchaseRequest(signedTransactions: [proof]), by: name)
            #expect(answer.results.map(\.outcome) == [.granted])
            #expect(answer.customer.entitlements.map(\.isActive) == [true])
        }
        #expect(try await shop.customer("anna").entitlements.map(\.isActive) == [true])
    }

    // MARK: Whose

    private func owner(
        _ shop: TestShop, _ proof: String, by customer: String
    ) async throws -> JSONValue {
        let body = try JSONEncoder().encode(PurchaseRequest(signedTransactions: [proof]))
        let response = try await shop.send(.post, APIWire.purchaseOwner, body, as: customer)
        #expect(response.status == .ok)
        return try json(response)
    }

    @Test func `whose it is can be asked before buying, and names nobody`() async throws {
        let shop = try TestShop()
        let proof = try pro(shop)
        #expect(try await owner(shop, proof, by: "anna")["owner"] == "nobody")
        try await shop.purchase(PurchaseRequest(signedTransactions: [proof]), by: "anna")
        #expect(try await owner(shop, proof, by: "anna")["owner"] == "you")
        let answer = try await owner(shop, proof, by: "ben")
        #expect(answer["owner"] == "another")
        #expect(answer["transactions"]?[0]?["owner"] == "another")
        #expect(!"\(answer)".contains("anna"))
        #expect(try await shop.customer("ben").transactions.isEmpty)
    }

    @Test func `a question without a proof, or with a forged one, has no answer`() async throws {
        let shop = try TestShop()
        let forged = try TestAuthority.stranger.sign(TestShop.transaction("1"))
        for (proofs, kind) in [([], ProblemKind.proofMissing), ([forged], .untrustedRoot)] {
            let body = try JSONEncoder().encode(PurchaseRequest(signedTransactions: proofs))
            let response = try await shop.send(.post, APIWire.purchaseOwner, body, as: "ben")
            #expect(try shop.problem(response).code.kind == kind)
        }
        let nobody = try await shop.send(.post, APIWire.purchaseOwner, Data(), as: nil)
        #expect(nobody.status == .unauthorized)
    }

    // MARK: Unclaimed

    /// Lets Apple tell of purchases that nobody shows.
    private func tell(_ shop: TestShop, _ ids: [TransactionID]) async throws {
        let request = PurchaseRequest(signedTransactions: try ids.map { try shop.signed($0) })
        let proofs = shop.service.proofs.read(request).believed
        _ = try await shop.service.ledger.record(
            PurchaseSubmission(customer: nil, proofs: proofs), now: shop.clock.now)
    }

    @Test func `a backend lists what nobody owns, piece by piece, and claims it`() async throws {
        let shop = try TestShop()
        try await tell(shop, ["1", "2", "3"])
        let list = "\(APIWire.apps)/\(TestShop.bundleID)/unclaimed"
        let first = try json(try await backend(shop, .get, "\(list)?limit=2"))
        #expect(first["transactions"]?[1]?["transactionId"] == "2")
        let next = try #require(first["next"]?.string)
        let encoded = try #require(
            next.addingPercentEncoding(withAllowedCharacters: .alphanumerics))
        let second = try json(try await backend(shop, .get, "\(list)?limit=2&after=\(encoded)"))
        #expect(second["transactions"]?[0]?["transactionId"] == "3")
        #expect(second["next"] == nil)

        let claims = "\(APIWire.customers)/anna/claims"
        let claimed = try await backend(shop, .post, claims, #"{"transactionId": "2"}"#)
        let answer = try JSONDecoder().decode(PurchaseResponse.self, from: claimed.body)
        #expect(answer.results.map(\.outcome) == [.granted])
        #expect(answer.customer.balances == ["coins": 600])
        let again = try await backend(
            shop, .post, claims, #"{"transactionId": "2", "environment": "Sandbox"}"#)
        #expect(try json(again)["results"]?[0]?["outcome"] == "alreadyGranted")
        let ben = try await backend(
            shop, .post, "\(APIWire.customers)/ben/claims", #"{"transactionId": "2"}"#)
        #expect(ben.status == .conflict)
        #expect(try shop.problem(ben).code.kind == .belongsToAnother)
        let unknown = try await backend(
            shop, .post, claims, #"{"transactionId": "1", "environment": "Production"}"#)
        #expect(try shop.problem(unknown).code.kind == .transactionNotFound)
    }

    @Test func `the routes of backends are closed to customers`() async throws {
        let shop = try TestShop()
        let anna = "\(APIWire.customers)/anna"
        for (method, target) in [
            (HTTPMethod.get, "\(APIWire.apps)/\(TestShop.bundleID)/unclaimed"),
            (.post, "\(anna)/claims"), (.delete, anna), (.get, "\(anna)/signals"),
        ] {
            let body = Data(#"{"transactionId": "1"}"#.utf8)
            let response = try await shop.send(method, target, body, as: "anna")
            #expect(response.status == .forbidden, "\(method) \(target)")
            #expect(try await shop.send(method, target, body, as: nil).status == .unauthorized)
        }
        for query in ["limit=0", "limit=x", "limit=201", "after=nothing", "after=%zz"] {
            let target = "\(APIWire.apps)/\(TestShop.bundleID)/unclaimed?\(query)"
            #expect(try await backend(shop, .get, target).status == .badRequest, "\(query)")
        }
        let other = try await backend(shop, .get, "\(APIWire.apps)/com.example.other/unclaimed")
        #expect(try shop.problem(other).code.kind == .unknownApp)
    }
}
