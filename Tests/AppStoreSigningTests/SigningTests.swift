import AppStoreCoding
import AppStoreModel
import AppStoreSigning
import AppStoreTrust
import CryptoPrimitives
import Foundation
import SignedDataCoding
import TestKit
import Testing

struct `What a local authority signs` {
    @Test(arguments: [DigestAlgorithm.sha1, .sha256], SignedReceipt.Form.allCases)
    func `is a receipt that the verifier takes, in either digest and form`(
        _ digest: DigestAlgorithm, _ form: SignedReceipt.Form
    ) throws {
        let authority = try authority.get()
        let bytes = try authority.sign(sampleReceipt, digest: digest, form: form)
        let signed = try SignedReceipt(decoding: bytes)
        #expect(signed.isIndefinite == (form == .xcode))
        #expect(signed.signer.digestAlgorithm == (digest == .sha1 ? .sha1 : .sha256))
        #expect(signed.signer.signedAttributes == nil)
        #expect(signed.certificates.count == 3)
        let verified = try verifier(authority).verifyReceipt(bytes)
        #expect(verified.anchor == .extraRoot("local"))
        #expect(verified.value.inApp.first?.transactionID == "2000000000000001")
    }

    @Test func `is a transaction in Apple's form that the verifier takes`() throws {
        let authority = try authority.get()
        let text = try authority.sign(sampleTransaction)
        let jws = try CompactJWS(decoding: text)
        let header = String(
            decoding: try #require(Base64.decodeURL(Array(jws.headerSegment))), as: UTF8.self)
        #expect(header.hasPrefix(#"{"alg":"ES256","x5c":[""#))
        #expect(try jws.header().certificates?.count == 3)
        #expect(try verifier(authority).verifyTransaction(text).value == sampleTransaction)
    }

    @Test func `is a notification with its inner values`() throws {
        let authority = try authority.get()
        var payload = NotificationPayload(.didRenew, notificationUUID: "u")
        payload.version = "2.0"
        payload.signedDate = moment
        var data = NotificationData()
        data.bundleID = app
        data.environment = .sandbox
        data.status = .active
        payload.data = data
        let text = try authority.sign(
            payload, transaction: sampleTransaction, renewal: sampleRenewal)
        _ = try verifier(authority).verifyNotification(text)
        let read = try SignedPayload(decodingPayload: try CompactJWS(decoding: text).payload)
        guard case .notification(let notification) = read else {
            Issue.record("no notification")
            return
        }
        let inner = try #require(notification.data?.signedTransactionInfo)
        #expect(try verifier(authority).verifyTransaction(inner).value == sampleTransaction)
    }

    @Test func `is an app transaction, a renewal info and a retention request`() throws {
        let authority = try authority.get()
        var copy = AppTransactionPayload(bundleID: app)
        copy.receiptType = .sandbox
        copy.receiptCreationDate = moment
        #expect(
            try verifier(authority).verifyAppTransaction(try authority.sign(copy)).value == copy)
        let transaction = try verifier(authority).verifyTransaction(
            try authority.sign(sampleTransaction))
        #expect(
            try verifier(authority).verifyRenewal(
                try authority.sign(sampleRenewal), of: transaction
            ).value == sampleRenewal)
        let request = RealtimeRequestPayload(
            originalTransactionID: "2000000000000002", appAppleID: 42, productID: "pro",
            userLocale: "en-US", requestIdentifier: "r", environment: .sandbox, signedDate: moment)
        #expect(
            try verifier(authority).verifyRealtimeRequest(try authority.sign(request)).value
                == request)
    }

    @Test func `is a transaction receipt of iOS 6`() throws {
        let authority = try authority.get()
        var receipt = LegacyReceipt(
            environment: .sandbox, bundleID: app, productID: "coins600", transactionID: "7")
        receipt.purchaseDate = moment
        receipt.originalPurchaseDate = moment
        receipt.quantity = 1
        let bytes = try authority.sign(receipt)
        let read = try LegacyTransactionReceipt(decoding: bytes)
        let value = try verifier(authority).verifyLegacyReceipt(read).value
        #expect(value.transactionID == "7")
        #expect(value.purchaseDate == moment)
        for fault in [SigningFault.alteredContent, .alteredSignature, .keyOfAnother] {
            let faulty = try LegacyTransactionReceipt(
                decoding: try authority.sign(receipt, fault: fault))
            #expect(throws: Refusal.self, "\(fault)") {
                try verifier(authority).verifyLegacyReceipt(faulty)
            }
        }
    }

    @Test(arguments: SigningFault.allCases.filter(\.fitsReceipts))
    func `is refused as a receipt with one thing wrong`(_ fault: SigningFault) throws {
        let authority = try authority.get()
        let bytes = try authority.sign(sampleReceipt, fault: fault)
        // It still can be read: the fault is in what is believed, not in how it is written.
        _ = try AppReceipt(decoding: try SignedReceipt(decoding: bytes))
        if fault == .missingIntermediateMarker {
            // Under a named root a receipt's intermediate may lack its marker.
            _ = try verifier(authority).verifyReceipt(bytes)
        } else {
            #expect(throws: Refusal.self) { try verifier(authority).verifyReceipt(bytes) }
        }
    }

    @Test(arguments: SigningFault.allCases)
    func `is refused as a transaction with one thing wrong`(_ fault: SigningFault) throws {
        let authority = try authority.get()
        let text = try authority.sign(sampleTransaction, fault: fault)
        #expect(throws: Refusal.self) { try verifier(authority).verifyTransaction(text) }
    }

    @Test func `is refused under another authority's root`() throws {
        let other = try SigningAuthority.make()
        let text = try other.sign(sampleTransaction)
        let bytes = try other.sign(sampleReceipt)
        let verifier = try verifier(try authority.get())
        #expect(throws: Refusal.self) { try verifier.verifyTransaction(text) }
        #expect(throws: Refusal.self) { try verifier.verifyReceipt(bytes) }
    }

    @Test(arguments: [UInt64(5)])
    func `binds a receipt to a device, and a seed repeats it`(seed: UInt64) {
        let device = [UInt8](repeating: 9, count: 16)
        func filled(_ seed: UInt64) -> AppReceipt {
            var random = SeededRandom(seed: seed)
            var receipt = sampleReceipt
            receipt.fillOpaqueAttributes(deviceIdentifier: device, using: &random)
            return receipt
        }
        let receipt = filled(seed)
        #expect(receipt == filled(seed))
        #expect(receipt != filled(seed + 1))
        let binding = receipt.device
        #expect(
            binding.hash
                == SHA1.hash(
                    device + binding.opaqueValue + [0x0c, 15] + Array("com.example.app".utf8)))
        let attributes = try? ReceiptAttribute.decodeList(receipt.encodedContent()[...])
        #expect(attributes?.first { $0.type == 4 }?.version == 2)
        #expect(attributes?.contains { $0.type == 7 } == true)
    }
}

