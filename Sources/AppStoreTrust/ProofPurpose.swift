import CryptoPrimitives

/// What a chain of certificates signs, and what is therefore asked of it.
enum ProofPurpose: UInt8, Sendable, Hashable {
    /// App receipts: RSA under Apple Root CA.
    case appReceipt
    /// JWS: P-256 under Apple Root CA - G3.
    case signedValue
    /// Transaction receipts of iOS 6 and before: RSA under the iTunes Store's intermediate.
    case legacyReceipt

    /// The fingerprint of the one root of Apple's that may stand at the end.
    var pinnedRoot: [UInt8] {
        switch self {
        case .appReceipt, .legacyReceipt: AppleRoot.receipts
        case .signedValue: AppleRoot.signedValues
        }
    }

    /// What marks the certificate that signs; genuine ones of every year since 2010 carry it.
    var leafMarker: String {
        switch self {
        case .appReceipt, .signedValue: "1.2.840.113635.100.6.11.1"
        case .legacyReceipt: "1.2.840.113635.100.6.5.1"
        }
    }

    /// What marks the intermediate: Worldwide Developer Relations, or the iTunes Store.
    var intermediateMarker: String {
        switch self {
        case .appReceipt, .signedValue: "1.2.840.113635.100.6.2.1"
        case .legacyReceipt: "1.2.840.113635.100.6.2.2"
        }
    }

    /// How leaf and intermediate may be signed themselves: RSA with SHA-1 or SHA-256 as Apple's are,
    /// ECDSA with SHA-384 as Apple's are or SHA-256 as those of tests are.
    var certificateSignatures: Set<String> {
        switch self {
        case .appReceipt, .legacyReceipt: ["1.2.840.113549.1.1.5", "1.2.840.113549.1.1.11"]
        case .signedValue: ["1.2.840.10045.4.3.2", "1.2.840.10045.4.3.3"]
        }
    }

    /// How certificates under a named root may be signed: one root of a local store issues the chains of
    /// receipts and of signed values alike.
    static let signaturesUnderNamedRoots = ProofPurpose.appReceipt.certificateSignatures
        .union(ProofPurpose.signedValue.certificateSignatures)

    /// Whether a key of that kind signs such proofs.
    func isSignedBy(_ kind: KeyKind) -> Bool {
        switch (self, kind) {
        case (.appReceipt, .rsa(let bits)): bits >= 2_048
        case (.legacyReceipt, .rsa): true
        case (.signedValue, .p256): true
        default: false
        }
    }
}
