import AppStoreModel
import AppStoreTrust
import CryptoPrimitives
import SignedDataCoding
import Testing

@Suite struct ReceiptTests {
    let authority: TestAuthority
    let verifier: ProofVerifier

    init() throws {
        authority = try TestAuthority.receipts.get()
        verifier = try authority.verifier()
    }

    @Test(arguments: [DigestAlgorithm.sha1, .sha256])
    func `a receipt with either of Apple's digests is proved, and says by what`(
        _ digest: DigestAlgorithm
    ) throws {
        let bytes = try authority.receipt(TestReceipt.content(), digest: digest)
        let verified = try verifier.verifyReceipt(bytes)
        #expect(verified.bundleID == TestReceipt.bundleID)
        #expect(verified.environment == .sandbox)
        #expect(verified.anchor == .extraRoot("test"))
        #expect(verified.signedAt == TestAuthority.moment)
        #expect(verified.receivedBytes == bytes)
        #expect(verified.value.inApp.count == 1)
    }

    @Test func `a receipt without purchases is valid and proves none`() throws {
        let bytes = try authority.receipt(TestReceipt.content(purchases: 0))
        #expect(try verifier.verifyReceipt(bytes).value.inApp.isEmpty)
    }

    @Test func `no byte of the signed content may change`() throws {
        let bytes = try authority.receipt(TestReceipt.content(purchases: 0))
        let receipt = try SignedReceipt(decoding: bytes)
        for position in receipt.content.indices {
            var changed = bytes
            changed[position] ^= 0x01
            #expect(throws: Refusal.self) { try verifier.verifyReceipt(changed) }
        }
        for position in receipt.signer.signature.indices {
            var changed = bytes
            changed[position] ^= 0x80
            expectRefusal(.wrongSignature) { try _ = verifier.verifyReceipt(changed) }
        }
    }

    @Test func `signed data without a signature, or with another's, is refused`() throws {
        let content = TestReceipt.content()
        for forged in [[], [0], [UInt8](repeating: 0, count: 256)] as [[UInt8]] {
            let bytes = try authority.receipt(content) { $0.signature = forged }
            expectRefusal(.wrongSignature) { try _ = verifier.verifyReceipt(bytes) }
        }
        let stranger = try PrivateKey.generate(.rsa(bits: 2_048))
        let signature = try stranger.sign(content, as: .rsaPKCS1(.sha256))
        let bytes = try authority.receipt(content) { $0.signature = signature }
        expectRefusal(.wrongSignature) { try _ = verifier.verifyReceipt(bytes) }
    }

    @Test func `a signature of the other digest is refused`() throws {
        let content = TestReceipt.content()
        let sha1 = try authority.leafKey.sign(content, as: .rsaPKCS1(.sha1))
        let bytes = try authority.receipt(content) { $0.signature = sha1 }
        expectRefusal(.wrongSignature) { try _ = verifier.verifyReceipt(bytes) }
    }

    @Test func `the signer is named by one of the certificates, the lowest`() throws {
        let content = TestReceipt.content()
        let other = try authority.receipt(content) { $0.serialNumber = [9] }
        expectRefusal(.wrongSigner) { try _ = verifier.verifyReceipt(other) }
        let issuer = authority.root.subjectDER
        let foreign = try authority.receipt(content) { $0.issuer = issuer }
        expectRefusal(.wrongSigner) { try _ = verifier.verifyReceipt(foreign) }
    }

