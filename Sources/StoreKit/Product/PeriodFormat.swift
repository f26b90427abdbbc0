public import Foundation

extension Product {
    /// Writes a subscription's period, as `1 month`.
    ///
    /// Apple's type here is `Date.ComponentsFormatStyle`, which Linux's Foundation has as an empty name. This
    /// one has the members that code sets, and writes English, or Chinese where the language is Chinese.
    public struct SubscriptionPeriodFormatStyle: FormatStyle, Sendable {
        /// How long the words are.
        public enum Style: Codable, Hashable, Sendable {
            /// As `1 month`.
            case wide
            /// As `1 mth`.
            case abbreviated
            /// As `1m`.
            case narrow
        }

        /// How long the words are.
        public var style: Style
        /// Whose language.
        public var locale: Locale

        /// Makes a style.
        public init(style: Style = .wide, locale: Locale = .autoupdatingCurrent) {
            self.style = style
            self.locale = locale
        }

        /// The same in another language.
        public func locale(_ locale: Locale) -> SubscriptionPeriodFormatStyle {
            SubscriptionPeriodFormatStyle(style: style, locale: locale)
        }

        /// The time between two moments in whole calendar units.
        public func format(_ value: Range<Date>) -> String {
            let parts = Calendar(identifier: .gregorian).dateComponents(
                [.year, .month, .day], from: value.lowerBound, to: value.upperBound)
            let (years, months, days) = (parts.year ?? 0, parts.month ?? 0, parts.day ?? 0)
            var counts: [(Int, SubscriptionPeriod.Unit)] = [(years, .year), (months, .month)]
            let isWeeks = years == 0 && months == 0 && days % 7 == 0
            counts.append(isWeeks ? (days / 7, .week) : (days, .day))
            let words = counts.filter { $0.0 > 0 }.map { word($0.0, $0.1) }
            return words.isEmpty ? word(0, .day) : words.joined(separator: isChinese ? "" : " ")
        }

        private var isChinese: Bool { locale.identifier.hasPrefix("zh") }

        private func word(_ count: Int, _ unit: SubscriptionPeriod.Unit) -> String {
            if isChinese {
                return switch unit {
                case .day: "\(count)天"
                case .week: "\(count)周"
                case .month: "\(count)个月"
                case .year: "\(count)年"
                }
            }
            let plural = count == 1 ? "" : "s"
            return switch (style, unit) {
            case (.wide, .day): "\(count) day\(plural)"
            case (.wide, .week): "\(count) week\(plural)"
            case (.wide, .month): "\(count) month\(plural)"
            case (.wide, .year): "\(count) year\(plural)"
            case (.abbreviated, .day): "\(count) day\(plural)"
            case (.abbreviated, .week): "\(count) wk\(plural)"
            case (.abbreviated, .month): "\(count) mth\(plural)"
            case (.abbreviated, .year): "\(count) yr\(plural)"
            case (.narrow, .day): "\(count)d"
            case (.narrow, .week): "\(count)w"
            case (.narrow, .month): "\(count)m"
            case (.narrow, .year): "\(count)y"
            }
        }
    }

    /// How to write the product's periods.
    public var subscriptionPeriodFormatStyle: SubscriptionPeriodFormatStyle {
        SubscriptionPeriodFormatStyle(locale: priceFormatStyle.locale)
    }

    /// How to write the unit of the product's period.
    public var subscriptionPeriodUnitFormatStyle: SubscriptionPeriod.Unit.FormatStyle {
        SubscriptionPeriod.Unit.FormatStyle(locale: priceFormatStyle.locale)
    }
}

extension Product.SubscriptionPeriod.Unit {
    /// Writes a unit, as `month`.
    public struct FormatStyle: Foundation.FormatStyle, Sendable {
        private var locale: Locale

        init(locale: Locale) { self.locale = locale }

        /// The same in another language.
        public func locale(_ locale: Locale) -> FormatStyle { FormatStyle(locale: locale) }

        /// The unit's word.
        public func format(_ value: Product.SubscriptionPeriod.Unit) -> String {
            let isChinese = locale.identifier.hasPrefix("zh")
            return switch value {
            case .day: isChinese ? "天" : "day"
            case .week: isChinese ? "周" : "week"
            case .month: isChinese ? "个月" : "month"
            case .year: isChinese ? "年" : "year"
            }
        }
    }

    /// The unit's word in a style.
    public func formatted<Style: Foundation.FormatStyle>(_ format: Style) -> Style.FormatOutput
    where Style.FormatInput == Product.SubscriptionPeriod.Unit { format.format(self) }

    /// The unit's word in the user's language.
    public func formatted() -> String { FormatStyle(locale: .autoupdatingCurrent).format(self) }
}
