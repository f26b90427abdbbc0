import AppStoreModel
import AppStoreTrust
import CryptoPrimitives
import SignedDataCoding
import TestKit
import Testing

@Suite struct LegacyReceiptTests {
    let authority: TestAuthority

    init() throws { authority = try TestAuthority.legacy.get() }

    private func verifier(
        given certificates: [Certificate]? = nil,
        environments: Set<AppStoreEnvironment> = [.sandbox]
    ) throws -> ProofVerifier {
        let app = TrustedApp(
            bundleID: "com.example.app", appAppleID: 42, environments: environments,
            extraRoots: [authority.extraRoot])
        return ProofVerifier(
            configuration: try TrustConfiguration(
                apps: [app], legacyCertificates: certificates ?? [authority.intermediate]))
    }

    private func receipt(
        number: String? = nil, environment: String? = "Sandbox", date: String = "1700000000000",
        bundleID: String = "com.example.app"
    ) throws -> LegacyTransactionReceipt {
        let bytes =
            if let number {
                try authority.legacyReceipt(
                    [
                        "bid": bundleID, "product-id": "p", "transaction-id": "7",
                        "purchase-date-ms": date, "app-item-id": number,
                    ], environment: environment)
            } else {
                try authority.legacyReceipt(
                    [
                        "bid": bundleID, "product-id": "p", "transaction-id": "7",
                        "purchase-date-ms": date,
                    ], environment: environment)
            }
        return try LegacyTransactionReceipt(decoding: bytes)
    }

    @Test func `a receipt is proved under the intermediate that was given`() throws {
        let verified = try verifier().verifyLegacyReceipt(receipt())
        #expect(verified.bundleID == "com.example.app")
        #expect(verified.environment == .sandbox)
        #expect(verified.signedAt == TestAuthority.moment)
        #expect(verified.anchor == .extraRoot("test"))
    }

    @Test func `a date that decides nothing costs no purchase, a name that is empty does`() throws {
        let odd = try authority.legacyReceipt([
            "bid": "com.example.app", "product-id": "p", "transaction-id": "7",
            "purchase-date-ms": "1700000000000", "original-purchase-date-ms": "once",
        ])
        let verified = try verifier().verifyLegacyReceipt(LegacyTransactionReceipt(decoding: odd))
        #expect(verified.value.originalPurchaseDate == nil)
        for name in ["bid", "product-id", "transaction-id"] {
            let nameless = try authority.legacyReceipt([
                "bid": name == "bid" ? "" : "com.example.app",
                "product-id": name == "product-id" ? "" : "p",
                "transaction-id": name == "transaction-id" ? "" : "7",
                "purchase-date-ms": "1700000000000",
            ])
            let receipt = try LegacyTransactionReceipt(decoding: nameless)
            expectRefusal(.malformedPayload) { try _ = verifier().verifyLegacyReceipt(receipt) }
        }
    }

