import AppStoreModel
import AppStoreTrust
import CryptoPrimitives
import Foundation
import SignedDataCoding

extension TillCommand {
    /// `till verify`: says what a proof of payment is, whether it is genuine, and what stands in it.
    static let verify = Command(
        syntax: CommandSyntax(
            name: "verify",
            summary: "say what a proof of payment is, whether it is genuine, and what stands in it",
            operands: "[FILE | -]", operandCount: 0...1,
            options: [
                .value(
                    "--root", "CERT", repeatable: true,
                    "trust this root beside Apple's (PEM or DER), and mark what it proves"),
                .value(
                    "--intermediate", "CERT", repeatable: true,
                    "a certificate that iOS 6 receipts need and do not carry"),
                .value("--bundle-id", "ID", "refuse proofs of other apps"),
                .value("--at", "TIME", "certificates must be valid then too: ISO 8601 or now"),
                .flag("--json", "print one JSON object"),
                .flag("--lines", "read one proof a line, print one JSON object a line"),
                .flag("--as-verify-receipt", "print the answer of Apple's verifyReceipt"),
            ],
            notes: """
                Reads standard input without FILE. A proof may be an app receipt, a transaction receipt of
                iOS 6, a signed transaction, renewal info, notification, app transaction or retention
                request, in any form in which clients send them. Nothing is asked of Apple: certificates
                are held against Apple's pinned roots, at the time of signing.

                Exit code: 0 genuine, 1 refused, 2 cannot be read. With --lines, the worst of them.
                """)
    ) { words in
        let verifier = try makeVerifier(words)
        let bundleID = words.value("--bundle-id").map { BundleID($0) }
        if words.has("--lines") {
            guard !words.has("--as-verify-receipt") else {
                throw UsageError("--lines and --as-verify-receipt do not go together")
            }
            return try VerifyLines(verifier: verifier, bundleID: bundleID).run(
                input: try openInput(words))
        }
        let bytes = try readInput(words)
        if words.has("--as-verify-receipt") {
            return VerifyReceiptPrinter(verifier: verifier, bundleID: bundleID).run(bytes)
        }
        return report(
            bytes, by: verifier, for: bundleID, asJSON: words.has("--json"))
    }

    private static func report(
        _ bytes: [UInt8], by verifier: ProofVerifier, for bundleID: BundleID?, asJSON: Bool
    ) -> Int32 {
        let reports: [VerifyReport]
        do {
            reports = try ClientProof.decodeAll(bytes).map {
                VerifyReport($0, by: verifier, for: bundleID)
            }
        } catch {
            reports = [VerifyReport(unreadable: error)]
        }
        for report in reports {
            if asJSON {
                Terminal.write(report.json + [UInt8(ascii: "\n")])
            } else {
                Terminal.print(report.table)
            }
        }
        return reports.map(\.exitCode).max() ?? 2
    }

    private static func makeVerifier(_ words: ParsedWords) throws -> ProofVerifier {
        let roots = try words.values("--root").map { path in
            ExtraRoot(
                name: URL(filePath: path).lastPathComponent, certificate: try certificate(path))
        }
        do {
            return ProofVerifier(
                configuration: try .unsafeAnyApp(
                    extraRoots: roots,
                    legacyCertificates: try words.values("--intermediate").map(certificate),
                    alsoValidAt: try words.value("--at").map(moment)))
        } catch let error as TrustConfigurationError {
            throw UsageError(error.description)
        }
    }

    private static func certificate(_ path: String) throws(UsageError) -> Certificate {
        guard let data = FileManager.default.contents(atPath: path) else {
            throw UsageError("\(path) cannot be read")
        }
        do { return try Certificate(pemOrDER: Array(data)) } catch {
            throw UsageError("\(path) is no certificate in PEM or DER")
        }
    }

    private static func moment(_ text: String) throws(UsageError) -> Timestamp {
        if text == "now" {
            return Timestamp(milliseconds: Int64(Date().timeIntervalSince1970 * 1_000))
        }
        if let moment = Timestamp(rfc3339: text) ?? Timestamp(rfc3339: text + "T00:00:00Z") {
            return moment
        }
        throw UsageError("--at takes a time such as 2024-02-23T17:27:16Z, a day, or now")
    }

    private static func openInput(_ words: ParsedWords) throws(UsageError) -> FileHandle {
        guard let path = words.operands.first, path != "-" else { return .standardInput }
        guard let handle = FileHandle(forReadingAtPath: path) else {
            throw UsageError("\(path) cannot be read")
        }
        return handle
    }

    private static func readInput(_ words: ParsedWords) throws(UsageError) -> [UInt8] {
        let input = try openInput(words)
        var bytes: [UInt8] = []
        do {
            while let chunk = try input.read(upToCount: 1 << 20), !chunk.isEmpty {
                bytes += chunk
                // One byte over the limit is enough to be refused for it.
                guard bytes.count <= ClientProof.maximumBytes else { break }
            }
        } catch {
            throw UsageError("\(words.operands.first ?? "standard input") cannot be read")
        }
        return bytes
    }
}
