/// `till-bench [NAME…]`: every figure as a ratio to a limit or a peer measured in the same run.
@main
enum TillBench {
    /// The benchmarks by name, in the order in which they run.
    static let all: [(name: String, run: @Sendable () throws -> Bool)] =
        ProofBenchmarks.all + [store, purchases, postgres, rows]

    private static let store: (name: String, run: @Sendable () throws -> Bool) = (
        "store", { try StoreBenchmark.run() }
    )
    private static let purchases: (name: String, run: @Sendable () throws -> Bool) = (
        "purchases", { try PurchasesBenchmark.run() }
    )

    private static let postgres: (name: String, run: @Sendable () throws -> Bool) = (
        "postgres", { try PostgresBenchmark.run() }
    )

    private static let rows: (name: String, run: @Sendable () throws -> Bool) = (
        "rows", { try RowsBenchmark.run() }
    )

    static func main() throws {
        let wanted = CommandLine.arguments.dropFirst()
        let unknown = wanted.filter { name in !all.contains { $0.name == name } }
        guard unknown.isEmpty else {
            print("no benchmark \(unknown.joined(separator: ", "))")
            print("there are: \(all.map(\.name).joined(separator: ", "))")
            return
        }
        print("ratios are least / middle / greatest of the rounds; proof in processor time of one")
        print("thread, the store in that of the process, purchases in real time on every core")
        var met = true
        for benchmark in all where wanted.isEmpty || wanted.contains(benchmark.name) {
            print("\(benchmark.name):")
            met = try benchmark.run() && met
        }
        print(met ? "every goal is met" : "NOT every goal is met")
    }
}
