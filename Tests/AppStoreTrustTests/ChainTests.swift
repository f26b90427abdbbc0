import AppStoreModel
import AppStoreTrust
import CryptoPrimitives
import SignedDataCoding
import Testing

/// One thing wrong with the certificates at a time; each neighbour of a good chain is refused.
@Suite struct ChainTests {
    static let wrongMiddles:
        [(
            what: String, reason: Refusal.Reason,
            change: @Sendable (inout CertificateBuilder) -> Void
        )] = [
            ("no marker", .wrongCertificateUse, { $0.extensions = [] }),
            (
                "the leaf's marker", .wrongCertificateUse,
                { $0.extensions = [.marker(TestAuthority.leafMarker)] }
            ),
            (
                "no authority", .wrongCertificateUse,
                { $0.basicConstraints = BasicConstraints(isAuthority: false) }
            ),
            ("no constraints", .wrongCertificateUse, { $0.basicConstraints = nil }),
            ("no certificate signing", .wrongCertificateUse, { $0.keyUsage = .digitalSignature }),
            (
                "over before the leaf began", .certificateNotValidThen,
                { $0.notAfter = TestAuthority.start + 5 }
            ),
        ]

    static let wrongLeaves:
        [(
            what: String, reason: Refusal.Reason,
            change: @Sendable (inout CertificateBuilder) -> Void
        )] = [
            ("no marker", .wrongCertificateUse, { $0.extensions = [] }),
            (
                "the intermediate's marker", .wrongCertificateUse,
                { $0.extensions = [.marker(TestAuthority.intermediateMarker)] }
            ),
            (
                "an authority", .wrongCertificateUse,
                { $0.basicConstraints = BasicConstraints(isAuthority: true) }
            ),
            ("no signatures over data", .wrongCertificateUse, { $0.keyUsage = .keyCertSign }),
            (
                "a critical extension that nobody knows", .brokenChain,
                {
                    $0.extensions.append(
                        CertificateExtension(
                            identifier: "1.2.3.4", isCritical: true, value: [5, 0]))
                }
            ),
        ]

    let json = """
        {"transactionId":"1","originalTransactionId":"1","bundleId":"com.example.app",\
        "productId":"p","signedDate":1700000000000,"environment":"Sandbox"}
        """

    private func expect(_ reason: Refusal.Reason?, _ authority: TestAuthority) throws {
        let verifier = try authority.verifier()
        let text = try authority.jws(json)
        guard let reason else {
            _ = try verifier.verifyTransaction(text)
            return
        }
        expectRefusal(reason) { try _ = verifier.verifyTransaction(text) }
    }

    @Test func `a chain with nothing wrong is taken`() throws {
        try expect(nil, TestAuthority())
        try expect(nil, TestAuthority(digest: .sha256))
    }

    @Test(arguments: wrongMiddles.indices)
    func `an intermediate with one thing wrong is refused`(_ index: Int) throws {
        let wrong = Self.wrongMiddles[index]
        try expect(wrong.reason, TestAuthority(changingIntermediate: wrong.change))
    }

    @Test(arguments: wrongLeaves.indices)
    func `a leaf with one thing wrong is refused`(_ index: Int) throws {
        let wrong = Self.wrongLeaves[index]
        try expect(wrong.reason, TestAuthority(changingLeaf: wrong.change))
    }

    @Test func `a leaf that the intermediate did not sign is refused`() throws {
        let stranger = try PrivateKey.generate(.p384)
        try expect(.brokenChain, TestAuthority(leafSigner: stranger))
    }

    @Test func `certificates signed with algorithms that Apple does not use are refused`() throws {
        try expect(.unsupportedAlgorithm, TestAuthority(digest: .sha1))
        // One RSA root may stand above both families where it is named; Apple's never does.
        try expect(nil, TestAuthority(rsa: 2_048, leafKind: .p256))
    }

    @Test func `a leaf with another kind of key signs nothing`() throws {
        let authority = try TestAuthority(leafKind: .p384)
        let verifier = try authority.verifier()
        let text = try TestAuthority.values.get().jws(json, chain: authority.chain)
        expectRefusal(.wrongCertificateUse) { try _ = verifier.verifyTransaction(text) }
        let short = try TestAuthority(rsa: 2_048, leafBits: 1_024)
        let receipt = try short.receipt(TestReceipt.content())
        let receiptVerifier = try short.verifier()
        expectRefusal(.wrongCertificateUse) { try _ = receiptVerifier.verifyReceipt(receipt) }
    }

