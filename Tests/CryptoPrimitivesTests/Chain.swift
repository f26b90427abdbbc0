import CryptoPrimitives

/// A root, an intermediate and a leaf for one test, with one thing to change at a time.
struct Chain {
    static let start: Int64 = 1_600_000_000
    static let end: Int64 = 1_700_000_000

    let root: Certificate
    let intermediate: Certificate
    let leaf: Certificate
    let leafKey: PrivateKey

    static func root(
        _ kind: KeyKind = .p384, name: String = "Root"
    ) throws -> (Certificate, PrivateKey) {
        let key = try PrivateKey.generate(kind)
        let builder = CertificateBuilder(
            subject: DistinguishedName(commonName: name), subjectKey: key.publicKey,
            notBefore: start - 1_000, notAfter: end + 1_000,
            basicConstraints: BasicConstraints(isAuthority: true),
            keyUsage: [.keyCertSign, .crlSign])
        return (try builder.selfSigned(with: key, digest: .sha384), key)
    }

    init(
        _ kind: KeyKind = .p384, signatures: DigestAlgorithm = .sha384,
        changingIntermediate: (inout CertificateBuilder) -> Void = { _ in },
        changingLeaf: (inout CertificateBuilder) -> Void = { _ in },
        leafSigner: PrivateKey? = nil
    ) throws {
        let (root, rootKey) = try Chain.root(kind)
        let middleKey = try PrivateKey.generate(kind)
        var middle = CertificateBuilder(
            subject: DistinguishedName(commonName: "Intermediate"), subjectKey: middleKey.publicKey,
            serialNumber: [2], notBefore: Chain.start, notAfter: Chain.end,
            basicConstraints: BasicConstraints(isAuthority: true, pathLength: 0),
            keyUsage: [.keyCertSign, .crlSign])
        changingIntermediate(&middle)
        let intermediate = try middle.signed(by: root, key: rootKey, digest: signatures)
        let leafKey = try PrivateKey.generate(kind == .p384 ? .p256 : kind)
        var last = CertificateBuilder(
            subject: DistinguishedName(commonName: "Leaf"), subjectKey: leafKey.publicKey,
            serialNumber: [3], notBefore: Chain.start + 10, notAfter: Chain.end - 10,
            basicConstraints: BasicConstraints(isAuthority: false), keyUsage: .digitalSignature)
        changingLeaf(&last)
        self.root = root
        self.intermediate = intermediate
        leaf = try last.signed(by: intermediate, key: leafSigner ?? middleKey, digest: signatures)
        self.leafKey = leafKey
    }

    func verify(at moment: Int64 = start + 1_000, anchor: Certificate? = nil) throws {
        try ChainCheck.verify(
            leaf: leaf, intermediates: [intermediate], anchor: anchor ?? root, at: moment)
    }
}
