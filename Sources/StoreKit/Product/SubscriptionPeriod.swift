public import Foundation

extension Product {
    /// How long a period of a subscription is.
    public struct SubscriptionPeriod: Hashable, Sendable {
        /// The units of periods.
        public enum Unit: Hashable, Sendable, Comparable {
            /// Days.
            case day
            /// Weeks of seven days.
            case week
            /// Calendar months.
            case month
            /// Calendar years.
            case year

            /// The unit for people.
            public var localizedDescription: String {
                switch self {
                case .day: "Day"
                case .week: "Week"
                case .month: "Month"
                case .year: "Year"
                }
            }
        }

        /// The unit.
        public let unit: Unit
        /// How many units.
        public let value: Int

        init(value: Int, unit: Unit) {
            self.value = value
            self.unit = unit
        }

        /// One week.
        public static let weekly = SubscriptionPeriod(value: 1, unit: .week)
        /// One month.
        public static let monthly = SubscriptionPeriod(value: 1, unit: .month)
        /// One year.
        public static let yearly = SubscriptionPeriod(value: 1, unit: .year)
        /// Three days.
        public static let everyThreeDays = SubscriptionPeriod(value: 3, unit: .day)
        /// Two weeks.
        public static let everyTwoWeeks = SubscriptionPeriod(value: 2, unit: .week)
        /// Two months.
        public static let everyTwoMonths = SubscriptionPeriod(value: 2, unit: .month)
        /// Three months.
        public static let everyThreeMonths = SubscriptionPeriod(value: 3, unit: .month)
        /// Six months.
        public static let everySixMonths = SubscriptionPeriod(value: 6, unit: .month)

        /// From a moment to the end of the period that begins then, in the Gregorian calendar.
        public func dateRange(referenceDate: Date = Date()) -> Range<Date> {
            let calendar = Calendar(identifier: .gregorian)
            let end =
                calendar.date(byAdding: DateComponents(subscriptionPeriod: self), to: referenceDate)
                ?? referenceDate
            return referenceDate..<max(end, referenceDate)
        }

        /// The period for people, by a format of dates.
        public func formatted<Style: Foundation.FormatStyle>(
            _ format: Style, referenceDate: Date = Date()
        ) -> Style.FormatOutput where Style.FormatInput == Range<Date> {
            format.format(dateRange(referenceDate: referenceDate))
        }

        /// The period for people, by a format of durations.
        public func formatted<Style: Foundation.FormatStyle>(
            _ format: Style, referenceDate: Date = Date()
        ) -> Style.FormatOutput where Style.FormatInput == Duration {
            let range = dateRange(referenceDate: referenceDate)
            return format.format(
                .seconds(range.upperBound.timeIntervalSince(range.lowerBound)))
        }
    }
}

extension Product.SubscriptionPeriod: CustomDebugStringConvertible {
    /// The number and the unit.
    public var debugDescription: String { "\(value) \(unit)" }
}

extension DateComponents {
    /// Takes a subscription's period.
    public init(subscriptionPeriod: Product.SubscriptionPeriod) {
        self.init()
        switch subscriptionPeriod.unit {
        case .day: day = subscriptionPeriod.value
        case .week: day = subscriptionPeriod.value * 7
        case .month: month = subscriptionPeriod.value
        case .year: year = subscriptionPeriod.value
        }
    }
}

/// A period by its newer name.
public typealias SubscriptionPeriod = Product.SubscriptionPeriod
