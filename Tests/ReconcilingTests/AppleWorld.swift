import AppStoreClient
import AppStoreModel
import AppStoreSigning
import AppStoreTrust
import CryptoPrimitives
import Foundation
import HTTPFetch
import HTTPMessage
import HTTPServer
import LedgerMemory
import StoreWire
import Synchronization
import Testing
import TillLedger

@testable import LocalAppStore
@testable import TillServer

/// The local App Store over HTTP as Apple, and a server that asks it; the store's clock is everybody's.
final class AppleWorld: Sendable {
    static let app: BundleID = "com.example.app"
    /// 2026-01-01T00:00:00Z, where the store's clock stands.
    static let start = Timestamp(seconds: 1_767_225_600)
    private static let authority = Result { try SigningAuthority.make() }

    let apple: StoreServer
    let service: TillService
    let ledger: Ledger
    let reconciler: Reconciler
    private let clock = WorldClock()
    private let fetcher = CurlFetcher()

    private init(appStore: String, products: String, production: String?) async throws {
        let authority = try Self.authority.get()
        let store = try LocalStore(
            LocalStoreConfiguration(
                seed: 7, start: Self.start, rate: 0,
                notificationURL: "http://127.0.0.1:1/notifications"),
            signer: AuthoritySigner(authority), fetcher: fetcher,
            wall: { Timestamp(milliseconds: Int64(Date().timeIntervalSince1970 * 1_000)) })
        apple = try await StoreServer(store)
        let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("till-apple-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try Data(authority.root.der).write(to: folder.appendingPathComponent("root.der"))
        try Data(apple.store.keys.privateKey.utf8)
            .write(to: folder.appendingPathComponent("key.p8"))
        let configuration = try ServerConfiguration.read(
            Data(
                """
                {"listen": "127.0.0.1:0", "database": "sqlite:unused.db", "secretKeys": ["sk_test"],
                 "apps": [{"bundleId": "\(Self.app)", "environments": ["Sandbox"],
                   "trustedRoots": ["root.der"],
                   "appStore": {"issuerId": "\(apple.store.keys.issuerID)",
                     "keyId": "\(apple.store.keys.keyID)", "privateKey": "file:key.p8",
                     "production": "\(production ?? apple.productionURL)", "sandbox": "\(apple.url)"\(appStore)},
                   "products": \(products)}]}
                """.utf8), folder: folder.path, environment: [:])
        let clock = { @Sendable [clock] in clock.now }
        let ids = Mutex<UInt8>(0)
        ledger = Ledger(store: MemoryLedgerStore(), catalog: configuration.catalog) {
            let number = ids.withLock { count in
                count &+= 1
                return count
            }
            guard
                let id = OrderID(
                    randomBytes: [UInt8](repeating: 9, count: 9) + [number],
                    at: Timestamp(milliseconds: 0))
            else {
                preconditionFailure("sixteen bytes")
            }
            return id
        }
        service = try TillService(
            configuration: configuration, ledger: ledger, clock: clock)
        reconciler = try Reconciler(configuration, ledger: ledger, fetcher: fetcher)
    }

    static let products = """
        {"com.example.coins20": {"type": "consumable", "credits": {"coins": 20}},
         "com.example.pro.monthly": {"type": "autoRenewable", "entitlements": ["pro"]},
         "com.example.pro.yearly": {"type": "autoRenewable", "entitlements": ["pro"]}}
        """

    /// Runs a test in a world and ends it.
    static func run(
        appStore: String = "", products: String = AppleWorld.products, production: String? = nil,
        _ body: (AppleWorld) async throws -> Void
    ) async throws {
        let world = try await AppleWorld(
            appStore: appStore, products: products, production: production)
        do {
            try await body(world)
        } catch {
            try? await world.apple.stop()
            throw error
        }
        try await world.apple.stop()
    }

    var now: Timestamp { clock.now }
    var book: Book { Book(bundleID: Self.app, environment: .sandbox, anchor: "trustedRoots") }

    // MARK: Apple's side

    private func control<Answer: Decodable>(
        _ route: ControlRoute, _ parameters: [String: String] = [:],
        body: (any Encodable)? = nil
    ) async throws -> Answer {
        let data = try body.map { try JSONEncoder().encode($0) } ?? Data()
        let response = try await fetcher.fetch(
            HTTPRequest(
                method: HTTPMethod(rawValue: route.method),
                target: apple.url + route.path(parameters), body: data))
        try #require(
            response.status == .ok, "\(String(decoding: response.body, as: UTF8.self))")
        return try JSONDecoder().decode(Answer.self, from: response.body)
    }

