import AppStoreModel
import AppStoreSigning
import CryptoPrimitives
import Foundation
import HTTPFetch
import HTTPMessage
import HTTPServer
import LedgerMemory
import StoreWire
import Synchronization
import TestKit
import Testing
import TillAPI
import TillLedger
import TillServer

@testable import LocalAppStore

/// One Till: a ledger in memory behind the routes of the server, by a clock that the test sets.
final class LifeTill: Sendable {
    /// The order that a customer opened before the purchase; the same in every Till.
    let order: TillLedger.OrderID
    let ledger: Ledger
    let router: Router

    init(root: SigningAuthority, folder: URL, start: Timestamp) async throws {
        let file = folder.appendingPathComponent("till.json")
        try Data(root.root.der).write(to: folder.appendingPathComponent("root.der"))
        try Data(Self.configuration.utf8).write(to: file)
        let configuration = try ServerConfiguration.read(
            contentsOf: file.path, environment: [:])
        guard
            let id = TillLedger.OrderID(
                randomBytes: [UInt8](repeating: 7, count: 10), at: Timestamp(milliseconds: 0))
        else {
            preconditionFailure("sixteen bytes make an order id")
        }
        order = id
        ledger = Ledger(store: MemoryLedgerStore(), catalog: configuration.catalog) { id }
        router = try TillService(
            configuration: configuration, ledger: ledger, clock: { start }
        ).router
        let alice = try #require(CustomerID(rawValue: "alice"))
        let request = TillLedger.OrderRequest(
            bundleID: "com.example.app", customer: alice, productID: "com.example.pro.monthly")
        _ = try await ledger.openOrder(request, now: start)
    }

    /// Takes the body of a notification.
    func take(_ body: String) async -> Int {
        let request = HTTPRequest(
            method: .post, target: "/v1/apps/com.example.app/notifications",
            body: Data(body.utf8))
        return await router.respond(to: request).status.rawValue
    }

    /// Takes a signed transaction from a customer's app.
    func upload(_ signed: String, by customer: String) async throws -> Int {
        let request = HTTPRequest(
            method: .post, target: APIWire.purchases,
            fields: ["Authorization": "Bearer dev:\(customer)"],
            body: try JSONEncoder().encode(PurchaseRequest(signedTransactions: [signed])))
        return await router.respond(to: request).status.rawValue
    }

    /// A customer's subscription, as the ledger sees it at a moment.
    func subscription(
        _ original: TransactionID, of customer: String, at now: Timestamp
    ) async throws -> SubscriptionState? {
        let id = try #require(CustomerID(rawValue: customer))
        return try await ledger.customer(id, now: now).subscriptions
            .first { $0.originalID == original }
    }

    private static let configuration = """
        {
          "listen": "127.0.0.1:0", "database": "memory:", "development": true,
          "log": {"requests": false},
          "apps": [{
            "bundleId": "com.example.app", "environments": ["Sandbox"],
            "trustedRoots": ["root.der"],
            "products": {
              "com.example.lifetime": {"type": "nonConsumable", "entitlements": ["forever"]},
              "com.example.basic.weekly": {"type": "autoRenewable", "entitlements": ["basic"]},
              "com.example.basic.monthly": {"type": "autoRenewable", "entitlements": ["basic"]},
              "com.example.pro.monthly": {"type": "autoRenewable", "entitlements": ["pro"]},
              "com.example.pro.yearly": {"type": "autoRenewable", "entitlements": ["pro"]}
            }
          }]
        }
        """
}

/// A store at whose address for notifications a Till listens, and a person at the controls.
final class LifeWorld: Sendable {
    private static let authority = Result { try SigningAuthority.make() }
    /// 2026-01-01T00:00:00Z.
    static let start = Timestamp(seconds: 1_767_225_600)

    let store: LocalStore
    /// The Till that hears of everything as it happens, over HTTP.
    let till: LifeTill
    private let listener: HTTPListener
    private let folder: URL
    private let claims = Mutex<[(signed: String, customer: String)]>([])

    init() async throws {
        let authority = try Self.authority.get()
        folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("till-life-\(UUID().uuidString)", isDirectory: true)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        till = try await LifeTill(root: authority, folder: folder, start: Self.start)
        listener = try HTTPListener(
            HTTPListenerConfiguration(host: "127.0.0.1", port: 0, threads: 1), router: till.router)
        store = try LocalStore(
            LocalStoreConfiguration(
                seed: 7, start: Self.start, rate: 0,
                notificationURL:
                    "http://127.0.0.1:\(listener.port)/v1/apps/com.example.app/notifications"),
            signer: AuthoritySigner(authority), fetcher: CurlFetcher(), wall: { Self.start })
        _ = try await store.changeEnvironment(
            .sandbox, EnvironmentChange(renewalRate: "realTime"))
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    func close() async { await listener.stop() }

    /// Another Till with the same order and nothing heard yet but what the apps claimed.
    func anotherTill() async throws -> LifeTill {
        let till = try await LifeTill(
            root: try Self.authority.get(), folder: folder, start: Self.start)
        for claim in claims.withLock({ $0 }) {
            #expect(try await till.upload(claim.signed, by: claim.customer) == 200)
        }
        return till
    }

    // MARK: The person at the controls

    var now: Timestamp { get async { await store.state.now } }

    func pass(days: Int64 = 0, minutes: Int64 = 0) async throws {
        _ = try await store.moveClock(
            ClockChange(advanceMilliseconds: days * 86_400_000 + minutes * 60_000))
    }

    func buy(
        _ product: ProductID, as account: AccountID? = nil
    ) async throws -> ControlBuyResponse {
        let bought = try await store.buy(
            ControlBuyRequest(
                productID: product, accountID: account, environment: .sandbox,
                appAccountToken: AppAccountToken(till.order.rawValue)))
        await store.settle()
        return bought
    }

    func act(
        _ action: SubscriptionActionKind, on id: TransactionID,
        _ fill: (inout SubscriptionAction) -> Void = { _ in }
    ) async throws {
        try await pass(minutes: 1)
        var wanted = SubscriptionAction(action: action)
        fill(&wanted)
        _ = try await store.act(on: id, wanted)
        await store.settle()
    }

    func act(
        _ action: TransactionActionKind, on id: TransactionID, reason: String? = nil
    ) async throws {
        try await pass(minutes: 1)
        var wanted = TransactionAction(action: action)
        wanted.requestReason = reason
        _ = try await store.act(on: id, wanted)
        await store.settle()
    }

    /// The current transaction of a subscription.
    func current(_ original: TransactionID) async throws -> TransactionID {
        try #require(await store.state.currentTransaction(original)).id
    }

    /// A customer's app shows the store's transactions of an account, which makes them the customer's.
    func claim(of account: AccountID, as customer: String) async throws {
        for signed in try await transactions(of: account) {
            claims.withLock { $0.append((signed, customer)) }
            #expect(try await till.upload(signed, by: customer) == 200)
        }
    }

    // MARK: What the store did

    /// Every body that was sent, in the order in which it arose.
    func bodies() async -> [String] { await store.state.notifications.rows.compactMap(\.body) }

    /// Every transaction of an account, signed now.
    func transactions(of account: AccountID) async throws -> [String] {
        let rows = try #require(await store.state.accounts[account]).transactions
        var signed: [String] = []
        for id in rows {
            let row = try #require(await store.state.transactions[id])
            signed.append(try await store.signed(await store.state.payload(row)))
        }
        return signed
    }
}
