import CryptoPrimitives

/// The names and keys by which a server and the store know each other, made once for a store.
public struct StoreKeys: Sendable, Hashable, Codable {
    /// The name of the In-App Purchase key.
    public var keyID: String
    /// The issuer's UUID.
    public var issuerID: String
    /// The key in PEM (PKCS#8).
    public var privateKey: String
    /// The password for `verifyReceipt`.
    public var sharedSecret: String

    /// Makes names from the seed and a fresh key.
    public static func generate(seed: UInt64) throws -> StoreKeys {
        var names = IDSource(seed: seed ^ 0x6B65_7973)
        return StoreKeys(
            keyID: String(names.code().prefix(10)), issuerID: names.uuid(),
            privateKey: try PrivateKey.generate(.p256).pem,
            sharedSecret: names.uuid().filter { $0 != "-" })
    }
}
