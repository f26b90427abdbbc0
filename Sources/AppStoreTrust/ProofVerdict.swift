import AppStoreCoding
public import AppStoreModel
public import SignedDataCoding

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
    /// Something signed that this program does not know yet; it proves nothing to it.
    case unknown
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
    /// Something signed that this program does not know yet.
    case unknown(Unattributed<JSONValue>)
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

extension ProofVerifier {
    /// Verifies one proof of whatever kind, as the method for that kind would.
    public func verify(_ proof: ClientProof) -> ProofVerdict {
        switch proof.content {
        case .receipt(let receipt):
            ProofVerdict(.appReceipt) { () throws(Refusal) in
                .appReceipt(try verifyReceipt(receipt))
            }
        case .legacyReceipt(let receipt):
            ProofVerdict(.transactionReceipt) { () throws(Refusal) in
                .transactionReceipt(try verifyLegacyReceipt(receipt))
            }
        case .signedValue(let jws):
            ProofVerdict(claimedBy: jws) { () throws(Refusal) in try verifySignedValue(jws) }
        }
    }

    /// Verifies whatever a client sent: one proof in any wrapping, or rubbish, which is a verdict too.
    public func verifyAny(_ bytes: [UInt8]) -> ProofVerdict {
        do throws(SignedDataError) {
            return verify(try ClientProof(decoding: bytes))
        } catch {
            return ProofVerdict(nil) { () throws(Refusal) in
                throw Refusal(.unreadable, cause: error)
            }
        }
    }
}

extension ProofVerdict {
    fileprivate init(_ kind: ProofKind?, _ verify: () throws(Refusal) -> GenuineProof) {
        self.kind = kind
        result = Result { () throws(Refusal) in try verify() }
    }

    /// The kind of a proof that holds is known; of one that does not, what its payload claims.
    fileprivate init(claimedBy jws: CompactJWS, _ verify: () throws(Refusal) -> GenuineProof) {
        result = Result { () throws(Refusal) in try verify() }
        switch result {
        case .success(let proof): kind = proof.kind
        case .failure:
            kind = SignedPayload.claimedKind(ofPayload: jws.payload)
                .flatMap { ProofKind(rawValue: $0.rawValue) }
        }
    }
}

extension GenuineProof {
    /// Which kind it is.
    public var kind: ProofKind {
        switch self {
        case .appReceipt: .appReceipt
        case .transactionReceipt: .transactionReceipt
        case .transaction: .transaction
        case .renewalInfo: .renewalInfo
        case .notification: .notification
        case .appTransaction: .appTransaction
        case .realtimeRequest: .realtimeRequest
        case .unknown: .unknown
        }
    }

    /// Where it happened.
    public var environment: AppStoreEnvironment {
        switch self {
        case .appReceipt(let proof): proof.environment
        case .transactionReceipt(let proof): proof.environment
        case .transaction(let proof): proof.environment
        case .renewalInfo(let proof): proof.environment
        case .notification(let proof): proof.notification.environment
        case .appTransaction(let proof): proof.environment
        case .realtimeRequest(let proof): proof.environment
        case .unknown(let proof): proof.environment
        }
    }

    /// The app that it is for; nil for what names none.
    public var bundleID: BundleID? {
        switch self {
        case .appReceipt(let proof): proof.bundleID
        case .transactionReceipt(let proof): proof.bundleID
        case .transaction(let proof): proof.bundleID
        case .notification(let proof): proof.notification.bundleID
        case .appTransaction(let proof): proof.bundleID
        case .renewalInfo, .realtimeRequest, .unknown: nil
        }
    }

    /// What it was proved by.
    public var anchor: TrustAnchor {
        switch self {
        case .appReceipt(let proof): proof.anchor
        case .transactionReceipt(let proof): proof.anchor
        case .transaction(let proof): proof.anchor
        case .renewalInfo(let proof): proof.anchor
        case .notification(let proof): proof.notification.anchor
        case .appTransaction(let proof): proof.anchor
        case .realtimeRequest(let proof): proof.anchor
        case .unknown(let proof): proof.anchor
        }
    }
}
