public import HTTPMessage
import Synchronization

/// Listens on a port and answers HTTP/1.1 requests until it is stopped.
///
/// Handlers run on the listener's threads; one that blocks belongs on a thread of its own.
public final class HTTPListener: Sendable {
    /// The port that it listens on: the real one, also when the configuration said 0.
    public let port: Int
    /// The host of the configuration.
    public let host: String

    private let shared: ListenerState
    private let loops: [Loop]
    private let stopping: StopWaiters

    /// Listens from here on; `bodyLimit` is asked before a body is read, and `nil` stands for 1 MiB.
    public init(
        _ configuration: HTTPListenerConfiguration,
        bodyLimit: @escaping @Sendable (HTTPMethod, String) -> Int? = { _, _ in nil },
        handler: @escaping HTTPHandler
    ) throws(HTTPListenerError) {
        let threads = max(1, configuration.threads)
        let stopping = StopWaiters(loops: threads)
        let shared = ListenerState(configuration, bodyLimit: bodyLimit, handler: handler)
        let (files, port) = try ListeningSocket.open(
            host: configuration.host, port: configuration.port)
        var loops: [Loop] = []
        for index in 0..<threads {
            let listening = index == 0 ? files : []
            guard
                let loop = Loop(shared, listening: listening, onStopped: { stopping.oneStopped() })
            else {
                for file in files { Socket.close(file) }
                throw HTTPListenerError(.noResources, detail: "no descriptors for a loop")
            }
            loops.append(loop)
        }
        self.host = configuration.host
        self.port = port
        self.shared = shared
        self.loops = loops
        self.stopping = stopping
        for loop in loops { loop.start(peers: loops) }
    }

    /// Listens from here on with a router's routes and their body limits.
    public convenience init(
        _ configuration: HTTPListenerConfiguration, router: Router
    ) throws(HTTPListenerError) {
        try self.init(
            configuration, bodyLimit: { router.bodyLimit(for: $0, target: $1) },
            handler: { await router.respond(to: $0, context: $1) })
    }

    deinit { beginStop(withinMilliseconds: 0) }

    /// The number of connections that are open now.
    public var connectionCount: Int { shared.connectionCount }

    /// Stops: nothing new is accepted, running requests are finished within the limit, then all is closed.
    ///
    /// Returns when no connection is left. A handler that is still running then goes on, for nobody.
    public func stop(withinMilliseconds limit: Int = 10_000) async {
        beginStop(withinMilliseconds: limit)
        await stopping.wait()
    }

    private func beginStop(withinMilliseconds limit: Int) {
        let deadline = SteadyClock.microseconds / 1_000 + limit
        for loop in loops { loop.post(.stop(deadline: deadline)) }
    }
}

/// Those who wait until every loop has let go of its connections.
private final class StopWaiters: Sendable {
    private struct State {
        var loops: Int
        var waiters: [CheckedContinuation<Void, Never>] = []
    }

    private let state: Mutex<State>

    init(loops: Int) { state = Mutex(State(loops: loops)) }

    func oneStopped() {
        let waiters = state.withLock { state in
            state.loops -= 1
            guard state.loops == 0 else { return [CheckedContinuation<Void, Never>]() }
            defer { state.waiters = [] }
            return state.waiters
        }
        for waiter in waiters { waiter.resume() }
    }

    func wait() async {
        await withCheckedContinuation { waiter in
            let isOver = state.withLock { state in
                if state.loops > 0 { state.waiters.append(waiter) }
                return state.loops <= 0
            }
            if isOver { waiter.resume() }
        }
    }
}
