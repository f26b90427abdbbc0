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
                    "trust the roots in this file beside Apple's (PEM or DER), and mark what they prove"
                ),
                .value(
                    "--intermediate", "CERT", repeatable: true,
                    "certificates that iOS 6 receipts need and do not carry, the root too (PEM or DER)"
                ),
                .value("--bundle-id", "ID", "refuse proofs of other apps"),
                .value(
                    "--device", "ID",
                    "refuse receipts of other devices: a UUID (identifierForVendor) or a Mac's address"
                ),
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

                Exit code: 0 genuine, 1 refused, 2 cannot be read; with --lines, the worst of them. 74 where
                the answer cannot be written.
                """)
    ) { words in
        for other in ["--lines", "--device"]
        where words.has(other) && words.has("--as-verify-receipt") {
            throw UsageError("\(other) and --as-verify-receipt do not go together")
        }
        let verifier = try makeVerifier(words)
        let wanted = WantedProofs(
            bundleID: words.value("--bundle-id").map { BundleID($0) },
            device: try words.value("--device").map(deviceIdentifier))
        do throws(InputError) {
            return try answer(words, by: verifier, wanted)
        } catch {
            Terminal.complain("till verify: \(error.what) cannot be read")
            return ExitCode.unreadableProof
        }
    }

    private static func answer(
        _ words: ParsedWords, by verifier: ProofVerifier, _ wanted: WantedProofs
    ) throws(InputError) -> Int32 {
        var input = try ProofInput(path: words.operands.first)
        if words.has("--lines") {
            return try VerifyLines(verifier: verifier, wanted: wanted).run(&input)
        }
        let bytes = try input.all()
        if words.has("--as-verify-receipt") {
            return VerifyReceiptPrinter(verifier: verifier, bundleID: wanted.bundleID).run(bytes)
        }
        return report(bytes, by: verifier, wanted, asJSON: words.has("--json"))
    }

    private static func report(
        _ bytes: [UInt8], by verifier: ProofVerifier, _ wanted: WantedProofs, asJSON: Bool
    ) -> Int32 {
        let reports: [VerifyReport]
        do {
            reports = try ClientProof.decodeAll(bytes).map {
                VerifyReport($0, by: verifier, wanted)
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
        return reports.map(\.exitCode).max() ?? ExitCode.unreadableProof
    }

    private static func makeVerifier(_ words: ParsedWords) throws -> ProofVerifier {
        let roots = try words.values("--root").flatMap { path in
            try certificates(path).map {
                ExtraRoot(name: URL(filePath: path).lastPathComponent, certificate: $0)
            }
        }
        do {
            return ProofVerifier(
                configuration: try .unsafeAnyApp(
                    extraRoots: roots,
                    legacyCertificates: try words.values("--intermediate").flatMap(certificates),
                    alsoValidAt: try words.value("--at").map(moment)))
        } catch let error as TrustConfigurationError {
            throw UsageError(error.description)
        }
    }

    private static func certificates(_ path: String) throws(UsageError) -> [Certificate] {
        guard let data = FileManager.default.contents(atPath: path) else {
            throw UsageError("\(path) cannot be read")
        }
        do { return try Certificate.all(pemOrDER: Array(data)) } catch {
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

    /// The 16 bytes of a UUID or the 6 of a network interface's address.
    private static func deviceIdentifier(_ text: String) throws(UsageError) -> [UInt8] {
        let digits = text.filter { $0 != "-" && $0 != ":" }
        let bytes = stride(from: 0, to: digits.count, by: 2).compactMap { place in
            let start = digits.index(digits.startIndex, offsetBy: place)
            return UInt8(digits[start...].prefix(2), radix: 16)
        }
        guard [12, 32].contains(digits.count), bytes.count * 2 == digits.count,
            digits.allSatisfy(\.isHexDigit)
        else { throw UsageError("--device takes a UUID, or a Mac's address as 00:11:22:33:44:55") }
        return bytes
    }
}
