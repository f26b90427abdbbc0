import Foundation
import HTTPFetch
import TillAPI
import TillLedger
import TillServer

extension TillCommand {
    static let importing = Command(
        syntax: CommandSyntax(
            name: "import",
            summary: "take the receipts and signed transactions that another system kept",
            operands: "[FILE | -]", operandCount: 0...1,
            options: [
                .value("--config", "FILE", "the server's configuration"),
                .value("--customer", "ID", "whose lines are that name nobody"),
                .flag("--json", "one JSON object for each line, and no summary"),
            ],
            notes: """
                One proof a line, in any form that clients send; with its customer before a tab, or as a
                JSON object {"customerId": "…", "receipt": "…"}. Proofs of nobody wait as unclaimed, unless
                their token names an order. Lines and tables that name transactions alone (RevenueCat's
                transactions feed, iaptic's purchases) are asked of Apple, where the app has `appStore`
                settings; else they are told as unproven.
                Importing the same again changes nothing.
                Exit codes: 0 everything taken, 1 something was not, 74 no database, 78 configuration.
                """)
    ) { words in
        guard let path = words.value("--config") else {
            throw UsageError("--config FILE is missing")
        }
        var customer: CustomerID?
        if let name = words.value("--customer") {
            guard let id = CustomerID(rawValue: name) else {
                throw UsageError("--customer takes 1 to 200 bytes without control characters")
            }
            customer = id
        }
        let file = words.operands.first ?? "-"
        let input: FileHandle
        if file == "-" {
            input = .standardInput
        } else if let opened = FileHandle(forReadingAtPath: file) {
            input = opened
        } else {
            throw UsageError("\(file) cannot be read")
        }
        return try await OpenLedger.with("import", path) { open in
            let importer = try Importer(
                configuration: open.configuration, ledger: open.ledger,
                fetcher: CurlFetcher(), clock: SystemClock.now)
            var summary = ImportSummary(printsJSON: words.has("--json"))
            let reader = TextLines(input)
            try await importer.run(AnySequence { reader.iterator() }, customer: customer) {
                summary.add($0)
            }
            if reader.broke { throw UsageError("\(file) cannot be read any further") }
            summary.finish()
            return summary.isComplete ? 0 : 1
        }
    }
}

/// Lines of a file, read a piece at a time, by one reader alone.
private final class TextLines {
    private let input: FileHandle
    /// Whether the file could not be read to its end.
    private(set) var broke = false

    init(_ input: FileHandle) { self.input = input }

    func iterator() -> AnyIterator<Substring> {
        var rest: [UInt8] = []
        var isAtEnd = false
        return AnyIterator { [self] in
            while true {
                if let end = rest.firstIndex(of: 10) {
                    let line = String(decoding: rest[..<end], as: UTF8.self)
                    rest.removeSubrange(...end)
                    return line[...]
                }
                if isAtEnd {
                    guard !rest.isEmpty else { return nil }
                    defer { rest = [] }
                    return String(decoding: rest, as: UTF8.self)[...]
                }
                do {
                    let piece = try input.read(upToCount: 1 << 20) ?? Data()
                    rest += piece
                    isAtEnd = piece.isEmpty
                } catch {
                    broke = true
                    isAtEnd = true
                }
            }
        }
    }
}

/// Counts what became of the lines, and prints.
private struct ImportSummary {
    private let printsJSON: Bool
    private var counts: [String: Int] = [:]
    private var lines = 0
    private(set) var isComplete = true
    private let encoder: JSONEncoder

    init(printsJSON: Bool) {
        self.printsJSON = printsJSON
        encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    }

    mutating func add(_ report: Importer.LineReport) {
        lines += 1
        var complaints: [String] = []
        if let problem = report.problem, report.refusedProofs.isEmpty { complaints.append(problem) }
        complaints += report.refusedProofs.map { "\($0.code.rawValue): \($0.detail ?? "")" }
        for result in report.results {
            counts[result.outcome.rawValue, default: 0] += 1
            if result.outcome == .refused {
                complaints.append("\(result.transactionID): \(result.reason ?? "refused")")
            }
        }
        if report.results.isEmpty {
            counts[report.unproven == nil ? "not taken" : "unproven", default: 0] += 1
        }
        if !complaints.isEmpty { isComplete = false }
        if printsJSON {
            // Texts, numbers and lists: there is nothing in it that cannot be encoded.
            if let json = try? encoder.encode(report) { Terminal.write([UInt8](json) + [10]) }
        } else {
            for complaint in complaints.prefix(5) {
                Terminal.print("line \(report.line): \(complaint)")
            }
        }
    }

    func finish() {
        guard !printsJSON else { return }
        let order = [
            "granted", "alreadyGranted", "pending", "refused", "unproven", "not taken",
        ]
        let parts = order.compactMap { name in
            counts[name].map { "\($0) \(name == "alreadyGranted" ? "known" : name)" }
        }
        Terminal.print(
            "\(lines) \(lines == 1 ? "line" : "lines"): "
                + (parts.isEmpty ? "nothing" : parts.joined(separator: ", ")))
    }
}
