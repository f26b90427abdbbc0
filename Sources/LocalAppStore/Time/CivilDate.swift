import AppStoreModel

/// A day of the Gregorian calendar in UTC, without any library's calendar, so that replays agree.
struct CivilDate: Hashable {
    var year: Int
    var month: Int
    var day: Int

    /// Days since 1970-01-01; the algorithm counts in eras of 400 years that begin on 1 March.
    var daysSinceEpoch: Int {
        let shiftedYear = month <= 2 ? year - 1 : year
        let era = (shiftedYear >= 0 ? shiftedYear : shiftedYear - 399) / 400
        let yearOfEra = shiftedYear - era * 400
        let shiftedMonth = (month + 9) % 12
        let dayOfYear = (153 * shiftedMonth + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        return era * 146_097 + dayOfEra - 719_468
    }

    init(year: Int, month: Int, day: Int) {
        self.year = year
        self.month = month
        self.day = day
    }

    init(daysSinceEpoch days: Int) {
        let shifted = days + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra =
            (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        day = dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
        month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    }

    static func daysIn(month: Int, of year: Int) -> Int {
        switch month {
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }
}

extension Timestamp {
    /// The same time of day so many calendar months later; the last day of a month that is too short.
    func addingMonths(_ months: Int) -> Timestamp {
        let dayLength: Int64 = 86_400_000
        let days = Int(
            (milliseconds >= 0 ? milliseconds : milliseconds - dayLength + 1) / dayLength)
        let timeOfDay = milliseconds - Int64(days) * dayLength
        var date = CivilDate(daysSinceEpoch: days)
        let month = date.year * 12 + date.month - 1 + months
        date.year = month >= 0 ? month / 12 : (month - 11) / 12
        date.month = month - date.year * 12 + 1
        date.day = min(date.day, CivilDate.daysIn(month: date.month, of: date.year))
        return Timestamp(milliseconds: Int64(date.daysSinceEpoch) * dayLength + timeOfDay)
    }
}
