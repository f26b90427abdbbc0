import Foundation

/// Lets events wait until the answers of calls that are under way have been dealt with.
///
/// The store tells of a purchase twice, in the answer and as an event, and the event may be faster.
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
        state.withLock { $0.underWay += 1 }
        defer { release() }
        return try await call()
    }

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

    private func release() {
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
