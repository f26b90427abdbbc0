import AppStoreModel
import AppStoreSigning
import CryptoPrimitives
import Foundation
import TestKit
import Testing

/// `till verify` on genuine files, as a person and as a program use it.
@Suite(.enabled(if: AppleSamples.areThere, Comment(rawValue: AppleSamples.comment)))
struct VerifyTests {
    private func json(_ words: [String], input: Data = Data()) throws -> (
        exitCode: Int32, report: [String: Any]
    ) {
        let outcome = try TillProcess.run(["verify", "--json"] + words, input: input)
        let report = try JSONSerialization.jsonObject(with: outcome.output) as? [String: Any]
        return (outcome.exitCode, try #require(report))
    }

    private func path(_ name: String) -> String { AppleSamples.folder + "/" + name }

    @Test func `a genuine receipt is genuine and told in Apple's words`() throws {
        let (exitCode, report) = try json([path("receipts/rcpt_prod_2024_sha256_g5_subs4.b64")])
        #expect(exitCode == 0)
        #expect(report["kind"] as? String == "appReceipt")
        #expect(report["valid"] as? Bool == true)
        #expect(report["reason"] is NSNull)
        #expect(report["retryable"] as? Bool == false)
        #expect(report["environment"] as? String == "Production")
        #expect(report["bundleId"] as? String == "org.getpure.pure-iphone")
        let payload = try #require(report["payload"] as? [String: Any])
        #expect(payload["bundle_id"] as? String == "org.getpure.pure-iphone")
        #expect((payload["in_app"] as? [Any])?.count == 4)
    }

    @Test func `the payload of a signed transaction is the one that was signed`() throws {
        let name = "jws/jws_apple_2022_txn_early.jws"
        let (exitCode, report) = try json([path(name)])
        #expect(exitCode == 0)
        #expect(report["kind"] as? String == "transaction")
        let payload = try #require(report["payload"] as? [String: Any])
        #expect(payload["transactionId"] as? String == "2000000004047119")
        #expect((payload["signedDate"] as? NSNumber)?.int64Value == 1_646_387_008_254)
    }

    @Test func `a notification shows what is signed inside of it`() throws {
        let (_, report) = try json([path("jws/jws_apple_2022_DID_RENEW_early.jws")])
        #expect(report["kind"] as? String == "notification")
        let transaction = try #require(report["transaction"] as? [String: Any])
        #expect(transaction["transactionId"] as? String == "2000000004047119")
        #expect(report["renewalInfo"] is [String: Any])
    }

    @Test func `the app that is named must be the app that it is for`() throws {
        let file = path("receipts/rcpt_prod_2024_sha256_g5_subs4.b64")
        #expect(try json(["--bundle-id", "org.getpure.pure-iphone", file]).exitCode == 0)
        let (exitCode, report) = try json(["--bundle-id", "org.getpure.pure-iphonE", file])
        #expect(exitCode == 1)
        #expect(report["reason"] as? String == "wrongApp")
    }

    @Test func `a receipt is for the device that is named, on request`() throws {
        let file = path("receipts/rcpt_sandbox_2025_sha256_g5_2.b64")
        let device = "956328D9-CC6A-47F4-BE40-6953FB0AB6C7"
        for name in [device, device.lowercased(), device.filter { $0 != "-" }] {
            #expect(try json(["--device", name, file]).exitCode == 0)
        }
        for other in ["056328D9-CC6A-47F4-BE40-6953FB0AB6C7", "95:63:28:D9:CC:6A"] {
            let (exitCode, report) = try json(["--device", other, file])
            #expect(exitCode == 1)
            #expect(report["valid"] as? Bool == false)
            #expect(report["reason"] as? String == "wrongDevice")
        }
        // What has no device hash is for no device.
        let transaction = path("jws/jws_apple_2022_txn_early.jws")
        #expect(try json(["--device", device, transaction]).exitCode == 1)
        for bad in ["", "phone", device + "00", "+5:63:28:D9:CC:6A"] {
            #expect(try TillProcess.run(["verify", "--device", bad, file]).exitCode == 64)
        }
    }

    @Test func `a root that is named marks what it proves, and nothing else passes`() throws {
        let file = path("jws/jws_fakeca_transaction.jws")
        #expect(try json([file]).exitCode == 1)
        let root = path("certificates/cert_fakeca_jws-root.der")
        let (exitCode, report) = try json(["--root", root, file])
        #expect(exitCode == 0)
        #expect(report["signedBy"] as? String == "cert_fakeca_jws-root.der")
        let other = path("certificates/cert_fakeca_receipt-root.der")
        #expect(try json(["--root", other, file]).exitCode == 1)
    }

    @Test func `an iOS 6 receipt needs its intermediate, and says so`() throws {
        let file = path("receipts/ios6_sandbox_2012_consumable.b64")
        let (refused, report) = try json([file])
        #expect(refused == 1)
        #expect(report["reason"] as? String == "intermediateUnknown")
        #expect(report["retryable"] as? Bool == true)
        let intermediate = path("certificates/cert_AppleiTunesStoreCA_2016.cer")
        let root = path("certificates/cert_AppleIncRootCertificate.cer")
        let words = ["--intermediate", intermediate, "--root", root, file]
        #expect(try json(words).exitCode == 0)
    }

    @Test(arguments: ["", "hello", "<html>", "{}", "eyJhbGciOiJub25lIn0.e30.", "MIIB"])
    func `what is no proof cannot be read or is refused, never believed`(_ text: String) throws {
        let (exitCode, report) = try json(["-"], input: Data(text.utf8))
        #expect(exitCode != 0)
        #expect(report["valid"] as? Bool == false)
        #expect((report["reason"] as? String)?.isEmpty == false)
    }

    @Test(arguments: [
        // numbers that nothing can hold, half a surrogate pair, a comma too many
        #"{"x": 1e999, "y": -1e999, "z": [1e400]}"#, #"{"x": "\ud800"}"#, #"{"x": 01}"#,
        #"{"x": 1,}"#,
    ])
    func `whatever a stranger's proof holds, what is said of it is JSON`(_ payload: String) throws {
        let text = Data(payload.utf8).base64EncodedString()
            .replacingOccurrences(of: "+", with: "-").replacingOccurrences(of: "/", with: "_")
            .replacingOccurrences(of: "=", with: "")
        let (exitCode, report) = try json(
            ["-"], input: Data("eyJhbGciOiJub25lIn0.\(text).AAAA".utf8))
        #expect(exitCode == 1)
        #expect(report["valid"] as? Bool == false)
        #expect(report["reason"] as? String == "unsupportedAlgorithm")
    }

    @Test(arguments: [
        #"{"a":1,"environment":"Sandbox","signedDate":1700000000000,}"#,
        "{\"a\":\"\t\u{1}\",\n\"environment\":\"Sandbox\",\"signedDate\":1700000000000}",
    ])
    func `whatever is signed, what is said of it is JSON on one line`(_ payload: String) throws {
        let authority = try SigningAuthority.make()
        let text = try authority.sign(
            json: Array(payload.utf8), at: Timestamp(seconds: 1_700_000_000))
        let root = FileManager.default.temporaryDirectory
            .appending(path: "root-\(UUID().uuidString).pem")
        try Data(authority.root.pem.utf8).write(to: root)
        defer { try? FileManager.default.removeItem(at: root) }
        let outcome = try TillProcess.run(
            ["verify", "--lines", "--root", root.path], input: Data(text.utf8))
        #expect(outcome.exitCode == 0)
        #expect(outcome.lines.count == 1)
        #expect(outcome.text.contains(#""environment":"Sandbox""#))
        #expect(!outcome.text.contains(",}"))
        #expect(!outcome.text.dropLast().unicodeScalars.contains { $0.value < 0x20 })
    }

    @Test func `lines are answered one by one and in order`() throws {
        let good = try AppleSamples.text("jws/jws_apple_2022_txn_early.jws")
        let forged = try AppleSamples.text("jws/jws_fakeca_transaction.jws")
        let input = [good, "rubbish", forged, "", good].joined(separator: "\n")
        let outcome = try TillProcess.run(["verify", "--lines"], input: Data(input.utf8))
        #expect(outcome.exitCode == 2)
        let verdicts = try outcome.lines.map { line in
            let report = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
            return report?["valid"] as? Bool
        }
        #expect(verdicts == [true, false, false, false, true])
    }

    @Test func `a line is answered while the next one is not written yet`() throws {
        let process = Process()
        let (input, output) = (Pipe(), Pipe())
        process.executableURL = URL(filePath: TillProcess.path)
        process.arguments = ["verify", "--lines"]
        process.standardInput = input
        process.standardOutput = output
        try process.run()
        let good = try AppleSamples.text("jws/jws_apple_2022_txn_early.jws")
        for _ in 0..<2 {
            try input.fileHandleForWriting.write(contentsOf: Data((good + "\n").utf8))
            var line = Data()
            while line.last != UInt8(ascii: "\n") {
                let more = output.fileHandleForReading.availableData
                try #require(!more.isEmpty)
                line += more
            }
            let report = try JSONSerialization.jsonObject(with: line) as? [String: Any]
            #expect(report?["valid"] as? Bool == true)
        }
        try input.fileHandleForWriting.close()
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
    }

    @Test(arguments: [["verify", "--json"], ["verify", "--lines"]])
    func `an answer that cannot be written is no success, and no crash`(_ words: [String]) throws {
        let process = Process()
        process.executableURL = URL(filePath: TillProcess.path)
        process.arguments = words + [path("jws/jws_apple_2022_txn_early.jws")]
        process.standardOutput = FileHandle(forWritingAtPath: "/dev/full")
        let complaints = Pipe()
        process.standardError = complaints
        try process.run()
        let said = try complaints.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        #expect(process.terminationReason == .exit)
        #expect(process.terminationStatus == 74)
        #expect(
            String(decoding: said, as: UTF8.self) == "till: standard output cannot be written\n")
    }

