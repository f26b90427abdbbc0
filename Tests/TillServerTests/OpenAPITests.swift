import AppStoreModel
import Foundation
import HTTPMessage
import HTTPServer
import Testing
import TillAPI
import TillLedger

@testable import TillServer

/// `/openapi.json` against what the server does.
@Suite struct OpenAPITests {
    private func document(_ shop: TestShop) async throws -> JSONValue {
        let response = try await shop.send(.get, "/openapi.json", as: nil)
        #expect(response.status == .ok)
        return try JSONDecoder().decode(JSONValue.self, from: response.body)
    }

    @Test func `every route is described, with the problems that it can meet`() async throws {
        let document = try await document(try TestShop())
        for endpoint in Endpoint.allCases {
            let path = endpoint.pattern.replacing(/:(\w+)/) { "{\($0.1)}" }
            let operation = try #require(
                document["paths"]?[path]?[endpoint.method.rawValue.lowercased()], "\(path)")
            #expect(operation["operationId"] == .string(endpoint.rawValue))
            for kind in endpoint.problems {
                let text = operation["responses"]?["\(kind.facts.status)"]?["description"]?.string
                #expect(text?.contains(kind.rawValue) == true, "\(endpoint) \(kind)")
            }
        }
    }

    @Test func `every reference leads to a schema`() async throws {
        let document = try await document(try TestShop())
        var references: [String] = []
        func collect(_ value: JSONValue) {
            switch value {
            case .object(let members):
                if let reference = members["$ref"]?.string { references.append(reference) }
                members.values.forEach(collect)
            case .array(let list): list.forEach(collect)
            default: break
            }
        }
        collect(document)
        #expect(!references.isEmpty)
        for reference in Set(references) {
            let name = reference.replacing("#/components/schemas/", with: "")
            #expect(document["components"]?["schemas"]?[name] != nil, "\(reference)")
        }
    }

    @Test func `answers have what their schemas ask for, and nothing that they do not know`()
        async throws
    {
        let shop = try TestShop()
        let schemas = try #require(try await document(shop)["components"]?["schemas"])
        let order = try await shop.openOrder(TestShop.coins, by: "anna")
        let proof = try shop.signed("1", order: order.orderID)
        let renewing = try shop.signed("2", TestShop.monthly, type: .autoRenewable) {
            $0.expiresDate = TestClock.start.advanced(byMilliseconds: 1_000)
        }
        let answer = try await shop.purchase(
            PurchaseRequest(
                signedTransactions: [proof, renewing, "x"], transactionIDs: ["1", "2", "3"]),
            by: "anna")
        try check(try encoded(answer), against: "PurchaseResponse", in: schemas)
        try check(
            try encoded(try await shop.order(order.orderID, by: "anna")), against: "Order",
            in: schemas)
        let problem = try await shop.refusal(
            PurchaseRequest(signedTransactions: ["x", "y"]), by: "anna")
        try check(try encoded(problem), against: "Problem", in: schemas)
    }

    @Test func `what is told of owners, signals and offers is as it is described`() async throws {
        let shop = try TestShop()
        let schemas = try #require(try await document(shop)["components"]?["schemas"])
        let trial = try shop.signed("1", TestShop.monthly, type: .autoRenewable) {
            $0.expiresDate = TestClock.start.advanced(byMilliseconds: 1_000)
            $0.offerType = .introductory
            $0.subscriptionGroupIdentifier = "21000001"
        }
        let request = PurchaseRequest(signedTransactions: [trial])
        try await shop.purchase(request, by: "anna")
        try await shop.purchase(request, by: "ben")
        let told = PurchaseRequest(signedTransactions: [try shop.signed("2")])
        _ = try await shop.service.ledger.record(
            PurchaseSubmission(customer: nil, proofs: shop.service.proofs.read(told).believed),
            now: shop.clock.now)
        let customer = "\(APIWire.customers)/ben"
        for (method, target, body, schema) in [
            (
                HTTPMethod.post, APIWire.purchaseOwner, try JSONEncoder().encode(request),
                "OwnerResponse"
            ),
            (.get, "\(customer)/signals", Data(), "Signals"),
            (.get, "\(APIWire.customers)/anna/offers", Data(), "Offers"),
            (
                .get, "\(APIWire.apps)/\(TestShop.bundleID)/unclaimed?limit=1", Data(),
                "Unclaimed"
            ),
        ] {
            var fields: HTTPFields = ["Authorization": "Bearer \(TestShop.secretKey)"]
            if method == .post { fields[APIWire.customerField] = "ben" }
            let response = await shop.router.respond(
                to: HTTPRequest(method: method, target: target, fields: fields, body: body))
            #expect(response.status == .ok, "\(target)")
            let answer = try JSONDecoder().decode(JSONValue.self, from: response.body)
            try check(answer, against: schema, in: schemas)
        }
    }

    private func encoded(_ value: some Encodable) throws -> JSONValue {
        try JSONDecoder().decode(JSONValue.self, from: JSONEncoder().encode(value))
    }

    private func check(
        _ value: JSONValue, against name: String, in schemas: JSONValue, at path: String = "$"
    ) throws {
        let schema = try #require(schemas[name], "\(name)")
        guard case .object(let members) = value,
            case .object(let properties)? = schema["properties"]
        else {
            Issue.record("\(path) is no \(name)")
            return
        }
        if case .array(let required)? = schema["required"] {
            for field in required.compactMap(\.string) {
                #expect(members[field] != nil, "\(path) lacks \(field)")
            }
        }
        for (field, member) in members {
            let property = try #require(properties[field], "\(path).\(field) is not described")
            let place = "\(path).\(field)"
            if let reference = property["$ref"]?.string {
                try check(member, against: last(reference), in: schemas, at: place)
            } else if let reference = property["items"]?["$ref"]?.string,
                case .array(let list) = member
            {
                for element in list {
                    try check(element, against: last(reference), in: schemas, at: place)
                }
            }
        }
    }

    private func last(_ reference: String) -> String {
        reference.split(separator: "/").last.map(String.init) ?? reference
    }
}
