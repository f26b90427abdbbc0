public import AppStoreModel

/// How fast subscriptions run: in real time or by one of the compressed rates of Apple's sandbox and Xcode.
///
/// A name is what configuration, accounts and `.storekit` files say.
public struct RenewalRate: RawRepresentable, Sendable, Hashable, Codable {
    /// The name.
    public let rawValue: String

    /// Takes a known name; nothing for another.
    public init?(rawValue: String) {
        guard Self.table[rawValue] != nil else { return nil }
        self.rawValue = rawValue
    }

    private init(known: String) { rawValue = known }

    /// Calendar time.
    public static let realTime = RenewalRate(known: "realTime")
    /// The sandbox's usual rate: a month is five minutes.
    public static let sandbox5Minutes = RenewalRate(known: "sandbox5Minutes")

    /// The rate of a `.storekit` file's `_timeRate`; nothing for an unknown number.
    public init?(timeRate: Int) {
        let name = Self.table.first { $0.value.timeRates.contains(timeRate) }?.key
        guard let name else { return nil }
        rawValue = name
    }

    /// All names, in order.
    public static var names: [String] { table.keys.sorted() }

    private struct Row {
        /// Seconds of 1 week, 1, 2, 3, 6 months, 1 year; nothing for calendar time.
        var seconds: [Int64]?
        /// Milliseconds of grace, for weekly and for others.
        var grace: (weekly: Int64, other: Int64)?
        var retrySeconds: Int64 = 60 * 86_400
        var timeRates: [Int] = []
        /// How often a subscription renews before the store turns renewal off.
        var limit: Int?
    }

    private static func row(
        _ seconds: [Int64], grace: (Int64, Int64), retry: Int64, timeRates: [Int] = [],
        limit: Int? = nil
    ) -> Row {
        Row(
            seconds: seconds, grace: (grace.0 * 1_000, grace.1 * 1_000), retrySeconds: retry,
            timeRates: timeRates, limit: limit)
    }

    private static func even(_ seconds: Int64, timeRate: Int) -> Row {
        row(
            Array(repeating: seconds, count: 6), grace: (seconds, seconds), retry: 2 * seconds,
            timeRates: [timeRate])
    }

    private static let hour: [Int64] = [900, 3_600, 7_200, 10_800, 21_600, 43_200]
    private static let halfHour: [Int64] = [600, 1_800, 3_600, 5_400, 10_800, 21_600]
    private static let quarter: [Int64] = [300, 900, 1_800, 2_700, 5_400, 10_800]
    private static let fiveMinutes: [Int64] = [180, 300, 600, 900, 1_800, 3_600]

    private static let table: [String: Row] = [
        "realTime": Row(timeRates: [0]),
        "sandbox3Minutes": row(
            [180, 180, 360, 540, 1_080, 2_160], grace: (154, 90), retry: 360, limit: 12),
        "sandbox5Minutes": row(fiveMinutes, grace: (154, 150), retry: 600, limit: 12),
        "sandbox15Minutes": row(quarter, grace: (257, 450), retry: 1_800, limit: 12),
        "sandbox30Minutes": row(halfHour, grace: (514, 900), retry: 3_600, limit: 12),
        "sandbox1Hour": row(hour, grace: (771, 1_800), retry: 7_200, limit: 12),
        "testFlight": row(
            Array(repeating: 86_400, count: 6), grace: (86_400, 86_400), retry: 172_800, limit: 6),
        // Old whole-day rates: a week is seven of the units, a month thirty.
        "oneHourIsOneDay": days(3_600, timeRate: 1),
        "thirtyMinutesIsOneDay": days(1_800, timeRate: 2),
        "fiveMinutesIsOneDay": days(300, timeRate: 3),
        "monthlyRenewalEveryHour": row(hour, grace: (771, 1_800), retry: 7_200, timeRates: [10]),
        "monthlyRenewalEveryThirtyMinutes": row(
            halfHour, grace: (514, 900), retry: 3_600, timeRates: [4, 11]),
        "monthlyRenewalEveryFifteenMinutes": row(
            quarter, grace: (257, 450), retry: 1_800, timeRates: [5, 12]),
        "monthlyRenewalEveryFiveMinutes": row(
            fiveMinutes, grace: (154, 150), retry: 600, timeRates: [13]),
        "monthlyRenewalEveryThirtySeconds": row(
            [10, 30, 60, 90, 180, 360], grace: (9, 15), retry: 60, timeRates: [6, 15]),
        "oneRenewalEveryFifteenMinutes": even(900, timeRate: 1_000),
        "oneRenewalEveryFiveMinutes": even(300, timeRate: 1_001),
        "oneRenewalEveryMinute": even(60, timeRate: 1_002),
        "oneRenewalEveryThirtySeconds": even(30, timeRate: 1_003),
        "oneRenewalEveryTenSeconds": even(10, timeRate: 1_004),
        "oneRenewalEveryTwoSeconds": even(2, timeRate: 1_005),
    ]

    private static func days(_ seconds: Int64, timeRate: Int) -> Row {
        row(
            [7, 30, 60, 90, 180, 365].map { $0 * seconds }, grace: (6 * seconds, 16 * seconds),
            retry: 60 * seconds, timeRates: [timeRate])
    }

    private var row: Row { Self.table[rawValue] ?? Row() }

    /// Whether time is compressed.
    public var isCompressed: Bool { row.seconds != nil }

    /// How often a subscription renews before renewal goes off by itself.
    public var renewalLimit: Int? { row.limit }

    /// The end of a period that begins then.
    public func end(of period: Period, from start: Timestamp) -> Timestamp {
        guard let seconds = row.seconds else { return period.end(from: start) }
        let known: Int64? =
            switch (period.unit, period.count) {
            case (.week, 1): seconds[0]
            case (.month, 1): seconds[1]
            case (.month, 2): seconds[2]
            case (.month, 3): seconds[3]
            case (.month, 6): seconds[4]
            case (.year, 1), (.month, 12): seconds[5]
            default: nil
            }
        // Odd lengths scale with the month, and never beneath a second.
        let length = known ?? max(1, Int64((period.months * Double(seconds[1])).rounded()))
        return start.advanced(byMilliseconds: length * 1_000)
    }

    /// How long grace lasts for a subscription of that period where the app grants so many days.
    public func graceMilliseconds(days: Int, period: Period) -> Int64 {
        if let grace = row.grace { return period.isWeekly ? grace.weekly : grace.other }
        return Int64(period.isWeekly ? min(days, 6) : days) * 86_400_000
    }

    /// How long the store tries again.
    public var retryMilliseconds: Int64 { row.retrySeconds * 1_000 }

    /// What an extension of so many days amounts to: minutes under a compressed rate.
    public func extensionMilliseconds(days: Int) -> Int64 {
        guard let seconds = row.seconds else { return Int64(days) * 86_400_000 }
        return Int64((Double(days) / 30 * Double(seconds[1]) / 60).rounded(.down)) * 60_000
    }

    /// The gap that still counts as one run of a subscription.
    public var gapMilliseconds: Int64 { isCompressed ? 600_000 : 60 * 86_400_000 }
}
