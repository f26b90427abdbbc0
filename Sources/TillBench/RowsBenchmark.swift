import Foundation
import LedgerSQLite
import Synchronization

/// What a purchase, a customer's entitlements and a notification cost with millions of recorded transactions,
/// against the same with ten thousand; how large the file is for each; and what it takes to audit it.
///
/// `TILL_BENCH_ROWS` says how many are many; ten million take half an hour and 8 GB in `TMPDIR`.
/// `TILL_BENCH_LEDGER` names a file that keeps the large ledger as it was filled, for the next time; the
/// machine needs room for it twice.
enum RowsBenchmark {
    private static let few = 10_000
    private static let usual = 1_000_000
    private static let rounds = 21
    /// Pieces of work in a round: few enough that a slow moment of the machine hits both ledgers.
    private static let count = 300

    static func run() throws -> Bool {
        let environment = ProcessInfo.processInfo.environment
        let many = environment["TILL_BENCH_ROWS"].flatMap { Int($0) } ?? usual
        let kept = environment["TILL_BENCH_LEDGER"]
        print("a ledger of \(few) recorded transactions, and one of \(many)")
        return try blocking {
            let samples = try ProofSamples()
            let small = try await GrownLedger(rows: few, samples: samples)
            _ = try await small.audit()
            let large = try await GrownLedger(rows: many, samples: samples, kept: kept)
            defer {
                small.remove()
                large.remove()
            }
            print("  filled in \(Int(large.secondsToFill)) s")
            var met = true
            for work in GrownLedger.Work.allCases {
                met = try await compare(work, small, large) && met
            }
            print("  bytes of the file for a recorded transaction, its proof not counted:")
            print("    \(small.bytesPerRow) with few, \(large.bytesPerRow) with many")
            let whole = try await GrownLedger.bytesPerPurchase(samples)
            print("  and for a purchase as it is recorded, with its proof: \(whole)")
            try await audit(large)
            await small.store.close()
            await large.store.close()
            return met
        }
    }

    /// Does the same on both, in turns, and holds one against the other.
    private static func compare(
        _ work: GrownLedger.Work, _ small: GrownLedger, _ large: GrownLedger
    ) async throws -> Bool {
        _ = try await small.time(work, count: 2 * count)
        _ = try await large.time(work, count: 2 * count)
        var little: [GrownLedger.Cost] = []
        var much: [GrownLedger.Cost] = []
        for round in 0..<rounds {
            if round % 2 == 0 { little.append(try await small.time(work, count: count)) }
            much.append(try await large.time(work, count: count))
            if round % 2 == 1 { little.append(try await small.time(work, count: count)) }
        }
        let name = work.rawValue
        print("  \(name), microseconds of real time")
        print("    with few   \(Spread(little.map { $0.real * 1e6 }).text)")
        print("    with many  \(Spread(much.map { $0.real * 1e6 }).text)")
        let real = Goal(name: "  \(name), many : few, real time", bound: .atMost(2))
            .report(Spread(zip(much, little).map { $0.real / $1.real }))
        let processor = Goal(name: "  \(name), many : few, processor time", bound: .atMost(2))
            .report(Spread(zip(much, little).map { $0.processor / $1.processor }))
        return real && processor
    }

    /// What it takes to recompute everything from the facts.
    private static func audit(_ ledger: GrownLedger) async throws {
        fflush(nil)
        let before = peakMemory()
        let clock = ContinuousClock.now
        let purchases = try await ledger.audit()
        let seconds = (ContinuousClock.now - clock) / .seconds(1)
        print("  rebuild: \(purchases) purchases in \(Spread.short(seconds)) s")
        if let before, let after = peakMemory() {
            print("    the process's memory at most: \(after) MB, \(before) MB before")
        }
    }

    /// The most memory that the process ever had, in megabytes; nil where Linux does not tell.
    private static func peakMemory() -> Int? {
        let status = try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)
        let line = (status ?? "").split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
        return line?.split(separator: " ").compactMap { Int($0) }.first.map { $0 / 1_024 }
    }

    /// Waits for something asynchronous; the benchmarks are a plain program.
    private static func blocking(
        _ body: @escaping @Sendable () async throws -> Bool
    ) throws -> Bool {
        let result = Mutex<Result<Bool, any Error>?>(nil)
        let done = DispatchSemaphore(value: 0)
        Task.detached {
            let outcome: Result<Bool, any Error>
            do {
                outcome = .success(try await body())
            } catch {
                outcome = .failure(error)
            }
            result.withLock { $0 = outcome }
            done.signal()
        }
        done.wait()
        return try result.withLock { $0 }?.get() ?? false
    }
}
