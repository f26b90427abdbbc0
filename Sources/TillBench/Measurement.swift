#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Something to be measured: one call does `units` units of work.
struct Contender {
    let name: String
    var units = 1
    let work: () throws -> Void
}

/// Rates of contenders, measured in turns so that a slow moment of the machine hits all of them.
struct Measurement {
    /// Units for a second of processor time: contender, then round.
    let rates: [[Double]]
    let names: [String]

    /// Runs every contender for so many seconds in every round, in many short turns: a slow moment of
    /// the machine is shorter than a round, and hits one contender as much as the other.
    static func compare(
        _ contenders: [Contender], rounds: Int = 9, seconds: Double = 0.12
    ) throws -> Measurement {
        let turns = 12
        for contender in contenders { try contender.work() }
        var rates = [[Double]](repeating: [], count: contenders.count)
        for _ in 0..<rounds {
            var units = [Int](repeating: 0, count: contenders.count)
            var elapsed = [Double](repeating: 0, count: contenders.count)
            for _ in 0..<turns {
                for (index, contender) in contenders.enumerated() {
                    let turn = try run(contender, for: seconds / Double(turns))
                    units[index] += turn.units
                    elapsed[index] += turn.elapsed
                }
            }
            for index in contenders.indices {
                rates[index].append(Double(units[index]) / elapsed[index])
            }
        }
        return Measurement(rates: rates, names: contenders.map(\.name))
    }

    private static func run(
        _ contender: Contender, for seconds: Double
    ) throws -> (units: Int, elapsed: Double) {
        let start = processorTime()
        var calls = 0
        var elapsed = 0.0
        repeat {
            try contender.work()
            calls += 1
            elapsed = processorTime() - start
        } while elapsed < seconds
        return (calls * contender.units, elapsed)
    }

    /// Seconds that this thread has computed: what others do on the machine does not count.
    static func processorTime() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    /// How many times faster one contender was than another, round by round.
    func ratio(_ one: Int, to other: Int) -> Spread {
        Spread(zip(rates[one], rates[other]).map { $0 / $1 })
    }

    func rate(_ index: Int) -> Spread { Spread(rates[index]) }
}

/// The least, the middle and the greatest of some figures.
struct Spread {
    let least: Double
    let middle: Double
    let greatest: Double

    init(_ figures: [Double]) {
        let sorted = figures.sorted()
        least = sorted.first ?? 0
        middle = sorted.isEmpty ? 0 : sorted[sorted.count / 2]
        greatest = sorted.last ?? 0
    }

    var text: String { "\(Self.short(least)) / \(Self.short(middle)) / \(Self.short(greatest))" }

    /// Three or four digits that count.
    static func short(_ figure: Double) -> String {
        let digits = figure >= 100 ? 0 : figure >= 10 ? 1 : figure >= 1 ? 2 : 4
        var scale = 1.0
        for _ in 0..<digits { scale *= 10 }
        let rounded = Int((figure * scale).rounded())
        guard digits > 0 else { return "\(rounded)" }
        let whole = rounded / Int(scale)
        let rest = "\(rounded % Int(scale))"
        return "\(whole)." + String(repeating: "0", count: digits - rest.count) + rest
    }
}

/// One line of the report: a ratio, and whether it is what it should be.
struct Goal {
    enum Bound {
        case atLeast(Double)
        case atMost(Double)
    }

    let name: String
    let bound: Bound?

    /// Prints the ratio; says whether the middle one is within the bound.
    func report(_ ratio: Spread) -> Bool {
        var line = name + String(repeating: " ", count: max(1, 58 - name.count)) + ratio.text
        var met = true
        switch bound {
        case .atLeast(let least):
            met = ratio.middle >= least
            line += "  (at least \(Spread.short(least)): \(met ? "met" : "MISSED"))"
        case .atMost(let most):
            met = ratio.middle <= most
            line += "  (at most \(Spread.short(most)): \(met ? "met" : "MISSED"))"
        case nil: break
        }
        print(line)
        // Seen at once, wherever it goes: some of what follows takes long.
        fflush(nil)
        return met
    }
}
