import AppStoreModel
import TillAPI

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Reads what the server signed about entitlements.
///
/// The algorithm is fixed here and never taken from the token.
enum EntitlementToken {
    /// Bytes of a token at the most.
    static let limitBytes = 1 << 20
    /// Seconds by which the clocks of two servers may differ.
    static let toleranceSeconds: Int64 = 60
    /// The years in which a token can be signed end here: 9999.
    static let latestSecond: Int64 = 253_402_300_799

    private struct Header: Decodable {
        var alg: String
        var kid: String?
        var crit: [String]?
    }

    /// What is signed, once the signature is one of a key's and it is about this customer.
    static func read(
        _ token: String, of customerID: String, under keys: [EntitlementKey]
    ) throws(EntitlementDistrust) -> SignedEntitlements {
        let parts = token.split(separator: ".", omittingEmptySubsequences: false)
        guard token.utf8.count <= limitBytes, parts.count == 3,
            let head = Base64URL.decode(parts[0]), let body = Base64URL.decode(parts[1]),
            let signature = Base64URL.decode(parts[2]),
            let header = try? JSONDecoder().decode(Header.self, from: head),
            header.alg == "ES256", header.crit == nil
        else { throw .malformed }
        guard let key = keys.first(where: { $0.id == header.kid }) else { throw .unknownKey }
        guard
            SignatureCheck.isES256(
                signature, of: Data("\(parts[0]).\(parts[1])".utf8), x: key.x, y: key.y)
        else { throw .wrongSignature }
        guard let claims = try? JSONDecoder().decode(SignedEntitlements.self, from: body),
            claims.issuer == SignedEntitlements.issuer,
            (0...latestSecond).contains(claims.issuedAt), claims.issuedAt < claims.expiresAt
        else { throw .malformed }
        guard claims.subject == customerID else { throw .wrongCustomer }
        return claims
    }
}

/// What the device has seen of signed answers, kept where secrets are: what is remembered in a file can be
/// changed or exchanged for an older one, and is held against this.
struct Standing: Sendable, Hashable, Codable {
    var customerID: String
    /// When the newest answer was signed, in seconds.
    var issuedAt: Int64
    var time: TrustedTime
    /// Whether the server has refused this customer since.
    var isRefused = false
}
