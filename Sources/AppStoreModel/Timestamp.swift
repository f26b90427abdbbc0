/// A moment in whole milliseconds since 1970-01-01T00:00:00Z, the unit in which Apple signs time.
///
/// One that exists lies within ``greatestMagnitude``, so that sums of moments and spans never overflow.
/// Encoded as an integer. Decoding takes Xcode's fractional milliseconds too and rounds them down, and
/// refuses what lies beyond.
public struct Timestamp: Sendable, Hashable, Comparable, Codable {
    /// Milliseconds since the epoch; negative before it.
    public let milliseconds: Int64

    /// The furthest from the epoch that a moment can be: some 285,000 years.
    public static let greatestMagnitude: Int64 = 9_000_000_000_000_000

    /// Makes a moment out of milliseconds since the epoch; what lies further away than a moment can is the
    /// furthest one.
    public init(milliseconds: Int64) {
        self.milliseconds = min(
            max(milliseconds, -Self.greatestMagnitude), Self.greatestMagnitude)
    }

    /// Makes a moment out of seconds since the epoch, within the same bounds.
    public init(seconds: Int64) {
        let furthest = Self.greatestMagnitude / 1_000
        self.init(milliseconds: min(max(seconds, -furthest), furthest) * 1_000)
    }

    /// Makes a moment out of what somebody else wrote; nothing for what no moment can be.
    init?(received milliseconds: Int64) {
        guard milliseconds.magnitude <= UInt64(Self.greatestMagnitude) else { return nil }
        self.milliseconds = milliseconds
    }

    /// Rounds down to whole milliseconds; nothing for what is no time.
    init?(fractionalMilliseconds number: Double) {
        guard number.isFinite, number.magnitude <= Double(Self.greatestMagnitude) else {
            return nil
        }
        milliseconds = Int64(number.rounded(.down))
    }

    /// Whole seconds since the epoch, rounded down.
    public var seconds: Int64 {
        milliseconds >= 0 ? milliseconds / 1_000 : (milliseconds - 999) / 1_000
    }

    /// Orders by time.
    public static func < (left: Timestamp, right: Timestamp) -> Bool {
        left.milliseconds < right.milliseconds
    }

    /// The moment so many milliseconds later, or the furthest that there is.
    public func advanced(byMilliseconds milliseconds: Int64) -> Timestamp {
        let (sum, overflow) = self.milliseconds.addingReportingOverflow(milliseconds)
        return Timestamp(milliseconds: overflow ? (milliseconds < 0 ? .min : .max) : sum)
    }

    /// Decodes an integer or a fractional number of milliseconds.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let moment: Timestamp?
        if let whole = try? container.decode(Int64.self) {
            moment = Timestamp(received: whole)
        } else {
            moment = Timestamp(fractionalMilliseconds: try container.decode(Double.self))
        }
        guard let moment else {
            throw DecodingError.dataCorruptedError(
                in: container, debugDescription: "no time in milliseconds")
        }
        self = moment
    }

    /// Encodes whole milliseconds.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(milliseconds)
    }
}
