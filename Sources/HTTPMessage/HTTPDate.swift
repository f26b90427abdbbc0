/// The date form of HTTP, `Sun, 06 Nov 1994 08:49:37 GMT` (RFC 9110 section 5.6.7).
public enum HTTPDate {
    /// Whole seconds since 1970; `nil` for anything else, the two obsolete forms included.
    public static func secondsSinceEpoch(_ text: String) -> Int64? {
        let words = text.split(separator: " ")
        guard words.count == 6, words[0].hasSuffix(","), words[5] == "GMT",
            let day = number(words[1], 1...31), let month = months.firstIndex(of: words[2]),
            let year = number(words[3], 1970...9999)
        else { return nil }
        let clock = words[4].split(separator: ":")
        guard clock.count == 3, let hour = number(clock[0], 0...23),
            let minute = number(clock[1], 0...59), let second = number(clock[2], 0...60)
        else { return nil }
        let days = daysSinceEpoch(year: year, month: month + 1, day: day)
        return Int64(days * 86_400 + hour * 3_600 + minute * 60 + second)
    }

    private static let months: [Substring] = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    private static func number(_ text: Substring, _ range: ClosedRange<Int>) -> Int? {
        guard text.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = Int(text),
            range.contains(number)
        else { return nil }
        return number
    }

    /// Days by the Gregorian calendar, counted in years that begin in March, so that the leap day is last.
    private static func daysSinceEpoch(year: Int, month: Int, day: Int) -> Int {
        let shifted = month > 2 ? year : year - 1
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        return shifted * 365 + shifted / 4 - shifted / 100 + shifted / 400 + dayOfYear - 719_468
    }
}
