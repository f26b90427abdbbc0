#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The customer who is logged in.
struct Session: Sendable, Hashable, Codable {
    var customerID: String
    var token: String

    var caller: Caller { Caller(customerID: customerID, token: token) }
}

/// Why a login was not taken.
public struct LoginError: Error, Sendable, Hashable {
    /// The kinds of mistakes.
    public enum Code: String, Sendable, Hashable {
        /// The token names nobody: it is no JWT with a `sub`, and no customer id was given.
        case customerUnknown
        /// The token or the customer id is empty or too long.
        case malformed
    }

    /// What was wrong.
    public let code: Code

    /// Makes an error.
    public init(_ code: Code) { self.code = code }
}

/// Reads whom a customer token names.
///
/// The server checks the token; the device only needs to know whose orders are whose.
enum CustomerToken {
    static let limitBytes = 8_192

    static func subject(of token: String) -> String? {
        let parts = token.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, let payload = decoded(parts[1]),
            let claims = try? JSONDecoder().decode(Claims.self, from: payload)
        else { return nil }
        return claims.sub
    }

    private struct Claims: Decodable { var sub: String }

    private static func decoded(_ part: Substring) -> Data? {
        var bytes = Array(part.utf8)
        for index in bytes.indices {
            if bytes[index] == UInt8(ascii: "-") { bytes[index] = UInt8(ascii: "+") }
            if bytes[index] == UInt8(ascii: "_") { bytes[index] = UInt8(ascii: "/") }
        }
        while bytes.count % 4 != 0 { bytes.append(UInt8(ascii: "=")) }
        return Data(base64Encoded: Data(bytes))
    }
}
