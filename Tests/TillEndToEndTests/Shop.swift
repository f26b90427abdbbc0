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
    private let lost = Locked<[String]>([])

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
        try Data(Self.serverConfiguration(key).utf8)
            .write(to: folder.appendingPathComponent("till.json"))
        let configuration = try ServerConfiguration.read(
            contentsOf: folder.appendingPathComponent("till.json").path, environment: [:])
        let ledger = Ledger(store: MemoryLedgerStore(), catalog: configuration.catalog) {
            guard let id = TillLedger.OrderID(randomBytes: secureRandomBytes(16)) else {
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

    /// The next answers on this path do not come, as when the app is killed while it waits.
    func loseAnswers(on path: String, times: Int = 1) {
        lost.withLock { $0 += Array(repeating: path, count: times) }
    }

    private func loses(_ target: String) -> Bool {
        lost.withLock { lost in
            guard let place = lost.firstIndex(where: { target.hasSuffix($0) }) else { return false }
            lost.remove(at: place)
            return true
        }
    }

    /// Kills the app, if it runs, and launches it with one of the two StoreKits.
    func launch(
        _ choice: TillConfiguration.StoreKitChoice, as customer: String? = "alice"
    ) async throws -> Till {
        var connection = LocalStoreConnection(
            url: storeServer.url, folder: folder.appendingPathComponent("device", isDirectory: true)
        )
        connection.bundleID = "com.example.app"
        LocalStoreLaunch.begin(connection)
        // As an app of Apple's would, once the store has said who may pay.
        _ = await StoreKit.Storefront.current
        var configuration = TillConfiguration(server: "http://127.0.0.1:\(listener.port)")
        configuration.bundleID = "com.example.app"
        configuration.storeKit = choice
        configuration.attemptsWhileAttended = 1
        let data = folder.appendingPathComponent("till").path
        let network = LossyNetwork(inner: CurlFetcher()) { [weak self] in self?.loses($0) ?? true }
        let till = Till(
            configuration: configuration,
            surroundings: Surroundings(
                front: SystemStore.front(choice),
                desk: ServerDesk(
                    address: "http://127.0.0.1:\(listener.port)", publishableKey: nil,
                    fetcher: network),
                disk: FileDisk(folder: data),
                secrets: Homes.system(service: "test", folder: data), clock: SystemClock()))
        await till.start()
        if let customer {
            try await till.login(customerToken: "dev:\(customer)", customerID: customer)
        }
        await till.recover()
        return till
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
    var openOrders: Int {
        let names = try? FileManager.default.contentsOfDirectory(
            atPath: folder.appendingPathComponent("till").path)
        return (names ?? []).filter { $0.hasPrefix("order-") }.count
    }
}

/// A network that loses answers when it is told to.
struct LossyNetwork: HTTPFetching {
    let inner: CurlFetcher
    let loses: @Sendable (String) -> Bool

    init(inner: CurlFetcher, loses: @escaping @Sendable (String) -> Bool) {
        self.inner = inner
        self.loses = loses
    }

    func fetch(
        _ request: HTTPRequest, limits: HTTPFetchLimits
    ) async throws(HTTPFetchError) -> HTTPResponse {
        if loses(request.target) { throw HTTPFetchError(.cannotConnect) }
        return try await inner.fetch(request, limits: limits)
    }
}

func eventually(
    sourceLocation: SourceLocation = #_sourceLocation, _ condition: () async -> Bool
) async {
    while await !condition() {
        if Task.isCancelled {
            Issue.record("it never came true", sourceLocation: sourceLocation)
            return
        }
        await Task.yield()
    }
}
