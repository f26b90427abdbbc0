import Foundation
import TillLedger

extension TillCommand {
    static let rebuild = Command(
        syntax: CommandSyntax(
            name: "rebuild",
            summary: "recompute what follows from the recorded facts, and tell what differs",
            options: [
                .value("--config", "FILE", "the server's configuration"),
                .flag("--repair", "put derived rows right; facts are never touched"),
                .flag("--json", "one JSON object"),
            ],
            notes: """
                Reads the whole ledger, beside a running server if there is one.
                Exit codes: 0 nothing differs, 1 something does, 74 no database, 78 configuration.
                """)
    ) { words in
        guard let path = words.value("--config") else {
            throw UsageError("--config FILE is missing")
        }
        return try await OpenLedger.with("rebuild", path) { open in
            let repairs = words.has("--repair")
            let report = try await open.ledger.rebuild(repairing: repairs)
            if words.has("--json") {
                Terminal.write(
                    [UInt8](try RebuildDocument(report, isRepaired: repairs).json) + [10])
            } else {
                for discrepancy in report.discrepancies { Terminal.print("\(discrepancy)") }
                Terminal.print(summary(of: report, repairs: repairs))
            }
            return report.discrepancies.isEmpty ? 0 : 1
        }
    }

    private static func summary(of report: RebuildReport, repairs: Bool) -> String {
        let count = report.discrepancies.count
        let found =
            count == 0
            ? "everything follows from the facts"
            : "\(count) \(count == 1 ? "difference" : "differences")"
                + (repairs ? "; derived rows are put right" : "")
        return "\(report.purchases) purchases recomputed: \(found)"
    }
}

/// What a rebuild found, as JSON.
private struct RebuildDocument: Encodable {
    struct Difference: Encodable {
        let subject: String
        let recorded: String
        let expected: String
    }

    let purchases: Int
    let differences: [Difference]
    let repaired: Bool

    init(_ report: RebuildReport, isRepaired: Bool) {
        purchases = report.purchases
        repaired = isRepaired
        differences = report.discrepancies.map {
            Difference(subject: $0.subject, recorded: $0.recorded, expected: $0.expected)
        }
    }

    var json: Data {
        get throws {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
            return try encoder.encode(self)
        }
    }
}
