import Foundation

/// Lets work wait until calls that are under way have been dealt with.
///
/// The store tells of a purchase twice, in the answer and as an event, and the event may be faster. And what
/// the app finishes is to be finished when it asks for a restore right afterwards.
final class Gate: Sendable {
    private struct State {
        var underWay = 0
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Guarded(State())

    /// Runs a call whose events have to wait.
    func hold<Value: Sendable, Failure: Error>(
        _ call: @Sendable () async throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        enter()
        defer { leave() }
        return try await call()
    }

    /// Begins a call whose order counts from now on, though it runs later.
    func enter() { state.withLock { $0.underWay += 1 } }

    /// Waits until no such call is under way.
    func pass() async {
        await withCheckedContinuation { continuation in
            let isOpen = state.withLock { state in
                guard state.underWay > 0 else { return true }
                state.waiting.append(continuation)
                return false
            }
            if isOpen { continuation.resume() }
        }
    }

    /// Ends what ``enter()`` or ``hold(_:)`` began.
    func leave() {
        let released = state.withLock { state -> [CheckedContinuation<Void, Never>] in
            state.underWay -= 1
            guard state.underWay == 0 else { return [] }
            defer { state.waiting = [] }
            return state.waiting
        }
        for continuation in released { continuation.resume() }
    }
}

/// What is to be finished at the store.
enum FinishKey: Sendable, Hashable {
    case item(String)
    case transaction(UInt64)
}
