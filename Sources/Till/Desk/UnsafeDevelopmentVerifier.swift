/// Verifies on the device by asking Apple's `verifyReceipt`, for an app that has no server yet.
///
/// Unsafe, and for development alone: whoever owns the device owns the answer, and nothing keeps one
/// receipt from serving many people. Production is asked first and the sandbox when Apple says 21007,
/// never both ways in a circle.
public struct UnsafeDevelopmentVerifier: Sendable, Hashable {
    /// The address that is asked first.
    public var productionAddress = "https://buy.itunes.apple.com/verifyReceipt"
    /// The address that is asked on 21007.
    public var sandboxAddress = "https://sandbox.itunes.apple.com/verifyReceipt"
    /// The app's shared secret, which Apple wants for subscriptions.
    public var sharedSecret: String?
    /// The app's version, which the receipt has to name; that of the main bundle unless it is said.
    public var applicationVersion: String?

    /// Products that are owned for good: each opens an entitlement of its own name.
    ///
    /// Subscriptions do so by themselves; everything else is taken for a consumable.
    public var ownedProducts: Set<ProductID> = []

    /// Makes a verifier; the addresses may be those of a local store.
    public init() {}
}
