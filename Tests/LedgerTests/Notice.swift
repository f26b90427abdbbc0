import AppStoreModel
import CryptoPrimitives

@testable import TillLedger

/// A notification as Apple would sign it, one part at a time to be made wrong.
struct Notice: Sendable, Hashable {
    var id: String
    var type: NotificationType
    var subtype: NotificationSubtype?
    var sale: Sale?
    var renewal: RenewalPayload?
    var signed: Timestamp
    var environment = AppStoreEnvironment.production

    /// A notification about a purchase, signed with it.
    init(
        _ id: String, _ type: NotificationType, _ subtype: NotificationSubtype? = nil,
        _ sale: Sale? = nil, _ renewal: ((inout RenewalPayload) -> Void)? = nil
    ) {
        self.id = id
        self.type = type
        self.subtype = subtype
        self.sale = sale
        signed = sale?.signed ?? Sale.noon
        environment = sale?.environment ?? .production
        guard let renewal, let sale else { return }
        var payload = RenewalPayload(originalTransactionID: sale.original ?? sale.id)
        payload.productID = sale.product
        payload.autoRenewProductID = sale.product
        payload.autoRenewStatus = .on
        payload.signedDate = signed
        payload.environment = environment
        renewal(&payload)
        self.renewal = payload
    }

    var book: Book { Book(bundleID: Sale.app, environment: environment) }

    var submission: NotificationSubmission {
        guard let name = NotificationID(rawValue: id) else { preconditionFailure("no name") }
        let bytes = Array("\(self)".utf8)
        let digest = ProofDigest(SHA256.hash(bytes))
        let proof = VerifiedProof(source: .notification, bytes: bytes, digest: digest, facts: [])
        return NotificationSubmission(
            book: book, id: name, type: type, subtype: subtype, signedAt: signed,
            purchases: sale.map {
                VerifiedProof(
                    source: .notification, bytes: bytes, digest: digest,
                    facts: [$0.fact(.transaction, signed: $0.signed, proof: digest)])
            }, renewal: renewal.map { verified($0, digest) }, proof: proof)
    }

    private func verified(_ renewal: RenewalPayload, _ proof: ProofDigest) -> VerifiedRenewal {
        VerifiedRenewal(
            book: book, originalID: renewal.originalTransactionID,
            signedAt: renewal.signedDate ?? signed, fields: RenewalFields(renewal), kept: nil,
            proof: proof)
    }
}

extension Shop {
    /// Tells of something as Apple would.
    @discardableResult
    func tell(_ notice: Notice, at now: Timestamp = Sale.noon) async throws -> NotificationAnswer {
        try await ledger.record(notice.submission, now: now)
    }

    /// What the ledger knows, whatever way it came to know it.
    func export(at now: Timestamp = Sale.noon) async throws -> String {
        try await ledger.export(at: now)
    }

    /// The customer's only subscription.
    func subscription(
        _ id: CustomerID = .anna, at now: Timestamp
    ) async throws -> SubscriptionState? {
        let all = try await customer(id, at: now).subscriptions
        return all.count == 1 ? all[0] : nil
    }
}