struct `A local authority's folder` {
    @Test func `keeps root and keys from start to start`() throws {
        let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("till-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let made = try SigningAuthority.open(folder: folder)
        let again = try SigningAuthority.open(folder: folder)
        #expect(again.rootPEM == made.rootPEM)
        #expect(again.rootFingerprint == made.rootFingerprint)
        #expect(made.rootFingerprint.count == 95)
        _ = try verifier(made).verifyTransaction(try again.sign(sampleTransaction))
        _ = try verifier(made).verifyReceipt(try again.sign(sampleReceipt))
        let mode = try FileManager.default.attributesOfItem(atPath: "\(folder)/root.key.pem")[
            .posixPermissions]
        #expect((mode as? NSNumber)?.intValue == 0o600)
    }

    @Test func `with a missing or foreign file is refused`() throws {
        let authority = try authority.get()
        var files = authority.files
        #expect(try SigningAuthority(files: files).rootPEM == authority.rootPEM)
        let key = files.removeValue(forKey: "receipt.key.pem")
        #expect(throws: SigningError(.state, "receipt.key.pem is missing")) {
            try SigningAuthority(files: files)
        }
        files["receipt.key.pem"] = files["root.key.pem"]
        #expect(throws: SigningError.self) { try SigningAuthority(files: files) }
        files["receipt.key.pem"] = key
        files["root.pem"] = try SigningAuthority.make().rootPEM
        #expect(throws: SigningError.self) { try SigningAuthority(files: files) }
    }
}

private let openSSL = ["/usr/bin/openssl", "/usr/local/bin/openssl", "/opt/homebrew/bin/openssl"]
    .first { FileManager.default.isExecutableFile(atPath: $0) }

@Suite(.enabled(if: openSSL != nil, "skipped: no openssl command"))
struct `The openssl command` {
    private func run(_ arguments: [String]) throws -> (status: Int32, output: String) {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: try #require(openSSL))
        process.arguments = arguments
        let pipe = Pipe()
        process.standardOutput = pipe
        process.standardError = pipe
        try process.run()
        let output = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return (process.terminationStatus, String(decoding: output, as: UTF8.self))
    }

    private func withFolder(_ work: (String) throws -> Void) throws {
        let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("till-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try work(folder)
    }

    @Test(arguments: SignedReceipt.Form.allCases)
    func `accepts a signed receipt and refuses an altered one`(_ form: SignedReceipt.Form) throws {
        let authority = try authority.get()
        try withFolder { folder in
            try Data(authority.rootPEM.utf8).write(to: URL(fileURLWithPath: folder + "/root.pem"))
            for fault in [nil, SigningFault.alteredContent] {
                let bytes = try authority.sign(sampleReceipt, form: form, fault: fault)
                try Data(bytes).write(to: URL(fileURLWithPath: folder + "/receipt.der"))
                let result = try run([
                    "cms", "-verify", "-binary", "-purpose", "any", "-inform", "DER",
                    "-in", folder + "/receipt.der", "-CAfile", folder + "/root.pem",
                    "-attime", "\(moment.seconds)", "-out", folder + "/content",
                ])
                #expect((result.status == 0) == (fault == nil), "\(result.output)")
                guard fault == nil else { continue }
                let content = try Data(contentsOf: URL(fileURLWithPath: folder + "/content"))
                #expect(Array(content) == sampleReceipt.encodedContent(form))
            }
        }
    }

    @Test func `accepts each chain up to the one root`() throws {
        let authority = try authority.get()
        try withFolder { folder in
            for (name, text) in authority.files where !name.hasSuffix(".key.pem") {
                try Data(text.utf8).write(to: URL(fileURLWithPath: "\(folder)/\(name)"))
            }
            for name in ["receipt", "signed-value", "legacy"] {
                let result = try run([
                    "verify", "-x509_strict", "-CAfile", "\(folder)/root.pem", "-untrusted",
                    "\(folder)/\(name)-intermediate.pem", "\(folder)/\(name).pem",
                ])
                #expect(result.status == 0, "\(result.output)")
            }
        }
    }
}
