public import AppStoreModel

/// A length of service in calendar terms: months of their own length, and days of 24 hours.
public struct ServicePeriod: Sendable, Hashable, CustomStringConvertible {
    /// The most months, and the most days, that a period may have.
    public static let limit = 36_500

    /// Calendar months.
    public let months: Int
    /// Days of 24 hours.
    public let days: Int

    /// Makes a period; nil when it is empty, negative or beyond the limit.
    public init?(months: Int = 0, days: Int = 0) {
        guard (0...Self.limit).contains(months), (0...Self.limit).contains(days),
            months > 0 || days > 0
        else { return nil }
        self.months = months
        self.days = days
    }

    /// Reads the date part of an ISO 8601 duration: `P1Y`, `P3M`, `P2W`, `P30D`, `P1M15D`.
    public init?(iso8601 text: String) {
        guard text.first == "P" else { return nil }
        var months = 0
        var days = 0
        var number: Int?
        for character in text.dropFirst() {
            if let digit = character.wholeNumberValue, character.isASCII {
                let next = (number ?? 0) * 10 + digit
                guard next <= Self.limit else { return nil }
                number = next
                continue
            }
            guard let count = number else { return nil }
            number = nil
            switch character {
            case "Y": months += 12 * count
            case "M": months += count
            case "W": days += 7 * count
            case "D": days += count
            default: return nil
            }
        }
        guard number == nil else { return nil }
        self.init(months: months, days: days)
    }

    /// The ISO 8601 form.
    public var description: String {
        "P" + (months > 0 ? "\(months)M" : "") + (days > 0 ? "\(days)D" : "")
    }

    /// The moment at which a service that starts then ends.
    ///
    /// A month ends on the same day of a later month, or on its last day where it is shorter; UTC.
    public func end(from start: Timestamp) -> Timestamp {
        let dayLength: Int64 = 86_400_000
        let day = Int(floorDivide(start.milliseconds, dayLength))
        let timeOfDay = start.milliseconds - Int64(day) * dayLength
        let shifted = months == 0 ? day : CivilDate(day: day).adding(months: months).day
        return Timestamp(milliseconds: Int64(shifted + days) * dayLength + timeOfDay)
    }
}

private func floorDivide(_ value: Int64, _ divisor: Int64) -> Int64 {
    let quotient = value / divisor
    return value % divisor < 0 ? quotient - 1 : quotient
}

/// A date of the Gregorian calendar, by the day count from 1970-01-01.
private struct CivilDate {
    var year: Int
    var month: Int
    var dayOfMonth: Int

    /// Counts 400-year eras from March on, so that the leap day comes last in each year.
    init(day: Int) {
        let shifted = day + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra =
            (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        dayOfMonth = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
        month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
        year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    }

    var day: Int {
        let marchYear = month <= 2 ? year - 1 : year
        let era = (marchYear >= 0 ? marchYear : marchYear - 399) / 400
        let yearOfEra = marchYear - era * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + dayOfMonth - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        return era * 146_097 + dayOfEra - 719_468
    }

    func adding(months: Int) -> CivilDate {
        var result = self
        let count = year * 12 + (month - 1) + months
        result.year = count >= 0 ? count / 12 : (count - 11) / 12
        result.month = count - result.year * 12 + 1
        result.dayOfMonth = min(dayOfMonth, result.lastDay)
        return result
    }

    private var lastDay: Int {
        switch month {
        case 4, 6, 9, 11: 30
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        default: 31
        }
    }
}
