import AppStoreModel
import CryptoPrimitives
import TillAPI

@testable import Till

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A server's key, its clock, and everything that can be wrong with what it signs.
struct FakeNotary: Sendable {
    var key: PrivateKey
    var keyID = "first"
    /// Seconds since 1970.
    var now: Int64 = 1_900_000_000
    var lifetime: Int64 = 86_400
    var algorithm = "ES256"
    var issuer = SignedEntitlements.issuer
    /// Whether it passes on the one-time text of requests.
    var knowsNonces = true
    /// Whether it says nothing at all.
    var isSilent = false
    /// Who the answer is about, when that is not whom was asked for.
    var subject: String?

    static func make(_ keyID: String = "first") throws -> FakeNotary {
        FakeNotary(key: try PrivateKey.generate(.p256), keyID: keyID)
    }

    var published: KeySetDocument.Key {
        let point = key.publicKey.subjectPublicKeyInfo.suffix(64)
        var published = KeySetDocument.Key(
            kty: "EC", x: Self.text(Data(point.prefix(32))), y: Self.text(Data(point.suffix(32))))
        published.crv = "P-256"
        published.alg = "ES256"
        published.kid = keyID
        return published
    }

    /// What an app would ship with.
    var pinned: [EntitlementKey] { EntitlementKey.keys(in: KeySetDocument(keys: [published])) }

    func sign(_ customer: CustomerDocument, of name: String, nonce: String?) -> String? {
        guard !isSilent else { return nil }
        var claims = SignedEntitlements(
            subject: subject ?? name, issuedAt: now, expiresAt: now + lifetime,
            nonce: knowsNonces ? nonce : nil, entitlements: customer.entitlements)
        claims.issuer = issuer
        let head = Data(#"{"alg":"\#(algorithm)","kid":"\#(keyID)","typ":"JWT"}"#.utf8)
        guard let body = try? JSONEncoder().encode(claims) else { return nil }
        let text = "\(Self.text(head)).\(Self.text(body))"
        guard let signature = try? key.signES256(Array(text.utf8)) else { return nil }
        return "\(text).\(Self.text(Data(signature)))"
    }

    static func text(_ bytes: Data) -> String {
        bytes.base64EncodedString().replacing("+", with: "-").replacing("/", with: "_")
            .replacing("=", with: "")
    }
}
