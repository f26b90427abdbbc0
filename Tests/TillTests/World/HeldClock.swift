import AppStoreModel

@testable import Till

/// Clocks that a test holds: nothing passes unless the test says so, but for the short pauses that a
/// person would sit through, which pass at once.
final class HeldClock: Timekeeping, Sendable {
    private struct State {
        var device = Timestamp(milliseconds: 1_900_000_000_000)
        var uptime = Uptime(boot: "first", milliseconds: 1_000_000)
        var pauses: [Int64] = []
        var sleepers: [Sleeper] = []
        var nextName = 0
    }

    private struct Sleeper {
        var name: Int
        var due: Int64
        var continuation: CheckedContinuation<Void, any Error>
    }

    private let state = Locked(State())

    func deviceTime() -> Timestamp { state.withLock(\.device) }
    func uptime() -> Uptime { state.withLock(\.uptime) }

    /// Every pause that was asked for.
    var pauses: [Int64] { state.withLock(\.pauses) }

    /// Pauses that are being slept through now.
    var sleepers: Int { state.withLock(\.sleepers.count) }

    func sleep(milliseconds: Int64) async throws {
        let isShort = milliseconds < 4_000
        state.withLock { $0.pauses.append(milliseconds) }
        if isShort {
            advance(milliseconds: milliseconds)
            return
        }
        let name = state.withLock { state in
            state.nextName += 1
            return state.nextName
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                state.withLock { state in
                    state.sleepers.append(
                        Sleeper(
                            name: name, due: state.uptime.milliseconds + milliseconds,
                            continuation: continuation))
                }
                if Task.isCancelled { cancel(name) }
            }
        } onCancel: {
            cancel(name)
        }
    }

    private func cancel(_ name: Int) {
        let sleeper = state.withLock { state -> Sleeper? in
            guard let place = state.sleepers.firstIndex(where: { $0.name == name }) else {
                return nil
            }
            return state.sleepers.remove(at: place)
        }
        sleeper?.continuation.resume(throwing: CancellationError())
    }

    /// Lets time pass on all clocks, and wakes whoever slept so long.
    func advance(milliseconds: Int64) {
        let due = state.withLock { state -> [Sleeper] in
            state.device = state.device.advanced(byMilliseconds: milliseconds)
            state.uptime.milliseconds += milliseconds
            let due = state.sleepers.filter { $0.due <= state.uptime.milliseconds }
            state.sleepers.removeAll { $0.due <= state.uptime.milliseconds }
            return due
        }
        for sleeper in due { sleeper.continuation.resume() }
    }

    /// Somebody sets the device's clock.
    func setDevice(by milliseconds: Int64) {
        state.withLock { $0.device = $0.device.advanced(byMilliseconds: milliseconds) }
    }

    /// The device is off for a while and starts again.
    func restart(after milliseconds: Int64) {
        state.withLock { state in
            state.device = state.device.advanced(byMilliseconds: milliseconds)
            state.uptime = Uptime(boot: state.uptime.boot + "+", milliseconds: 5_000)
        }
    }
}
