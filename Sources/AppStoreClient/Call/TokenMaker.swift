import AppStoreModel
import CryptoPrimitives
import SignedDataCoding
import Synchronization

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Makes the tokens of the App Store Server API, and gives the same one to every task until it is nearly over.
final class TokenMaker: Sendable {
    /// How long a token is good, in seconds; Apple takes up to sixty minutes.
    static let lifetime: Int64 = 20 * 60
    /// So long before its end a token is made anew, in seconds.
    static let margin: Int64 = 60
    /// So far back a token is dated, in seconds: Apple refuses what is from the future by its clock.
    static let backdating: Int64 = 30

    private struct Claims: Encodable {
        let iss: String
        let iat: Int64
        let exp: Int64
        let aud: String
        let bid: String
    }

    private struct Token {
        let text: String
        let madeAt: Int64
    }

    private let key: PrivateKey
    private let header: [UInt8]
    private let issuerID: String
    private let bundleID: BundleID
    private let current = Mutex<Token?>(nil)

    init(_ key: AppStoreClient.ServerKey, bundleID: BundleID) throws(AppStoreClientError) {
        guard !key.issuerID.isEmpty, !key.keyID.isEmpty else {
            throw .configuration(
                .invalidConfiguration, [.serverKey], "a key needs an issuer and a name")
        }
        do {
            self.key = try PrivateKey(pem: String(decoding: key.privateKey.bytes, as: UTF8.self))
        } catch {
            throw .configuration(
                .invalidConfiguration, [.serverKey], "the key is no PKCS#8 key in PEM")
        }
        guard self.key.kind == .p256 else {
            throw .configuration(.invalidConfiguration, [.serverKey], "the key is not on P-256")
        }
        header = JWSHeader(algorithm: "ES256", keyID: key.keyID, type: "JWT").encoded
        issuerID = key.issuerID
        self.bundleID = bundleID
    }

    /// The token to send now.
    func token(at now: Timestamp) throws(AppStoreClientError) -> String {
        let outcome = current.withLock { current -> Result<String, AppStoreClientError> in
            if let token = current, isGood(token, at: now.seconds) { return .success(token.text) }
            guard let text = signed(at: now.seconds) else {
                return .failure(
                    .configuration(
                        .invalidConfiguration, [.serverKey], "the key does not sign"))
            }
            current = Token(text: text, madeAt: now.seconds)
            return .success(text)
        }
        return try outcome.get()
    }

    /// Forgets a token that Apple did not take; one that was made since then stays.
    func discard(_ text: String) {
        current.withLock { if $0?.text == text { $0 = nil } }
    }

    private func isGood(_ token: Token, at now: Int64) -> Bool {
        // A clock that was set back would otherwise keep a token from the future.
        now >= token.madeAt - Self.backdating
            && now < token.madeAt - Self.backdating + Self.lifetime - Self.margin
    }

    private func signed(at now: Int64) -> String? {
        let start = now - Self.backdating
        let claims = Claims(
            iss: issuerID, iat: start, exp: start + Self.lifetime, aud: "appstoreconnect-v1",
            bid: bundleID.rawValue)
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        guard let payload = try? Array(encoder.encode(claims)),
            let signature = try? key.signES256(
                CompactJWS.signingInput(header: header, payload: payload))
        else { return nil }
        return CompactJWS(header: header, payload: payload, signature: signature).text
    }
}
