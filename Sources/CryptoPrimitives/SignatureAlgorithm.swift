/// A signature scheme together with its digest.
public enum SignatureAlgorithm: Sendable, Hashable {
    /// ECDSA over the digest, DER form; the curve is the key's.
    case ecdsa(DigestAlgorithm)
    /// RSASSA-PKCS1-v1_5 over the digest.
    case rsaPKCS1(DigestAlgorithm)

    /// The digest that is signed.
    public var digest: DigestAlgorithm {
        switch self {
        case .ecdsa(let digest), .rsaPKCS1(let digest): digest
        }
    }

    func fits(_ kind: KeyKind) -> Bool {
        switch self {
        case .ecdsa: !kind.isRSA
        case .rsaPKCS1: kind.isRSA
        }
    }
}