    /// Buys at the store, and gives the transaction's name.
    func buy(
        _ product: ProductID = "com.example.coins20", token: OrderID? = nil
    ) async throws -> TransactionID {
        var request = ControlBuyRequest(productID: product, environment: .sandbox)
        request.appAccountToken = token.map { AppAccountToken($0.rawValue) }
        let answer: ControlBuyResponse = try await control(ControlRoute.buy, body: request)
        return try #require(answer.transactionID)
    }

    func act(_ action: TransactionActionKind, on id: TransactionID) async throws {
        let _: TransactionRecord = try await control(
            ControlRoute.actOnTransaction, ["transaction": id.rawValue],
            body: TransactionAction(action: action))
    }

    /// The buyer turns renewal off.
    func turnOff(_ original: TransactionID) async throws {
        let _: SubscriptionInfo = try await control(
            ControlRoute.actOnSubscription, ["subscription": original.rawValue],
            body: SubscriptionAction(action: .turnOff))
    }

    /// Lets time pass for the server alone.
    func wait(milliseconds: Int64) {
        clock.advance(milliseconds)
    }

    /// Lets time pass for the store and the server.
    func pass(days: Int64) async throws { try await pass(minutes: days * 24 * 60) }

    /// Lets time pass for the store and the server; the sandbox's month is five minutes.
    func pass(minutes: Int64) async throws {
        let _: ClockInfo = try await control(
            ControlRoute.moveClock, body: ClockChange(advanceMilliseconds: minutes * 60_000))
        clock.advance(minutes * 60_000)
    }

    func set(_ rules: FaultRule...) async throws {
        let _: FaultsResponse = try await control(
            ControlRoute.setFaults, body: FaultPlan(rules: rules))
    }

    /// The signed transaction, as Apple gives it.
    func signed(_ id: TransactionID) async throws -> String {
        let keys = apple.store.keys
        var configuration = AppStoreClient.Configuration(
            bundleID: Self.app,
            serverKey: AppStoreClient.ServerKey(
                issuerID: keys.issuerID, keyID: keys.keyID,
                privateKey: SecretText(keys.privateKey)))
        configuration.production = .init(both: apple.productionURL)
        configuration.sandbox = .init(both: apple.url)
        let client = try AppStoreClient(configuration, fetcher: fetcher)
        return try await client.transaction(id, in: .sandbox).content.text
    }

    // MARK: The server's side

    func show(_ id: TransactionID, by customer: String) async throws -> [TransactionResult] {
        let proof = try service.proofs.verifier.verifyTransaction(try await signed(id))
        return try await ledger.record(
            PurchaseSubmission(
                customer: CustomerID(rawValue: customer), proofs: [VerifiedProof(proof)]),
            now: now
        ).results
    }

    func importing(_ table: String) async throws -> [Importer.LineReport] {
        let importer = try Importer(
            configuration: service.configuration, ledger: ledger, fetcher: fetcher,
            clock: { [clock] in clock.now })
        var reports: [Importer.LineReport] = []
        try await importer.run(table.split(separator: "\n"), customer: nil) { reports.append($0) }
        return reports
    }

    func customer(_ name: String) async throws -> CustomerSnapshot {
        let id = try #require(CustomerID(rawValue: name))
        return try await ledger.customer(id, now: now)
    }

    /// Does every task that is due, once; gives what came of each.
    @discardableResult
    func work() async throws -> [TaskKind: [TaskOutcome]] {
        var outcomes: [TaskKind: [TaskOutcome]] = [:]
        let handlers = reconciler.handlers
        let claim = WorkClaim(owner: "test", now: now, lease: 60_000, limit: 1_000)
        for task in try await ledger.work.claimTasks(claim, of: handlers.map(\.kind)) {
            let handler = try #require(handlers.first { $0.kind == task.key.kind })
            let outcome = try await handler.run(task, now)
            outcomes[task.key.kind, default: []].append(outcome)
            let settlement: TaskSettlement =
                switch outcome {
                case .finished: .finished(at: now)
                case .again(let due): .again(at: due)
                case .resume(let due, let payload): .resumed(at: due, payload: payload)
                case .failed(let text):
                    .failed(
                        text,
                        until: now.advanced(
                            byMilliseconds: RetrySchedule.taskPause(
                                after: task.lease.attempt, key: task.key)))
                }
            #expect(try await ledger.work.settle(task, settlement))
        }
        return outcomes
    }

    /// The kinds of work that wait, each with how often.
    func waiting() async throws -> [TaskKind: Int] {
        var counts: [TaskKind: Int] = [:]
        for task in try await ledger.work.tasks(after: nil, limit: 1_000) {
            counts[task.key.kind, default: 0] += 1
        }
        return counts
    }
}

/// Time that tests move.
private final class WorldClock: Sendable {
    private let value = Mutex(AppleWorld.start)

    var now: Timestamp { value.withLock { $0 } }

    func advance(_ milliseconds: Int64) {
        value.withLock { $0 = $0.advanced(byMilliseconds: milliseconds) }
    }
}
