public import AppStoreModel

/// Why Apple's servers gave no answer that can be used, and what to do about it.
///
/// No text in it holds a secret: neither tokens nor passwords nor receipts nor keys.
public struct AppStoreClientError: Error, Sendable, Hashable, CustomStringConvertible {
    /// What happened; stable across releases.
    public enum Code: String, Sendable, Hashable, CaseIterable {
        /// A setting is missing or cannot be used.
        case invalidConfiguration
        /// The call needs a key for the App Store Server API, and none is configured.
        case noServerKey
        /// The request would be refused anyway, so it was not sent.
        case invalidRequest
        /// Apple does not take the token, a new one included.
        case tokenRefused
        /// Apple does not take the shared secret, or wants one.
        case sharedSecretRefused
        /// Apple does not know a receipt to be genuine that is not known to be forged.
        case receiptDisputed
        /// `verifyReceipt` understood nothing of the request.
        case requestNotUnderstood
        /// Apple has been asked too often.
        case rateLimited
        /// Our own budget of calls allows none in time.
        case budgetExhausted
        /// Apple knows nothing under that name.
        case notFound
        /// Apple refuses the request.
        case refused
        /// Apple's server has trouble.
        case appleTrouble
        /// Apple's status leaves open whether the receipt is any good.
        case receiptUndecided
        /// Each environment sends to the other, or one answers for the other.
        case environmentsDisagree
        /// The answer speaks of another app.
        case otherApp
        /// Nothing accepts connections there.
        case unreachable
        /// The server's certificate is not trusted, or TLS failed.
        case tlsFailed
        /// No answer came in time, or the connection broke.
        case noAnswer
        /// The answer is no document of Apple's.
        case unreadableAnswer
        /// The answer is over the limit.
        case answerTooLarge
        /// The whole call took too long.
        case timeLimit
        /// The calling task was cancelled.
        case cancelled
    }

    /// What to do about it.
    public enum Remedy: Sendable, Hashable {
        /// Try again, not before that moment where one is known; nothing is decided until then.
        case retry(notBefore: Timestamp?)
        /// Correct these settings and keep the request until then.
        case configuration([Setting])
        /// The same request will never succeed.
        case final
    }

    /// What may have to be corrected.
    public enum Setting: String, Sendable, Hashable, CaseIterable {
        /// The bundle identifier.
        case bundleID
        /// Issuer, key name or key of the Server API.
        case serverKey
        /// The password of `verifyReceipt`.
        case sharedSecret
        /// Where the servers are.
        case addresses
        /// Which environments may be asked.
        case environments
        /// The limits of a call.
        case limits
        /// This machine's clock.
        case clock
        /// The app's address for notifications in App Store Connect.
        case notificationURL
    }

    /// What happened.
    public let code: Code
    /// What to do about it.
    public let remedy: Remedy
    /// Who was asked last.
    public internal(set) var environment: AppStoreEnvironment?
    /// Apple's number, where the Server API sent one.
    public internal(set) var serverCode: ServerErrorCode?
    /// Apple's status, where `verifyReceipt` sent one.
    public internal(set) var receiptStatus: VerifyReceiptStatus?
    /// The HTTP status, where there was an answer.
    public internal(set) var httpStatus: Int?
    /// How often Apple was asked.
    public internal(set) var attempts = 0
    /// A few words for people; never to be compared.
    public let detail: String

    init(
        _ code: Code, _ remedy: Remedy, _ detail: String, environment: AppStoreEnvironment? = nil,
        serverCode: ServerErrorCode? = nil, receiptStatus: VerifyReceiptStatus? = nil,
        httpStatus: Int? = nil
    ) {
        self.code = code
        self.remedy = remedy
        self.detail = detail
        self.environment = environment
        self.serverCode = serverCode
        self.receiptStatus = receiptStatus
        self.httpStatus = httpStatus
    }

    static func configuration(
        _ code: Code, _ settings: [Setting], _ detail: String
    ) -> AppStoreClientError {
        AppStoreClientError(code, .configuration(settings), detail)
    }

    static let cancelled = AppStoreClientError(
        .cancelled, .retry(notBefore: nil), "the task was cancelled")

    /// Whether trying the same again can help by itself.
    public var isRetryable: Bool {
        if case .retry = remedy { return true }
        return false
    }

    /// One line: the code, Apple's numbers, what to do, and the words.
    public var description: String {
        var line = code.rawValue
        if let environment { line += " in \(environment)" }
        if let httpStatus { line += ", HTTP \(httpStatus)" }
        if let serverCode { line += ", \(serverCode)" }
        if let receiptStatus { line += ", status \(receiptStatus)" }
        switch remedy {
        case .retry(let moment?): line += ", again at \(moment.milliseconds)"
        case .retry(nil): line += ", try again"
        case .configuration(let settings):
            line += ", correct " + settings.map(\.rawValue).joined(separator: ", ")
        case .final: line += ", final"
        }
        return detail.isEmpty ? line : "\(line): \(detail)"
    }
}
