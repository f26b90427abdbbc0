public import AppStoreModel

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// What Apple signed about how a subscription will go on, without the time at which it was signed.
///
/// Two that say the same are equal, whenever and to whomever Apple signed them.
public struct RenewalFields: Sendable, Hashable {
    /// Every field of the signed renewal info but its date and a device's mark on it.
    public let info: RenewalPayload

    /// Takes what was signed.
    public init(_ payload: RenewalPayload) {
        var info = payload
        info.signedDate = nil
        // They differ with each time that a device asks and say nothing of the subscription.
        info.otherFields["deviceVerification"] = nil
        info.otherFields["deviceVerificationNonce"] = nil
        self.info = info
    }

    /// Reads the text that a store kept; nil when it is none.
    public init?(text: String) {
        guard let info = try? JSONDecoder().decode(RenewalPayload.self, from: Data(text.utf8))
        else {
            return nil
        }
        self.init(info)
    }

    /// The fields as JSON under Apple's names, the same text for the same fields.
    public var text: String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        // Texts, numbers and flags: there is nothing in it that cannot be encoded.
        return (try? encoder.encode(info)).map { String(decoding: $0, as: UTF8.self) } ?? "{}"
    }
}

/// One thing that Apple signed about how one subscription will go on.
///
/// Kept beside one another like observations of transactions; the newest by Apple's time of signing counts.
public struct RenewalObservation: Sendable, Hashable {
    /// The original transaction, as the ledger names it.
    public let originalID: TransactionID
    /// Its place among the subscription's renewal infos, from 0 on; unique there.
    public let number: Int
    /// The latest time at which Apple signed just this.
    public var signedAt: Timestamp
    /// What it says.
    public let fields: RenewalFields
    /// The proof that brought it first.
    public let proof: ProofDigest

    /// Makes an observation.
    public init(
        originalID: TransactionID, number: Int, signedAt: Timestamp, fields: RenewalFields,
        proof: ProofDigest
    ) {
        self.originalID = originalID
        self.number = number
        self.signedAt = signedAt
        self.fields = fields
        self.proof = proof
    }

    /// The one that counts: signed last; of those signed at one moment the one furthest on in a
    /// subscription's life, and then always the same.
    static func newest(_ observations: [RenewalObservation]) -> RenewalObservation? {
        guard let last = observations.map(\.signedAt).max() else { return nil }
        let newest = observations.filter { $0.signedAt == last }
        guard newest.count > 1 else { return newest.first }
        return newest.max {
            ($0.fields.stage, $0.fields.text) < ($1.fields.stage, $1.fields.text)
        }
    }
}

extension RenewalFields {
    /// How far on in its life it tells the subscription to be; greater is later.
    fileprivate var stage: Int {
        if info.isInBillingRetryPeriod == true { return info.gracePeriodExpiresDate == nil ? 3 : 2 }
        if info.expirationIntent != nil { return 4 }
        return info.autoRenewStatus == .off ? 1 : 0
    }
}