    @Test(arguments: [[], ["--json"], ["--lines"], ["--as-verify-receipt"]])
    func `a file that cannot be read is told from a call that cannot be understood`(
        _ options: [String]
    ) throws {
        for file in ["/nowhere/receipt", AppleSamples.folder] {
            let outcome = try TillProcess.run(["verify"] + options + [file])
            #expect(outcome.exitCode == 2)
            #expect(outcome.output.isEmpty)
            #expect(outcome.complaints == "till verify: \(file) cannot be read\n")
        }
    }

    @Test func `the payload of a receipt is spelled as verifyReceipt spells it`() throws {
        let file = path("receipts/rcpt_sandbox_2020_rc_9.b64")
        let payload = try #require(try json([file]).report["payload"] as? NSDictionary)
        let outcome = try TillProcess.run(["verify", "--as-verify-receipt", file])
        #expect(outcome.exitCode == 0)
        let answer = try JSONSerialization.jsonObject(with: outcome.output) as? [String: Any]
        #expect(answer?["status"] as? Int == 0)
        let receipt = try #require(answer?["receipt"] as? [String: Any])
        // The time of asking is no part of the receipt.
        let own = receipt.filter { !$0.key.hasPrefix("request_date") }
        #expect(payload == own as NSDictionary)
    }

