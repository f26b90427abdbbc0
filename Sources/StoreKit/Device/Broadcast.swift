import Foundation

/// One source, any number of listeners; each hears everything from when it began to listen.
final class Broadcast<Element: Sendable>: Sendable {
    private struct State {
        var isOver = false
        var listeners: [UUID: AsyncStream<Element>.Continuation] = [:]
    }

    private let state = Guarded(State())

    /// Begins to listen; elements wait for a slow listener without limit, as Apple's do.
    func listen() -> AsyncStream<Element> {
        let (stream, continuation) = AsyncStream.makeStream(of: Element.self)
        let key = UUID()
        continuation.onTermination = { [weak self] _ in
            self?.state.withLock { $0.listeners[key] = nil }
        }
        let isOver = state.withLock { state in
            if !state.isOver { state.listeners[key] = continuation }
            return state.isOver
        }
        if isOver { continuation.finish() }
        return stream
    }

    var hasListeners: Bool { state.withLock { !$0.listeners.isEmpty } }

    func send(_ element: Element) {
        for listener in state.withLock({ Array($0.listeners.values) }) { listener.yield(element) }
    }

    /// Ends every loop that listens.
    func finish() {
        let listeners = state.withLock { state in
            state.isOver = true
            defer { state.listeners = [:] }
            return Array(state.listeners.values)
        }
        for listener in listeners { listener.finish() }
    }
}
