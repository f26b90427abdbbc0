import AppStoreModel
import AppStoreSigning
import CryptoPrimitives
import Foundation
import HTTPFetch
import HTTPMessage
import HTTPServer
import LedgerMemory
import StoreKit
import StoreWire
import Testing
import TillAPI
import TillLedger
import TillServer

@testable import LocalAppStore
@testable import Till

/// A store and a server that listen on sockets, and the app on a device, which can be killed.
final class Shop: Sendable {
    /// Made once, since its keys take a while.
    private static let authority = Result { try SigningAuthority.make() }

    static let coins: ProductID = "com.example.coins600"
    static let lifetime: ProductID = "com.example.lifetime"
    static let monthly: ProductID = "com.example.pro.monthly"

    let store: LocalStore
    let storeServer: StoreServer
    let listener: HTTPListener
    let folder: URL
    let storeNetwork = ScriptedNetwork()
    let serverNetwork = ScriptedNetwork()

    /// Opens a shop; `foreignKey` has the server sign offers with a key that the store does not know.
    init(foreignKey: Bool = false) async throws {
        let authority = try Self.authority.get()
        folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("till-shop-\(UUID().uuidString)", isDirectory: true)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        store = try LocalStore(
            LocalStoreConfiguration(seed: 7), signer: AuthoritySigner(authority),
            wall: { Timestamp(Date()) })
        storeServer = try await StoreServer(store)
        try Data(authority.root.der).write(to: folder.appendingPathComponent("root.der"))
        let key = try await store.information().apiKey
        try Data((foreignKey ? try PrivateKey.generate(.p256).pem : key.privateKey).utf8)
            .write(to: folder.appendingPathComponent("offers.p8"))
        try Data(PrivateKey.generate(.p256).pem.utf8)
            .write(to: folder.appendingPathComponent("signing.p8"))
        try Data(Self.serverConfiguration(key).utf8)
            .write(to: folder.appendingPathComponent("till.json"))
        let configuration = try ServerConfiguration.read(
            contentsOf: folder.appendingPathComponent("till.json").path, environment: [:])
        let ledger = Ledger(store: MemoryLedgerStore(), catalog: configuration.catalog) {
            guard
                let id = TillLedger.OrderID(
                    randomBytes: secureRandomBytes(10), at: Timestamp(milliseconds: 0))
            else {
                preconditionFailure("sixteen bytes make an order id")
            }
            return id
        }
        let service = try TillService(
            configuration: configuration, ledger: ledger, clock: { Timestamp(Date()) })
        listener = try HTTPListener(
            HTTPListenerConfiguration(host: "127.0.0.1", port: 0, threads: 2),
            router: service.router)
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    func close() async {
        LocalStoreLaunch.end()
        await listener.stop()
        try? await storeServer.stop()
    }

    private static func serverConfiguration(_ key: APIKeyInfo) -> String {
        """
        {
          "listen": "127.0.0.1:0", "database": "memory:", "development": true,
          "entitlementSigning": {"key": "file:signing.p8"},
          "apps": [{
            "bundleId": "com.example.app", "environments": ["Sandbox"],
            "trustedRoots": ["root.der"],
            "offers": {
              "keyId": "\(key.keyID)", "issuerId": "\(key.issuerID)",
              "privateKey": "file:offers.p8",
              "promotional": {"com.example.pro.monthly": ["pro.monthly.half", "no.such.offer"]}
            },
            "products": {
              "com.example.coins600": {"type": "consumable", "credits": {"coins": 600}},
              "com.example.lifetime": {"type": "nonConsumable", "entitlements": ["forever"]},
              "com.example.pro.monthly": {"type": "autoRenewable", "entitlements": ["pro"]}
            }
          }]
        }
        """
    }

    /// The next requests on this path do not arrive, as when the app is killed while it sends them.
    func loseAnswers(on path: String, times: Int = 1) {
        serverNetwork.plan(path, .lost, times: times)
    }

    /// Kills the app, if it runs, and launches it with one of the two StoreKits.
    ///
    /// Another `device` is another phone, another `account` another Apple account on it, and another `app`
    /// a new installation.
    func launch(
        _ choice: TillConfiguration.StoreKitChoice, as customer: String? = "alice",
        device: String = "device", account: String? = nil, app: String = "till",
        clock: any Timekeeping = SystemClock(),
        configure: (inout TillConfiguration) -> Void = { _ in }
    ) async throws -> Till {
        var connection = LocalStoreConnection(
            url: storeServer.url, fetcher: storeNetwork,
            folder: folder.appendingPathComponent(device, isDirectory: true))
        connection.bundleID = "com.example.app"
        connection.accountID = account
        LocalStoreLaunch.begin(connection)
        // As an app of Apple's would, once the store has said who may pay.
        _ = await StoreKit.Storefront.current
        var configuration = TillConfiguration(server: "http://127.0.0.1:\(listener.port)")
        configuration.bundleID = "com.example.app"
        configuration.storeKit = choice
        configuration.attemptsWhileAttended = 1
        configure(&configuration)
        let data = folder.appendingPathComponent(app).path
        let till = Till(
            configuration: configuration,
            surroundings: Surroundings(
                front: SystemStore.front(choice),
                desk: ServerDesk(
                    address: "http://127.0.0.1:\(listener.port)", publishableKey: nil,
                    fetcher: serverNetwork),
                disk: FileDisk(folder: data),
                secrets: Homes.system(service: "test", folder: data), clock: clock))
        await till.start()
        if let customer {
            try await till.login(customerToken: "dev:\(customer)", customerID: customer)
        }
        await till.recover()
        return till
    }

    /// The document that the server has of a customer, asked past the app.
    func customer(_ name: String) async throws -> CustomerDocument {
        let request = HTTPRequest(
            method: .get, target: "http://127.0.0.1:\(listener.port)/v1/customers/\(name)",
            fields: ["Authorization": "Bearer dev:\(name)"])
        let response = try await CurlFetcher().fetch(request, limits: HTTPFetchLimits())
        return try JSONDecoder().decode(CustomerDocument.self, from: response.body)
    }

    /// Purchases that the server has handed out to a customer and not taken back.
    func granted(to name: String) async throws -> Int {
        try await customer(name).transactions.count { $0.outcome == .granted }
    }

    /// Has the store err from now on.
    func setFaults(_ rules: FaultRule...) async throws {
        _ = try await store.setFaults(FaultPlan(rules: rules))
    }

    func act(_ action: TransactionActionKind, on id: TransactionID) async throws {
        _ = try await store.act(on: id, TransactionAction(action: action, reason: 1))
    }

    func change(_ change: AccountRequest) async throws {
        _ = try await store.changeAccount("default", change)
    }

    /// Ends the wait of the only purchase that waits.
    func decide(_ decision: WaitingDecisionKind) async throws {
        let waiting = try #require(await store.waitingPurchases().purchases.first)
        _ = try await store.decide(waiting.itemID, WaitingDecision(decision: decision))
    }

    /// Transactions that the store still waits for.
    func unfinished() async -> Int {
        await store.state.transactions.rows.filter { !$0.isFinished }.count
    }

    /// Orders that the device has not closed.
    var openOrders: Int { openOrders(in: "till") }

    func openOrders(in app: String) -> Int {
        let names = try? FileManager.default.contentsOfDirectory(
            atPath: folder.appendingPathComponent(app).path)
        return (names ?? []).filter { $0.hasPrefix("order-") }.count
    }
}

/// Opens a shop for a test, and closes it whatever happens.
func inShop(
    foreignKey: Bool = false, _ body: (Shop) async throws -> Void
) async throws {
    let shop = try await Shop(foreignKey: foreignKey)
    do {
        try await body(shop)
    } catch {
        await shop.close()
        throw error
    }
    await shop.close()
}

/// Waits until something holds.
func eventually(
    sourceLocation: SourceLocation = #_sourceLocation, _ condition: () async -> Bool
) async {
    while await !condition() {
        if Task.isCancelled {
            Issue.record("it never came true", sourceLocation: sourceLocation)
            return
        }
        // Leaves the processor to whom it waits for.
        try? await Task.sleep(nanoseconds: 2_000_000)
    }
}
