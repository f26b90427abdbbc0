import AppStoreModel

/// The server's time, kept going without believing the device's own clock more than it must.
///
/// Within one start of the device it counts on the clock that nobody can set, and is exact. After a
/// restart nobody knows how long the device was off: then the device's clock may say that more time
/// has passed than is certain, but never less. So a clock that was set back opens nothing for longer,
/// and one that was set forward closes things only until the server is asked again.
struct TrustedTime: Sendable, Hashable, Codable {
    /// What the server said last.
    private(set) var serverTime: Timestamp
    /// The device's clock at that moment.
    private var deviceTime: Timestamp
    /// The latest moment of which it is certain that it has come, and the reading that goes with it.
    private var certain: Timestamp
    private var certainAt: Uptime
    /// Whether the device has been started again since the server spoke.
    private var isAcrossRestart = false

    init(serverTime: Timestamp, deviceTime: Timestamp, uptime: Uptime) {
        self.serverTime = serverTime
        self.deviceTime = deviceTime
        certain = serverTime
        certainAt = uptime
    }

    /// A moment that has certainly come.
    func earliest(at uptime: Uptime) -> Timestamp {
        let passed =
            uptime.boot == certainAt.boot
            ? uptime.milliseconds - certainAt.milliseconds
            // The device was started after that moment, so at least this has passed since.
            : uptime.milliseconds
        return certain.advanced(byMilliseconds: max(0, passed))
    }

    /// The best guess at the server's time.
    func now(deviceTime: Timestamp, uptime: Uptime) -> Timestamp {
        let earliest = earliest(at: uptime)
        guard isAcrossRestart || uptime.boot != certainAt.boot else { return earliest }
        let passed = deviceTime.milliseconds - self.deviceTime.milliseconds
        return max(earliest, serverTime.advanced(byMilliseconds: max(0, passed)))
    }

    /// Whether enough has passed to be worth a write: a minute, or a restart.
    func isWorthMarking(_ uptime: Uptime) -> Bool {
        uptime.boot != certainAt.boot || uptime.milliseconds - certainAt.milliseconds >= 60_000
    }

    /// Keeps what is certain, so that a restart does not lose it.
    mutating func mark(_ uptime: Uptime) {
        let earliest = earliest(at: uptime)
        if uptime.boot != certainAt.boot { isAcrossRestart = true }
        certain = earliest
        certainAt = uptime
    }
}