    @Test func `verifyReceipt's answer tells a forged receipt from rubbish`() throws {
        let forged = try TillProcess.run([
            "verify", "--as-verify-receipt", path("receipts/rcpt_fakeca_receipt.der"),
        ])
        #expect(forged.text == "{\"status\":21003}\n")
        #expect(forged.exitCode == 1)
        let rubbish = try TillProcess.run(
            ["verify", "--as-verify-receipt"], input: Data("rubbish".utf8))
        #expect(rubbish.text == "{\"status\":21002}\n")
        #expect(rubbish.exitCode == 2)
    }

    @Test func `people get a table without anything that drives a terminal`() throws {
        let outcome = try TillProcess.run([
            "verify", path("receipts/rcpt_sandbox_2020_HUGE_187.b64"),
        ])
        #expect(outcome.text.hasPrefix("GENUINE  App receipt of com.nutcall.alert in Sandbox"))
        #expect(outcome.text.contains("187 purchases"))
        #expect(!outcome.text.unicodeScalars.contains { $0.value < 0x20 && $0 != "\n" })
        // A name that stands twice in a header, so that it is told.
        let header = Data(#"{"\u001b[31mX":1,"\u001b[31mX":2}"#.utf8).base64EncodedString()
            .replacingOccurrences(of: "=", with: "")
        let forged = try TillProcess.run(["verify"], input: Data("\(header).e30.AAAA".utf8))
        #expect(forged.text.contains("[31mX"))
        #expect(!forged.text.unicodeScalars.contains { $0.value < 0x20 && $0 != "\n" })
    }

    @Test func `an iOS 6 receipt takes its certificates out of one PEM file`() throws {
        let names = ["cert_AppleiTunesStoreCA_2016.cer", "cert_AppleIncRootCertificate.cer"]
        let bundle = try names.map { name in
            let der = Data(try AppleSamples.bytes("certificates/" + name))
            let text = der.base64EncodedString(options: [
                .lineLength64Characters, .endLineWithLineFeed,
            ])
            return "-----BEGIN CERTIFICATE-----\n\(text)\n-----END CERTIFICATE-----\n"
        }.joined()
        let file = FileManager.default.temporaryDirectory
            .appending(path: "bundle-\(UUID().uuidString).pem")
        try Data(bundle.utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let receipt = path("receipts/ios6_sandbox_2012_consumable.b64")
        #expect(try json(["--intermediate", file.path, receipt]).exitCode == 0)
    }
}
