import AppStoreModel
import CryptoPrimitives
import SignedDataCoding
import TillAPI
import TillLedger

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Signs what a customer may use, so that whoever holds the public key can believe it offline.
struct EntitlementSigner: Sendable {
    private let key: PrivateKey
    private let lifetime: Int64
    private let keyID: String
    /// The public key as a JSON Web Key (RFC 7517).
    let publicKey: JSONValue

    /// Takes a P-256 key; nil for any other.
    init?(_ configuration: EntitlementSigning) {
        guard configuration.key.kind == .p256 else { return nil }
        key = configuration.key
        lifetime = configuration.lifetimeSeconds
        let encoded = key.publicKey.subjectPublicKeyInfo
        keyID = String(Base64.encode(SHA256.hash(encoded), .url).prefix(16))
        // The key's point stands at the end of its DER form: 32 bytes each of x and y.
        let point = encoded.suffix(64)
        publicKey = [
            "kty": "EC", "crv": "P-256", "use": "sig", "alg": "ES256", "kid": .string(keyID),
            "x": .string(Base64.encode(point.prefix(32), .url)),
            "y": .string(Base64.encode(point.suffix(32), .url)),
        ]
    }

    /// A JWT of the customer's entitlements, good until it ends or something in it does.
    ///
    /// `name` is the one by which the customer was asked for; it may have others.
    func sign(
        _ customer: CustomerDocument, for name: CustomerID, nonce: String?, now: Timestamp
    ) throws -> String {
        let header: JSONValue = ["alg": "ES256", "kid": .string(keyID), "typ": "JWT"]
        let claims = SignedEntitlements(
            subject: name.rawValue, issuedAt: now.seconds, expiresAt: now.seconds + lifetime,
            nonce: nonce, entitlements: customer.entitlements)
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let text =
            Base64.encode(try encoder.encode(header), .url) + "."
            + Base64.encode(try encoder.encode(claims), .url)
        return text + "." + Base64.encode(try key.signES256(Array(text.utf8)), .url)
    }
}
