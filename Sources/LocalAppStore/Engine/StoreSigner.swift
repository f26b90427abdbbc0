public import AppStoreModel
public import StoreWire

/// What signs for the store: Apple's forms under a root of the store's own.
///
/// A protocol, so that the store's rules can be tested without a certificate.
public protocol StoreSigner: Sendable {
    /// Signs a transaction as a compact JWS.
    func sign(_ payload: TransactionPayload, flaws: SigningFlaws) throws -> String
    /// Signs a renewal information as a compact JWS.
    func sign(_ payload: RenewalPayload, flaws: SigningFlaws) throws -> String
    /// Signs a notification as a compact JWS.
    func sign(_ payload: NotificationPayload, flaws: SigningFlaws) throws -> String
    /// Signs an app transaction as a compact JWS.
    func sign(_ payload: AppTransactionPayload, flaws: SigningFlaws) throws -> String
    /// Signs an app receipt as PKCS#7, in DER unless a flaw wants otherwise.
    ///
    /// `deviceIdentifier` are the bytes that the receipt's device hash is made with.
    func sign(
        _ receipt: AppReceipt, deviceIdentifier: [UInt8], flaws: SigningFlaws
    ) throws -> [UInt8]
    /// Makes an iOS 6 transaction receipt, as StoreKit hands it out.
    func sign(_ receipt: LegacyReceipt, flaws: SigningFlaws) throws -> [UInt8]
    /// The root of the signed tokens, in DER.
    var tokenRoot: [UInt8] { get }
    /// The root of the receipts, in DER.
    var receiptRoot: [UInt8] { get }
}

/// What is to be wrong about a signature, on purpose.
public struct SigningFlaws: Sendable, Hashable {
    /// The kinds: `wrongSignature`, `expiredCertificate`, `foreignRoot`, `missingMarker`, `sha1Receipt`,
    /// `berReceipt`, `xcodeDates`.
    public var kinds: Set<FaultKind>

    /// Makes a set of flaws.
    public init(_ kinds: Set<FaultKind> = []) { self.kinds = kinds }

    /// Nothing wrong.
    public static let none = SigningFlaws()
}
