/// Metrics in Prometheus's text format, version 0.0.4.
enum MetricsText {
    static let mediaType = "text/plain; version=0.0.4; charset=utf-8"

    /// The samples, each metric with its help and its kind before it.
    static func text(_ samples: [MetricSample]) -> String {
        let byMetric = Dictionary(grouping: samples, by: \.metric)
        var text = ""
        for metric in Metric.allCases {
            guard let samples = byMetric[metric] else { continue }
            text += "# HELP \(metric.rawValue) \(metric.help)\n"
            text += "# TYPE \(metric.rawValue) \(metric.kind.rawValue)\n"
            // Buckets stay in their order: sorting keeps what is alike as it was.
            for sample in samples.sorted(by: { $0.values.lexicographicallyPrecedes($1.values) }) {
                text += line(sample)
            }
        }
        return text
    }

    private static func line(_ sample: MetricSample) -> String {
        var labels = zip(sample.metric.labels, sample.values).map { name, value in
            "\(name)=\"\(escaped(value))\""
        }
        if let bound = sample.bound { labels.append("le=\"\(number(bound))\"") }
        let list = labels.isEmpty ? "" : "{\(labels.joined(separator: ","))}"
        return "\(sample.metric.rawValue)\(sample.suffix)\(list) \(number(sample.number))\n"
    }

    private static func number(_ number: Double) -> String {
        if number == .infinity { return "+Inf" }
        return Int64(exactly: number).map(String.init) ?? String(number)
    }

    private static func escaped(_ value: String) -> String {
        var escaped = ""
        for character in value.unicodeScalars {
            switch character {
            case "\\": escaped += "\\\\"
            case "\"": escaped += "\\\""
            case "\n": escaped += "\\n"
            default: escaped.unicodeScalars.append(character)
            }
        }
        return escaped
    }
}
