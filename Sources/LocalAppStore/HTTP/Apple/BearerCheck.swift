import AppStoreModel
import CryptoPrimitives
import SignedDataCoding

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Whether a call of the Server API may be answered: the token that goes with it, by Apple's rules.
///
/// Tokens are held against the machine's clock and not the store's: whoever signs them knows no other.
struct BearerCheck: Sendable {
    private let key: PublicKey?
    private let keyID: String
    private let issuerID: String

    /// The longest life of a token, in seconds.
    static let longestLife: Int64 = 3_600
    /// How far two clocks may be apart, in seconds.
    static let leeway: Int64 = 60

    init(_ keys: StoreKeys) {
        key = (try? PrivateKey(pem: keys.privateKey))?.publicKey
        keyID = keys.keyID
        issuerID = keys.issuerID
    }

    private struct Claims: Decodable {
        let iss: String
        let aud: String
        let bid: String
        let exp: Double
        let iat: Double?
    }

    /// Checks the value of an `Authorization` field at a moment of the machine's clock.
    func accepts(_ authorization: String?, for bundleID: BundleID, at now: Timestamp) -> Bool {
        guard let authorization, authorization.utf8.count <= 8_192, let key,
            authorization.prefix(7).lowercased() == "bearer ",
            let token = try? CompactJWS(decoding: String(authorization.dropFirst(7))),
            let header = try? token.header(), header.algorithm == "ES256",
            !header.hasCriticalExtensions, header.keyID == keyID,
            key.isValidES256(token.signature, of: Array(token.signingInput)),
            let claims = try? JSONDecoder().decode(Claims.self, from: Data(token.payload))
        else { return false }
        let seconds = Double(now.seconds)
        let latest =
            (claims.iat ?? seconds) + Double(Self.longestLife + (claims.iat == nil ? 60 : 0))
        return claims.iss == issuerID && claims.aud == "appstoreconnect-v1"
            && claims.bid == bundleID.rawValue && claims.exp > seconds && claims.exp <= latest
            && (claims.iat ?? 0) <= seconds + Double(Self.leeway)
    }
}
