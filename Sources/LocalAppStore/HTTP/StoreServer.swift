public import AppStoreModel
import HTTPMessage
public import HTTPServer
public import StoreWire

/// A store that listens: one port for the sandbox, one for production, and the time that passes in between.
public final class StoreServer: Sendable {
    /// The store behind it.
    public let store: LocalStore
    /// The sandbox port's address; the page, the device API and the control API are there.
    public let url: String
    /// The production port's address.
    public let productionURL: String
    private let listeners: [HTTPListener]
    private let life: Task<Void, Never>

    /// The port that is used when nobody says.
    public static let usualPort = 8_090

    /// What a listener lets a handler take: moving the clock by years sends notifications on the way.
    static let handlerMilliseconds = 600_000

    /// Listens and lets the store live; a port of 0 is the system's choice, a production port of `nil` the next
    /// one, or the system's choice too.
    public init(
        _ store: LocalStore, host: String = "127.0.0.1", port: Int = 0, productionPort: Int? = nil
    ) async throws(HTTPListenerError) {
        let sandbox = try Self.listen(store, .sandbox, host: host, port: port)
        let next = productionPort ?? (port == 0 ? 0 : sandbox.port + 1)
        let production: HTTPListener
        do throws(HTTPListenerError) {
            production = try Self.listen(store, .production, host: host, port: next)
        } catch {
            await sandbox.stop(withinMilliseconds: 0)
            throw error
        }
        self.store = store
        listeners = [sandbox, production]
        let shown = host.contains(":") ? "[\(host)]" : host
        url = "http://\(shown):\(sandbox.port)"
        productionURL = "http://\(shown):\(production.port)"
        life = Task { await store.live() }
    }

    private static func listen(
        _ store: LocalStore, _ environment: AppStoreEnvironment, host: String, port: Int
    ) throws(HTTPListenerError) -> HTTPListener {
        let service = StoreService(store: store, environment: environment)
        var limits = HTTPServerLimits()
        // Every client is on this machine, and each device waits for its events.
        limits.connections = 4_096
        limits.connectionsPerAddress = 4_096
        limits.runningRequests = 4_096
        limits.handlerMilliseconds = handlerMilliseconds
        return try HTTPListener(
            HTTPListenerConfiguration(
                host: host, port: port, limits: limits, accessLog: { service.note($0) }),
            bodyLimit: { service.bodyLimit(for: $0, target: $1) },
            handler: { await service.respond(to: $0, context: $1) })
    }

    /// Stops listening, ends the background work and saves the state.
    ///
    /// Calls that wait for news are cut off after two seconds.
    public func stop() async throws {
        life.cancel()
        async let first: Void = listeners[0].stop(withinMilliseconds: 2_000)
        async let second: Void = listeners[1].stop(withinMilliseconds: 2_000)
        _ = await (first, second)
        try await store.close()
    }
}

extension LocalStore {
    /// What one needs to use the store: names, keys, the root, the clock.
    public func information() throws(StoreProblem) -> StoreInfo { try info() }

    /// Puts the wishes of a start to a state that was there already.
    public func adjust(
        catalog: Catalog? = nil, now: Timestamp? = nil, rate: Double? = nil,
        notificationURL: String? = nil
    ) async throws(StoreProblem) {
        if let catalog { try perform(.replaceCatalog(catalog)) }
        if let notificationURL {
            for environment in [AppStoreEnvironment.sandbox, .production] {
                _ = try changeEnvironment(
                    environment, EnvironmentChange(notificationURL: notificationURL))
            }
        }
        if now != nil || rate != nil {
            _ = try await moveClock(ClockChange(rate: rate, now: now))
        }
    }
}
