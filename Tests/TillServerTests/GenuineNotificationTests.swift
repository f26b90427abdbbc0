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

/// Apple's own notifications through the route of a server that believes Apple alone.
@Suite(.enabled(if: AppleSamples.areThere, Comment(rawValue: AppleSamples.comment)))
struct GenuineNotificationTests {
    private static let key = "sk_genuine"

    /// A server for the apps of the samples.
    private struct Server {
        let service: TillService
        let store: any LedgerStore

        init(environments: String = #"["Sandbox"]"#, more: String = "") throws {
            let products = [
                "com.audaos.audarecorder": ["com.audaos.audarecorder.vip.m2"],
                "com.Abilities": ["p"],
                "Com.VoiceRecording.Telephone": ["Com.VoiceRecording.Telephone.103"],
                "com.twigano.fashion": ["month_premium", "year_premium"],
            ]
            let apps = products.sorted { $0.key < $1.key }.map { bundle, products in
                let catalog = products.map {
                    #""\#($0)": {"type": "autoRenewable", "credits": {"c": 1}, "entitlements": ["\#($0)"]}"#
                }
                return """
                    {"bundleId": "\(bundle)", "environments": \(environments)\(more),
                     "sharedSecret": "hush", "products": {\(catalog.joined(separator: ","))}}
                    """
            }
            let configuration = try ServerConfiguration.read(
                Data(
                    """
                    {"listen": "127.0.0.1:0", "database": "sqlite:x", "secretKeys": ["\(key)"],
                     "apps": [\(apps.joined(separator: ","))]}
                    """.utf8), folder: "/", environment: [:])
            store = MemoryLedgerStore()
            let ids = IDSource()
            service = try TillService(
                configuration: configuration,
                ledger: Ledger(
                    store: store, catalog: configuration.catalog, newOrderID: { ids.next() }),
                clock: { Timestamp(seconds: 1_790_000_000) })
        }

        func post(_ path: String, _ body: Data, as customer: String? = nil) async -> HTTPResponse {
            var request = HTTPRequest(method: .post, target: path, body: body)
            if let customer {
                request.fields["Authorization"] = "Bearer \(key)"
                request.fields[APIWire.customerField] = customer
            }
            return await service.router.respond(to: request)
        }

        func export() async throws -> String {
            try await service.ledger.export(at: Timestamp(milliseconds: 1_646_387_100_000))
        }
    }

    /// Something that reaches the server.
    private enum Event: CaseIterable {
        case renewed, test, earlyUpload, telephoneUpload, hint, receipt

        func reach(_ server: Server) async throws {
            let encoder = JSONEncoder()
            func signed(_ name: String) throws -> String {
                try AppleSamples.text("jws/jws_apple_2022_\(name).jws")
            }
            func notify(_ name: String, _ app: String) async throws {
                let body = try encoder.encode(["signedPayload": try signed(name)])
                let response = await server.post("/v1/apps/\(app)/notifications", body)
                #expect(response.status == .ok)
            }
            func upload(_ request: PurchaseRequest, by customer: String) async throws {
                let response = await server.post(
                    APIWire.purchases, try encoder.encode(request), as: customer)
                #expect(response.status == .ok)
            }
            switch self {
            case .renewed: try await notify("DID_RENEW_early", "com.audaos.audarecorder")
            case .test: try await notify("TEST_abilities", "com.Abilities")
            case .earlyUpload:
                try await upload(
                    PurchaseRequest(signedTransactions: [try signed("txn_early")]), by: "anna")
            case .telephoneUpload:
                try await upload(
                    PurchaseRequest(signedTransactions: [try signed("txn_origAfterPurchase")]),
                    by: "ben")
            case .receipt:
                let text = try AppleSamples.text("receipts/rcpt_sandbox_2020_subs_42.b64")
                try await upload(PurchaseRequest(receipt: text), by: "cleo")
            case .hint:
                let file = try AppleSamples.bytes("notifications-v1/v1_imdhemy_2020_54.json")
                var body = try JSONDecoder().decode([String: JSONValue].self, from: Data(file))
                body["password"] = "hush"
                let response = await server.post(
                    "/v1/apps/com.twigano.fashion/notifications", try encoder.encode(body))
                #expect(response.status == .ok)
            }
        }
    }

