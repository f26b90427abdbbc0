public import AppStoreModel
public import AppStoreTrust
import CryptoPrimitives

/// A notification that the verifier has let through, with what is signed inside.
public struct NotificationSubmission: Sendable {
    /// The book in which it belongs.
    public let book: Book
    /// Its name.
    public let id: NotificationID
    /// What happened.
    public let type: NotificationType
    /// What happened, more exactly.
    public let subtype: NotificationSubtype?
    /// When Apple signed it; nil for version 1.
    public let signedAt: Timestamp?
    /// The transaction that it is about, or for version 1 a receipt.
    let purchases: VerifiedProof?
    /// What it says of the renewal of that transaction's subscription.
    let renewal: VerifiedRenewal?
    /// The notification, to be kept.
    let proof: VerifiedProof
    /// The original transaction that a version 1 without a genuine receipt names, and the book in which it would
    /// be; nobody signed it.
    var hinted: TransactionReference?

    /// Takes a verified notification; nil when its name cannot be one.
    public init?(_ verified: VerifiedNotification) {
        let notification = verified.notification
        guard let id = NotificationID(rawValue: notification.value.notificationUUID) else {
            return nil
        }
        let proof = VerifiedProof(keeping: notification)
        self.init(
            book: Book(of: notification), id: id, type: notification.value.notificationType,
            subtype: notification.value.subtype, signedAt: notification.signedAt,
            purchases: verified.transaction.map { VerifiedProof($0, in: proof) },
            renewal: verified.transaction.flatMap { transaction in
                verified.renewal.flatMap {
                    VerifiedRenewal($0, of: transaction, proof: proof.digest)
                }
            }, proof: proof)
    }

    /// Takes a notification of version 1, which proves nothing but what the receipt in it does.
    ///
    /// - Parameters:
    ///   - hint: The body, whose password was compared.
    ///   - bundleID: The app at whose address it came.
    ///   - receipt: The receipt in it, where that is genuine.
    ///   - hintBook: The book of what it names where it brings no genuine receipt.
    ///   - bytes: What is kept of the body: without its password.
    public init(
        hint: NotificationV1Body, bundleID: BundleID, receipt: Verified<AppReceipt>?,
        hintBook: Book? = nil, keeping bytes: [UInt8]
    ) {
        let digest = ProofDigest(SHA256.hash(bytes))
        let name = "v1-" + digest.rawValue.prefix(16).map { Self.hexadecimal($0) }.joined()
        guard let id = NotificationID(rawValue: name) else {
            preconditionFailure("a digest in digits is a plain name")
        }
        self.init(
            book: receipt.map { Book(of: $0) }
                ?? Book(bundleID: bundleID, environment: hint.environment ?? .production),
            id: id, type: NotificationType(rawValue: hint.notificationType.rawValue), subtype: nil,
            signedAt: nil, purchases: receipt.map { VerifiedProof($0) }, renewal: nil,
            proof: VerifiedProof(source: .hint, bytes: bytes, digest: digest, facts: []))
        if receipt == nil, let id = hint.namedOriginal {
            hinted = TransactionReference(book: hintBook ?? book, id: id)
        }
    }

    private static func hexadecimal(_ byte: UInt8) -> String {
        (byte < 16 ? "0" : "") + String(byte, radix: 16)
    }

    init(
        book: Book, id: NotificationID, type: NotificationType, subtype: NotificationSubtype?,
        signedAt: Timestamp?, purchases: VerifiedProof?, renewal: VerifiedRenewal?,
        proof: VerifiedProof
    ) {
        self.book = book
        self.id = id
        self.type = type
        self.subtype = subtype
        self.signedAt = signedAt
        self.purchases = purchases
        self.renewal = renewal
        self.proof = proof
    }

    /// Whether it is of version 1.
    var isHint: Bool { proof.source == .hint }

    /// What the ledger does with it.
    var rule: NotificationRule { isHint ? .observe : NotificationRule.rule(of: type, subtype) }
}

extension NotificationV1Body {
    /// The longest id that is looked up.
    private static let longestID = 64

    /// The original transaction that the body names first.
    fileprivate var namedOriginal: TransactionID? {
        let items =
            (unifiedReceipt?.latestReceiptInfo ?? []) + (latestReceiptInfo ?? [])
            + (latestExpiredReceiptInfo ?? [])
        let id = originalTransactionID ?? items.lazy.compactMap(\.originalTransactionID).first
        return id.flatMap { (1...Self.longestID).contains($0.rawValue.utf8.count) ? $0 : nil }
    }
}