    @Test func `only what Apple uses is taken`() throws {
        let content = TestReceipt.content()
        let sha384 = OID(2, 16, 840, 1, 101, 3, 4, 2, 2)
        let changes: [(inout ReceiptParts) -> Void] = [
            { $0.digest = sha384 }, { $0.digest = OID(1, 2, 840, 113549, 2, 5) },
            { $0.outerDigests = [.sha1, .sha256] }, { $0.outerDigests = [] },
            { $0.outerDigests = [.sha1] },
            { $0.signatureAlgorithm = OID(1, 2, 840, 113549, 1, 1, 10) },
            {
                $0.signatureAlgorithm = OID(1, 2, 840, 113549, 1, 1, 10)
                $0.signatureParameters = ReceiptParts.sequence([
                    ReceiptParts.tagged(0xA2, [2, 1, 32])
                ])
            },
            {
                $0.signerName = ReceiptParts.tagged(0x80, [UInt8](repeating: 7, count: 20))
                $0.version = 3
                $0.signerVersion = 3
            },
            { $0.signatureAlgorithm = .sha1WithRSA }, { $0.version = 3 }, { $0.signerVersion = 3 },
            { $0.unsignedAttributes = [0x30, 0x00] },
        ]
        for change in changes {
            let bytes = try authority.receipt(content, changing: change)
            expectRefusal(.unsupportedAlgorithm) { try _ = verifier.verifyReceipt(bytes) }
        }
        for count in [0, 2] {
            let bytes = try authority.receipt(content) { $0.signerCount = count }
            expectRefusal(.unreadable) { try _ = verifier.verifyReceipt(bytes) }
        }
        let odd = try authority.receipt(content) { $0.signatureParameters = [0x30, 0x00] }
        expectRefusal(.unreadable) { try _ = verifier.verifyReceipt(odd) }
    }

