public import AppStoreModel
public import AppStoreTrust
import CryptoPrimitives

/// A proof that the verifier has let through; nothing else can be handed to the ledger.
///
/// Here alone verified values become what the rules decide about.
public struct VerifiedProof: Sendable {
    /// The kind of proof.
    public let source: ProofSource
    /// The signed bytes, to be kept.
    let bytes: [UInt8]
    /// Their digest.
    let digest: ProofDigest
    /// Where what it shows belongs, also when it shows nothing; nil when it is kept for something else.
    let book: Book?
    /// What it shows, one for each transaction.
    let facts: [PurchaseFact]

    /// What an app receipt shows: every purchase in it, or none.
    public init(_ proof: Verified<AppReceipt>) {
        self.init(proof, .receipt) { book, digest in
            proof.value.inApp.map {
                PurchaseFact($0, book: book, signedAt: proof.signedAt, proof: digest)
            }
        }
    }

    /// What a signed transaction shows: itself.
    public init(_ proof: Verified<TransactionPayload>) {
        self.init(proof, .transaction) { book, digest in
            [PurchaseFact(proof.value, book: book, signedAt: proof.signedAt, proof: digest)]
        }
    }

    /// What the transaction in a notification shows; the notification is the proof that is kept.
    init(_ transaction: Verified<TransactionPayload>, in notification: VerifiedProof) {
        let fact = PurchaseFact(
            transaction.value, book: Book(of: transaction), signedAt: transaction.signedAt,
            proof: notification.digest)
        self.init(
            source: .notification, bytes: notification.bytes, digest: notification.digest,
            facts: [fact])
    }

    /// A notification as such, which shows no purchase by itself.
    init(keeping notification: Verified<NotificationPayload>) {
        self.init(notification, .notification) { _, _ in [] }
    }

    /// What a transaction receipt of iOS 6 shows: its one purchase.
    public init(_ proof: Verified<LegacyReceipt>) {
        self.init(proof, .legacyReceipt) { book, digest in
            [PurchaseFact(proof.value, book: book, signedAt: proof.signedAt, proof: digest)]
        }
    }

    private init<Value>(
        _ proof: Verified<Value>, _ source: ProofSource,
        _ facts: (Book, ProofDigest) -> [PurchaseFact]
    ) {
        let digest = ProofDigest(SHA256.hash(proof.receivedBytes))
        let book = Book(of: proof)
        self.init(
            source: source, bytes: proof.receivedBytes, digest: digest, book: book,
            facts: facts(book, digest))
    }

    init(
        source: ProofSource, bytes: [UInt8], digest: ProofDigest, book: Book? = nil,
        facts: [PurchaseFact]
    ) {
        self.source = source
        self.bytes = bytes
        self.digest = digest
        self.book = book ?? facts.first?.book
        self.facts = facts
    }
}

extension Book {
    /// The book of what was verified.
    init<Value>(of proof: Verified<Value>) {
        let anchor: String? =
            switch proof.anchor {
            case .apple: nil
            case .extraRoot(let name): name
            }
        self.init(bundleID: proof.bundleID, environment: proof.environment, anchor: anchor)
    }
}

extension ProofDigest {
    /// Takes the digest that SHA-256 made.
    init(_ hash: [UInt8]) {
        guard let digest = ProofDigest(rawValue: hash) else {
            preconditionFailure("SHA-256 makes thirty-two bytes")
        }
        self = digest
    }
}

extension PurchaseFact {
    fileprivate init(
        _ purchase: InAppPurchase, book: Book, signedAt: Timestamp, proof: ProofDigest
    ) {
        var fields = ObservedFields(source: .receipt)
        fields.originalPurchaseDate = purchase.originalPurchaseDate
        fields.expiresDate = purchase.expiresDate
        fields.revocationDate = purchase.cancellationDate
        fields.productType = purchase.productType?.productType
        fields.offerIdentifier = purchase.promotionalOfferID
        self.init(
            book: book, signedID: purchase.transactionID,
            signedOriginalID: purchase.originalTransactionID, productID: purchase.productID,
            quantity: purchase.quantity ?? 1, purchaseDate: purchase.purchaseDate,
            webOrderLineItemID: purchase.webOrderLineItemID, signedAt: signedAt, fields: fields,
            proof: proof)
    }

    fileprivate init(
        _ payload: TransactionPayload, book: Book, signedAt: Timestamp, proof: ProofDigest
    ) {
        var fields = ObservedFields(source: .transaction)
        fields.originalPurchaseDate = payload.originalPurchaseDate
        fields.expiresDate = payload.expiresDate
        fields.revocationDate = payload.revocationDate
        fields.revocationReason = payload.revocationReason
        // Apple leaves it out for no; written out, the two would be different statements.
        fields.isUpgraded = payload.isUpgraded == true ? true : nil
        fields.productType = payload.type
        fields.ownership = payload.inAppOwnershipType
        fields.appAccountToken = payload.appAccountToken
        fields.subscriptionGroupID = payload.subscriptionGroupIdentifier
        fields.transactionReason = payload.transactionReason
        fields.offerType = payload.offerType
        fields.offerIdentifier = payload.offerIdentifier
        fields.price = payload.price
        fields.currency = payload.currency
        fields.storefront = payload.storefront
        self.init(
            book: book, signedID: payload.transactionID,
            signedOriginalID: payload.originalTransactionID, productID: payload.productID,
            quantity: payload.quantity ?? 1, purchaseDate: payload.purchaseDate,
            webOrderLineItemID: payload.webOrderLineItemID, signedAt: signedAt, fields: fields,
            proof: proof)
    }

    fileprivate init(
        _ receipt: LegacyReceipt, book: Book, signedAt: Timestamp, proof: ProofDigest
    ) {
        var fields = ObservedFields(source: .legacyReceipt)
        fields.originalPurchaseDate = receipt.originalPurchaseDate
        fields.expiresDate = receipt.expiresDate
        self.init(
            book: book, signedID: receipt.transactionID,
            signedOriginalID: receipt.originalTransactionID, productID: receipt.productID,
            quantity: receipt.quantity ?? 1, purchaseDate: receipt.purchaseDate,
            webOrderLineItemID: receipt.webOrderLineItemID, signedAt: signedAt, fields: fields,
            proof: proof)
    }
}
