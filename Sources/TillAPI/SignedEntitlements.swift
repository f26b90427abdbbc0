#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// What the server signs about a customer's entitlements: the claims of a JWT (RFC 7519).
public struct SignedEntitlements: Sendable, Hashable, Codable {
    /// The issuer of every such token.
    public static let issuer = "till"

    /// Always ``issuer``.
    public var issuer: String
    /// The customer, under the name by which it was asked for.
    public var subject: String
    /// When it was signed, in seconds since 1970.
    public var issuedAt: Int64
    /// Until when it may be believed, in seconds since 1970.
    public var expiresAt: Int64
    /// What the request sent in `Till-Nonce`, so that whoever sent it knows the answer to be fresh.
    public var nonce: String?
    /// What the customer may use.
    public var entitlements: [EntitlementDocument]

    /// Makes claims of the usual issuer.
    public init(
        subject: String, issuedAt: Int64, expiresAt: Int64, nonce: String? = nil,
        entitlements: [EntitlementDocument]
    ) {
        issuer = Self.issuer
        self.subject = subject
        self.issuedAt = issuedAt
        self.expiresAt = expiresAt
        self.nonce = nonce
        self.entitlements = entitlements
    }

    private enum CodingKeys: String, CodingKey {
        case issuer = "iss"
        case subject = "sub"
        case issuedAt = "iat"
        case expiresAt = "exp"
        case nonce
        case entitlements
    }
}

/// `GET /.well-known/jwks.json`: the public keys that sign entitlements (RFC 7517).
public struct KeySetDocument: Sendable, Hashable, Codable {
    /// One key; the members of kinds that are not known here are passed over.
    public struct Key: Sendable, Hashable, Codable {
        /// The kind of key, `EC`.
        public var kty: String
        /// The curve, `P-256`.
        public var crv: String?
        /// The algorithm, `ES256`.
        public var alg: String?
        /// The key's name.
        public var kid: String?
        /// The point's first coordinate, 32 bytes in base64url.
        public var x: String?
        /// The point's second coordinate, 32 bytes in base64url.
        public var y: String?

        /// Makes a key of which nothing is said but its kind and point.
        public init(kty: String, x: String?, y: String?) {
            self.kty = kty
            self.x = x
            self.y = y
        }
    }

    /// The keys; none where the server signs nothing.
    public var keys: [Key]

    /// Makes a set.
    public init(keys: [Key]) { self.keys = keys }
}
