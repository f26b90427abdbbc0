import AppStoreModel

/// How the store's time follows the machine's: from an anchor on, at a rate.
struct StoreClock: Codable, Sendable, Hashable {
    /// The store's time at the anchor.
    var base: Timestamp
    /// The machine's time at the anchor.
    var wall: Timestamp
    /// Seconds of the store in one of the machine; 0 stands still.
    var rate: Double

    /// The fastest rate: a year in three seconds.
    static let rateLimit = 10_000_000.0
    /// The last moment that the clock shows: the year 2200.
    static let last = Timestamp(seconds: 7_258_118_400)

    func time(at wall: Timestamp) -> Timestamp {
        let passed = Double(max(0, wall.milliseconds - self.wall.milliseconds)) * rate
        let room = Double(Self.last.milliseconds - base.milliseconds)
        return base.advanced(byMilliseconds: Int64(min(passed, max(0, room))))
    }

    /// When, on the machine's clock, the store's clock shows that moment; nothing when it stands.
    func wall(of time: Timestamp) -> Timestamp? {
        guard rate > 0 else { return nil }
        let wait = Double(time.milliseconds - base.milliseconds) / rate
        guard wait < 9e15 else { return nil }
        return wall.advanced(byMilliseconds: Int64(wait.rounded(.up)))
    }
}
