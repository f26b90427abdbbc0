public import AppStoreModel

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension AppStoreClient {
    /// What a client takes from the world around it, so that a test can give it another world.
    public struct Surroundings: Sendable {
        /// The calendar's time: what tokens and `Retry-After` are written in.
        public var time: @Sendable () -> Timestamp
        /// Milliseconds that only ever grow: what pauses and limits are measured in.
        public var steadyMilliseconds: @Sendable () -> Int64
        /// Waits so many milliseconds; throws when the task is cancelled.
        public var sleep: @Sendable (_ milliseconds: Int64) async throws -> Void
        /// A number from 0 to below 1.
        public var random: @Sendable () -> Double

        /// A world of four functions.
        public init(
            time: @escaping @Sendable () -> Timestamp,
            steadyMilliseconds: @escaping @Sendable () -> Int64,
            sleep: @escaping @Sendable (_ milliseconds: Int64) async throws -> Void,
            random: @escaping @Sendable () -> Double
        ) {
            self.time = time
            self.steadyMilliseconds = steadyMilliseconds
            self.sleep = sleep
            self.random = random
        }

        /// This machine's clocks and randomness.
        public static let system = Surroundings(
            time: {
                Timestamp(
                    milliseconds: Int64((Date().timeIntervalSince1970 * 1_000).rounded(.down)))
            },
            steadyMilliseconds: {
                let passed = (ContinuousClock.now - origin).components
                return passed.seconds * 1_000 + passed.attoseconds / 1_000_000_000_000_000
            },
            sleep: { try await Task.sleep(for: .milliseconds($0)) },
            random: { Double.random(in: 0..<1) })

        private static let origin = ContinuousClock.now
    }
}
