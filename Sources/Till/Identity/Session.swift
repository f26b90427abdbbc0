import TillAPI

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The customer who is logged in.
struct Session: Sendable, Hashable, Codable {
    var customerID: String
    var token: String

    init(customerID: String, token: String) {
        self.customerID = customerID
        self.token = token
    }

    /// Checks what an app gives; the customer is the token's `sub` unless it is said.
    init(token: String, customerID: String?) throws(LoginError) {
        guard !token.isEmpty, token.utf8.count <= CustomerToken.limitBytes else {
            throw LoginError(.malformed)
        }
        let subject = CustomerToken.subject(of: token)
        guard let id = customerID ?? subject else { throw LoginError(.customerUnknown) }
        guard !id.isEmpty, id.utf8.count <= APILimits.identifierBytes else {
            throw LoginError(.malformed)
        }
        guard subject.map({ $0 == id }) ?? true else { throw LoginError(.otherCustomer) }
        self.init(customerID: id, token: token)
    }

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
        /// The token's `sub` is another one than the customer id that was given: the server would hand
        /// out what is bought to somebody else.
        case otherCustomer
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
        guard parts.count == 3, let payload = Base64URL.decode(parts[1]),
            let claims = try? JSONDecoder().decode(Claims.self, from: payload)
        else { return nil }
        return claims.sub
    }

    private struct Claims: Decodable { var sub: String }
}
