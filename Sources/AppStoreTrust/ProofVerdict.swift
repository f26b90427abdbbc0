public import AppStoreModel

/// The kinds of proof, named as `till verify --json` prints them.
public enum ProofKind: String, Sendable, Hashable, CaseIterable {
    /// An app receipt.
    case appReceipt
    /// A transaction receipt of iOS 6 and before.
    case transactionReceipt
    /// A signed transaction.
    case transaction
    /// Signed renewal info.
    case renewalInfo
    /// A notification, version 2.
    case notification
    /// A signed app transaction.
    case appTransaction
    /// A question to a retention server.
    case realtimeRequest
}

/// A proof that holds, by kind.
public enum GenuineProof: Sendable {
    /// An app receipt.
    case appReceipt(Verified<AppReceipt>)
    /// A transaction receipt of iOS 6 and before.
    case transactionReceipt(Verified<LegacyReceipt>)
    /// A signed transaction.
    case transaction(Verified<TransactionPayload>)
    /// Signed renewal info, which alone proves nothing.
    case renewalInfo(Unattributed<RenewalPayload>)
    /// A notification with what is in it.
    case notification(VerifiedNotification)
    /// A signed app transaction.
    case appTransaction(Verified<AppTransactionPayload>)
    /// A question to a retention server.
    case realtimeRequest(Unattributed<RealtimeRequestPayload>)
}

/// What a proof of any kind is, and whether it holds.
public struct ProofVerdict: Sendable {
    /// What it is or claims to be; nil where it is no proof at all.
    public let kind: ProofKind?
    /// The proof, or why it is none.
    public let result: Result<GenuineProof, Refusal>

    /// Whether it is genuine.
    public var isValid: Bool {
        if case .success = result { true } else { false }
    }
}
