#if canImport(Network)
    import Dispatch
    import Network

    /// Tells when the network is there again.
    enum NetworkReturn {
        static func begin(_ wakeUps: AsyncStream<WakeUp>.Continuation) {
            let monitor = NWPathMonitor()
            let wasThere = Locked(true)
            monitor.pathUpdateHandler = { path in
                let isThere = path.status == .satisfied
                let hasReturned = wasThere.withLock { was in
                    defer { was = isThere }
                    return isThere && !was
                }
                if hasReturned { wakeUps.yield(.networkReturned) }
            }
            monitor.start(queue: DispatchQueue(label: "till.network"))
            wakeUps.onTermination = { _ in monitor.cancel() }
        }
    }
#endif
