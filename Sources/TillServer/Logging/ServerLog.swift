public import AppStoreModel

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// How much a log line matters.
public enum LogLevel: String, Sendable, Hashable {
    /// What happened.
    case info
    /// What somebody should look at.
    case warning
    /// What went wrong.
    case error
}

/// Writes one line for each thing worth knowing; the lines hold no secret and no proof.
public struct ServerLog: Sendable {
    private let format: LogFormat
    private let clock: @Sendable () -> Timestamp
    private let write: @Sendable (String) -> Void

    /// Makes a log; `write` takes one finished line without its line feed, from any thread.
    public init(
        format: LogFormat, clock: @escaping @Sendable () -> Timestamp,
        write: @escaping @Sendable (String) -> Void
    ) {
        self.format = format
        self.clock = clock
        self.write = write
    }

    /// A log that nobody reads.
    public static let silent = ServerLog(
        format: .text, clock: { Timestamp(milliseconds: 0) }, write: { _ in })

    /// Writes a line: what happened, and the values that belong to it.
    public func write(
        _ level: LogLevel, _ event: String, _ values: KeyValuePairs<String, JSONValue> = [:]
    ) {
        write(line(level, event, values))
    }

    func line(
        _ level: LogLevel, _ event: String, _ values: KeyValuePairs<String, JSONValue>
    ) -> String {
        let time = LogTime.text(clock())
        switch format {
        case .json:
            var object: [String: JSONValue] = [:]
            for (name, value) in values { object[name] = value }
            object["time"] = .string(time)
            object["level"] = .string(level.rawValue)
            object["event"] = .string(event)
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
            let data = (try? encoder.encode(JSONValue.object(object))) ?? Data()
            return String(decoding: data, as: UTF8.self)
        case .text:
            var line = "\(time) \(level.rawValue) \(event)"
            for (name, value) in values where value != .null {
                line += " \(name)=\(Self.word(value))"
            }
            return line
        }
    }

    private static func word(_ value: JSONValue) -> String {
        switch value {
        case .null: "null"
        case .bool(let flag): String(flag)
        case .integer(let whole): String(whole)
        case .number(let number): String(number)
        case .string(let text): quoted(text)
        case .array(let list): "[\(list.map(word).joined(separator: ","))]"
        case .object: "{…}"
        }
    }

    /// The text, quoted unless it is one plain word, so that nothing forges a second line or value.
    private static func quoted(_ text: String) -> String {
        let isPlain =
            !text.isEmpty
            && text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != 0x22 && $0 != 0x3D }
        if isPlain { return text }
        var quoted = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"", "\\": quoted += "\\\(scalar)"
            case "\n": quoted += "\\n"
            case _
            where scalar.properties.generalCategory == .control
                || scalar.properties.generalCategory == .lineSeparator
                || scalar.properties.generalCategory == .paragraphSeparator:
                quoted += "\\u{\(String(scalar.value, radix: 16))}"
            default: quoted.unicodeScalars.append(scalar)
            }
        }
        return quoted + "\""
    }
}

/// ISO 8601 in UTC with milliseconds, without a formatter: a log line comes with every request.
enum LogTime {
    static func text(_ time: Timestamp) -> String {
        let days = Int((Double(time.seconds) / 86_400).rounded(.down))
        let second = Int(time.seconds) - days * 86_400
        let (year, month, day) = date(days)
        let thousandth = Int(time.milliseconds - time.seconds * 1_000)
        return "\(padded(year, 4))-\(padded(month, 2))-\(padded(day, 2))T"
            + "\(padded(second / 3_600, 2)):\(padded(second / 60 % 60, 2)):"
            + "\(padded(second % 60, 2)).\(padded(thousandth, 3))Z"
    }

    private static func padded(_ number: Int, _ width: Int) -> String {
        let text = String(number)
        return String(repeating: "0", count: max(0, width - text.count)) + text
    }

    /// Year, month and day of a day since 1970, in the Gregorian calendar; eras of 400 years that
    /// begin on 1 March, so that the leap day is the last of its year.
    private static func date(_ days: Int) -> (Int, Int, Int) {
        let shifted = days + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        let day = dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
        let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, day)
    }
}
