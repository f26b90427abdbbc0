import AppStoreModel
import AppStoreTrust
import CryptoPrimitives
import SignedDataCoding
import TestKit
import Testing

/// Every sample file, under Apple's roots alone and under the root that its name asks for.
@Suite(.enabled(if: AppleSamples.areThere, Comment(rawValue: AppleSamples.comment)))
struct SampleTests {
    /// What the index of the samples says that a file is worth under the root that it was made for.
    static let madeUnder: [(prefix: String, root: String)] = [
        ("rcpt_xcode", "cert_StoreKitTestCertificate.cer"),
        ("rcpt_fakeca_receipt-expired", "cert_fakeca_receipt-expired-root.der"),
        ("rcpt_fakeca_receipt-no-signer-oid", "cert_fakeca_receipt-no-signer-oid-root.der"),
        ("rcpt_fakeca", "cert_fakeca_receipt-root.der"),
        // The headers bring another issue of this root: the same name and key.
        ("jws_appletestca", "cert_appletestca_testCA.der"),
        ("jws_fakeca_expired", "cert_fakeca_jws-expired-root.der"),
        ("jws_fakeca_transaction-no-leaf-oid", "cert_fakeca_jws-no-leaf-oid-root.der"),
        ("jws_fakeca", "cert_fakeca_jws-root.der"),
    ]

    /// Files that are refused even under the root that they were made for, and why.
    static let alwaysRefused: [String: Refusal.Reason] = [
        "rcpt_fakeca_receipt-foreign.der": .untrustedRoot,
        "rcpt_fakeca_receipt-expired-fresh.der": .certificateNotValidThen,
        "rcpt_fakeca_receipt-no-signer-oid.der": .wrongCertificateUse,
        "rcpt_fakeca_receipt-no-type.der": .unknownEnvironment,
        "jws_BAD_chain_compromised.jws": .wrongCertificateUse,
        "jws_appletestca_missingX5CHeaderClaim.jws": .wrongCertificateCount,
        // Signed, but without a date.
        "jws_appletestca_wrongBundleId.jws": .malformedPayload,
        "jws_fakeca_transaction-no-leaf-oid.jws": .wrongCertificateUse,
    ]

    static func verifier(under file: String? = nil) throws -> ProofVerifier {
        let roots = try file.map {
            let bytes = try AppleSamples.bytes("certificates/" + $0)
            return [ExtraRoot(name: $0, certificate: try Certificate(pemOrDER: bytes))]
        }
        return ProofVerifier(configuration: try .unsafeAnyApp(extraRoots: roots ?? []))
    }

    @Test(arguments: AppleSamples.names(in: "receipts").filter { $0.hasPrefix("rcpt_") })
    func `a receipt is worth what the index says`(_ name: String) throws {
        let bytes = try AppleSamples.decoded("receipts/" + name)
        let root = Self.madeUnder.first { name.hasPrefix($0.prefix) }?.root
        guard let root else {
            let verified = try Self.verifier().verifyReceipt(bytes)
            #expect(verified.anchor == .apple)
            #expect(verified.receivedBytes == bytes)
            return
        }
        let stranger = #expect(throws: Refusal.self) { try Self.verifier().verifyReceipt(bytes) }
        #expect(stranger?.reason == .untrustedRoot)
        let verifier = try Self.verifier(under: root)
        if let reason = Self.alwaysRefused[name] {
            let refusal = #expect(throws: Refusal.self) { try verifier.verifyReceipt(bytes) }
            #expect(refusal?.reason == reason)
        } else {
            #expect(try verifier.verifyReceipt(bytes).anchor == .extraRoot(root))
        }
    }