    @Test(arguments: [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]])
    func `in which order the certificates stand, those of a set, changes nothing`(
        _ order: [Int]
    ) throws {
        let content = TestReceipt.content()
        let good = try authority.receipt(content) {
            $0.certificates = order.map { authority.chain[$0] }
        }
        for _ in 0..<2 {
            #expect(try verifier.verifyReceipt(good).value.inApp.count == 1)
        }
        var changed = good
        changed[changed.count - 1] ^= 1
        expectRefusal(.wrongSignature) { try _ = verifier.verifyReceipt(changed) }
        let stranger = try TestAuthority(rsa: 2_048)
        let forged = try stranger.receipt(content) {
            let chain = [stranger.leaf, stranger.intermediate, authority.root]
            $0.certificates = order.map { chain[$0].der }
        }
        expectRefusal(.brokenChain) { try _ = verifier.verifyReceipt(forged) }
    }

    @Test func `three certificates, no more, no fewer, no other`() throws {
        let content = TestReceipt.content()
        let chain = authority.chain
        let counts: [[[UInt8]]] = [[], Array(chain.prefix(2)), chain + [chain[2]]]
        for certificates in counts {
            let bytes = try authority.receipt(content) { $0.certificates = certificates }
            expectRefusal(.wrongCertificateCount) { try _ = verifier.verifyReceipt(bytes) }
        }
        let single = try authority.receipt(content) { $0.certificates = [chain[0]] }
        expectRefusal(.untrustedRoot) { try _ = verifier.verifyReceipt(single) }
        let other = try TestAuthority(rsa: 2_048)
        let foreign = try authority.receipt(content) { $0.certificates[1] = other.intermediate.der }
        expectRefusal(.brokenChain) { try _ = verifier.verifyReceipt(foreign) }
    }

    @Test func `a stranger's root is refused, whatever it calls itself`() throws {
        let stranger = try TestAuthority(rsa: 2_048)
        #expect(stranger.root.subject == authority.root.subject)
        let bytes = try stranger.receipt(TestReceipt.content())
        expectRefusal(.untrustedRoot) { try _ = verifier.verifyReceipt(bytes) }
        let mixed = try stranger.receipt(TestReceipt.content()) {
            $0.certificates[2] = authority.root.der
        }
        expectRefusal(.brokenChain) { try _ = verifier.verifyReceipt(mixed) }
    }

    @Test(arguments: [
        "2020-09-13T12:26:49Z", "2027-01-15T07:59:50Z", "2019-01-01T00:00:00Z",
        "2030-01-01T00:00:00Z",
    ])
    func `certificates that were not valid at creation are refused`(_ date: String) throws {
        let bytes = try authority.receipt(TestReceipt.content(createdAt: date))
        expectRefusal(.certificateNotValidThen) { try _ = verifier.verifyReceipt(bytes) }
    }

    @Test(arguments: ["2020-09-13T12:26:50Z", "2027-01-15T07:59:49Z"])
    func `certificates that were valid at creation are good for ever`(_ date: String) throws {
        let bytes = try authority.receipt(TestReceipt.content(createdAt: date))
        _ = try verifier.verifyReceipt(bytes)
    }

    @Test func `a receipt is for one app and one environment`() throws {
        let foreign = try authority.receipt(TestReceipt.content(bundleID: "com.example.other"))
        expectRefusal(.wrongApp) { try _ = verifier.verifyReceipt(foreign) }
        let cased = try authority.receipt(TestReceipt.content(bundleID: "com.example.App"))
        expectRefusal(.wrongApp) { try _ = verifier.verifyReceipt(cased) }
        for (type, reason) in [
            ("Production", Refusal.Reason.environmentNotAdmitted),
            ("ProductionVPP", .environmentNotAdmitted), ("Xcode", .environmentNotAdmitted),
            ("Tomorrow", .unknownEnvironment), (nil, .unknownEnvironment),
        ] as [(String?, Refusal.Reason)] {
            let bytes = try authority.receipt(TestReceipt.content(type: type))
            expectRefusal(reason) { try _ = verifier.verifyReceipt(bytes) }
        }
        let bulk = try authority.receipt(TestReceipt.content(type: "ProductionVPPSandbox"))
        #expect(try verifier.verifyReceipt(bulk).environment == .sandbox)
    }

    @Test func `a receipt knows its device by the hash of exactly three things`() throws {
        let opaque = [UInt8](repeating: 7, count: 16)
        func verified(opaque: [UInt8]?, hash: [UInt8]) throws -> Verified<AppReceipt> {
            var list = try ReceiptAttribute.decodeList(TestReceipt.content()[...])
            if let opaque { list.append(ReceiptAttribute(type: 4, version: 2, value: opaque[...])) }
            list.append(ReceiptAttribute(type: 5, value: hash[...]))
            return try verifier.verifyReceipt(
                authority.receipt(ReceiptAttribute.encodeList(list)))
        }
        let name = [0x0C, 15] + Array(TestReceipt.bundleID.rawValue.utf8)
        for length in [6, 16] {
            let device = (0..<length).map { UInt8($0) }
            let hash = SHA1.hash(device + opaque + name)
            let receipt = try verified(opaque: opaque, hash: hash)
            #expect(receipt.isMade(forDevice: device))
            for other in [[], Array(device.reversed()), device + [0], Array(device.dropLast())] {
                #expect(!receipt.isMade(forDevice: other))
            }
            for wrong in [[], Array(hash.dropLast()), hash + [0], SHA1.hash(device + opaque)] {
                #expect(!(try verified(opaque: opaque, hash: wrong).isMade(forDevice: device)))
            }
            let unbound = try verified(opaque: nil, hash: SHA1.hash(device + name))
            #expect(!unbound.isMade(forDevice: device))
        }
    }

    @Test func `content that is signed but is no receipt is refused as such`() throws {
        for content in [[], [0x31, 0x00], [0x30, 0x00], Array("hello".utf8)] as [[UInt8]] {
            let bytes = try authority.receipt(content)
            expectRefusal(.malformedPayload) { try _ = verifier.verifyReceipt(bytes) }
        }
    }

    @Test func `bytes that are no signed data, and bytes after it, are unreadable`() throws {
        let good = try authority.receipt(TestReceipt.content())
        for bytes in [[], [0x30, 0x80], Array("receipt".utf8), good + [0], Array(good.dropLast())] {
            expectRefusal(.unreadable) { try _ = verifier.verifyReceipt(bytes) }
        }
        let huge = [UInt8](repeating: 0x30, count: SignedReceipt.maximumBytes + 1)
        expectRefusal(.unreadable) { try _ = verifier.verifyReceipt(huge) }
    }

    @Test func `lengths may be indefinite, but nothing may follow the end`() throws {
        let parts = try authority.receipt(TestReceipt.content())
        let inner = Array(parts.dropFirst(4))
        let indefinite = [0x30, 0x80] + inner + [0, 0]
        _ = try verifier.verifyReceipt(indefinite)
        expectRefusal(.unreadable) { try _ = verifier.verifyReceipt(indefinite + [0, 0]) }
        expectRefusal(.unreadable) { try _ = verifier.verifyReceipt(indefinite.dropLast()) }
    }
}

extension ProofVerifier {
    fileprivate func verifyReceipt(
        _ bytes: ArraySlice<UInt8>
    ) throws(Refusal) -> Verified<AppReceipt> {
        try verifyReceipt(Array(bytes))
    }
}
