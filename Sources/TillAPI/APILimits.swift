/// What one request to `/v1` may carry at the most; the server refuses more, the SDK never sends more.
public enum APILimits {
    /// Bytes of a request body on the routes that take proofs: 1 MiB, so that a receipt of 79 KB and
    /// hundreds of signed transactions pass.
    public static let proofBodyBytes = 1 << 20
    /// Bytes of a request body on every other route.
    public static let bodyBytes = 64 << 10
    /// Levels of arrays and objects in a body.
    public static let jsonDepth = 32
    /// Signed transactions in one request.
    public static let signedTransactions = 256
    /// Transaction ids in one request.
    public static let transactionIDs = 1_024
    /// Bytes of one identifier: a customer, a product, a transaction, a bundle.
    public static let identifierBytes = 255
    /// Values in `track`.
    public static let trackValues = 64
    /// Bytes of one name or one text in `track`.
    public static let trackTextBytes = 1_024
    /// Units in one order; StoreKit sells one to ten of a consumable at once.
    public static let quantity = 10
    /// The most that one movement of a wallet moves.
    public static let amount: Int64 = 1_000_000_000_000
    /// Bytes of a `Till-Nonce`.
    public static let nonceBytes = 64
    /// Bytes of an `Idempotency-Key`.
    public static let idempotencyKeyBytes = 255
}

/// Paths and header fields of the wire, by name.
public enum APIWire {
    /// Opens an order (`POST`); an order's own path is this, a slash and its id.
    public static let orders = "/v1/orders"
    /// Takes proofs (`POST`).
    public static let purchases = "/v1/purchases"
    /// Tells whose the purchases of a proof are (`POST`).
    public static let purchaseOwner = "/v1/purchases/owner"
    /// An app's lists are at this, a slash, its bundle id and the list's name.
    public static let apps = "/v1/apps"
    /// A customer's path is this, a slash and its id (`GET`).
    public static let customers = "/v1/customers"
    /// Signs an offer for one payment (`POST`).
    public static let offerSignatures = "/v1/offers/signatures"
    /// Names the customer for whom a backend acts.
    public static let customerField = "Till-Customer"
    /// Carries the publishable key of an app.
    public static let publishableKeyField = "Till-Publishable-Key"
    /// Marks repeats of one write.
    public static let idempotencyField = "Idempotency-Key"
    /// Carries the device's time, in milliseconds since 1970; a customer whose device is far off is noted.
    public static let deviceTimeField = "Till-Device-Time"
    /// Carries a one-time text that is signed together with the entitlements of the answer.
    public static let nonceField = "Till-Nonce"
    /// The public keys that sign entitlements (`GET`).
    public static let signingKeys = "/.well-known/jwks.json"
    /// The media type of a problem document (RFC 9457).
    public static let problemMediaType = "application/problem+json"
}
