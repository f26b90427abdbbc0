public import CryptoPrimitives

/// What a proof ends in: Apple's own root, or one that a configuration named.
public enum TrustAnchor: Sendable, Hashable {
    /// A root of Apple's, pinned by its fingerprint.
    case apple
    /// A root that the configuration names so: whatever it proves is no payment.
    case extraRoot(String)

    /// Whether Apple signed; only that is ever a payment.
    public var isApple: Bool { self == .apple }
}

/// A root of a local store, a test or Xcode that an app may trust outside production.
public struct ExtraRoot: Sendable, Hashable {
    /// What the proofs under it are marked with.
    public let name: String
    /// The root itself, or the one self-signed certificate that Xcode signs with.
    public let certificate: Certificate

    /// Names a root.
    public init(name: String, certificate: Certificate) {
        self.name = name
        self.certificate = certificate
    }
}

/// Apple's roots, pinned: a message brings the certificate, the fingerprint decides.
enum AppleRoot {
    /// "Apple Root CA" of 2006, RSA: app receipts and iOS 6 transaction receipts end in it.
    static let receipts: [UInt8] = [
        0xB0, 0xB1, 0x73, 0x0E, 0xCB, 0xC7, 0xFF, 0x45, 0x05, 0x14, 0x2C, 0x49, 0xF1, 0x29, 0x5E,
        0x6E, 0xDA, 0x6B, 0xCA, 0xED, 0x7E, 0x2C, 0x68, 0xC5, 0xBE, 0x91, 0xB5, 0xA1, 0x10, 0x01,
        0xF0, 0x24,
    ]
    /// "Apple Root CA - G3" of 2014, P-384: signed transactions and everything like them.
    static let signedValues: [UInt8] = [
        0x63, 0x34, 0x3A, 0xBF, 0xB8, 0x9A, 0x6A, 0x03, 0xEB, 0xB5, 0x7E, 0x9B, 0x3F, 0x5F, 0xA7,
        0xBE, 0x7C, 0x4F, 0x5C, 0x75, 0x6F, 0x30, 0x17, 0xB3, 0xA8, 0xC4, 0x88, 0xC3, 0x65, 0x3E,
        0x91, 0x79,
    ]
}
