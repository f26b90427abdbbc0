#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A reason to look after what is unfinished.
enum WakeUp: Sendable, Hashable {
    /// The network is there again.
    case networkReturned
    /// The app came to the foreground.
    case cameForward
}

/// Everything outside of Till, so that a test can hold all of it.
struct Surroundings: Sendable {
    var front: any StoreFront
    var desk: any Desk
    var disk: any Disk
    /// Where the session is kept; never in the second home.
    var secrets: TwoHomes
    var clock: any Timekeeping
    var makeUUID: @Sendable () -> UUID = { UUID() }
    /// From 0 to 1.
    var jitter: @Sendable () -> Double = { Double.random(in: 0...1) }
    var wakeUps: @Sendable () -> AsyncStream<WakeUp> = { AsyncStream { $0.finish() } }
}