    @Test(arguments: 0...6 as ClosedRange<UInt64>)
    func `genuine statements end in the same ledger in whatever order they come`(
        seed: UInt64
    ) async throws {
        let straight = try Server()
        for event in Event.allCases { try await event.reach(straight) }
        let server = try Server()
        var random = SeededRandom(seed: seed)
        let shuffled =
            seed == 0
            ? Event.allCases.reversed()
            : (Event.allCases + Event.allCases).shuffled(using: &random)
        for event in shuffled { try await event.reach(server) }
        let export = try await server.export()
        #expect(export == (try await straight.export()))
        #expect(try await server.service.ledger.rebuild().discrepancies == [])
        // As the truth has it: a period that was signed eight seconds before it begins.
        for line in [
            "purchase period/2000000000842607/2000000000302832/1646387016",
            "active com.audaos.audarecorder.vip.m2 2000000004047119 until 1646387196000",
            "renews true", "holder anna",
            "notification 5e09dcfc-205e-4ea1-9883-96676f394992 TEST - 1662122492884 - -",
            "notification 469bf30e-7715-4f9f-aae3-a7bfc12aea77 DID_RENEW - 1646387008254 "
                + "2000000000842607 2000000004047119",
            "entitlement ben Com.VoiceRecording.Telephone.103 active until 1666615993000",
            "subscription 1000000723811158",
        ] {
            #expect(export.contains(line), "\(line)")
        }
        #expect(!export.contains("holder nobody"))
    }

    /// N07: the sandbox at the address of an app that takes production alone.
    @Test func `the sandbox of an app that takes production alone is noted and touches nothing`()
        async throws
    {
        let server = try Server(environments: #"["Production"]"#, more: #", "appAppleId": 1"#)
        let body = try JSONEncoder().encode([
            "signedPayload": try AppleSamples.text("jws/jws_apple_2022_DID_RENEW_early.jws")
        ])
        for isRepeated in [false, true] {
            let response = await server.post(
                "/v1/apps/com.audaos.audarecorder/notifications", body)
            #expect(response.status == .ok)
            let answer = try JSONDecoder().decode(NotificationResponse.self, from: response.body)
            #expect(answer.effect == "environmentNotAdmitted" && answer.isRepeated == isRepeated)
        }
        let export = try await server.export()
        #expect(export.contains("book com.audaos.audarecorder/Sandbox"))
        #expect(!export.contains("Production") && !export.contains("    stands"))
        #expect(export.contains("    holder nobody") && !export.contains("wallet"))
    }

    @Test(arguments: ["jws_BAD_chain_compromised", "jws_appletestca_testNotification"])
    func `a notification that Apple did not sign is refused`(name: String) async throws {
        let server = try Server()
        let body = try JSONEncoder().encode([
            "signedPayload": try AppleSamples.text("jws/\(name).jws")
        ])
        let response = await server.post("/v1/apps/com.Abilities/notifications", body)
        #expect(response.status.rawValue == 422)
        #expect(try await server.export() == "")
    }

    @Test func `another app's genuine notification is refused at this one's address`()
        async throws
    {
        let server = try Server()
        let body = try JSONEncoder().encode([
            "signedPayload": try AppleSamples.text("jws/jws_apple_2022_TEST_abilities.jws")
        ])
        let response = await server.post("/v1/apps/com.twigano.fashion/notifications", body)
        let problem = try JSONDecoder().decode(ProblemDocument.self, from: response.body)
        #expect(response.status.rawValue == 422 && problem.code.kind == .wrongApp)
    }
}
