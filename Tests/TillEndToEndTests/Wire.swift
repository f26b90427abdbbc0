import Foundation
import HTTPFetch
import HTTPMessage
import HTTPServer

@testable import Till

/// A wire between an app and a store or a server, at which a test can do something at one moment.
final class Wire: Sendable {
    /// When something happens to an exchange.
    enum Phase: String, Sendable {
        /// The request has arrived here and went no further.
        case before
        /// The other side has done its work, and its answer goes no further.
        case after
    }

    private struct Trap: Sendable {
        let path: String
        let phase: Phase
        let action: @Sendable () -> Void
    }

    private struct State {
        var target: String
        var trap: Trap?
        var watch: Trap?
    }

    private let listener: HTTPListener
    private let state: Locked<State>

    init(to target: String) throws {
        let state = Locked(State(target: target))
        let fetcher = CurlFetcher()
        listener = try HTTPListener(
            HTTPListenerConfiguration(host: "127.0.0.1", port: 0, threads: 1),
            bodyLimit: { _, _ in 8 << 20 }
        ) { request, _ in
            let path = request.target.prefix { $0 != "?" }
            let trap = state.withLock { state -> Trap? in
                guard let trap = state.trap, path.hasSuffix(trap.path) else { return nil }
                state.trap = nil
                return trap
            }
            if let trap, trap.phase == .before {
                trap.action()
                return HTTPResponse(status: .badGateway)
            }
            let watch = state.withLock { state -> Trap? in
                guard let watch = state.watch, path.hasSuffix(watch.path) else { return nil }
                state.watch = nil
                return watch
            }
            watch?.action()
            var forwarded = request
            forwarded.target = state.withLock { $0.target } + request.target
            for name in ["Host", "Content-Length", "Connection"] { forwarded.fields[name] = nil }
            let answer: HTTPResponse
            do {
                answer = try await fetcher.fetch(forwarded, limits: HTTPFetchLimits())
            } catch {
                return HTTPResponse(status: .badGateway)
            }
            guard let trap else { return answer }
            trap.action()
            return HTTPResponse(status: .badGateway)
        }
        self.state = state
    }

    var url: String { "http://127.0.0.1:\(listener.port)" }

    /// Leads to another place from now on.
    func lead(to target: String) { state.withLock { $0.target = target } }

    /// Does `action` once, at the next exchange whose path ends so.
    func trap(_ path: String, _ phase: Phase, _ action: @escaping @Sendable () -> Void) {
        state.withLock { $0.trap = Trap(path: path, phase: phase, action: action) }
    }

    /// Does `action` once, as the next request whose path ends so is let through.
    func watch(_ path: String, _ action: @escaping @Sendable () -> Void) {
        state.withLock { $0.watch = Trap(path: path, phase: .before, action: action) }
    }

    func close() async { await listener.stop(withinMilliseconds: 0) }
}
