/// Steps through the text of a date.
struct DateText {
    private let bytes: [UInt8]
    private var position: Int
    private var end: Int

    init(_ bytes: [UInt8], _ range: Range<Int>) {
        self.bytes = bytes
        position = max(0, range.lowerBound)
        end = min(bytes.count, range.upperBound)
    }

    /// `2024-02-23T17:27:16Z`, `…+0300`, `…+01:00`, `….123Z`.
    func rfc3339() -> Timestamp? {
        var scan = self
        guard let seconds = scan.dayAndTime(between: UInt8(ascii: "T")) else { return nil }
        let milliseconds = scan.fraction()
        guard let milliseconds, let offset = scan.offset(), scan.position == end else {
            return nil
        }
        return Timestamp(milliseconds: (seconds - offset) * 1_000 + milliseconds)
    }

    /// RFC 3339 as its writers stray from it: small letters or a space for `T`, hours alone for an offset, a
    /// space before it, no zone at all (Apple's is Greenwich), spaces or NULs around.
    func nearlyRFC3339() -> Timestamp? {
        if let moment = rfc3339() { return moment }
        var scan = self
        scan.trim()
        let start = scan.position
        var seconds: Int64?
        for separator in [UInt8(ascii: "T"), UInt8(ascii: "t"), UInt8(ascii: " ")]
        where seconds == nil {
            scan.position = start
            seconds = scan.dayAndTime(between: separator)
        }
        guard let seconds, let milliseconds = scan.fraction() else { return nil }
        _ = scan.take(UInt8(ascii: " "))
        let offset: Int64?
        if scan.position == scan.end || scan.take(UInt8(ascii: "z")) {
            offset = 0
        } else {
            offset = scan.offset(needsMinutes: false)
        }
        guard let offset, scan.position == scan.end else { return nil }
        return Timestamp(milliseconds: (seconds - offset) * 1_000 + milliseconds)
    }

    /// Leaves out spaces and NULs at both ends.
    private mutating func trim() {
        while position < end, bytes[position] <= 0x20 { position += 1 }
        while position < end, bytes[end - 1] <= 0x20 { end -= 1 }
    }

    /// `2020-11-08 16:00:57 Etc/GMT` or the same in Los Angeles.
    func appleText() -> Timestamp? {
        var scan = self
        guard let seconds = scan.dayAndTime(between: UInt8(ascii: " ")) else { return nil }
        switch String(decoding: bytes[scan.position..<end], as: UTF8.self) {
        case " Etc/GMT": return Timestamp(seconds: seconds)
        case " America/Los_Angeles":
            let daylight = Timestamp(seconds: seconds - LosAngeles.daylight)
            if LosAngeles.secondsFromGMT(at: daylight) == LosAngeles.daylight { return daylight }
            return Timestamp(seconds: seconds - LosAngeles.standard)
        default: return nil
        }
    }

    private mutating func number(_ width: Int) -> Int64? {
        guard position + width <= end else { return nil }
        var value: Int64 = 0
        for index in position..<position + width {
            guard (0x30...0x39).contains(bytes[index]) else { return nil }
            value = value * 10 + Int64(bytes[index] - 0x30)
        }
        position += width
        return value
    }

    private mutating func take(_ byte: UInt8) -> Bool {
        guard position < end, bytes[position] == byte else { return false }
        position += 1
        return true
    }

    /// Seconds since 1970 as if the zone were Greenwich.
    private mutating func dayAndTime(between separator: UInt8) -> Int64? {
        guard let year = number(4), take(UInt8(ascii: "-")), let month = number(2),
            take(UInt8(ascii: "-")), let day = number(2), take(separator),
            let hour = number(2), take(UInt8(ascii: ":")), let minute = number(2),
            take(UInt8(ascii: ":")), let second = number(2),
            (1...12).contains(month), (1...31).contains(day), hour < 24, minute < 60, second < 61
        else { return nil }
        let dayNumber = CivilTime.dayNumber(year: year, month: month, day: day)
        let next = month == 12 ? (year + 1, Int64(1)) : (year, month + 1)
        guard dayNumber < CivilTime.dayNumber(year: next.0, month: next.1, day: 1) else {
            return nil
        }
        return dayNumber * 86_400 + hour * 3_600 + minute * 60 + second
    }

    /// Milliseconds after an optional point; nothing for a point without digits.
    private mutating func fraction() -> Int64? {
        guard take(UInt8(ascii: ".")) else { return 0 }
        var value: Int64 = 0
        var count = 0
        while position < end, (0x30...0x39).contains(bytes[position]), count < 18 {
            if count < 3 { value = value * 10 + Int64(bytes[position] - 0x30) }
            count += 1
            position += 1
        }
        guard count > 0 else { return nil }
        for _ in min(count, 3)..<3 { value *= 10 }
        return value
    }

    /// Seconds east of Greenwich.
    private mutating func offset(needsMinutes: Bool = true) -> Int64? {
        if take(UInt8(ascii: "Z")) { return 0 }
        let sign: Int64
        if take(UInt8(ascii: "+")) {
            sign = 1
        } else if take(UInt8(ascii: "-")) {
            sign = -1
        } else {
            return nil
        }
        guard let hours = number(2) else { return nil }
        var minutes: Int64 = 0
        if needsMinutes || position < end {
            _ = take(UInt8(ascii: ":"))
            guard let found = number(2) else { return nil }
            minutes = found
        }
        guard hours < 24, minutes < 60 else { return nil }
        return sign * (hours * 3_600 + minutes * 60)
    }
}
