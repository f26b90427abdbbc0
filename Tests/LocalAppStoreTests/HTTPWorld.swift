import AppStoreModel
import AppStoreSigning
import Foundation
import HTTPFetch
import HTTPMessage
import HTTPServer
import StoreWire
import Synchronization
import Testing

@testable import LocalAppStore

/// A store that listens on two ports of the system's choice, and a client of it.
struct HTTPWorld: Sendable {
    let server: StoreServer
    // Enough for many that wait and somebody who acts meanwhile.
    let fetcher = CurlFetcher(CurlFetcherConfiguration(concurrentExchanges: 128))

    static let authority = Result { try SigningAuthority.make() }

    /// Starts a store; its clock stands on 2026-01-01 unless told otherwise.
    init(notificationURL: String? = nil, start: Timestamp = StoreWorld.start) async throws {
        let store = try LocalStore(
            LocalStoreConfiguration(
                seed: 7, start: start, rate: 0, notificationURL: notificationURL),
            signer: AuthoritySigner(try Self.authority.get()), fetcher: CurlFetcher(),
            wall: { Timestamp(milliseconds: Int64(Date().timeIntervalSince1970 * 1_000)) })
        server = try await StoreServer(store)
    }

    /// Runs a test with a world and ends it.
    static func run(
        notificationURL: String? = nil, start: Timestamp = StoreWorld.start,
        _ body: (HTTPWorld) async throws -> Void
    ) async throws {
        let world = try await HTTPWorld(notificationURL: notificationURL, start: start)
        do {
            try await body(world)
        } catch {
            try? await world.server.stop()
            throw error
        }
        try await world.server.stop()
    }

    func url(_ environment: AppStoreEnvironment = .sandbox) -> String {
        environment == .production ? server.productionURL : server.url
    }

    /// One call with whatever body.
    func send(
        _ method: String, _ path: String, _ body: Data = Data(), fields: HTTPFields = HTTPFields(),
        in environment: AppStoreEnvironment = .sandbox
    ) async throws -> HTTPResponse {
        try await fetcher.fetch(
            HTTPRequest(
                method: HTTPMethod(rawValue: method), target: url(environment) + path,
                fields: fields, body: body), limits: HTTPFetchLimits(totalMilliseconds: 120_000))
    }

    /// A call that must succeed.
    func call<Answer: Decodable>(
        _ route: some StoreRoute, _ parameters: [String: String] = [:], query: String = "",
        body: (any Encodable)? = nil, in environment: AppStoreEnvironment = .sandbox
    ) async throws -> Answer {
        let data = try body.map { try JSONEncoder().encode($0) } ?? Data()
        let response = try await send(
            route.method, route.path(parameters) + query, data, in: environment)
        #expect(response.status == .ok, "\(String(decoding: response.body, as: UTF8.self))")
        return try JSONDecoder().decode(Answer.self, from: response.body)
    }

    func buy(
        _ product: ProductID, in environment: AppStoreEnvironment = .sandbox
    ) async throws -> ControlBuyResponse {
        try await call(
            ControlRoute.buy,
            body: ControlBuyRequest(productID: product, environment: environment))
    }

    func set(_ rules: FaultRule...) async throws {
        let _: FaultsResponse = try await call(
            ControlRoute.setFaults, body: FaultPlan(rules: rules))
    }

    /// What `verifyReceipt` says.
    func verifyReceipt(
        _ members: [String: JSONValue], in environment: AppStoreEnvironment = .sandbox
    ) async throws -> JSONValue {
        let response = try await send(
            "POST", "/verifyReceipt", try JSONEncoder().encode(JSONValue.object(members)),
            in: environment)
        #expect(response.status == .ok)
        return try JSONDecoder().decode(JSONValue.self, from: response.body)
    }
}

/// A developer's server that takes notifications over a real socket.
final class NotificationReceiver: Sendable {
    private final class Bodies: Sendable {
        let all = Mutex<[Data]>([])
    }

    private let bodies: Bodies
    private let listener: HTTPListener

    init() throws {
        let bodies = Bodies()
        self.bodies = bodies
        listener = try HTTPListener(HTTPListenerConfiguration()) { request, _ in
            bodies.all.withLock { $0.append(request.body) }
            return HTTPResponse(status: .ok)
        }
    }

    /// Where notifications are to go.
    var url: String { "http://127.0.0.1:\(listener.port)/notifications" }

    /// The notifications that came, as they were signed.
    func signed() throws -> [String] {
        struct Body: Decodable { let signedPayload: String }
        return try bodies.all.withLock { $0 }.map {
            try JSONDecoder().decode(Body.self, from: $0).signedPayload
        }
    }

    /// The notifications that came, as `TYPE/SUBTYPE`.
    func words() throws -> [String] {
        try signed().map { token in
            let payload: NotificationPayload = try opened(token)
            return payload.notificationType.rawValue
                + (payload.subtype.map { "/" + $0.rawValue } ?? "")
        }
    }

    func stop() async { await listener.stop(withinMilliseconds: 0) }
}
