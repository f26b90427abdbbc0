public import AppStoreModel
public import CryptoPrimitives
import SignedDataCoding
public import TillLedger

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Makes the tokens that an app's backend gives to its customers: for demonstrations, tests, and
/// backends written in Swift.
public struct CustomerTokenIssuer: Sendable {
    private let secret: SecretText

    /// Signs with an HS256 secret of the server's `customerTokens`.
    public init(secret: SecretText) { self.secret = secret }

    /// A token for a customer until a moment.
    public func token(for customer: CustomerID, until end: Timestamp) -> String {
        let claims: [String: JSONValue] = [
            "sub": .string(customer.rawValue), "exp": .integer(end.seconds),
        ]
        return token(header: #"{"alg":"HS256","typ":"JWT"}"#, claims: .object(claims))
    }

    /// A token of any content, so that tests can get one thing wrong at a time.
    func token(header: String, claims: JSONValue) -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        // Values of JSON encode; nothing else can be given.
        let body = (try? encoder.encode(claims)) ?? Data()
        let signed = Base64.encode(Array(header.utf8), .url) + "." + Base64.encode(body, .url)
        let code = HMACSHA256.authenticationCode(for: Array(signed.utf8), key: secret.bytes)
        return signed + "." + Base64.encode(code, .url)
    }
}
