import AppStoreClient
import AppStoreModel
import AppStoreSigning
import AppStoreTrust
import CryptoPrimitives
import Foundation
import HTTPFetch
import HTTPMessage
import StoreWire
import Testing

@testable import LocalAppStore

/// The local App Store on two ports of the system's choice, and a client that takes it for Apple.
struct StoreShop: Sendable {
    let server: StoreServer
    let client: AppStoreClient
    let verifier: ProofVerifier
    private let fetcher = CurlFetcher()

    private static let authority = Result { try SigningAuthority.make() }
    /// 2026-01-01T00:00:00Z, where the store's clock stands.
    static let start = Timestamp(seconds: 1_767_225_600)
    static let day: Int64 = 86_400_000

    private init(
        notificationURL: String?, _ change: (inout AppStoreClient.Configuration) -> Void
    ) async throws {
        let authority = try Self.authority.get()
        let store = try LocalStore(
            LocalStoreConfiguration(
                seed: 7, start: Self.start, rate: 0, notificationURL: notificationURL),
            signer: AuthoritySigner(authority), fetcher: fetcher,
            wall: { Timestamp(milliseconds: Int64(Date().timeIntervalSince1970 * 1_000)) })
        server = try await StoreServer(store)
        verifier = ProofVerifier(
            configuration: try .unsafeAnyApp(
                extraRoots: [ExtraRoot(name: "store", certificate: authority.root)],
                legacyCertificates: authority.legacyCertificates))
        client = try Self.client(of: server, change)
    }

    /// Runs a test with a store and ends it.
    static func run(
        notificationURL: String? = nil,
        _ change: (inout AppStoreClient.Configuration) -> Void = { _ in },
        _ body: (StoreShop) async throws -> Void
    ) async throws {
        let shop = try await StoreShop(notificationURL: notificationURL, change)
        do {
            try await body(shop)
        } catch {
            try? await shop.server.stop()
            throw error
        }
        try await shop.server.stop()
    }

    /// Another client of the store, with other settings.
    func client(
        _ change: (inout AppStoreClient.Configuration) -> Void
    ) throws -> AppStoreClient {
        try Self.client(of: server, change)
    }

    private static func client(
        of server: StoreServer, _ change: (inout AppStoreClient.Configuration) -> Void
    ) throws -> AppStoreClient {
        let keys = server.store.keys
        var configuration = AppStoreClient.Configuration(
            bundleID: "com.example.app",
            serverKey: AppStoreClient.ServerKey(
                issuerID: keys.issuerID, keyID: keys.keyID,
                privateKey: SecretText(keys.privateKey)),
            sharedSecret: SecretText(keys.sharedSecret))
        configuration.production = .init(both: server.productionURL)
        configuration.sandbox = .init(both: server.url)
        configuration.limits.firstPauseMilliseconds = 5
        change(&configuration)
        // Libcurl asks again by itself where a kept connection turns out to be dead.
        return try AppStoreClient(configuration, fetcher: CurlFetcher())
    }

    /// A call to the store's controls.
    func control<Answer: Decodable>(
        _ route: ControlRoute, _ parameters: [String: String] = [:],
        body: (any Encodable)? = nil
    ) async throws -> Answer {
        let data = try body.map { try JSONEncoder().encode($0) } ?? Data()
        let response = try await fetcher.fetch(
            HTTPRequest(
                method: HTTPMethod(rawValue: route.method),
                target: server.url + route.path(parameters), body: data))
        #expect(response.status == .ok, "\(String(decoding: response.body, as: UTF8.self))")
        return try JSONDecoder().decode(Answer.self, from: response.body)
    }

    func buy(
        _ product: ProductID, in environment: AppStoreEnvironment = .sandbox
    ) async throws -> ControlBuyResponse {
        try await control(
            ControlRoute.buy,
            body: ControlBuyRequest(productID: product, environment: environment))
    }

    /// Buys, and gives the transaction's name.
    func bought(
        _ product: ProductID, in environment: AppStoreEnvironment = .sandbox
    ) async throws -> TransactionID {
        try #require(try await buy(product, in: environment).transactionID)
    }

    /// Installs the app on a new device.
    func launch(in environment: AppStoreEnvironment) async throws -> DeviceSession {
        try await device(DeviceRoute.launch, LaunchRequest(environment: environment))
    }

    /// Buys on a device.
    func purchase(
        _ product: ProductID, on session: DeviceSession
    ) async throws -> PurchaseResponse {
        try await device(
            DeviceRoute.purchase, PurchaseRequest(productID: product),
            ["device": session.deviceID.rawValue])
    }

    private func device<Answer: Decodable>(
        _ route: DeviceRoute, _ body: some Encodable, _ parameters: [String: String] = [:]
    ) async throws -> Answer {
        let response = try await fetcher.fetch(
            HTTPRequest(
                method: .post, target: server.productionURL + route.path(parameters),
                body: try JSONEncoder().encode(body)))
        #expect(response.status == .ok)
        return try JSONDecoder().decode(Answer.self, from: response.body)
    }

    func act(_ action: TransactionActionKind, on id: TransactionID) async throws {
        let _: TransactionRecord = try await control(
            ControlRoute.actOnTransaction, ["transaction": id.rawValue],
            body: TransactionAction(action: action))
    }

    func pass(days: Int64) async throws {
        let _: ClockInfo = try await control(
            ControlRoute.moveClock, body: ClockChange(advanceMilliseconds: days * Self.day))
    }

    func set(_ rules: FaultRule...) async throws {
        let _: FaultsResponse = try await control(
            ControlRoute.setFaults, body: FaultPlan(rules: rules))
    }

    /// How often faults have struck.
    func struck() async throws -> Int {
        let faults: FaultsResponse = try await control(ControlRoute.faults)
        return faults.struck.count
    }

    /// Apple's calls that came, as path and status, oldest first.
    func calls() async throws -> [String] {
        let log: CallsResponse = try await control(ControlRoute.calls)
        return log.calls.sorted { $0.sequence < $1.sequence }
            .filter { $0.path.hasPrefix("/inApps/") || $0.path == "/verifyReceipt" }
            .map { "\($0.environment?.rawValue ?? "") \($0.status ?? 0)" }
    }

    /// The names of transactions, after each was verified.
    func verified(
        _ transactions: [UnverifiedSigned<TransactionPayload>]
    ) throws -> [TransactionID] {
        try transactions.map { try verifier.verifyTransaction($0.text).value.transactionID }
    }
}
