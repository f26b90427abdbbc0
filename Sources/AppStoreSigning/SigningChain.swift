public import CryptoPrimitives

/// Certificates from the leaf to the root, with the leaf's key.
public struct SigningChain: Sendable {
    /// Leaf, intermediate, root.
    public let certificates: [Certificate]
    /// The leaf's key.
    let key: PrivateKey
    /// The intermediate's key, with which faulty leaves are made.
    let intermediateKey: PrivateKey

    /// The one that signs.
    public var leaf: Certificate { certificates[0] }
    /// The one between.
    public var intermediate: Certificate { certificates[1] }
    /// The one that is trusted.
    public var root: Certificate { certificates[2] }
}

/// What a chain is for: names, markers and keys as Apple's have them.
enum ChainPurpose: String, CaseIterable {
    case receipt
    case signedValue
    case legacyReceipt

    var leafName: String {
        switch self {
        case .receipt: "Till Store Receipt Signing"
        case .signedValue: "Till Store ECC Receipt Signing"
        case .legacyReceipt: "PurchaseReceiptCertificate"
        }
    }

    var intermediateName: String {
        switch self {
        case .receipt: "Till Store Developer Relations Certification Authority"
        case .signedValue: "Till Store Developer Relations ECC Certification Authority"
        case .legacyReceipt: "Till Store Legacy Receipt Certification Authority"
        }
    }

    /// What Apple's certificates are marked with, so that a verifier needs no other rules.
    var leafMarker: String {
        self == .legacyReceipt ? "1.2.840.113635.100.6.5.1" : "1.2.840.113635.100.6.11.1"
    }

    var intermediateMarker: String {
        self == .legacyReceipt ? "1.2.840.113635.100.6.2.2" : "1.2.840.113635.100.6.2.1"
    }

    var leafKind: KeyKind {
        switch self {
        case .receipt: .rsa(bits: 2_048)
        case .signedValue: .p256
        // The layout of these receipts has room for 128 bytes of signature.
        case .legacyReceipt: .rsa(bits: 1_024)
        }
    }

    var intermediateKind: KeyKind {
        self == .signedValue ? .p384 : .rsa(bits: 2_048)
    }

    /// The digest with which the intermediate signs the leaf.
    var digest: DigestAlgorithm { self == .signedValue ? .sha384 : .sha256 }
}

/// Issues chains under a root, right ones and those with one fault.
struct ChainIssuer {
    let root: Certificate
    let rootKey: PrivateKey

    private static func name(_ commonName: String) -> DistinguishedName {
        DistinguishedName(
            commonName: commonName, organizationalUnit: "Till Local App Store",
            organization: "Till", country: "US")
    }

    /// A serial number that a key always gets, so that reissued certificates stay recognisable.
    private static func serialNumber(_ key: PublicKey) -> [UInt8] {
        [1] + SHA256.hash(key.subjectPublicKeyInfo).prefix(8)
    }

    static func makeRoot(
        named commonName: String, key: PrivateKey, validity: Range<Int64>
    ) throws(CryptoError) -> Certificate {
        try CertificateBuilder(
            subject: name(commonName), subjectKey: key.publicKey,
            serialNumber: serialNumber(key.publicKey), notBefore: validity.lowerBound,
            notAfter: validity.upperBound, basicConstraints: BasicConstraints(isAuthority: true),
            keyUsage: [.keyCertSign, .crlSign]
        ).selfSigned(with: key)
    }

    func chain(
        _ purpose: ChainPurpose, key: PrivateKey, intermediateKey: PrivateKey,
        validity: Range<Int64>, fault: SigningFault? = nil, at moment: Int64 = 0
    ) throws(CryptoError) -> SigningChain {
        let day: Int64 = 86_400
        let intermediate = try CertificateBuilder(
            subject: Self.name(purpose.intermediateName), subjectKey: intermediateKey.publicKey,
            serialNumber: Self.serialNumber(intermediateKey.publicKey),
            notBefore: fault == .expiredIntermediate
                ? min(validity.lowerBound, moment - 2 * day) : validity.lowerBound,
            notAfter: fault == .expiredIntermediate ? moment - day : validity.upperBound,
            basicConstraints: fault == .intermediateIsNoAuthority
                ? BasicConstraints(isAuthority: false)
                : BasicConstraints(isAuthority: true, pathLength: 0),
            keyUsage: [.keyCertSign, .crlSign],
            extensions: fault == .missingIntermediateMarker
                ? [] : [.marker(purpose.intermediateMarker)]
        ).signed(by: root, key: rootKey)
        let builder = CertificateBuilder(
            subject: Self.name(purpose.leafName), subjectKey: key.publicKey,
            serialNumber: Self.serialNumber(key.publicKey),
            notBefore: fault == .leafNotYetValid ? moment + day : validity.lowerBound,
            notAfter: fault == .expiredLeaf ? moment - day : validity.upperBound,
            basicConstraints: BasicConstraints(isAuthority: fault == .leafIsAuthority),
            keyUsage: fault == .wrongKeyUsage ? .crlSign : .digitalSignature,
            extensions: fault == .missingLeafMarker ? [] : [.marker(purpose.leafMarker)])
        let issuerKey =
            fault == .brokenChain ? try PrivateKey.generate(intermediateKey.kind) : intermediateKey
        let leaf = try builder.signed(by: intermediate, key: issuerKey, digest: purpose.digest)
        return SigningChain(
            certificates: [leaf, intermediate, root], key: key, intermediateKey: intermediateKey)
    }
}
