import AppStoreModel
import Foundation
import HTTPMessage
import SignedDataCoding
import TestKit
import Testing
import TillAPI

@testable import TillServer

/// What strangers and broken clients send.
@Suite struct RequestTests {
    @Test(arguments: [
        ("", ProblemKind.malformedJSON), ("{", .malformedJSON), ("[]", .malformedJSON),
        ("null", .malformedJSON), (#"{"receipt":"a","receipt":"b"}"#, .malformedJSON),
        (#"{"receipt":"a\u0000"}"#, .malformedJSON), (#"{"receipt":"\ud800"}"#, .malformedJSON),
        (#"{"receipt":"a"} {"receipt":"a"}"#, .malformedJSON),
        (#"{"receipt":17}"#, .invalidRequest), (#"{"signedTransactions":[1]}"#, .invalidRequest),
        (#"{"signedTransactions":{}}"#, .invalidRequest), (#"{"orderId":"x"}"#, .invalidRequest),
        (#"{"transactionIds":[[]]}"#, .invalidRequest), (#"{"track":[]}"#, .invalidRequest),
        (#"{"restore":1e400,"receipt":"a"}"#, .invalidRequest),
        ("{}", .proofMissing), (#"{"signedTransactions":[]}"#, .proofMissing),
        (#"{"receipt":null}"#, .proofMissing),
        (#"{"bundleId":"com.other","receipt":"a"}"#, .unknownApp),
        (#"{"receipt":""}"#, .unreadable), (#"{"receipt":"hello"}"#, .unreadable),
        (#"{"receipt":"null"}"#, .unreadable), (#"{"signedTransactions":["a.b.c"]}"#, .unreadable),
        (#"{"signedTransactions":["2000000000000001"]}"#, .wrongKind),
    ])
    func `a broken request is answered by its name`(body: String, kind: ProblemKind) async throws {
        let shop = try TestShop()
        let response = try await shop.send(
            .post, APIWire.purchases, Data(body.utf8), as: "anna")
        let problem = try shop.problem(response)
        #expect(problem.code.kind == kind, "\(problem)")
        #expect(response.status.rawValue == kind.facts.status)
        #expect(!problem.mayFinish)
        #expect(problem.requestID == "test")
    }

    @Test func `deep nesting, other encodings and broken UTF-8 are refused`() async throws {
        let shop = try TestShop()
        let deep = #"{"track":"# + String(repeating: "[", count: 50_000)
        let bodies: [Data] = [
            Data(deep.utf8), Data([0xFF, 0xFE, 0x7B, 0x00, 0x7D, 0x00]),
            Data(Array(#"{"receipt":""#.utf8) + [0xC0, 0x80] + Array("\"}".utf8)),
        ]
        for body in bodies {
            let response = try await shop.send(.post, APIWire.purchases, body, as: "anna")
            #expect(try shop.problem(response).code.kind == .malformedJSON)
        }
    }

    @Test func `a body over the limit is refused, one under it is read`() async throws {
        let shop = try TestShop()
        func size(_ count: Int) -> Data {
            Data((#"{"receipt":""# + String(repeating: "A", count: count - 14) + "\"}").utf8)
        }
        let limit = APILimits.proofBodyBytes
        let response = try await shop.send(.post, APIWire.purchases, size(limit), as: "anna")
        #expect(response.status == .unprocessableContent)
        let over = try await shop.send(.post, APIWire.purchases, size(limit + 1), as: "anna")
        #expect(try shop.problem(over).code.kind == .contentTooLarge)
    }

    @Test func `a receipt of seven hundred purchases passes in one request`() async throws {
        let shop = try TestShop()
        let purchases = (1...700).map { (TransactionID("\($0)"), TestShop.coins) }
        let text = try shop.receipt(purchases)
        try #require(text.utf8.count > 150_000)
        let answer = try await shop.purchase(PurchaseRequest(receipt: text), by: "anna")
        #expect(answer.results.count { $0.outcome == .granted } == 700)
        #expect(answer.customer.balances == ["coins": 600 * 700])
    }

    @Test func `good proofs count beside bad ones, and the bad ones are named`() async throws {
        let shop = try TestShop()
        let request = PurchaseRequest(
            receipt: "rubbish",
            signedTransactions: [
                try shop.signed("1"), try TestAuthority.stranger.sign(TestShop.transaction("2")),
            ])
        let answer = try await shop.purchase(request, by: "anna")
        #expect(answer.results.map(\.transactionID) == ["1"])
        let refused = try #require(answer.refusedProofs)
        #expect(refused.map(\.proof) == ["receipt", "signedTransactions[1]"])
        #expect(refused.map(\.code.kind) == [.unreadable, .untrustedRoot])
        #expect(refused.map(\.mayFinish) == [false, true])
    }

    @Test func `bad proofs alone are one problem that lets go only if all may`() async throws {
        let shop = try TestShop()
        let forged = try TestAuthority.stranger.sign(TestShop.transaction("2"))
        let mixed = try await shop.refusal(
            PurchaseRequest(signedTransactions: [forged, "rubbish"]), by: "anna")
        #expect(mixed.code.kind == .untrustedRoot)
        #expect(!mixed.mayFinish)
        #expect(mixed.refusedProofs?.count == 2)
        let alone = try await shop.refusal(
            PurchaseRequest(signedTransactions: [forged, forged]), by: "anna")
        #expect(alone.mayFinish)
    }

    @Test func `a wrong caller hears nothing but that`() async throws {
        let shop = try TestShop()
        let anna = "\(APIWire.customers)/anna"
        let nobody = try await shop.send(.get, anna, as: nil)
        #expect(nobody.status == .unauthorized)
        #expect(nobody.fields["WWW-Authenticate"] == "Bearer")
        try await shop.purchase(
            PurchaseRequest(signedTransactions: [try shop.signed("1")]), by: "anna")
        let known = try await shop.send(.get, anna, as: "ben")
        let unknown = try await shop.send(.get, "\(APIWire.customers)/zoe", as: "ben")
        #expect(known.status == .forbidden)
        #expect(known.body == unknown.body)
        let key: KeyValuePairs = ["Authorization": "Bearer \(TestShop.secretKey)"]
        #expect(try await shop.send(.get, anna, as: nil, fields: key).status == .ok)
        let purchase = try await shop.send(
            .post, APIWire.purchases, Data("{}".utf8), as: nil, fields: key)
        #expect(try shop.problem(purchase).code.kind == .customerRequired)
    }

    @Test func `no key, token or proof reaches the log`() async throws {
        let shop = try TestShop()
        let proof = try shop.signed("1")
        try await shop.purchase(PurchaseRequest(signedTransactions: [proof]), by: "anna")
        _ = try await shop.refusal(
            PurchaseRequest(signedTransactions: [proof + "x", "rubbish"]), by: "anna")
        let token = try shop.token("anna")
        #expect(shop.logged.contains { $0.contains(#""event":"request""#) })
        #expect(shop.logged.contains { $0.contains(#""event":"proofRefused""#) })
        for line in shop.logged {
            for secret in [
                TestShop.secretKey, TestShop.tokenSecret, token, String(proof.prefix(60)),
            ] {
                #expect(!line.contains(secret))
            }
            #expect(throws: Never.self) {
                try JSONDecoder().decode(JSONValue.self, from: Data(line.utf8))
            }
        }
    }

    @Test(arguments: [UInt64(1), 2, 3])
    func `no mutation of a request is answered by a crash or a 500`(seed: UInt64) async throws {
        let shop = try TestShop()
        var random = SeededRandom(seed: seed)
        let bodies = [
            try JSONEncoder().encode(
                PurchaseRequest(
                    receipt: try shop.receipt([("1", TestShop.coins)]), orderID: UUID(),
                    transactionIDs: ["1"], isRestore: true, track: ["a": .integer(1)])),
            try JSONEncoder().encode(
                PurchaseRequest(signedTransactions: [try shop.signed("2"), try shop.signed("3")])),
            Data(#"{"receipt-data":"\#(try shop.receipt([("4", TestShop.pro)]))"}"#.utf8),
            Data(
                #"{"bundleId":"com.example.app","productId":"com.example.pro","quantity":1}"#.utf8),
        ]
        let targets = [APIWire.purchases, APIWire.orders, "/verifyReceipt"]
        let allowed: Set<Int> = [200, 201, 400, 413, 422]
        for round in 0..<700 {
            let original = try #require(bodies.randomElement(using: &random))
            let body = Data(random.mutate([UInt8](original)))
            let target = try #require(targets.randomElement(using: &random))
            let response = try await shop.send(.post, target, body, as: "anna")
            #expect(
                allowed.contains(response.status.rawValue),
                "seed \(seed), round \(round), \(target): \(response.status.rawValue)")
        }
    }
}
