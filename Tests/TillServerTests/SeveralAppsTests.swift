import AppStoreModel
import Foundation
import HTTPMessage
import HTTPServer
import LedgerMemory
import Testing
import TillAPI
import TillLedger

@testable import TillServer

/// One customer of two apps: what was bought in one opens nothing in the other.
@Suite struct SeveralAppsTests {
    private static let apps = ["com.example.app", "com.example.two"]
    private let router: Router

    init() throws {
        let folder = try TemporaryFolder()
        try TestAuthority.shared.writeRoots(to: folder)
        let apps = Self.apps.map { app in
            """
            {"bundleId": "\(app)", "environments": ["Sandbox"], "publishableKeys": ["pk-\(app)"],
             "trustedRoots": ["receipts.der", "values.der"], "products": {
               "coins": {"type": "consumable", "credits": {"coins": 600}},
               "pro": {"type": "nonConsumable", "entitlements": ["pro"]}}}
            """
        }
        let configuration = try ServerConfiguration.read(
            Data(
                """
                {"listen": "127.0.0.1:0", "database": "sqlite:x", "secretKeys": ["sk_test"],
                 "apps": [\(apps.joined(separator: ","))]}
                """.utf8), folder: folder.path, environment: [:])
        let ids = IDSource()
        let ledger = Ledger(
            store: MemoryLedgerStore(), catalog: configuration.catalog, newOrderID: { ids.next() })
        router = try TillService(
            configuration: configuration, ledger: ledger, clock: { TestClock.start }
        ).router
    }

    private func send(
        _ method: HTTPMethod, _ target: String, _ body: Data = Data(), key app: String? = nil
    ) async -> HTTPResponse {
        var fields = HTTPFields(["Authorization": "Bearer sk_test", APIWire.customerField: "anna"])
        fields[APIWire.publishableKeyField] = app.map { "pk-\($0)" }
        return await router.respond(
            to: HTTPRequest(method: method, target: target, fields: fields, body: body))
    }

    private func buy(_ id: TransactionID, _ product: ProductID, in app: String) async throws
        -> PurchaseResponse
    {
        let signed = try TestAuthority.shared.sign(
            TestShop.transaction(id, product) { $0.bundleID = BundleID(app) })
        let request = PurchaseRequest(bundleID: BundleID(app), signedTransactions: [signed])
        let response = await send(.post, APIWire.purchases, try JSONEncoder().encode(request))
        return try JSONDecoder().decode(PurchaseResponse.self, from: response.body)
    }

    private func customer(_ query: String = "", key: String? = nil) async throws -> CustomerDocument
    {
        let response = await send(.get, "\(APIWire.customers)/anna\(query)", key: key)
        return try JSONDecoder().decode(CustomerDocument.self, from: response.body)
    }

    @Test func `an answer that names an app tells of that app alone`() async throws {
        _ = try await buy("1", "pro", in: Self.apps[0])
        _ = try await buy("2", "coins", in: Self.apps[0])
        let other = try await buy("3", "coins", in: Self.apps[1])
        #expect(other.customer.balances == ["coins": 600])
        #expect(other.customer.entitlements.isEmpty)
        #expect(other.customer.transactions.map(\.transactionID) == ["3"])
        for (query, key) in [("?bundleId=\(Self.apps[1])", nil), ("", Self.apps[1])] {
            let one = try await customer(query, key: key)
            #expect(one.balances == ["coins": 600])
            #expect(one.entitlements.isEmpty)
        }
        let first = try await customer("?bundleId=\(Self.apps[0])", key: Self.apps[1])
        #expect(first.entitlements.map(\.entitlement) == ["pro"])
        // Who names none hears of all, each entitlement with its app.
        let all = try await customer()
        #expect(all.transactions.count == 3)
        #expect(all.entitlements.map(\.bundleID) == [BundleID(Self.apps[0])])
    }

    @Test func `an app that is not served is told of to nobody`() async throws {
        let response = await send(.get, "\(APIWire.customers)/anna?bundleId=com.example.other")
        #expect(response.status == .unprocessableContent)
        let unreadable = await send(.get, "\(APIWire.customers)/anna?bundleId=%ZZ")
        #expect(unreadable.status == .badRequest)
    }
}
