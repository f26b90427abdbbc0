import AppStoreModel
import AppStoreTrust
import CryptoPrimitives
import SignedDataCoding

/// A root, an intermediate and a leaf in Apple's form, in which a test may get one thing wrong.
struct TestAuthority: Sendable {
    static let start: Int64 = 1_600_000_000
    static let end: Int64 = 1_800_000_000
    /// A moment at which everything is valid.
    static let moment = Timestamp(seconds: 1_700_000_000)

    static let leafMarker = "1.2.840.113635.100.6.11.1"
    static let intermediateMarker = "1.2.840.113635.100.6.2.1"
    static let legacyLeafMarker = "1.2.840.113635.100.6.5.1"
    static let legacyIntermediateMarker = "1.2.840.113635.100.6.2.2"

    /// For app receipts: RSA and SHA-256 all the way.
    static let receipts = Result { try TestAuthority(rsa: 2_048) }
    /// For signed values: P-384 above a P-256 leaf.
    static let values = Result { try TestAuthority() }
    /// Another one for signed values, with the same names in it.
    static let twin = Result { try TestAuthority() }
    /// For iOS 6: an RSA leaf of 1,024 bits.
    static let legacy = Result {
        try TestAuthority(
            rsa: 2_048, leafBits: 1_024,
            changingIntermediate: { $0.extensions = [.marker(legacyIntermediateMarker)] },
            changingLeaf: { $0.extensions = [.marker(legacyLeafMarker)] })
    }

    let root: Certificate
    let rootKey: PrivateKey
    let intermediate: Certificate
    let intermediateKey: PrivateKey
    let leaf: Certificate
    let leafKey: PrivateKey

    var chain: [[UInt8]] { [leaf.der, intermediate.der, root.der] }
    var extraRoot: ExtraRoot { ExtraRoot(name: "test", certificate: root) }

    init(
        rsa bits: Int? = nil, leafBits: Int? = nil, digest: DigestAlgorithm? = nil,
        changingIntermediate: (inout CertificateBuilder) -> Void = { _ in },
        changingLeaf: (inout CertificateBuilder) -> Void = { _ in },
        leafKind: KeyKind? = nil, leafSigner: PrivateKey? = nil
    ) throws {
        let kind: KeyKind = bits.map { .rsa(bits: $0) } ?? .p384
        let digest = digest ?? (bits == nil ? .sha384 : .sha256)
        rootKey = try PrivateKey.generate(kind)
        let first = CertificateBuilder(
            subject: DistinguishedName(commonName: "Test Root", organization: "Till Tests"),
            subjectKey: rootKey.publicKey, notBefore: Self.start - 1_000,
            notAfter: Self.end + 1_000,
            basicConstraints: BasicConstraints(isAuthority: true),
            keyUsage: [.keyCertSign, .crlSign])
        root = try first.selfSigned(with: rootKey, digest: digest)
        intermediateKey = try PrivateKey.generate(kind)
        var middle = CertificateBuilder(
            subject: DistinguishedName(commonName: "Test Intermediate"),
            subjectKey: intermediateKey.publicKey, serialNumber: [2], notBefore: Self.start,
            notAfter: Self.end,
            basicConstraints: BasicConstraints(isAuthority: true, pathLength: 0),
            keyUsage: [.keyCertSign, .crlSign], extensions: [.marker(Self.intermediateMarker)])
        changingIntermediate(&middle)
        intermediate = try middle.signed(by: root, key: rootKey, digest: digest)
        leafKey = try PrivateKey.generate(
            leafKind ?? bits.map { .rsa(bits: leafBits ?? $0) } ?? .p256)
        var last = CertificateBuilder(
            subject: DistinguishedName(commonName: "Test Leaf"), subjectKey: leafKey.publicKey,
            serialNumber: [0x01, 0x23, 0x45], notBefore: Self.start + 10, notAfter: Self.end - 10,
            basicConstraints: BasicConstraints(isAuthority: false), keyUsage: .digitalSignature,
            extensions: [.marker(Self.leafMarker)])
        changingLeaf(&last)
        leaf = try last.signed(
            by: intermediate, key: leafSigner ?? intermediateKey, digest: digest)
    }

    // MARK: Signed values

    /// Signs JSON as Apple does, with any header.
    func jws(
        _ json: String, chain: [[UInt8]]? = nil, algorithm: String? = "ES256"
    ) throws -> String {
        let header = JWSHeader(algorithm: algorithm, certificates: chain ?? self.chain).encoded
        return try jws(Array(json.utf8), header: header)
    }

    func jws(_ payload: [UInt8], header: [UInt8]) throws -> String {
        let input = CompactJWS.signingInput(header: header, payload: payload)
        return CompactJWS(
            header: header, payload: payload, signature: try leafKey.signES256(input)
        ).text
    }

    // MARK: Receipts

    /// Signs content as an app receipt.
    func receipt(
        _ content: [UInt8], digest: DigestAlgorithm = .sha256,
        changing: (inout ReceiptParts) -> Void = { _ in }
    ) throws -> [UInt8] {
        var parts = ReceiptParts(
            content: content, certificates: chain, issuer: leaf.issuerDER,
            serialNumber: leaf.serialNumber, digest: digest == .sha1 ? .sha1 : .sha256,
            signature: try leafKey.sign(content, as: .rsaPKCS1(digest)))
        changing(&parts)
        return parts.encoded
    }

