import AppStoreModel
import Foundation
import HTTPMessage
import HTTPServer
import LedgerMemory
import TestKit
import Testing
import TillAPI
import TillLedger

@testable import TillServer

/// Apple's own proofs through the routes of a server that believes Apple alone.
@Suite(.enabled(if: AppleSamples.areThere, Comment(rawValue: AppleSamples.comment)))
struct GenuineTests {
    private static let key = "sk_genuine"

    /// A server for one app with these products, each giving a coin or a right.
    private func router(
        _ bundle: String, _ environments: String, products: [String], more: String = ""
    ) throws -> Router {
        let catalog = products.map {
            #""\#($0)": {"type": "autoRenewable", "entitlements": ["\#($0)"]}"#
        }
        let configuration = try ServerConfiguration.read(
            Data(
                """
                {"listen": "127.0.0.1:0", "database": "sqlite:x", "secretKeys": ["\(Self.key)"],
                 "apps": [{"bundleId": "\(bundle)", "environments": \(environments),
                   "products": {\(catalog.joined(separator: ","))}\(more)}]}
                """.utf8), folder: "/", environment: [:])
        let ids = IDSource()
        let ledger = Ledger(
            store: MemoryLedgerStore(), catalog: configuration.catalog,
            newOrderID: { ids.next() })
        return try TillService(
            configuration: configuration, ledger: ledger,
            clock: { Timestamp(seconds: 1_790_000_000) }
        ).router
    }

    private func post(_ router: Router, _ path: String, _ body: some Encodable) async throws -> Data
    {
        let request = HTTPRequest(
            method: .post, target: path,
            fields: ["Authorization": "Bearer \(Self.key)", APIWire.customerField: "anna"],
            body: try JSONEncoder().encode(body))
        return await router.respond(to: request).body
    }

    private func buy(
        _ router: Router, _ receipt: String
    ) async throws -> (response: PurchaseResponse?, problem: ProblemDocument?) {
        let body = try await post(router, APIWire.purchases, PurchaseRequest(receipt: receipt))
        return (
            try? JSONDecoder().decode(PurchaseResponse.self, from: body),
            try? JSONDecoder().decode(ProblemDocument.self, from: body)
        )
    }

    @Test func `a receipt of 105 KB with 187 purchases is granted whole, once`() async throws {
        let router = try router(
            "com.nutcall.alert", #"["Sandbox"]"#,
            products: ["lite", "optimum", "pro"].map { "com.nutcallalert.inapp.\($0)" })
        let receipt = try AppleSamples.text("receipts/rcpt_sandbox_2020_HUGE_187.b64")
        let first = try await buy(router, receipt)
        let outcomes = try #require(first.response, "\(String(describing: first.problem))").results
        #expect(outcomes.count == 187)
        #expect(outcomes.count { $0.outcome == .granted } == 187)
        let second = try await buy(router, receipt)
        #expect(second.response?.results.count { $0.outcome == .alreadyGranted } == 187)
    }

    @Test(arguments: [
        ("", TillAPI.TransactionOutcome.refused),
        (#", "otherEnvironments": "testers", "testers": ["ben"]"#, .refused),
        (#", "otherEnvironments": "testers", "testers": ["anna"]"#, .granted),
        (
            #", "otherEnvironments": "testers", "appReviewUntil": "2030-01-01T00:00:00Z""#,
            .granted
        ),
    ])
    func `a genuine sandbox receipt at a production app is recorded, and granted to testers alone`(
        rule: String, outcome: TillAPI.TransactionOutcome
    ) async throws {
        let router = try router(
            "com.nutcall.alert", #"["Production"]"#,
            products: ["lite", "optimum", "pro"].map { "com.nutcallalert.inapp.\($0)" },
            more: #", "appAppleId": 1"# + rule)
        let receipt = try AppleSamples.text("receipts/rcpt_sandbox_2020_HUGE_187.b64")
        let answer = try #require(try await buy(router, receipt).response)
        #expect(answer.results.count == 187)
        #expect(answer.results.allSatisfy { $0.outcome == outcome && $0.mayFinish })
        if outcome == .refused {
            #expect(answer.results.allSatisfy { $0.reason == "environmentNotAdmitted" })
            #expect(answer.customer.entitlements.isEmpty)
        } else {
            #expect(answer.customer.entitlements.allSatisfy { $0.environment == .sandbox })
        }
        #expect(!answer.customer.transactions.isEmpty)
    }

    @Test func `a genuine sandbox receipt at an app that refuses it is no record`() async throws {
        let router = try router(
            "com.nutcall.alert", #"["Production"]"#, products: ["p"],
            more: #", "appAppleId": 1, "otherEnvironments": "refuse""#)
        let receipt = try AppleSamples.text("receipts/rcpt_sandbox_2020_HUGE_187.b64")
        let answer = try await buy(router, receipt)
        #expect(answer.problem?.code.kind == .environmentNotAdmitted)
        #expect(answer.problem?.mayFinish == true)
    }

    @Test func `another app's genuine receipt gives nothing and is kept`() async throws {
        let router = try router("com.example.app", #"["Sandbox"]"#, products: ["p"])
        let receipt = try AppleSamples.text("receipts/rcpt_prod_2024_sha256_g5_subs4.b64")
        let answer = try await buy(router, receipt)
        #expect(answer.problem?.code.kind == .wrongApp)
        #expect(answer.problem?.mayFinish == false)
    }

    @Test func `a genuine receipt without purchases gives nothing`() async throws {
        let router = try router("com.mindnode.mindnodetouch", #"["Sandbox"]"#, products: ["p"])
        let answer = try await buy(
            router, try AppleSamples.text("receipts/rcpt_sandbox_2017_empty_1.b64"))
        #expect(answer.response?.results.isEmpty == true)
        #expect(answer.response?.customer.entitlements.isEmpty == true)
    }

    @Test(arguments: AppleSamples.names(in: "verifyreceipt"))
    func `an answer of verifyReceipt that a client relays is not believed`(name: String)
        async throws
    {
        let router = try router("com.example.app", #"["Sandbox"]"#, products: ["p"])
        let answer = try await buy(router, try AppleSamples.text("verifyreceipt/\(name)"))
        #expect(answer.response == nil)
        #expect(answer.problem?.status == 422)
    }

    @Test func `sandbox and production receipts are sent to their own addresses`() async throws {
        struct Ask: Encodable {
            let receipt: String
            enum CodingKeys: String, CodingKey { case receipt = "receipt-data" }
        }
        let router = try router(
            "com.revenuecat.sampleapp", #"["Production", "Sandbox"]"#, products: ["p"],
            more: #", "appAppleId": 1"#)
        func status(_ file: String, at path: String) async throws -> Int64? {
            let body = try await post(
                router, path, Ask(receipt: try AppleSamples.text("receipts/\(file)")))
            let answer: JSONValue = try JSONDecoder().decode(JSONValue.self, from: body)
            return answer["status"]?.integer
        }
        let sandbox = "rcpt_sandbox_2020_rc_9.b64"
        let production = "rcpt_prod_2024_sha256_g5_subs4.b64"
        #expect(try await status(sandbox, at: "/verifyReceipt") == 21_007)
        #expect(try await status(sandbox, at: "/sandbox/verifyReceipt") == 0)
        #expect(try await status(production, at: "/verifyReceipt") == 0)
        #expect(try await status(production, at: "/sandbox/verifyReceipt") == 21_008)
    }
}
