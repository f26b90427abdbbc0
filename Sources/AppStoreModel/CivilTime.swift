/// A moment as year, month, day and time of day in some zone, by the Gregorian calendar at all times.
///
/// Written here since the small Foundation on Linux knows neither zones nor a fast way to read dates.
public struct CivilTime: Sendable, Hashable {
    /// The year; may be negative.
    public var year: Int64
    /// 1 to 12.
    public var month: Int64
    /// 1 to 31.
    public var day: Int64
    /// 0 to 23.
    public var hour: Int64
    /// 0 to 59.
    public var minute: Int64
    /// 0 to 59.
    public var second: Int64
    /// 0 to 999.
    public var millisecond: Int64

    /// The moment as seen so many seconds east of Greenwich.
    public init(_ moment: Timestamp, secondsFromGMT: Int64 = 0) {
        let local = moment.seconds + secondsFromGMT
        let dayNumber = Self.floorDivide(local, 86_400)
        let secondOfDay = local - dayNumber * 86_400
        // Days are counted from 0000-03-01, so that the leap day ends a year (Howard Hinnant's method).
        let shifted = dayNumber + 719_468
        let era = Self.floorDivide(shifted, 146_097)
        let dayOfEra = shifted - era * 146_097
        let yearOfEra =
            (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let marchMonth = (5 * dayOfYear + 2) / 153
        month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9
        year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
        day = dayOfYear - (153 * marchMonth + 2) / 5 + 1
        hour = secondOfDay / 3_600
        minute = secondOfDay / 60 % 60
        second = secondOfDay % 60
        millisecond = moment.milliseconds - moment.seconds * 1_000
    }

    /// The day's number since 1970-01-01.
    static func dayNumber(year: Int64, month: Int64, day: Int64) -> Int64 {
        let shifted = month <= 2 ? year - 1 : year
        let era = floorDivide(shifted, 400)
        let yearOfEra = shifted - era * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
            - 719_468
    }

    private static func floorDivide(_ value: Int64, _ by: Int64) -> Int64 {
        let quotient = value / by
        return value % by < 0 ? quotient - 1 : quotient
    }

    private static let digits = Array("0123456789".utf8)

    /// `2024-02-23` and `17:27:16` with something between them and a tail.
    func text(between separator: Character, tail: String) -> String {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(48)
        Self.append(year, width: 4, to: &bytes)
        bytes.append(UInt8(ascii: "-"))
        Self.append(month, width: 2, to: &bytes)
        bytes.append(UInt8(ascii: "-"))
        Self.append(day, width: 2, to: &bytes)
        bytes.append(contentsOf: separator.utf8)
        Self.append(hour, width: 2, to: &bytes)
        bytes.append(UInt8(ascii: ":"))
        Self.append(minute, width: 2, to: &bytes)
        bytes.append(UInt8(ascii: ":"))
        Self.append(second, width: 2, to: &bytes)
        bytes.append(contentsOf: tail.utf8)
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func append(_ value: Int64, width: Int, to bytes: inout [UInt8]) {
        if value < 0 { bytes.append(UInt8(ascii: "-")) }
        let text = String(value.magnitude)
        for _ in text.utf8.count..<max(width, text.utf8.count) { bytes.append(UInt8(ascii: "0")) }
        bytes.append(contentsOf: text.utf8)
    }
}

extension Timestamp {
    /// Reads RFC 3339 in a range of bytes, as receipts have it: `Z` or an offset with or without colon, any fraction.
    ///
    /// Nothing for what is no such date. Fractions are cut to milliseconds.
    public init?(rfc3339 bytes: [UInt8], _ range: Range<Int>) {
        guard let moment = DateText(bytes, range).rfc3339() else { return nil }
        self = moment
    }

    /// Reads a date of a receipt: RFC 3339, or as near to it as writers of receipts have come.
    public init?(receiptDate bytes: [UInt8], _ range: Range<Int>) {
        guard let moment = DateText(bytes, range).nearlyRFC3339() else { return nil }
        self = moment
    }

    /// Reads RFC 3339.
    public init?(rfc3339 text: String) {
        let bytes = Array(text.utf8)
        self.init(rfc3339: bytes, 0..<bytes.count)
    }

    /// Reads Apple's `2020-11-08 16:00:57 Etc/GMT` and `2020-11-08 08:00:57 America/Los_Angeles`.
    ///
    /// Of the hour that occurs twice in autumn the first is taken.
    public init?(appleText text: String) {
        let bytes = Array(text.utf8)
        guard let moment = DateText(bytes, 0..<bytes.count).appleText() else { return nil }
        self = moment
    }

    /// `2024-02-23T17:27:16Z`; milliseconds are cut.
    public var rfc3339: String { CivilTime(self).text(between: "T", tail: "Z") }

    /// `2020-11-08 16:00:57 Etc/GMT`; milliseconds are cut.
    public var gmtText: String { CivilTime(self).text(between: " ", tail: " Etc/GMT") }

    /// `2020-11-08 08:00:57 America/Los_Angeles` with daylight saving; milliseconds are cut.
    public var losAngelesText: String {
        CivilTime(self, secondsFromGMT: LosAngeles.secondsFromGMT(at: self))
            .text(between: " ", tail: " America/Los_Angeles")
    }
}

/// The zone in which Apple's `_pst` texts are.
enum LosAngeles {
    static let standard: Int64 = -8 * 3_600
    static let daylight: Int64 = -7 * 3_600

    /// Seconds east of Greenwich at a moment, by the law of its year; standard time before 1967.
    static func secondsFromGMT(at moment: Timestamp) -> Int64 {
        let year = CivilTime(moment, secondsFromGMT: standard).year
        guard let (begin, end) = daylightSaving(in: year) else { return standard }
        // It begins at 2:00 standard time and ends at 2:00 daylight time.
        let starts = begin * 86_400 + 7_200 - standard
        let ends = end * 86_400 + 7_200 - daylight
        return (starts..<ends).contains(moment.seconds) ? daylight : standard
    }

    /// The days on which daylight saving begins and ends.
    private static func daylightSaving(in year: Int64) -> (Int64, Int64)? {
        switch year {
        case 2007...: (sunday(year, 3, from: 8), sunday(year, 11, from: 1))
        case 1987...2006: (sunday(year, 4, from: 1), sunday(year, 10, from: 25))
        case 1976...1986, 1967...1973: (sunday(year, 4, from: 24), sunday(year, 10, from: 25))
        case 1975: (sunday(year, 2, from: 23), sunday(year, 10, from: 25))
        case 1974: (sunday(year, 1, from: 6), sunday(year, 10, from: 25))
        default: nil
        }
    }

    /// The first Sunday of a month on or after a day.
    private static func sunday(_ year: Int64, _ month: Int64, from day: Int64) -> Int64 {
        let number = CivilTime.dayNumber(year: year, month: month, day: day)
        // 1970-01-01 was a Thursday, four days after a Sunday.
        let weekday = ((number + 4) % 7 + 7) % 7
        return number + (7 - weekday) % 7
    }
}
