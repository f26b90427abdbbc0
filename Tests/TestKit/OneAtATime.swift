public import Testing

/// Lets one suite at a time have what a process has once; the others wait for it.
///
/// Suites of different modules run side by side. StoreKit has one payment queue and one launch in a
/// process, so suites that use it take turns by this trait.
public struct OneAtATime: SuiteTrait, TestScoping {
    private let turns: Turns

    /// The payment queue and the launch of Linux's StoreKit.
    public static let storeKit = OneAtATime(turns: Turns())

    /// Waits for the turn, runs the whole suite, and gives the turn on.
    public func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        await turns.take()
        do {
            try await function()
        } catch {
            await turns.give()
            throw error
        }
        await turns.give()
    }

    /// Whose turn it is, in the order of asking.
    private actor Turns {
        private var isTaken = false
        private var waiting: [CheckedContinuation<Void, Never>] = []

        func take() async {
            guard isTaken else {
                isTaken = true
                return
            }
            await withCheckedContinuation { waiting.append($0) }
        }

        func give() {
            guard !waiting.isEmpty else {
                isTaken = false
                return
            }
            waiting.removeFirst().resume()
        }
    }
}

extension Trait where Self == OneAtATime {
    /// The suite uses the one payment queue of the process.
    public static var usesTheOneQueue: OneAtATime { .storeKit }
}