    @Test func `without its intermediate trying again can help, and nothing else does`() throws {
        let receipt = try receipt()
        let other = try TestAuthority(rsa: 2_048)
        for given in [[], [authority.root], [authority.leaf]] as [[Certificate]] {
            let verifier = try verifier(given: given)
            let refusal = #expect(throws: Refusal.self) {
                try verifier.verifyLegacyReceipt(receipt)
            }
            #expect(refusal?.reason == .intermediateUnknown)
            #expect(refusal?.isRetryable == true)
        }
        let stranger = try verifier(given: [other.intermediate, authority.root])
        expectRefusal(.brokenChain) { try _ = stranger.verifyLegacyReceipt(receipt) }
        let foreign = try verifier(given: [other.intermediate, other.root])
        expectRefusal(.brokenChain) { try _ = foreign.verifyLegacyReceipt(receipt) }
        let both = try verifier(given: [other.intermediate, authority.intermediate])
        _ = try both.verifyLegacyReceipt(receipt)
    }

    @Test func `whose certificate is missing is told`() throws {
        let receipt = try receipt()
        let app = TrustedApp(bundleID: "com.example.app", environments: [.sandbox])
        let verifier = ProofVerifier(
            configuration: try TrustConfiguration(
                apps: [app], legacyCertificates: [authority.intermediate]))
        let refusal = #expect(throws: Refusal.self) { try verifier.verifyLegacyReceipt(receipt) }
        #expect(refusal?.reason == .intermediateUnknown)
        #expect(refusal?.detail == "its intermediate is issued by \(authority.root.subject)")
    }

    @Test func `giving a root trusts nothing`() throws {
        let receipt = try receipt()
        let app = TrustedApp(bundleID: "com.example.app", environments: [.sandbox])
        let verifier = ProofVerifier(
            configuration: try TrustConfiguration(
                apps: [app], legacyCertificates: [authority.intermediate, authority.root]))
        expectRefusal(.untrustedRoot) { try _ = verifier.verifyLegacyReceipt(receipt) }
    }

    @Test func `a receipt is from the sandbox unless what is signed says otherwise`() throws {
        // The environment is not signed: without it a free purchase would look like a paid one.
        for environment in [nil, "Production", "Sandbox", "Xcode"] {
            let verified = try verifier().verifyLegacyReceipt(receipt(environment: environment))
            #expect(verified.environment == .sandbox)
            #expect(verified.value.environment == .sandbox)
        }
        let paid = try receipt(number: "42", environment: nil)
        let sandboxOnly = try verifier()
        expectRefusal(.environmentNotAdmitted) { try _ = sandboxOnly.verifyLegacyReceipt(paid) }
        let claimed = try receipt(number: "42", environment: "Sandbox")
        #expect(try sandboxOnly.verifyLegacyReceipt(claimed).environment == .sandbox)
    }

    @Test func `changed purchase info, another app and other times are refused`() throws {
        let verifier = try verifier()
        let good = try receipt()
        let info = String(decoding: good.purchaseInfoBytes, as: UTF8.self)
        let changed = LegacyTransactionReceipt.encode(
            purchaseInfo: Array(info.replacing("\"7\"", with: "\"8\"").utf8),
            signature: Array(try good.signature().signature), certificate: authority.leaf.der,
            environment: "Sandbox")
        let forged = try LegacyTransactionReceipt(decoding: changed)
        expectRefusal(.wrongSignature) { try _ = verifier.verifyLegacyReceipt(forged) }
        let foreign = try receipt(bundleID: "com.example.other")
        expectRefusal(.wrongApp) { try _ = verifier.verifyLegacyReceipt(foreign) }
        let late = try receipt(date: "1900000000000")
        expectRefusal(.certificateNotValidThen) { try _ = verifier.verifyLegacyReceipt(late) }
    }

    @Test func `the certificate of an app receipt signs no transaction receipt`() throws {
        let receipts = try TestAuthority.receipts.get()
        let app = TrustedApp(
            bundleID: "com.example.app", environments: [.sandbox], extraRoots: [receipts.extraRoot])
        let verifier = ProofVerifier(
            configuration: try TrustConfiguration(
                apps: [app], legacyCertificates: [receipts.intermediate]))
        // A signature of 256 bytes does not fit the layout, so the key is one of 1,024 bits.
        let short = try TestAuthority(rsa: 2_048, leafBits: 1_024)
        let bytes = try short.legacyReceipt(
            ["bid": "com.example.app", "product-id": "p", "transaction-id": "7"])
        let receipt = try LegacyTransactionReceipt(decoding: bytes)
        expectRefusal(.wrongCertificateUse) { try _ = verifier.verifyLegacyReceipt(receipt) }
        let own = ProofVerifier(
            configuration: try TrustConfiguration(
                apps: [
                    TrustedApp(
                        bundleID: "com.example.app", environments: [.sandbox],
                        extraRoots: [short.extraRoot])
                ], legacyCertificates: [short.intermediate]))
        expectRefusal(.wrongCertificateUse) { try _ = own.verifyLegacyReceipt(receipt) }
    }

    @Test(
        .enabled(if: AppleSamples.areThere, Comment(rawValue: AppleSamples.comment)),
        arguments: AppleSamples.names(in: "receipts").filter { $0.hasPrefix("ios6_") })
    func `a genuine receipt is proved once its intermediate and root are given`(
        _ name: String
    ) throws {
        let receipt = try LegacyTransactionReceipt(
            decoding: AppleSamples.decoded("receipts/" + name))
        func certificate(_ file: String) throws -> Certificate {
            try Certificate(der: AppleSamples.bytes("certificates/" + file))
        }
        let intermediate = try certificate("cert_AppleiTunesStoreCA_2016.cer")
        let root = try certificate("cert_AppleIncRootCertificate.cer")
        let verifier = ProofVerifier(
            configuration: try .unsafeAnyApp(legacyCertificates: [intermediate, root]))
        let verified = try verifier.verifyLegacyReceipt(receipt)
        #expect(verified.anchor == .apple)
        #expect(verified.environment == .sandbox)
        let without = ProofVerifier(configuration: try .unsafeAnyApp(legacyCertificates: [root]))
        expectRefusal(.intermediateUnknown) { try _ = without.verifyLegacyReceipt(receipt) }
    }
}
