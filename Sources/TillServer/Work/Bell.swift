import Synchronization

/// Wakes those who wait for something to do; once closed, nobody waits any more.
final class Bell: Sendable {
    private struct State {
        var isClosed = false
        var next = 0
        var waiting: [Int: CheckedContinuation<Void, Never>] = [:]
    }

    private let state = Mutex(State())

    /// Wakes everybody who waits now.
    func ring() {
        let waiting = state.withLock { state in
            defer { state.waiting = [:] }
            return state.waiting
        }
        for continuation in waiting.values { continuation.resume() }
    }

    /// Wakes everybody, now and for ever.
    func close() {
        state.withLock { $0.isClosed = true }
        ring()
    }

    /// Waits for the bell, or until the calling task is cancelled.
    func wait() async {
        let place = state.withLock { state in
            state.next += 1
            return state.next
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let waits = state.withLock { state in
                    guard !state.isClosed, !Task.isCancelled else { return false }
                    state.waiting[place] = continuation
                    return true
                }
                if !waits { continuation.resume() }
            }
        } onCancel: {
            state.withLock { $0.waiting.removeValue(forKey: place) }?.resume()
        }
    }
}
