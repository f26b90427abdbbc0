import AppStoreModel
import AppStoreTrust
import CryptoPrimitives
import Foundation

/// Apple's own library for servers, in Python, on the same transactions in the same run.
enum PythonPeer {
    static let python = ".venv/bin/python"
    static let script = "Benchmarks/peers/apple_library.py"

    static func compare(_ samples: ProofSamples) throws -> Bool {
        guard FileManager.default.isExecutableFile(atPath: python) else {
            print("  Apple's Python library: skipped, no \(python) (make peers)")
            return true
        }
        let verifier = try ProofBenchmarks.verifier(samples)
        let texts = try (0..<64).map {
            try samples.jws(ProofSamples.transaction($0), samples.valueChain)
        }
        let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("till-bench-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let root = folder.appendingPathComponent("root.der")
        let proofs = folder.appendingPathComponent("proofs.txt")
        try Data(samples.valueRoot.der).write(to: root)
        try texts.joined(separator: "\n").write(to: proofs, atomically: true, encoding: .utf8)

        let peer = try Peer(arguments: [
            script, root.path, proofs.path, ProofSamples.bundleID.rawValue,
        ])
        defer { peer.stop() }
        var ratios: [Double] = []
        var theirs: [Double] = []
        var next = 0
        for _ in 0..<7 {
            let their = try peer.rate()
            let ours = try Measurement.compare(
                [
                    Contender(name: "till") {
                        next = (next + 1) % texts.count
                        _ = try verifier.verifyTransaction(texts[next])
                    }
                ], rounds: 1, seconds: 0.3)
            theirs.append(their)
            ratios.append(ours.rate(0).middle / their)
        }
        print("  Apple's Python library, transactions/s  \(Spread(theirs).text)")
        return Goal(name: "  signed transaction : Apple's Python library", bound: .atLeast(30))
            .report(Spread(ratios))
    }

    /// A process that measures a slice at every line and answers with its rate.
    final class Peer {
        private let process = Process()
        private let input = Pipe()
        private let output = Pipe()

        init(arguments: [String]) throws {
            process.executableURL = URL(fileURLWithPath: python)
            process.arguments = arguments
            process.standardInput = input
            process.standardOutput = output
            try process.run()
        }

        func rate() throws -> Double {
            input.fileHandleForWriting.write(Data("go\n".utf8))
            var line: [UInt8] = []
            while true {
                let bytes = output.fileHandleForReading.readData(ofLength: 1)
                guard let byte = bytes.first else {
                    throw ProofBenchmarks.Failure(what: "Apple's Python library")
                }
                if byte == UInt8(ascii: "\n") { break }
                line.append(byte)
            }
            guard let rate = Double(String(decoding: line, as: UTF8.self)), rate > 0 else {
                throw ProofBenchmarks.Failure(what: "the rate of Apple's Python library")
            }
            return rate
        }

        func stop() {
            input.fileHandleForWriting.closeFile()
            process.waitUntilExit()
        }
    }
}
