import TillAPI

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// What makes Till believe what somebody may use.
public enum EntitlementProof: Sendable, Hashable {
    /// That the server said it over its connection.
    ///
    /// What is remembered for the time without a network is believed as it stands on the device.
    case connection
    /// The server's signature under one of these keys, which come with the app.
    ///
    /// Nothing else opens anything, whether the server is asked or not.
    case signed(by: [EntitlementKey])
    /// The server's signature under a key that the server publishes, fetched from the same address and
    /// kept in the Keychain.
    case signedByServer
}

/// A public key whose signature about entitlements is believed.
public struct EntitlementKey: Sendable, Hashable {
    /// Its name, which signed answers carry.
    public let id: String
    let x: Data
    let y: Data

    /// Keys of one set at the most.
    static let limit = 32

    init?(_ document: KeySetDocument.Key) {
        guard document.kty == "EC", document.crv == "P-256",
            document.alg == nil || document.alg == "ES256",
            let id = document.kid, !id.isEmpty,
            let x = document.x.flatMap({ Base64URL.decode($0) }), x.count == 32,
            let y = document.y.flatMap({ Base64URL.decode($0) }), y.count == 32
        else { return nil }
        self.id = id
        self.x = x
        self.y = y
    }

    /// The P-256 keys of a JSON Web Key Set (RFC 7517), such as the server's `/.well-known/jwks.json`;
    /// others are passed over.
    ///
    /// `nil` when the text is no such set, or when there is no such key in it.
    public static func keys(inKeySet text: String) -> [EntitlementKey]? {
        guard let set = try? JSONDecoder().decode(KeySetDocument.self, from: Data(text.utf8))
        else { return nil }
        let keys = keys(in: set)
        return keys.isEmpty ? nil : keys
    }

    static func keys(in set: KeySetDocument) -> [EntitlementKey] {
        Array(set.keys.compactMap { EntitlementKey($0) }.prefix(limit))
    }
}

/// Why an answer about entitlements was not believed; more may come.
public struct EntitlementDistrust: Error, RawRepresentable, Sendable, Hashable {
    /// The name.
    public let rawValue: String
    /// Takes any name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The answer carries no signature.
    public static let unsigned = EntitlementDistrust(rawValue: "unsigned")
    /// What should be signed cannot be read, or is signed in another way.
    public static let malformed = EntitlementDistrust(rawValue: "malformed")
    /// It is signed with a key that is not among those which are believed.
    public static let unknownKey = EntitlementDistrust(rawValue: "unknownKey")
    /// It was changed after it was signed, or another key signed it.
    public static let wrongSignature = EntitlementDistrust(rawValue: "wrongSignature")
    /// It is about somebody else.
    public static let wrongCustomer = EntitlementDistrust(rawValue: "wrongCustomer")
    /// It is older than what this device has seen.
    public static let rolledBack = EntitlementDistrust(rawValue: "rolledBack")
    /// This device has no record of ever having seen it.
    public static let unrecorded = EntitlementDistrust(rawValue: "unrecorded")
}