    @Test func `an intermediate that issues intermediates is refused`() throws {
        // The leaf of a genuine chain as issuer: any developer holds such a certificate and its key.
        let authority = try TestAuthority()
        let key = try PrivateKey.generate(.p256)
        let forged = try CertificateBuilder(
            subject: DistinguishedName(commonName: "Forged"), subjectKey: key.publicKey,
            serialNumber: [7], notBefore: TestAuthority.start, notAfter: TestAuthority.end,
            basicConstraints: BasicConstraints(isAuthority: false), keyUsage: .digitalSignature,
            extensions: [.marker(TestAuthority.leafMarker)]
        ).signed(by: authority.leaf, key: authority.leafKey)
        let verifier = try authority.verifier()
        let long = try authority.jws(json, chain: [forged.der] + authority.chain)
        expectRefusal(.wrongCertificateCount) { try _ = verifier.verifyTransaction(long) }
        let short = try authority.jws(
            json, chain: [forged.der, authority.leaf.der, authority.root.der])
        expectRefusal(.wrongCertificateUse) { try _ = verifier.verifyTransaction(short) }
    }

    @Test func `a certificate that is written in another form than DER is refused`() throws {
        let authority = try TestAuthority.values.get()
        let verifier = try authority.verifier()
        for position in 0..<2 {
            var chain = authority.chain
            // The same length in one octet more: BER, and another certificate to a byte comparison.
            let padded = [0x30, 0x83, 0x00] + chain[position][2...3] + chain[position][4...]
            #expect(chain[position][1] == 0x82)
            chain[position] = Array(padded)
            let text = try authority.jws(json, chain: chain)
            expectRefusal(.unreadableCertificate) { try _ = verifier.verifyTransaction(text) }
        }
    }

    @Test func `one certificate alone is trusted only where that very one is named`() throws {
        let key = try PrivateKey.generate(.p256)
        func xcode(_ name: String) throws -> Certificate {
            try CertificateBuilder(
                subject: DistinguishedName(commonName: name), subjectKey: key.publicKey,
                notBefore: TestAuthority.start, notAfter: TestAuthority.end,
                basicConstraints: BasicConstraints(isAuthority: true, pathLength: 0),
                keyUsage: [.digitalSignature, .keyCertSign]
            ).selfSigned(with: key)
        }
        let named = try xcode("StoreKit Testing in Xcode")
        let other = try xcode("Another")
        let app = TrustedApp(
            bundleID: "com.example.app", environments: [.xcode],
            extraRoots: [ExtraRoot(name: "xcode", certificate: named)])
        let verifier = ProofVerifier(configuration: try TrustConfiguration(apps: [app]))
        let payload = Array(json.replacing("Sandbox", with: "Xcode").utf8)
        func sign(_ certificate: Certificate) throws -> String {
            let header = JWSHeader(
                algorithm: "ES256", certificates: [certificate.der], keyID: "Apple_Xcode_Key",
                type: "JWT")
            let encoded = header.encoded
            let input = CompactJWS.signingInput(header: encoded, payload: payload)
            return CompactJWS(
                header: encoded, payload: payload, signature: try key.signES256(input)
            ).text
        }
        let verified = try verifier.verifyTransaction(sign(named))
        #expect(verified.anchor == .extraRoot("xcode"))
        #expect(!verified.anchor.isApple)
        let stranger = try sign(other)
        expectRefusal(.untrustedRoot) { try _ = verifier.verifyTransaction(stranger) }
    }
}

/// Test authorities make their roots anew now and then.
@Suite struct ReissuedRootTests {
    @Test
    func `another issue of a named root carries its chain, a root of the name alone does not`()
        throws
    {
        let authority = try TestAuthority()
        let verifier = try authority.verifier()
        func issue(_ key: PrivateKey) throws -> Certificate {
            try CertificateBuilder(
                subject: DistinguishedName(commonName: "Test Root", organization: "Till Tests"),
                subjectKey: key.publicKey, serialNumber: [9], notBefore: TestAuthority.start - 500,
                notAfter: TestAuthority.end,
                basicConstraints: BasicConstraints(isAuthority: true), keyUsage: .keyCertSign
            ).selfSigned(with: key)
        }
        let anew = try issue(authority.rootKey)
        #expect(anew.subjectDER == authority.root.subjectDER && anew != authority.root)
        let chain = [authority.leaf.der, authority.intermediate.der]
        let text = try authority.jws(SignedValueTests.transaction, chain: chain + [anew.der])
        #expect(try verifier.verifyTransaction(text).anchor == .extraRoot("test"))

        var changed = anew.der
        changed[changed.count - 1] ^= 1
        let broken = try authority.jws(SignedValueTests.transaction, chain: chain + [changed])
        expectRefusal(.untrustedRoot) { try _ = verifier.verifyTransaction(broken) }

        let namesake = try issue(PrivateKey.generate(.p384))
        let forged = try authority.jws(
            SignedValueTests.transaction, chain: chain + [namesake.der])
        expectRefusal(.untrustedRoot) { try _ = verifier.verifyTransaction(forged) }
    }
}
