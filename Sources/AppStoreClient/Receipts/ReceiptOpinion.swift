public import AppStoreModel

/// What Apple's `verifyReceipt` thinks of a receipt: a second opinion, beside one's own verification.
public struct ReceiptOpinion: Sendable, Hashable {
    /// Where the receipt belongs to, by who answered: `Sandbox` for testers and App Review, who pay nothing.
    public let environment: AppStoreEnvironment
    /// The opinion.
    public let verdict: Verdict

    /// Both ways it can end.
    public enum Verdict: Sendable, Hashable {
        /// Apple knows it.
        case valid(UnsignedReceiptAnswer)
        /// It will never be valid.
        case refused(ReceiptRefusal)
    }

    /// The answer, where it is valid.
    public var answer: UnsignedReceiptAnswer? {
        guard case .valid(let answer) = verdict else { return nil }
        return answer
    }

    /// The refusal, where it is refused.
    public var refusal: ReceiptRefusal? {
        guard case .refused(let refusal) = verdict else { return nil }
        return refusal
    }
}

/// Why a receipt will never be valid.
public struct ReceiptRefusal: Sendable, Hashable {
    /// The reasons; stable across releases.
    public enum Code: String, Sendable, Hashable, CaseIterable {
        /// It is no receipt: Apple says so, and so does our own reader.
        case unreadable
        /// It is forged: Apple says so, and so does our own verification.
        case notGenuine
        /// The customer's account was deleted.
        case accountNotFound
        /// Apple has trouble with it and says that asking again is of no use.
        case notRetryable
        /// It is of another app.
        case otherApp
        /// It is of an environment that may not be asked.
        case otherEnvironment
    }

    /// The reason.
    public let code: Code
    /// What Apple said.
    public let status: VerifyReceiptStatus

    /// A refusal for that reason.
    public init(code: Code, status: VerifyReceiptStatus) {
        self.code = code
        self.status = status
    }
}

/// A valid answer of `verifyReceipt`: Apple's word over the line, without a signature of its own.
public struct UnsignedReceiptAnswer: Sendable, Hashable {
    /// Everything that came.
    public let response: VerifyReceiptResponse

    /// Whether the subscription is over; said of transaction receipts of iOS 6 alone.
    public var isExpired: Bool { response.status == .expired }
    /// The app that the receipt is of.
    public var bundleID: BundleID? {
        switch response.receipt {
        case .app(let app)?: app.bundleID
        case .transaction(let item)?: item.bundleID
        case nil: nil
        }
    }
    /// The customer's transactions as Apple knows them now, in no order that is promised.
    public var latestTransactions: [VerifyReceiptItem] {
        response.latestReceiptInfo ?? response.latestExpiredReceiptInfo ?? []
    }
    /// How each subscription will go on.
    public var pendingRenewals: [PendingRenewal] { response.pendingRenewalInfo ?? [] }
    /// The newest receipt in base64, to be given to a verifier; with subscriptions only.
    public var unverifiedLatestReceipt: String? { response.latestReceipt }
}
