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

/// A customer's token: a JWT (RFC 7519) signed with HS256 by the app's own backend.
///
/// The algorithm is fixed here and never taken from the token.
enum CustomerToken {
    /// Bytes of a token; longer ones are refused unread.
    static let sizeLimit = 4_096
    /// How far clocks may be apart, in seconds.
    static let skewSeconds: Int64 = 60

    /// The customer that the token names, once signature and times hold.
    static func customerID(
        of token: String, by configuration: CustomerTokenConfiguration, now: Timestamp
    ) throws(ProblemDocument) -> CustomerID {
        let bytes = Array(token.utf8)
        guard bytes.count <= sizeLimit else { throw ProblemDocument(.invalidToken) }
        let parts = bytes.split(
            separator: UInt8(ascii: "."), maxSplits: 3, omittingEmptySubsequences: false)
        guard parts.count == 3,
            let header = Base64.decodeURL(Array(parts[0])),
            let claims = Base64.decodeURL(Array(parts[1])),
            let code = Base64.decodeURL(Array(parts[2]))
        else { throw ProblemDocument(.invalidToken) }
        let signed = Array(bytes[..<(parts[0].count + 1 + parts[1].count)])
        // Every secret is tried, so that the time does not tell which one fits.
        let fits = configuration.secrets.map {
            HMACSHA256.isValid(code, for: signed, key: $0.bytes)
        }
        guard fits.contains(true) else { throw ProblemDocument(.invalidToken) }
        guard let header: Header = decoded(header), header.alg == "HS256", header.crit == nil,
            header.typ.map({ $0.uppercased() == "JWT" }) ?? true,
            let claims: Claims = decoded(claims)
        else { throw ProblemDocument(.invalidToken) }
        try checkTimes(claims, requiresExpiry: configuration.requiresExpiry, now: now)
        if let issuer = configuration.issuer, claims.iss != issuer {
            throw ProblemDocument(.invalidToken, detail: "the token is of another issuer")
        }
        if let audience = configuration.audience, claims.aud?.names.contains(audience) != true {
            throw ProblemDocument(.invalidToken, detail: "the token is for another audience")
        }
        guard let customer = claims.sub.flatMap(CustomerID.init(rawValue:)) else {
            throw ProblemDocument(.invalidToken, detail: "the token's sub is no customer id")
        }
        return customer
    }

    private static func checkTimes(
        _ claims: Claims, requiresExpiry: Bool, now: Timestamp
    ) throws(ProblemDocument) {
        let seconds = Double(now.seconds)
        let skew = Double(skewSeconds)
        if let end = claims.exp {
            guard seconds < end + skew else { throw ProblemDocument(.tokenExpired) }
        } else if requiresExpiry {
            throw ProblemDocument(.invalidToken, detail: "the token has no exp")
        }
        if let start = claims.nbf, seconds + skew < start {
            throw ProblemDocument(.invalidToken, detail: "the token is not valid yet")
        }
    }

    private static func decoded<Part: Decodable>(_ bytes: [UInt8]) -> Part? {
        guard let tape = try? StrictJSON.read(Data(bytes), depth: 8) else { return nil }
        return try? JSONTapeDecoder.decode(Part.self, tape)
    }

    private struct Header: Decodable {
        let alg: String
        let typ: String?
        let crit: [String]?
    }

    /// Times may have fractions (RFC 7519 section 2, NumericDate).
    private struct Claims: Decodable {
        let sub: String?
        let exp: Double?
        let nbf: Double?
        let iss: String?
        let aud: Audience?
    }

    /// One name or a list of them (RFC 7519 section 4.1.3).
    private struct Audience: Decodable {
        let names: [String]

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            if let name = try? container.decode(String.self) {
                names = [name]
            } else {
                names = try container.decode([String].self)
            }
        }
    }
}
