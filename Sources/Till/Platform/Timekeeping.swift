import AppStoreModel

/// A reading of the clock that nobody can set.
struct Uptime: Sendable, Hashable, Codable {
    /// Names the start of the device that the reading counts from.
    var boot: String
    var milliseconds: Int64
}

/// Every clock that Till uses, so that a test can hold them.
protocol Timekeeping: Sendable {
    /// What the device believes the time to be, which the person can set.
    func deviceTime() -> Timestamp
    func uptime() -> Uptime
    /// Throws when the calling task is cancelled.
    func sleep(milliseconds: Int64) async throws
}
