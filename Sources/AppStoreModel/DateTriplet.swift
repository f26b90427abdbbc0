/// A date as `verifyReceipt` writes it: a text in Greenwich time, milliseconds, a text in Los Angeles.
///
/// Each may be missing; in iOS 6 style the text itself may be milliseconds.
public struct DateTriplet: Sendable, Hashable {
    /// `2020-11-08 16:00:57 Etc/GMT`.
    public var text: String?
    /// Milliseconds since 1970, as text.
    public var milliseconds: String?
    /// `2020-11-08 08:00:57 America/Los_Angeles`.
    public var pacific: String?

    /// No date.
    public init() {}

    /// All three forms of a moment, or of none.
    public init(_ moment: Timestamp?) {
        guard let moment else { return }
        text = moment.gmtText
        milliseconds = String(moment.milliseconds)
        pacific = moment.losAngelesText
    }

    /// The moment: by the first of the three, milliseconds before texts, that can be read.
    public var moment: Timestamp? {
        milliseconds.flatMap { Timestamp(millisecondsText: $0) }
            ?? text.flatMap { Timestamp(appleText: $0) ?? Timestamp(millisecondsText: $0) }
            ?? pacific.flatMap { Timestamp(appleText: $0) }
    }

    /// Whether none of the three is there.
    public var isAbsent: Bool { text == nil && milliseconds == nil && pacific == nil }
}

extension FieldPass {
    /// A date in three fields.
    mutating func triplet(_ name: String, _ value: inout DateTriplet) throws {
        try self(name, &value.text)
        try self(name + "_ms", &value.milliseconds)
        try self(name + "_pst", &value.pacific)
    }

    /// An open number that Apple writes as a string.
    mutating func spelled<Value: OpenNumber>(_ name: String, _ value: inout Value?) throws {
        var number = value?.rawValue
        try spelled(name, &number)
        value = number.map { Value(rawValue: $0) }
    }
}
