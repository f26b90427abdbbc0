/// The number in an answer of `verifyReceipt`.
public struct VerifyReceiptStatus: OpenNumber {
    /// Apple's number.
    public let rawValue: Int64
    /// Takes any number, known or not.
    public init(rawValue: Int64) { self.rawValue = rawValue }

    /// What a caller should do about a status.
    public enum Remedy: String, Sendable, Hashable {
        /// Take the answer: it is valid.
        case accept
        /// Ask again later.
        case retry
        /// Ask the other environment once.
        case otherEnvironment
        /// Correct the caller's configuration, keep the request, and ask again then.
        case configuration
        /// Refuse the receipt.
        case refuse
    }

    /// The receipt is valid.
    public static let valid = Self(rawValue: 0)
    /// The request was no POST, or its body no JSON.
    public static let notAPost = Self(rawValue: 21_000)
    /// The receipt is malformed or missing, or Apple has trouble: only the receipt itself tells which.
    public static let malformed = Self(rawValue: 21_002)
    /// The receipt is not genuine, or the shared secret is missing.
    public static let notAuthentic = Self(rawValue: 21_003)
    /// The shared secret is another one.
    public static let wrongSecret = Self(rawValue: 21_004)
    /// Apple's server is not available.
    public static let unavailable = Self(rawValue: 21_005)
    /// The receipt is valid and the subscription ended; iOS 6 receipts alone.
    public static let expired = Self(rawValue: 21_006)
    /// A sandbox receipt was sent to production.
    public static let sandboxReceipt = Self(rawValue: 21_007)
    /// A production receipt was sent to the sandbox.
    public static let productionReceipt = Self(rawValue: 21_008)
    /// Apple's server has trouble.
    public static let internalError = Self(rawValue: 21_009)
    /// The customer's account was deleted.
    public static let accountNotFound = Self(rawValue: 21_010)

    /// One status with everything that is known of it.
    public struct Row: Sendable, Hashable {
        /// The number.
        public let status: VerifyReceiptStatus
        /// A short name.
        public let name: String
        /// A sentence for people.
        public let meaning: String
        /// What a caller should do.
        public let remedy: Remedy
    }

    /// Every status that Apple documents; 21100 to 21199 are one family beside it.
    public static let table: [Row] = [
        Row(
            status: .valid, name: "valid", meaning: "The receipt is valid.", remedy: .accept),
        Row(
            status: .notAPost, name: "notAPost",
            meaning: "The request was no POST with a JSON body.", remedy: .configuration),
        Row(
            status: .malformed, name: "malformed",
            meaning: "The receipt is malformed or missing, or the server has trouble.",
            remedy: .retry),
        Row(
            status: .notAuthentic, name: "notAuthentic",
            meaning: "The receipt is not genuine, or a shared secret is needed.",
            remedy: .refuse),
        Row(
            status: .wrongSecret, name: "wrongSecret",
            meaning: "The shared secret is not the app's.", remedy: .configuration),
        Row(
            status: .unavailable, name: "unavailable",
            meaning: "The server is not available.", remedy: .retry),
        Row(
            status: .expired, name: "expired",
            meaning: "The receipt is valid; its subscription ended.", remedy: .accept),
        Row(
            status: .sandboxReceipt, name: "sandboxReceipt",
            meaning: "The receipt is from the sandbox: ask there.", remedy: .otherEnvironment),
        Row(
            status: .productionReceipt, name: "productionReceipt",
            meaning: "The receipt is from production: ask there.", remedy: .otherEnvironment),
        Row(
            status: .internalError, name: "internalError",
            meaning: "The server has trouble.", remedy: .retry),
        Row(
            status: .accountNotFound, name: "accountNotFound",
            meaning: "The customer's account was deleted.", remedy: .refuse),
    ]

    private static let byStatus = Dictionary(
        table.map { ($0.status, $0) }, uniquingKeysWith: { first, _ in first })

    /// What is known of the status.
    public var row: Row? { Self.byStatus[self] }

    /// Whether it is one of the internal errors 21100 to 21199, which carry a flag.
    public var isInternalFamily: Bool { (21_100...21_199).contains(rawValue) }

    /// What a caller should do; the flag of the answer decides for the internal errors.
    ///
    /// A status that nobody knows is tried again, since refusing a payment cannot be undone.
    public func remedy(isRetryable: Bool?) -> Remedy {
        if isInternalFamily { return isRetryable == false ? .refuse : .retry }
        return row?.remedy ?? .retry
    }
}