    @Test(arguments: AppleSamples.names(in: "jws"))
    func `a signed value is worth what the index says`(_ name: String) throws {
        let text = try AppleSamples.bytes("jws/" + name)
        let stranger = try Self.verifier().verifyAny(text)
        guard let root = try rootMade(for: name, text) else {
            if let reason = Self.alwaysRefused[name] {
                #expect(stranger.refusal?.reason == reason)
            } else {
                #expect(try stranger.result.get().anchor == .apple)
                #expect(try stranger.result.get().kind == stranger.kind)
            }
            return
        }
        let reason = Self.alwaysRefused[name]
        #expect(
            stranger.refusal?.reason
                == (reason == .wrongCertificateCount ? reason : .untrustedRoot))
        let verifier = ProofVerifier(configuration: try .unsafeAnyApp(extraRoots: [root]))
        let verdict = verifier.verifyAny(text)
        if let reason {
            #expect(verdict.refusal?.reason == reason)
        } else {
            #expect(try verdict.result.get().anchor == .extraRoot(root.name))
        }
    }

    /// The root that a tester would name: for Xcode the certificate in the header.
    private func rootMade(for name: String, _ text: [UInt8]) throws -> ExtraRoot? {
        if name.hasPrefix("jws_xcode") {
            let jws = try CompactJWS(decoding: AppleSamples.text("jws/" + name))
            let der = try #require(try jws.header().certificates?.last)
            return ExtraRoot(name: "header", certificate: try Certificate(der: der))
        }
        guard let file = Self.madeUnder.first(where: { name.hasPrefix($0.prefix) })?.root else {
            return nil
        }
        let bytes = try AppleSamples.bytes("certificates/" + file)
        return ExtraRoot(name: file, certificate: try Certificate(pemOrDER: bytes))
    }

    @Test func `the real renewal of 2022 brings its transaction and its renewal info`() throws {
        let text = try AppleSamples.text("jws/jws_apple_2022_DID_RENEW_early.jws")
        let verified = try Self.verifier().verifyNotification(text)
        #expect(verified.notification.anchor == .apple)
        #expect(verified.transaction?.value.transactionID == "2000000004047119")
        #expect(verified.renewal?.bundleID == "com.audaos.audarecorder")
        // Signed before the new period begins, and genuine all the same.
        let transaction = try #require(verified.transaction)
        #expect(try #require(transaction.value.purchaseDate) > transaction.signedAt)
    }

    @Test func `receipts with either digest and under every intermediate pass in one run`() throws {
        let verifier = try Self.verifier()
        var digests: Set<OID> = []
        var issuers: Set<[UInt8]> = []
        for name in AppleSamples.names(in: "receipts") {
            guard name.hasPrefix("rcpt_prod") || name.hasPrefix("rcpt_sandbox") else { continue }
            let bytes = try AppleSamples.decoded("receipts/" + name)
            let receipt = try SignedReceipt(decoding: bytes)
            _ = try verifier.verifyReceipt(receipt)
            digests.insert(receipt.signer.digestAlgorithm)
            issuers.insert(SHA256.hash(Array(receipt.certificates[1])))
        }
        #expect(digests == [.sha1, .sha256])
        #expect(issuers.count >= 3)
    }

    @Test
    func `a receipt with its last byte changed, and one of the same id unsigned, are refused`()
        throws
    {
        let verifier = try Self.verifier()
        var bytes = try AppleSamples.decoded("receipts/rcpt_sandbox_2015_sha1_subs6.der")
        let receipt = try SignedReceipt(decoding: bytes)
        let unsigned = ReceiptParts(
            content: Array(receipt.content), certificates: receipt.certificates.map { Array($0) },
            issuer: Array(receipt.signer.issuer),
            serialNumber: Array(receipt.signer.serialNumber), digest: .sha1, signature: [])
        expectRefusal(.wrongSignature) { try _ = verifier.verifyReceipt(unsigned.encoded) }
        bytes[bytes.count - 1] ^= 1
        expectRefusal(.wrongSignature) { try _ = verifier.verifyReceipt(bytes) }
    }

    @Test(arguments: ["rcpt_prod_2024_sha256_g5_subs4.b64", "rcpt_sandbox_2025_sha256_g5_2.b64"])
    func `a genuine receipt of another app is refused`(_ name: String) throws {
        let app = TrustedApp(
            bundleID: "com.example.app", appAppleID: 42, environments: [.production, .sandbox])
        let verifier = ProofVerifier(configuration: try TrustConfiguration(apps: [app]))
        let bytes = try AppleSamples.decoded("receipts/" + name)
        expectRefusal(.wrongApp) { try _ = verifier.verifyReceipt(bytes) }
    }

    @Test func `Apple's chains are checked strictly and hold`() throws {
        let anchors = ["cert_AppleIncRootCertificate.cer", "cert_AppleRootCA-G3.cer"]
        let roots = try anchors.map {
            try Certificate(der: AppleSamples.bytes("certificates/" + $0))
        }
        var checked = 0
        for name in AppleSamples.names(in: "jws") where name.hasPrefix("jws_apple_") {
            let header = try CompactJWS(decoding: AppleSamples.text("jws/" + name)).header()
            let chain = try #require(header.certificates).map { try Certificate(der: $0) }
            try ChainCheck.verify(
                leaf: chain[0], intermediates: [chain[1]], anchor: roots[1],
                at: chain[0].notBefore + 1)
            checked += 1
        }
        #expect(checked > 0)
    }
}
