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
        // Signed, but without transaction and product.
        "jws_appletestca_transactionInfo.jws": .wrongKind,
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
}
