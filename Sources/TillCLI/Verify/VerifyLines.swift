import AppStoreModel
import AppStoreTrust
import Foundation
import SignedDataCoding

/// `till verify --lines`: an archive of proofs, one a line, on every core, answered in order.
struct VerifyLines {
    let verifier: ProofVerifier
    let wanted: WantedProofs

    /// Reads to the end and returns the worst exit code.
    func run(_ input: inout ProofInput) throws(InputError) -> Int32 {
        var reader = LineReader(limit: ClientProof.maximumBytes)
        var worst: Int32 = 0
        while !Terminal.isBroken {
            let chunk = try input.next()
            guard !chunk.isEmpty else { break }
            worst = max(worst, answer(reader.lines(in: chunk)))
        }
        if let last = reader.end() { worst = max(worst, answer([last])) }
        return worst
    }

    private func answer(_ lines: [[UInt8]]) -> Int32 {
        guard !lines.isEmpty else { return 0 }
        let cores = min(ProcessInfo.processInfo.activeProcessorCount, lines.count)
        let share = (lines.count + cores - 1) / cores
        let results = Results(count: cores)
        DispatchQueue.concurrentPerform(iterations: cores) { core in
            var output: [UInt8] = []
            var worst: Int32 = 0
            for index in core * share..<max(core * share, min(lines.count, (core + 1) * share)) {
                let report = self.report(lines[index])
                output += report.json
                output.append(UInt8(ascii: "\n"))
                worst = max(worst, report.exitCode)
            }
            results.put(output, worst, at: core)
        }
        return results.flush()
    }

    private func report(_ line: [UInt8]) -> VerifyReport {
        do {
            return VerifyReport(try ClientProof(decoding: line), by: verifier, wanted)
        } catch {
            return VerifyReport(unreadable: error)
        }
    }
}

extension VerifyLines {
    /// What each core made of its share.
    ///
    /// Sendable because a lock guards everything in it.
    private final class Results: @unchecked Sendable {
        private let lock = NSLock()
        private var outputs: [[UInt8]]
        private var worst: Int32 = 0

        init(count: Int) { outputs = Array(repeating: [], count: count) }

        func put(_ output: [UInt8], _ exitCode: Int32, at core: Int) {
            lock.withLock {
                outputs[core] = output
                worst = max(worst, exitCode)
            }
        }

        func flush() -> Int32 {
            for output in outputs { Terminal.write(output) }
            return worst
        }
    }
}

/// Cuts a stream of bytes into lines; a line over the limit is cut there, which no proof survives.
struct LineReader {
    /// The most bytes of a line that are kept, and one more to show that there were more.
    let limit: Int
    private var rest: [UInt8] = []
    private var hasRest = false

    /// A reader of lines up to so many bytes.
    init(limit: Int) { self.limit = limit }

    /// The lines that end in this chunk, without their line feeds.
    mutating func lines(in chunk: ArraySlice<UInt8>) -> [[UInt8]] {
        var lines: [[UInt8]] = []
        var start = chunk.startIndex
        while let end = chunk[start...].firstIndex(of: 0x0A) {
            keep(chunk[start..<end])
            lines.append(rest)
            rest = []
            hasRest = false
            start = end + 1
        }
        if start < chunk.endIndex {
            keep(chunk[start...])
            hasRest = true
        }
        return lines
    }

    /// The last line, where the stream does not end in a line feed.
    mutating func end() -> [UInt8]? {
        defer { rest = [] }
        return hasRest ? rest : nil
    }

    private mutating func keep(_ bytes: ArraySlice<UInt8>) {
        rest += bytes.prefix(max(0, limit + 1 - rest.count))
    }
}
