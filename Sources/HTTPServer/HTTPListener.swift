public import HTTPMessage

/// Listens on a port and answers HTTP/1.1 requests until it is stopped.
public final class HTTPListener: Sendable {
    /// The port that it listens on: the real one, also when the configuration said 0.
    public let port: Int
    /// The address that it listens on, as the configuration resolved.
    public let host: String

    /// Listens from here on; `bodyLimit` is asked before a body is read and gives 1 MiB where it is `nil`.
    public init(
        _ configuration: HTTPListenerConfiguration,
        bodyLimit: @escaping @Sendable (HTTPMethod, String) -> Int? = { _, _ in nil },
        handler: @escaping HTTPHandler
    ) throws(HTTPListenerError) {
        throw HTTPListenerError(.noResources)
    }

    /// Listens from here on with a router's routes and their body limits.
    public convenience init(
        _ configuration: HTTPListenerConfiguration, router: Router
    ) throws(HTTPListenerError) {
        try self.init(
            configuration, bodyLimit: { router.bodyLimit(for: $0, target: $1) },
            handler: { await router.respond(to: $0, context: $1) })
    }

    /// Stops: nothing new is accepted, running requests are finished within the limit, then all is closed.
    public func stop(withinMilliseconds limit: Int = 10_000) async {
    }
}
