/// Gives every event to every listener.
final class EventHub: Sendable {
    /// Events that wait for one slow listener at the most; then the oldest go.
    static let buffer = 256

    private struct Listeners {
        var nextName = 0
        var continuations: [Int: AsyncStream<TillEvent>.Continuation] = [:]
    }

    private let listeners = Locked(Listeners())
    private let heard: (@Sendable (TillEvent) -> Void)?

    /// Makes a hub that lets `heard` hear each event before anything goes on.
    init(_ heard: (@Sendable (TillEvent) -> Void)? = nil) { self.heard = heard }

    /// A stream of what happens from now on; each call makes one of its own.
    func listen() -> AsyncStream<TillEvent> {
        AsyncStream(bufferingPolicy: .bufferingNewest(Self.buffer)) { continuation in
            let name = listeners.withLock { listeners in
                listeners.nextName += 1
                listeners.continuations[listeners.nextName] = continuation
                return listeners.nextName
            }
            continuation.onTermination = { [weak self] _ in
                self?.listeners.withLock { _ = $0.continuations.removeValue(forKey: name) }
            }
        }
    }

    func tell(_ event: TillEvent) {
        heard?(event)
        let continuations = listeners.withLock { Array($0.continuations.values) }
        for continuation in continuations { continuation.yield(event) }
    }
}
