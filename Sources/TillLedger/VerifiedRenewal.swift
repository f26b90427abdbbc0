public import AppStoreModel
public import AppStoreTrust
import CryptoPrimitives

/// A renewal info that the verifier has let through together with a transaction of its subscription.
///
/// It proves nothing without one: renewal info names no app.
public struct VerifiedRenewal: Sendable {
    /// The book of the transaction.
    let book: Book
    /// The original transaction, as the ledger names it.
    let originalID: TransactionID
    let signedAt: Timestamp
    let fields: RenewalFields
    /// The proof to be kept; none where the notification around it is.
    let kept: VerifiedProof?
    let proof: ProofDigest

    /// Takes a renewal info; nil when it is of another subscription, app, environment or root than the
    /// transaction.
    public init?(_ renewal: Verified<RenewalPayload>, of transaction: Verified<TransactionPayload>)
    {
        let kept = VerifiedProof(
            source: .renewalInfo, bytes: renewal.receivedBytes,
            digest: ProofDigest(SHA256.hash(renewal.receivedBytes)), facts: [])
        self.init(renewal, of: transaction, proof: kept.digest, kept: kept)
    }

    /// Takes a renewal info that another proof carries.
    init?(
        _ renewal: Verified<RenewalPayload>, of transaction: Verified<TransactionPayload>,
        proof: ProofDigest, kept: VerifiedProof? = nil
    ) {
        guard renewal.value.originalTransactionID == transaction.value.originalTransactionID,
            renewal.bundleID == transaction.bundleID,
            renewal.environment == transaction.environment, renewal.anchor == transaction.anchor,
            let fact = VerifiedProof(transaction).facts.first
        else { return nil }
        self.init(
            book: fact.book, originalID: fact.originalID, signedAt: renewal.signedAt,
            fields: RenewalFields(renewal.value), kept: kept, proof: proof)
    }

    init(
        book: Book, originalID: TransactionID, signedAt: Timestamp, fields: RenewalFields,
        kept: VerifiedProof?, proof: ProofDigest
    ) {
        self.book = book
        self.originalID = originalID
        self.signedAt = signedAt
        self.fields = fields
        self.kept = kept
        self.proof = proof
    }
}
