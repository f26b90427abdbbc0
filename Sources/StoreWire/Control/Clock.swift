public import AppStoreModel

/// The store's clock.
public struct ClockInfo: Codable, Sendable, Hashable {
    /// What it shows.
    public var now: Timestamp
    /// How many seconds pass in a real one; 0 when it stands.
    public var rate: Double
    /// When the store will do something on its own next.
    public var nextEvent: Timestamp?

    /// Makes the value out of its fields.
    public init(
        now: Timestamp, rate: Double, nextEvent: Timestamp? = nil
    ) {
        self.now = now
        self.rate = rate
        self.nextEvent = nextEvent
    }
}

/// Moves the clock; the fields are carried out in their order here.
public struct ClockChange: Codable, Sendable, Hashable {
    /// A new rate, 0 to stop.
    public var rate: Double?
    /// Forward to this moment; backward only while nothing was bought.
    public var now: Timestamp?
    /// Forward by so much.
    public var advanceMilliseconds: Int64?
    /// Forward to the next thing that the store does on its own.
    public var toNextEvent: Bool?

    /// Makes the value out of its fields.
    public init(
        rate: Double? = nil, now: Timestamp? = nil, advanceMilliseconds: Int64? = nil,
        toNextEvent: Bool? = nil
    ) {
        self.rate = rate
        self.now = now
        self.advanceMilliseconds = advanceMilliseconds
        self.toNextEvent = toNextEvent
    }
}
