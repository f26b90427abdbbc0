import AppStoreModel

/// What to do about one answer of `verifyReceipt`: each status from 21000 to 21199, and whatever else comes.
enum StatusDecision: Hashable {
    /// Take the answer.
    case accept
    /// Refuse the receipt for good.
    case refuse(ReceiptRefusal.Code)
    /// Ask again, as far as the limits go; then nothing is decided.
    case again(AppStoreClientError.Code)
    /// Ask the other environment.
    case otherEnvironment
    /// The environments are mixed up.
    case environmentsDisagree
    /// Correct a setting; the customer is not to blame.
    case configuration(AppStoreClientError.Code, [AppStoreClientError.Setting])

    init(
        _ status: VerifyReceiptStatus, isRetryable: Bool?, asked environment: AppStoreEnvironment,
        judgement: OwnJudgement
    ) {
        switch status {
        case .valid, .expired: self = .accept
        case .sandboxReceipt, .productionReceipt:
            let isOfSandbox = status == .sandboxReceipt
            self =
                (environment == .production) == isOfSandbox
                ? .otherEnvironment : .environmentsDisagree
        case .malformed:
            // One number for a receipt that is none and for trouble of Apple's.
            self = judgement.isAgainst ? .refuse(.unreadable) : .again(.receiptUndecided)
        case .notAuthentic:
            // Comes for want of a password too, so it never makes anybody a forger by itself.
            self =
                judgement.isAgainst
                ? .refuse(.notGenuine) : .configuration(.receiptDisputed, [.sharedSecret])
        case .wrongSecret: self = .configuration(.sharedSecretRefused, [.sharedSecret])
        case .notAPost: self = .configuration(.requestNotUnderstood, [.addresses])
        case .accountNotFound: self = .refuse(.accountNotFound)
        default:
            // 21005, 21009, 21100 to 21199, and what nobody knows: refusing cannot be undone.
            let isKnown = status.row != nil || status.isInternalFamily
            if isRetryable == false {
                self = .refuse(.notRetryable)
            } else {
                self = .again(isKnown ? .appleTrouble : .receiptUndecided)
            }
        }
    }

    /// What a status means, in a sentence.
    static func meaning(of status: VerifyReceiptStatus) -> String {
        if let row = status.row { return row.meaning }
        return status.isInternalFamily
            ? "Apple's server has trouble with its data." : "A status that Apple does not document."
    }
}
