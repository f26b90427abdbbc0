import AppStoreModel
import AppStoreTrust
import CryptoPrimitives
import SignedDataCoding
import Testing

@Suite struct SignedValueTests {
    let authority: TestAuthority
    let verifier: ProofVerifier

    init() throws {
        authority = try TestAuthority.values.get()
        verifier = try authority.verifier()
    }

    static let transaction = """
        {"transactionId":"2000000001","originalTransactionId":"2000000000",\
        "bundleId":"com.example.app","productId":"com.example.pro","signedDate":1700000000000,\
        "environment":"Sandbox","purchaseDate":1700000010000}
        """
    static let renewal = """
        {"originalTransactionId":"2000000000","autoRenewProductId":"com.example.pro",\
        "autoRenewStatus":1,"signedDate":1700000000000,"environment":"Sandbox"}
        """
    static let notification = """
        {"notificationType":"TEST","notificationUUID":"9ad56bd2-0bc6-42e0-af24-fd996d87a1e6",\
        "data":{"bundleId":"com.example.app","environment":"Sandbox"},"version":"2.0",\
        "signedDate":1700000000000}
        """
    static let appTransaction = """
        {"bundleId":"com.example.app","receiptType":"Sandbox","applicationVersion":"1",\
        "receiptCreationDate":1700000000000}
        """
    static let realtimeRequest = """
        {"originalTransactionId":"2000000000","appAppleId":42,"productId":"com.example.pro",\
        "userLocale":"en-US","requestIdentifier":"9ad56bd2-0bc6-42e0-af24-fd996d87a1e6",\
        "environment":"Sandbox","signedDate":1700000000000}
        """

    @Test func `each kind is proved by its own method and refused by every other`() throws {
        let kinds = [
            Self.transaction, Self.renewal, Self.notification, Self.appTransaction,
            Self.realtimeRequest,
        ]
        let numbered = try authority.verifier(appAppleID: 42)
        let methods: [(String) throws -> Void] = [
            { _ = try numbered.verifyTransaction($0) },
            { _ = try numbered.inspectRenewal(CompactJWS(decoding: $0)) },
            { _ = try numbered.verifyNotification($0) },
            { _ = try numbered.verifyAppTransaction($0) },
            { _ = try numbered.verifyRealtimeRequest($0) },
        ]
        for (kind, json) in kinds.enumerated() {
            let text = try authority.jws(json)
            for (method, verify) in methods.enumerated() {
                if kind == method {
                    try verify(text)
                } else {
                    expectRefusal(.wrongKind) { try verify(text) }
                }
            }
        }
    }

    @Test func `a transaction is proved with its app, environment and root`() throws {
        let text = try authority.jws(Self.transaction)
        let verified = try verifier.verifyTransaction(text)
        #expect(verified.bundleID == "com.example.app")
        #expect(verified.environment == .sandbox)
        #expect(verified.anchor == .extraRoot("test"))
        #expect(verified.signedAt == TestAuthority.moment)
        #expect(verified.receivedBytes == Array(text.utf8))
        #expect(verified.value.transactionID == "2000000001")
    }

    @Test(arguments: ["none", "HS256", "ES384", "RS256", "es256", "", nil])
    func `no algorithm but ES256 is taken`(_ algorithm: String?) throws {
        let text = try authority.jws(Self.transaction, algorithm: algorithm)
        expectRefusal(.unsupportedAlgorithm) { try _ = verifier.verifyTransaction(text) }
    }

