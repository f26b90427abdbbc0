public import AppStoreModel

/// A length of time in the calendar's units, as a subscription or an offer has it (ISO 8601, `P1M`).
public struct Period: Sendable, Hashable, Codable, CustomStringConvertible {
    /// The units that Apple uses.
    public enum Unit: String, Sendable, Hashable, Codable {
        /// Days.
        case day = "D"
        /// Weeks of seven days.
        case week = "W"
        /// Calendar months.
        case month = "M"
        /// Calendar years.
        case year = "Y"
    }

    /// How many units, 1 to 999.
    public let count: Int
    /// The unit.
    public let unit: Unit

    /// Makes a period; nothing outside 1 to 999 units.
    public init?(_ count: Int, _ unit: Unit) {
        guard (1...999).contains(count) else { return nil }
        self.count = count
        self.unit = unit
    }

    init(oneOf unit: Unit) {
        count = 1
        self.unit = unit
    }

    /// Reads `P3D`, `P1W`, `P6M`, `P1Y`; nothing for any other text.
    public init?(iso8601 text: String) {
        guard text.first == "P", let last = text.last, let unit = Unit(rawValue: String(last)),
            let count = Int(text.dropFirst().dropLast()), text.utf8.allSatisfy({ $0 != 0x2B })
        else { return nil }
        self.init(count, unit)
    }

    /// The ISO 8601 spelling.
    public var description: String { "P\(count)\(unit.rawValue)" }

    /// Encoded as its ISO 8601 spelling.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }

    /// Decodes the ISO 8601 spelling.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let period = Period(iso8601: try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(
                in: container, debugDescription: "no ISO 8601 period")
        }
        self = period
    }

    /// The end of the period that begins then, by the calendar.
    public func end(from start: Timestamp) -> Timestamp {
        switch unit {
        case .day: start.advanced(byMilliseconds: Int64(count) * 86_400_000)
        case .week: start.advanced(byMilliseconds: Int64(count) * 7 * 86_400_000)
        case .month: start.addingMonths(count)
        case .year: start.addingMonths(12 * count)
        }
    }

    /// Its length in months, where weeks and days count as parts; what compressed rates scale by.
    var months: Double {
        switch unit {
        case .day: Double(count) / 30
        case .week: Double(count) * 7 / 30
        case .month: Double(count)
        case .year: Double(count) * 12
        }
    }

    /// Whether it is a week or less, for which grace is shorter.
    var isWeekly: Bool { unit == .week && count == 1 || unit == .day && count <= 7 }
}