    /// Signs purchase info as a transaction receipt of iOS 6.
    func legacyReceipt(
        _ info: KeyValuePairs<String, String>, environment: String? = nil
    ) throws -> [UInt8] {
        let info = LegacyTransactionReceipt.encodePurchaseInfo(
            info.map { (name: $0.key, text: $0.value) })
        return LegacyTransactionReceipt.encode(
            purchaseInfo: info, signature: try leafKey.sign([2] + info, as: .rsaPKCS1(.sha1)),
            certificate: leaf.der, environment: environment)
    }
}

/// PKCS#7 signed data, put together by hand so that anything in it may be wrong.
struct ReceiptParts {
    var version: Int64 = 1
    var signerVersion: Int64 = 1
    var content: [UInt8]
    var certificates: [[UInt8]]
    var issuer: [UInt8]
    var serialNumber: [UInt8]
    var digest: OID
    var outerDigests: [OID]?
    var signatureAlgorithm = OID.rsaEncryption
    var signatureParameters: [UInt8] = [0x05, 0x00]
    /// What names the signer, where that is not issuer and serial number.
    var signerName: [UInt8]?
    var signature: [UInt8]
    var signerCount = 1
    var unsignedAttributes: [UInt8]?

    var encoded: [UInt8] {
        let signer = Self.sequence([
            Self.integer(signerVersion),
            signerName ?? Self.sequence([issuer, Self.tagged(0x02, serialNumber)]),
            Self.algorithm(digest),
            Self.sequence([Self.oid(signatureAlgorithm), signatureParameters]),
            Self.tagged(0x04, signature), unsignedAttributes.map { Self.tagged(0xA1, $0) } ?? [],
        ])
        let signedData = Self.sequence([
            Self.integer(version),
            Self.tagged(0x31, (outerDigests ?? [digest]).flatMap(Self.algorithm)),
            Self.sequence([Self.oid(.data), Self.tagged(0xA0, Self.tagged(0x04, content))]),
            certificates.isEmpty ? [] : Self.tagged(0xA0, certificates.flatMap { $0 }),
            Self.tagged(0x31, (0..<signerCount).flatMap { _ in signer }),
        ])
        return Self.sequence([Self.oid(.signedData), Self.tagged(0xA0, signedData)])
    }

    static func tagged(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] {
        let count = content.count
        if count < 0x80 { return [tag, UInt8(count)] + content }
        var length: [UInt8] = []
        var rest = count
        while rest > 0 {
            length.insert(UInt8(rest & 0xFF), at: 0)
            rest >>= 8
        }
        return [tag, 0x80 | UInt8(length.count)] + length + content
    }

    static func sequence(_ parts: [[UInt8]]) -> [UInt8] { tagged(0x30, parts.flatMap { $0 }) }
    static func oid(_ oid: OID) -> [UInt8] { tagged(0x06, Array(oid.bytes)) }
    static func algorithm(_ oid: OID) -> [UInt8] { sequence([self.oid(oid), [0x05, 0x00]]) }
    static func integer(_ value: Int64) -> [UInt8] { tagged(0x02, [UInt8(value & 0x7F)]) }
}

/// What a test receipt says.
enum TestReceipt {
    static let bundleID: BundleID = "com.example.app"

    /// The attributes of a receipt with so many purchases.
    static func content(
        type: String? = "ProductionSandbox", bundleID: BundleID = bundleID,
        createdAt: String = "2023-11-14T22:13:20Z", appItemID: Int64? = nil, purchases: Int = 1
    ) -> [UInt8] {
        var list: [ReceiptAttribute] = [
            text(2, 0x0C, bundleID.rawValue), text(3, 0x0C, "1.0"), text(12, 0x16, createdAt),
        ]
        if let type { list.append(text(0, 0x0C, type)) }
        if let appItemID { list.append(number(1, appItemID)) }
        for index in 0..<purchases {
            let purchase: [ReceiptAttribute] = [
                number(1701, 1), text(1702, 0x0C, "com.example.coins600"),
                text(1703, 0x0C, "\(2_000_000_000 + index)"),
                text(1704, 0x16, createdAt), text(1705, 0x0C, "\(2_000_000_000 + index)"),
                text(1706, 0x16, createdAt), text(1708, 0x16, ""), number(1711, 0),
                text(1712, 0x16, ""),
            ]
            list.append(
                ReceiptAttribute(type: 17, value: ReceiptAttribute.encodeList(purchase)[...]))
        }
        return ReceiptAttribute.encodeList(list)
    }

    private static func text(_ type: Int64, _ tag: UInt8, _ text: String) -> ReceiptAttribute {
        ReceiptAttribute(type: type, value: ReceiptParts.tagged(tag, Array(text.utf8))[...])
    }

    private static func number(_ type: Int64, _ number: Int64) -> ReceiptAttribute {
        var bytes: [UInt8] = []
        var rest = number
        repeat {
            bytes.insert(UInt8(rest & 0xFF), at: 0)
            rest >>= 8
        } while rest > 0
        if bytes[0] >= 0x80 { bytes.insert(0, at: 0) }
        return ReceiptAttribute(type: type, value: ReceiptParts.tagged(0x02, bytes)[...])
    }
}
