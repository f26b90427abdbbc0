/// A moment in whole milliseconds since 1970-01-01T00:00:00Z, the unit in which Apple signs time.
///
/// Encoded as an integer. Decoding takes Xcode's fractional milliseconds too and rounds them down.
public struct Timestamp: Sendable, Hashable, Comparable, Codable {
    /// Milliseconds since the epoch; negative before it.
    public let milliseconds: Int64

    /// Makes a moment out of milliseconds since the epoch.
    public init(milliseconds: Int64) { self.milliseconds = milliseconds }

    /// Makes a moment out of seconds since the epoch.
    public init(seconds: Int64) { milliseconds = seconds * 1_000 }

    /// Whole seconds since the epoch, rounded down.
    public var seconds: Int64 {
        milliseconds >= 0 ? milliseconds / 1_000 : (milliseconds - 999) / 1_000
    }

    /// Orders by time.
    public static func < (left: Timestamp, right: Timestamp) -> Bool {
        left.milliseconds < right.milliseconds
    }

    /// The moment so many milliseconds later.
    public func advanced(byMilliseconds milliseconds: Int64) -> Timestamp {
        Timestamp(milliseconds: self.milliseconds + milliseconds)
    }

    /// Decodes an integer or a fractional number of milliseconds.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if let whole = try? container.decode(Int64.self) {
            milliseconds = whole
            return
        }
        let fraction = try container.decode(Double.self)
        guard fraction.isFinite, fraction.magnitude < 9e15 else {
            throw DecodingError.dataCorruptedError(
                in: container, debugDescription: "no time in milliseconds")
        }
        milliseconds = Int64(fraction.rounded(.down))
    }

    /// Encodes whole milliseconds.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(milliseconds)
    }
}
