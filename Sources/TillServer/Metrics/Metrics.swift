import Synchronization

/// What a server counts and measures of itself since it started.
///
/// Nothing in it tells one customer from another: its labels are routes, codes, apps and the like.
public final class Metrics: Sendable {
    /// Combinations of labels of one metric at the most; what comes later is counted as `other`.
    ///
    /// Labels come from lists that the server knows but for Apple's own words, which may grow.
    static let mostSeries = 500

    private struct State {
        var counts: [Metric: [[String]: Int]] = [:]
        var times: [[String]: Histogram] = [:]
        var connections: (@Sendable () -> Int)?
    }

    private let state = Mutex(State())
    private let version: String

    /// Makes metrics in which nothing has happened yet; `version` is the program's.
    public init(version: String = "") { self.version = version }

    // MARK: Telling it

    /// Notes a response of the listener, whoever made it.
    public func answered(status: Int) { count(.httpResponses, [String(status)]) }

    /// Says who knows how many connections are open.
    public func watch(connections: @escaping @Sendable () -> Int) {
        state.withLock { $0.connections = connections }
    }

    /// Adds to a count; there is a value for each label of the metric, in its order.
    func count(_ metric: Metric, _ values: [String] = [], by number: Int = 1) {
        precondition(values.count == metric.labels.count, "\(metric) has other labels")
        guard number > 0 else { return }
        state.withLock { state in
            let place = Self.place(values, in: state.counts[metric])
            state.counts[metric, default: [:]][place, default: 0] += number
        }
    }

    /// Notes how long a request took.
    func measure(_ time: Duration, of route: String) {
        state.withLock { state in
            state.times[Self.place([route], in: state.times), default: Histogram()].add(time)
        }
    }

    private static func place<Value>(
        _ values: [String], in series: [[String]: Value]?
    ) -> [String] {
        guard let series, series.count >= mostSeries, series[values] == nil else { return values }
        return values.map { _ in "other" }
    }

    // MARK: Asking it

    /// Everything that is known, with what the caller has found out just now.
    func samples(with found: [MetricSample] = []) -> [MetricSample] {
        let (counts, times, connections) = state.withLock { ($0.counts, $0.times, $0.connections) }
        var samples = found
        for (metric, series) in counts {
            samples += series.map { MetricSample(metric, Double($1), of: $0) }
        }
        for (values, histogram) in times { samples += histogram.samples(.requestTime, values) }
        if let connections { samples.append(MetricSample(.connections, Double(connections()))) }
        samples.append(MetricSample(.version, 1, of: [version]))
        samples += ProcessFacts.samples()
        return samples
    }
}

/// One number of a metric.
struct MetricSample: Hashable {
    let metric: Metric
    /// A value for each label of the metric.
    let values: [String]
    let number: Double
    /// Of a histogram which of its series: `_bucket`, `_sum` or `_count`.
    var suffix = ""
    /// Of a bucket the longest time that belongs to it, in seconds.
    var bound: Double?

    init(_ metric: Metric, _ number: Double, of values: [String] = []) {
        self.metric = metric
        self.values = values
        self.number = number
    }
}

/// How many took how long.
struct Histogram {
    /// The longest times of the buckets in milliseconds; what takes longer still has a bucket of its own.
    private static let bounds = [1, 2, 5, 10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000]

    private var counts = [Int](repeating: 0, count: bounds.count + 1)
    private var sum = Duration.zero

    mutating func add(_ time: Duration) {
        let bucket = Self.bounds.firstIndex { time <= .milliseconds($0) } ?? Self.bounds.count
        counts[bucket] += 1
        sum += time
    }

    /// Buckets that each hold the smaller ones too, as Prometheus has them.
    func samples(_ metric: Metric, _ values: [String]) -> [MetricSample] {
        var samples: [MetricSample] = []
        func append(_ suffix: String, _ number: Double, bound: Double? = nil) {
            var sample = MetricSample(metric, number, of: values)
            sample.suffix = suffix
            sample.bound = bound
            samples.append(sample)
        }
        var total = 0
        for (bound, count) in zip(Self.bounds, counts) {
            total += count
            append("_bucket", Double(total), bound: Double(bound) / 1_000)
        }
        total += counts.last ?? 0
        append("_bucket", Double(total), bound: .infinity)
        append("_sum", sum / .seconds(1))
        append("_count", Double(total))
        return samples
    }
}
