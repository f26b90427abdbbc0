#if os(Linux)
    import HTTPFetch
    import HTTPMessage
    import HTTPServer
    import Synchronization

    /// The network between the phones and the server.
    ///
    /// It carries every request as it is. Once it is told to, it does something at the moment at which
    /// a certain request comes by, and that request gets lost.
    final class DemoNetwork: Sendable {
        /// What phones take for the server's address.
        let url: String
        private let listener: HTTPListener
        private let trap: Trap

        /// Opens the way to a server.
        init(to server: String) throws(HTTPListenerError) {
            let (trap, fetcher) = (Trap(), CurlFetcher())
            listener = try HTTPListener(
                HTTPListenerConfiguration(host: "127.0.0.1", port: 0, threads: 1)
            ) { request, _ in
                if trap.springs(on: request.target) { return HTTPResponse(status: .badGateway) }
                var forwarded = request
                forwarded.target = server + request.target
                for name in ["Host", "Content-Length", "Connection"] {
                    forwarded.fields[name] = nil
                }
                do {
                    return try await fetcher.fetch(forwarded, limits: HTTPFetchLimits())
                } catch {
                    return HTTPResponse(status: .badGateway)
                }
            }
            self.trap = trap
            url = "http://127.0.0.1:\(listener.port)"
        }

        /// Does `action` once, when a request for `path` has arrived here, and lets it go no further.
        func onNext(_ path: String, do action: @escaping @Sendable () -> Void) {
            trap.set(path, action)
        }

        func close() async { await listener.stop() }
    }

    /// Waits for one request.
    private final class Trap: Sendable {
        private struct Wait {
            let path: String
            let action: @Sendable () -> Void
        }

        private let waiting = Mutex<Wait?>(nil)

        func set(_ path: String, _ action: @escaping @Sendable () -> Void) {
            waiting.withLock { $0 = Wait(path: path, action: action) }
        }

        func springs(on target: String) -> Bool {
            let action = waiting.withLock { wait in
                guard let found = wait, found.path == target else {
                    return nil as (@Sendable () -> Void)?
                }
                wait = nil
                return found.action
            }
            action?()
            return action != nil
        }
    }
#endif
