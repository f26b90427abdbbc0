import AppStoreModel
import AppStoreTrust
import CryptoPrimitives
import SignedDataCoding
import TestKit
import Testing

@Suite struct TrustConfigurationTests {
    let root: ExtraRoot

    init() throws { root = try TestAuthority.values.get().extraRoot }

    private func refused(_ apps: [TrustedApp]) -> TrustConfigurationError.Code? {
        do throws(TrustConfigurationError) {
            _ = try TrustConfiguration(apps: apps)
            return nil
        } catch { return error.code }
    }

    @Test func `production and an extra root exclude each other`() {
        let roots = [root]
        #expect(
            refused([
                TrustedApp(
                    bundleID: "a", appAppleID: 1, environments: [.production, .sandbox],
                    extraRoots: roots)
            ]) == .extraRootInProduction)
        #expect(
            refused([
                TrustedApp(bundleID: "a", appAppleID: 1, environments: [.production, .sandbox])
            ]) == nil)
        #expect(
            refused([TrustedApp(bundleID: "a", environments: [.sandbox], extraRoots: roots)]) == nil
        )
    }

    @Test func `production needs the app Apple ID, the sandbox does not`() {
        for number in [nil, 0, -1] as [Int64?] {
            #expect(
                refused([TrustedApp(bundleID: "a", appAppleID: number, environments: [.production])]
                )
                    == .appAppleIDMissing)
        }
        #expect(refused([TrustedApp(bundleID: "a", environments: [.sandbox])]) == nil)
    }

    @Test func `a configuration that trusts nothing, or one thing twice, is refused`() throws {
        #expect(refused([]) == .noApp)
        #expect(refused([TrustedApp(bundleID: "", environments: [.sandbox])]) == .noApp)
        #expect(refused([TrustedApp(bundleID: "a", environments: [])]) == .noEnvironment)
        #expect(
            refused([TrustedApp(bundleID: "a", environments: ["Tomorrow"])]) == .unknownEnvironment)
        let app = TrustedApp(bundleID: "a", environments: [.sandbox])
        #expect(refused([app, app]) == .appNamedTwice)
        let renamed = ExtraRoot(name: "other", certificate: root.certificate)
        #expect(
            refused([
                TrustedApp(bundleID: "a", environments: [.sandbox], extraRoots: [root, renamed])
            ]) == .rootNamedTwice)
        let many = (0...TrustConfiguration.appLimit).map {
            TrustedApp(bundleID: BundleID("app\($0)"), environments: [.sandbox])
        }
        #expect(refused(many) == .tooMany)
        let roots = Array(repeating: root, count: TrustConfiguration.extraRootLimit + 1)
        #expect(
            refused([TrustedApp(bundleID: "a", environments: [.sandbox], extraRoots: roots)])
                == .tooMany)
    }

    @Test func `a root counts for the app that names it alone`() throws {
        let authority = try TestAuthority.values.get()
        let verifier = ProofVerifier(
            configuration: try TrustConfiguration(apps: [
                TrustedApp(
                    bundleID: "com.example.other", environments: [.sandbox], extraRoots: [root]),
                TrustedApp(
                    bundleID: "com.example.app", appAppleID: 42,
                    environments: [.production, .sandbox]),
            ]))
        let json = SignedValueTests.transaction
        let mine = try authority.jws(json)
        expectRefusal(.rootOfAnotherApp) { try _ = verifier.verifyTransaction(mine) }
        let paid = try authority.jws(json.replacing("Sandbox", with: "Production"))
        expectRefusal(.rootOfAnotherApp) { try _ = verifier.verifyTransaction(paid) }
        let theirs = try authority.jws(
            json.replacing("com.example.app", with: "com.example.other"))
        _ = try verifier.verifyTransaction(theirs)
        let request = try authority.jws(SignedValueTests.realtimeRequest)
        expectRefusal(.rootOfAnotherApp) { try _ = verifier.verifyRealtimeRequest(request) }
    }

    @Test func `a root counts for the app that names it alone, though several bear one name`()
        throws
    {
        let authority = try TestAuthority.values.get()
        let twin = try TestAuthority.twin.get()
        func root(_ certificate: Certificate) -> ExtraRoot {
            ExtraRoot(name: "test store", certificate: certificate)
        }
        let verifier = ProofVerifier(
            configuration: try TrustConfiguration(apps: [
                TrustedApp(
                    bundleID: "com.example.app", environments: [.sandbox],
                    extraRoots: [root(authority.root)]),
                TrustedApp(
                    bundleID: "com.example.other", appAppleID: 42, environments: [.sandbox],
                    extraRoots: [root(twin.root)]),
            ]))
        let transaction = try verifier.verifyTransaction(
            authority.jws(SignedValueTests.transaction))
        let theirs = SignedValueTests.transaction.replacing(
            "com.example.app", with: "com.example.other")
        _ = try verifier.verifyTransaction(twin.jws(theirs))
        let forged = try authority.jws(theirs)
        expectRefusal(.rootOfAnotherApp) { try _ = verifier.verifyTransaction(forged) }
        _ = try verifier.verifyRealtimeRequest(twin.jws(SignedValueTests.realtimeRequest))
        let request = try authority.jws(SignedValueTests.realtimeRequest)
        expectRefusal(.rootOfAnotherApp) { try _ = verifier.verifyRealtimeRequest(request) }
        _ = try verifier.verifyRenewal(authority.jws(SignedValueTests.renewal), of: transaction)
        let renewal = try twin.jws(SignedValueTests.renewal)
        expectRefusal(.rootOfAnotherApp) {
            try _ = verifier.verifyRenewal(renewal, of: transaction)
        }
    }

    @Test func `certificates can be asked to hold at another moment too, never instead`() throws {
        let authority = try TestAuthority.values.get()
        let text = try authority.jws(SignedValueTests.transaction)
        let early = try authority.jws(
            SignedValueTests.transaction.replacing("1700000000000", with: "1500000000000"))
        func verifier(_ seconds: Int64) throws -> ProofVerifier {
            ProofVerifier(
                configuration: try .unsafeAnyApp(
                    extraRoots: [root], alsoValidAt: Timestamp(seconds: seconds)))
        }
        _ = try verifier(1_700_000_001).verifyTransaction(text)
        for moment: Int64 in [0, 1_900_000_000] {
            let strict = try verifier(moment)
            expectRefusal(.certificateNotValidThen) { try _ = strict.verifyTransaction(text) }
            let refusal = #expect(throws: Refusal.self) { try strict.verifyTransaction(text) }
            // They were valid when it was signed, and nobody is told otherwise.
            #expect(refusal?.sentence.contains("signed") == false)
            #expect(
                refusal?.detail.hasPrefix("asked for at \(Timestamp(seconds: moment).rfc3339), ")
                    == true)
        }
        let within = try verifier(1_700_000_001)
        expectRefusal(.certificateNotValidThen) { try _ = within.verifyTransaction(early) }
    }

    @Test(.enabled(if: AppleSamples.areThere, Comment(rawValue: AppleSamples.comment)))
    func `Apple's own root is never an extra one`() throws {
        let bytes = try AppleSamples.bytes("certificates/cert_AppleIncRootCertificate.cer")
        let root = ExtraRoot(name: "marked", certificate: try Certificate(der: bytes))
        let verifier = ProofVerifier(configuration: try .unsafeAnyApp(extraRoots: [root]))
        let receipt = try AppleSamples.decoded("receipts/rcpt_sandbox_2025_sha256_g5_2.b64")
        #expect(try verifier.verifyReceipt(receipt).anchor == .apple)
    }

    @Test(.enabled(if: AppleSamples.areThere, Comment(rawValue: AppleSamples.comment)))
    func `a production receipt is held against the app Apple ID`() throws {
        let receipt = try AppleSamples.decoded("receipts/rcpt_prod_2024_sha256_g5_subs4.b64")
        func verifier(_ bundleID: BundleID, _ number: Int64) throws -> ProofVerifier {
            ProofVerifier(
                configuration: try TrustConfiguration(apps: [
                    TrustedApp(
                        bundleID: bundleID, appAppleID: number,
                        environments: [.production, .sandbox])
                ]))
        }
        let right = try verifier("org.getpure.pure-iphone", 690_661_663)
        #expect(try right.verifyReceipt(receipt).environment == .production)
        let otherNumber = try verifier("org.getpure.pure-iphone", 690_661_664)
        expectRefusal(.wrongAppAppleID) { try _ = otherNumber.verifyReceipt(receipt) }
        let otherApp = try verifier("com.example.app", 690_661_663)
        expectRefusal(.wrongApp) { try _ = otherApp.verifyReceipt(receipt) }
    }
}
