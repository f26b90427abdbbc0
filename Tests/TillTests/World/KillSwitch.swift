import Testing

@testable import Till

/// Ends a launch at a chosen moment: from then on nothing that the launch does reaches the outside, and
/// whoever waits for the outside waits for ever, as in a process that was killed.
actor KillSwitch {
    private var passed: [String] = []
    private let deadAfter: Int
    private var onDeath: [CheckedContinuation<Void, Never>] = []
    private(set) var isDead = false

    /// Dies at the moment of this number; lives for ever without one.
    init(at moment: Int = .max) { deadAfter = moment }

    /// The moments that were lived through, by name.
    var moments: [String] { passed }

    /// One moment of the outside world; a dead launch never gets past it.
    func pass(_ moment: String) async {
        if !isDead, passed.count >= deadAfter { die() }
        if isDead {
            await Self.never()
        }
        passed.append(moment)
    }

    func kill() { die() }

    func waitUntilDead() async {
        if isDead { return }
        await withCheckedContinuation { onDeath.append($0) }
    }

    private func die() {
        isDead = true
        let waiting = onDeath
        onDeath = []
        for continuation in waiting { continuation.resume() }
    }

    /// Leaves its task behind, as a killed process does; unsafe, since nothing is to warn of it.
    private static func never() async {
        await withUnsafeContinuation { (_: UnsafeContinuation<Void, Never>) in }
    }
}
