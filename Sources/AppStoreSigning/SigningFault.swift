/// The one thing that is wrong with what is signed: for tests of whoever must refuse it.
///
/// Everything else stays as it should be, so that a refusal has one possible reason.
public enum SigningFault: String, Sendable, Hashable, CaseIterable {
    /// The leaf lacks Apple's marker.
    case missingLeafMarker
    /// The intermediate lacks Apple's marker.
    case missingIntermediateMarker
    /// The leaf ended a day before it signed.
    case expiredLeaf
    /// The leaf began a day after it signed.
    case leafNotYetValid
    /// The intermediate ended a day before the leaf signed.
    case expiredIntermediate
    /// The intermediate's basic constraints say that it is no authority.
    case intermediateIsNoAuthority
    /// The leaf's basic constraints say that it is an authority.
    case leafIsAuthority
    /// The leaf's key may not sign data.
    case wrongKeyUsage
    /// The leaf is signed by a key that is not the intermediate's.
    case brokenChain
    /// The root is left out.
    case twoCertificates
    /// The root comes twice.
    case fourCertificates
    /// There are no certificates.
    case noCertificates
    /// Leaf and intermediate end in a root of the same name that nobody named.
    case foreignRoot
    /// A foreign chain, with the trusted root put at its end.
    case foreignChainUnderOwnRoot
    /// The content was changed after it was signed.
    case alteredContent
    /// A bit of the signature was changed.
    case alteredSignature
    /// Another key signed than the leaf's.
    case keyOfAnother
    /// Another digest was signed than the message names; in a JWS, SHA-384.
    case wrongDigest
    /// JWS alone: no signature, and `alg` says so.
    case algorithmNone
    /// JWS alone: an HMAC whose key is the leaf's public key.
    case algorithmHS256
    /// JWS alone: an RSA signature with a chain that fits.
    case algorithmRS256
    /// JWS alone: `alg` is there twice.
    case doubledAlgorithm
    /// JWS alone: the signature is in DER instead of 64 bytes.
    case signatureInDER

    /// Whether an app receipt can be wrong in this way.
    public var fitsReceipts: Bool {
        switch self {
        case .algorithmNone, .algorithmHS256, .algorithmRS256, .doubledAlgorithm, .signatureInDER:
            false
        default: true
        }
    }
}
