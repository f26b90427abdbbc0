@testable import Till

/// Ends a launch at a chosen moment: from then on nothing that the launch does reaches the outside, and
/// whoever waits for the outside waits for ever, as in a process that was killed.
final class KillSwitch: Sendable {
    private struct State {
        var passed: [String] = []
        var isDead = false
        var onDeath: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Locked(State())
    private let deadAfter: Int

    /// Dies at the moment of this number; lives for ever without one.
    init(at moment: Int = .max) { deadAfter = moment }

    /// The moments that were lived through, by name.
    var moments: [String] { state.withLock(\.passed) }

    /// One moment of the outside world; a dead launch never gets past it.
    func pass(_ moment: String) async {
        let lives = state.withLock { state in
            guard !state.isDead, state.passed.count < deadAfter else { return false }
            state.passed.append(moment)
            return true
        }
        guard lives else {
            kill()
            return await Self.never()
        }
    }

    func kill() {
        let waiting = state.withLock { state in
            defer { state.onDeath = [] }
            state.isDead = true
            return state.onDeath
        }
        for continuation in waiting { continuation.resume() }
    }

    func waitUntilDead() async {
        await withCheckedContinuation { continuation in
            let isDead = state.withLock { state in
                if !state.isDead { state.onDeath.append(continuation) }
                return state.isDead
            }
            if isDead { continuation.resume() }
        }
    }

    /// Leaves its task behind, as a killed process does; unsafe, since nothing is to warn of it.
    private static func never() async {
        await withUnsafeContinuation { (_: UnsafeContinuation<Void, Never>) in }
    }
}
