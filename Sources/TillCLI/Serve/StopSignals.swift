@preconcurrency import Dispatch
import Foundation

/// SIGTERM and SIGINT as events: the first asks for an orderly stop, the second ends the process.
final class StopSignals: Sendable {
    private let stream: AsyncStream<String>
    private let sources: [any DispatchSourceSignal]

    /// Returns when the signals are waited for.
    ///
    /// One that comes earlier ends the process at once, as nothing has begun yet; none is lost.
    init() async {
        // A client that goes away must not take the server with it.
        signal(SIGPIPE, SIG_IGN)
        let (stream, continuation) = AsyncStream.makeStream(of: String.self)
        let queue = DispatchQueue(label: "till.signals")
        let count = SignalCount()
        var sources: [any DispatchSourceSignal] = []
        for (number, name) in [(SIGTERM, "SIGTERM"), (SIGINT, "SIGINT")] {
            let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
            source.setEventHandler {
                if count.increment() > 1 { exit(128 + number) }
                continuation.yield(name)
            }
            await Self.begin(source, of: number)
            sources.append(source)
        }
        self.sources = sources
        self.stream = stream
    }

    /// Begins to wait for a signal, and returns when it is waited for: that may take as long as the machine is
    /// busy.
    private static func begin(_ source: any DispatchSourceSignal, of number: Int32) async {
        await withCheckedContinuation { (isBegun: CheckedContinuation<Void, Never>) in
            source.setRegistrationHandler {
                #if canImport(Darwin)
                    // There the system would still end the process; on Linux Dispatch has a handler of its own,
                    // in whose place nothing may be put.
                    signal(number, SIG_IGN)
                #endif
                isBegun.resume()
            }
            source.resume()
        }
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
