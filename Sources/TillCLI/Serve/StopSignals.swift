@preconcurrency import Dispatch
import Foundation

/// SIGTERM and SIGINT as events: the first asks for an orderly stop, the second ends the process.
final class StopSignals: Sendable {
    private let stream: AsyncStream<String>
    private let sources: [any DispatchSourceSignal]

    init() {
        // A client that goes away must not take the server with it.
        signal(SIGPIPE, SIG_IGN)
        let (stream, continuation) = AsyncStream.makeStream(of: String.self)
        let queue = DispatchQueue(label: "till.signals")
        let count = SignalCount()
        sources = [(SIGTERM, "SIGTERM"), (SIGINT, "SIGINT")].map { number, name in
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
            source.setEventHandler {
                if count.increment() > 1 { exit(128 + number) }
                continuation.yield(name)
            }
            source.resume()
            return source
        }
        self.stream = stream
    }

    /// Waits for the first signal and returns its name.
    func next() async -> String {
        for await name in stream { return name }
        return "end"
    }
}

/// Counts on the signal queue alone.
private final class SignalCount: @unchecked Sendable {
    // Sendable because only the handlers on the one serial queue touch it.
    private var count = 0

    func increment() -> Int {
        count += 1
        return count
    }
}
