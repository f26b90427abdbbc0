import CryptoPrimitives
public import Foundation

/// The signature of a signed value, by P-256.
///
/// Apple's is `P256.Signing.ECDSASignature` of CryptoKit, which Linux has not; this one has the same two forms.
public struct JWSSignature: Hashable, Sendable {
    /// Both numbers side by side, 64 bytes, as in the JWS.
    public let rawRepresentation: Data

    /// The signature in DER; empty if it is none.
    public var derRepresentation: Data {
        Data(ECDSASignature.der(rawP256: Array(rawRepresentation).span) ?? [])
    }
}