    @Test func `a value without a signature is refused, whatever its environment says`() throws {
        for environment in ["Sandbox", "Xcode", "LocalTesting", "Production"] {
            let json = Self.transaction.replacing("\"Sandbox\"", with: "\"\(environment)\"")
            let header = JWSHeader(algorithm: "ES256", certificates: authority.chain).encoded
            for signature in [[], [UInt8](repeating: 0, count: 64)] as [[UInt8]] {
                let text = CompactJWS(
                    header: header, payload: Array(json.utf8), signature: signature
                ).text
                #expect(throws: Refusal.self) { try verifier.verifyTransaction(text) }
            }
            let unsigned = CompactJWS(
                header: Array(#"{"alg":"none"}"#.utf8), payload: Array(json.utf8), signature: []
            ).text
            #expect(throws: Refusal.self) { try verifier.verifyTransaction(unsigned) }
        }
    }

    @Test func `the environment in a payload chooses nothing`() throws {
        // Genuinely signed, but by a stranger, and from an environment whose checks others leave out.
        let stranger = try TestAuthority.twin.get()
        let configuration = try TrustConfiguration(apps: [
            TrustedApp(
                bundleID: "com.example.app", environments: [.xcode, .localTesting, .sandbox],
                extraRoots: [authority.extraRoot])
        ])
        let lenient = ProofVerifier(configuration: configuration)
        for environment in ["Xcode", "LocalTesting", "Sandbox"] {
            let json = Self.transaction.replacing("\"Sandbox\"", with: "\"\(environment)\"")
            let theirs = try stranger.jws(json)
            expectRefusal(.untrustedRoot) { try _ = lenient.verifyTransaction(theirs) }
            _ = try lenient.verifyTransaction(authority.jws(json))
        }
    }

    @Test func `signatures of another length or form are refused`() throws {
        let jws = try CompactJWS(decoding: try authority.jws(Self.transaction))
        let header = JWSHeader(algorithm: "ES256", certificates: authority.chain).encoded
        let der = try authority.leafKey.sign(Array(jws.signingInput), as: .ecdsa(.sha256))
        let zeros = [UInt8](repeating: 0, count: 32)
        let wrong: [[UInt8]] = [
            der, jws.signature + [0], Array(jws.signature.dropLast()), zeros + zeros,
            Array(jws.signature.prefix(32)) + zeros, zeros + Array(jws.signature.suffix(32)),
            [UInt8](repeating: 0xFF, count: 64), Array(jws.signature.reversed()),
        ]
        for signature in wrong {
            let text = CompactJWS(header: header, payload: jws.payload, signature: signature).text
            expectRefusal(.wrongSignature) { try _ = verifier.verifyTransaction(text) }
        }
        _ = try verifier.verifyTransaction(
            CompactJWS(header: header, payload: jws.payload, signature: jws.signature).text)
    }

    @Test(arguments: [0, 1, 2, 4, 8])
    func `no number of certificates but three is taken`(_ count: Int) throws {
        let chain = (0..<count).map { authority.chain[min($0, 2)] }
        let text = try authority.jws(Self.transaction, chain: chain)
        expectRefusal(count == 1 ? .untrustedRoot : .wrongCertificateCount) {
            try _ = verifier.verifyTransaction(text)
        }
    }

    @Test func `headers that two readers could read differently are refused`() throws {
        let payload = Array(Self.transaction.utf8)
        let good = String(
            decoding: JWSHeader(algorithm: "ES256", certificates: authority.chain).encoded,
            as: UTF8.self)
        _ = try verifier.verifyTransaction(authority.jws(payload, header: Array(good.utf8)))
        let twice = good.dropLast() + #","alg":"none"}"#
        let critical = good.dropLast() + #","crit":["b64"],"b64":false}"#
        let double = try authority.jws(payload, header: Array(twice.utf8))
        expectRefusal(.unreadable) { try _ = verifier.verifyTransaction(double) }
        let extended = try authority.jws(payload, header: Array(critical.utf8))
        expectRefusal(.unsupportedAlgorithm) { try _ = verifier.verifyTransaction(extended) }
    }

    @Test(arguments: ["1600000009999", "1799999990000", "0", "-62135769600000", "1900000000000"])
    func `certificates that were not valid at the signed date are refused`(_ date: String) throws {
        let json = Self.transaction.replacing("1700000000000", with: date)
        let text = try authority.jws(json)
        expectRefusal(.certificateNotValidThen) { try _ = verifier.verifyTransaction(text) }
    }

    @Test func `a value without a date of signing is refused, one with Xcode's fractions is not`()
        throws
    {
        let dateless = try authority.jws(
            Self.transaction.replacing("\"signedDate\":1700000000000,", with: ""))
        expectRefusal(.malformedPayload) { try _ = verifier.verifyTransaction(dateless) }
        let fractional = try authority.jws(
            Self.transaction.replacing("1700000000000", with: "1700000000000.7297"))
        #expect(
            try verifier.verifyTransaction(fractional).signedAt.milliseconds == 1_700_000_000_000)
    }

    @Test func `a transaction is for one app and one environment`() throws {
        let foreign = try authority.jws(
            Self.transaction.replacing("com.example.app", with: "com.example.other"))
        expectRefusal(.wrongApp) { try _ = verifier.verifyTransaction(foreign) }
        for (environment, reason) in [
            ("Production", Refusal.Reason.environmentNotAdmitted),
            ("Xcode", .environmentNotAdmitted), ("LocalTesting", .environmentNotAdmitted),
            ("Tomorrow", .unknownEnvironment),
        ] {
            let text = try authority.jws(
                Self.transaction.replacing("\"Sandbox\"", with: "\"\(environment)\""))
            expectRefusal(reason) { try _ = verifier.verifyTransaction(text) }
        }
        let silent = try authority.jws(
            Self.transaction.replacing("\"environment\":\"Sandbox\",", with: ""))
        expectRefusal(.unknownEnvironment) { try _ = verifier.verifyTransaction(silent) }
    }

    @Test func `signed JSON that is no such value is refused`() throws {
        for json in ["{}", "[]", "null", "{\"transactionId\":\"1\"}", "{\"a\":1}"] {
            let text = try authority.jws(json)
            #expect(throws: Refusal.self) { try verifier.verifyTransaction(text) }
        }
        let text = try authority.jws("no JSON")
        expectRefusal(.malformedPayload) { try _ = verifier.verifyTransaction(text) }
    }

    @Test(arguments: ["", "a.b", "a.b.c", "...", "..", "a.b.c.d", "{}", "\u{0}"])
    func `what is no signed value at all is unreadable`(_ text: String) {
        expectRefusal(.unreadable) { try _ = verifier.verifyTransaction(text) }
    }

    @Test func `renewal info proves nothing without a transaction of its subscription`() throws {
        let transaction = try verifier.verifyTransaction(authority.jws(Self.transaction))
        let renewal = try verifier.verifyRenewal(authority.jws(Self.renewal), of: transaction)
        #expect(renewal.bundleID == transaction.bundleID)
        let other = try authority.jws(
            Self.renewal.replacing("\"2000000000\"", with: "\"2000000009\""))
        expectRefusal(.mismatchedParts) { try _ = verifier.verifyRenewal(other, of: transaction) }
        let production = try authority.jws(Self.renewal.replacing("Sandbox", with: "Production"))
        expectRefusal(.mismatchedParts) {
            try _ = verifier.verifyRenewal(production, of: transaction)
        }
    }

    @Test func `a question to a retention server is for the app with its number`() throws {
        let text = try authority.jws(Self.realtimeRequest)
        let numbered = try authority.verifier(appAppleID: 42)
        #expect(try numbered.verifyRealtimeRequest(text).bundleID == "com.example.app")
        for other in [try authority.verifier(appAppleID: 43), verifier] {
            expectRefusal(.wrongApp) { try _ = other.verifyRealtimeRequest(text) }
        }
    }
}
