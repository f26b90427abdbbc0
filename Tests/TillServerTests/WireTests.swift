import AppStoreModel
import AppStoreTrust
import Foundation
import Testing
import TillAPI

@testable import TillServer

/// The wire's documents, byte for byte, and what is refused at its edge.
@Suite struct WireTests {
    private func json(_ value: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(value), as: UTF8.self)
    }

    private func decode<Value: Decodable>(_ type: Value.Type, _ text: String) throws -> Value {
        try JSONDecoder().decode(type, from: Data(text.utf8))
    }

    private let id = "0a5c0d7e-2f0b-4c61-9f0e-6d8c1f4f4c11"

    @Test func `an order is written as the design says`() throws {
        let order = OrderDocument(
            orderID: try #require(UUID(uuidString: id.uppercased())), status: .open,
            productID: "com.example.coins600", quantity: 1,
            expiresAt: Timestamp(milliseconds: 1_796_000_000_000))
        let text = try json(order)
        #expect(
            text
                == #"{"expiresAt":1796000000000,"orderId":"\#(id)","productId":"com.example.coins600","quantity":1,"status":"open"}"#
        )
        #expect(try decode(OrderDocument.self, text) == order)
    }

    @Test func `a purchase request comes back as it went`() throws {
        let request = PurchaseRequest(
            bundleID: "com.example.app", receipt: "AAAA", signedTransactions: ["a.b.c"],
            orderID: UUID(uuidString: id), transactionIDs: ["1", "2"],
            isRestore: true,
            track: ["a": .text("x"), "b": .integer(7), "c": .number(0.5), "d": .flag(true)])
        #expect(try decode(PurchaseRequest.self, try json(request)) == request)
        #expect(try json(PurchaseRequest()) == "{}")
    }

    @Test(arguments: [
        #"{"orderId": "17"}"#, #"{"orderId": "\#(String(repeating: "0", count: 36))"}"#,
        #"{"transactionIds": [""]}"#, #"{"transactionIds": ["a\u0001"]}"#,
        #"{"restore": "yes"}"#, #"{"receipt": 7}"#, #"{"signedTransactions": "a.b.c"}"#,
        #"{"track": {"a": null}}"#, #"{"track": {"a": [1]}}"#, #"{"bundleId": ""}"#,
    ])
    func `a purchase request with one wrong field is refused`(text: String) {
        #expect(throws: DecodingError.self) { try decode(PurchaseRequest.self, text) }
    }

    @Test func `the limits of a purchase request are where they are said to be`() throws {
        func request(_ count: Int) -> String {
            #"{"signedTransactions": ["#
                + Array(repeating: "\"a\"", count: count).joined(separator: ",") + "]}"
        }
        #expect(try decode(PurchaseRequest.self, request(256)).signedTransactions.count == 256)
        #expect(throws: DecodingError.self) { try decode(PurchaseRequest.self, request(257)) }
        let long = String(repeating: "x", count: 1_024)
        #expect(throws: Never.self) {
            try decode(PurchaseRequest.self, #"{"track":{"a":"\#(long)"}}"#)
        }
        #expect(throws: DecodingError.self) {
            try decode(PurchaseRequest.self, #"{"track":{"a":"\#(long)x"}}"#)
        }
    }

    @Test(arguments: [0, 11, -1])
    func `an order outside one to ten units is refused`(quantity: Int) {
        #expect(throws: DecodingError.self) {
            try decode(TillAPI.OrderRequest.self, #"{"productId": "p", "quantity": \#(quantity)}"#)
        }
    }

    @Test func `an order of one to ten units is taken, one when nothing is said`() throws {
        #expect(try decode(TillAPI.OrderRequest.self, #"{"productId": "p"}"#).quantity == 1)
        #expect(
            try decode(TillAPI.OrderRequest.self, #"{"productId": "p", "quantity": 10}"#).quantity
                == 10)
    }

    @Test func `words that this version does not know survive`() throws {
        let text =
            #"{"code":"futureProblem","finish":false,"retryable":true,"status":418,"title":"T","type":"t"}"#
        let problem = try decode(ProblemDocument.self, text)
        #expect(problem.code.kind == nil)
        #expect(try json(problem) == text)
        #expect(try decode(TillAPI.TransactionOutcome.self, #""parked""#).rawValue == "parked")
    }

    @Test func `a problem is written as RFC 9457 and the design say`() throws {
        let problem = ProblemDocument(.wrongSignature, detail: "d", requestID: "r")
        #expect(
            try json(problem)
                == #"{"code":"wrongSignature","detail":"d","finish":true,"requestId":"r","retryable":false,"status":422,"title":"The content was changed after signing","type":"urn:till:problem:wrongSignature"}"#
        )
    }

    @Test func `every refusal of the verifier is in the table of problems, at 422`() {
        for reason in AppStoreTrust.Refusal.Reason.allCases {
            let kind = ProblemKind(rawValue: reason.rawValue)
            #expect(kind?.facts.status == 422, "\(reason)")
            #expect(kind?.facts.isRetryable == reason.isRetryable, "\(reason)")
            #expect(kind.map(ProblemKind.proofRefusals.contains) == true, "\(reason)")
        }
    }

    @Test func `what can be mended is never let go of`() {
        for kind in ProblemKind.allCases where kind.facts.mayFinish {
            #expect(!kind.facts.isRetryable, "\(kind)")
            #expect(kind.facts.status == 422, "\(kind)")
        }
    }

    @Test func `the documentation lists every problem as the table has it`() throws {
        let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
            .appendingPathComponent("docs/server.md")
        let text = try String(contentsOf: file, encoding: .utf8)
        for kind in ProblemKind.allCases {
            let facts = kind.facts
            let row =
                "| `\(kind.rawValue)` | \(facts.status) | \(facts.title) | \(facts.help) | "
                + "\(facts.isRetryable ? "yes" : "") | \(facts.mayFinish ? "yes" : "") |"
            #expect(text.contains(row), "docs/server.md lacks: \(row)")
        }
    }
}
