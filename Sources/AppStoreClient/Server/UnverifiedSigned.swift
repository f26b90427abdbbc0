public import AppStoreModel

/// A signed value as Apple's server sent it, and nobody has checked the signature.
///
/// `Payload` says what should be in it: a verifier finds out.
public struct UnverifiedSigned<Payload: AppStoreObject>: Sendable, Hashable {
    /// The JWS in compact form, to be given to a verifier.
    public let text: String

    /// Takes the text as it is.
    public init(_ text: String) { self.text = text }
}

/// What an environment answered.
public struct AppStoreAnswer<Content: Sendable>: Sendable {
    /// Who answered: the environment that was asked, and no claim of the content.
    public let environment: AppStoreEnvironment
    /// What it said.
    public let content: Content
}

extension AppStoreAnswer: Equatable where Content: Equatable {}

/// A page of a list that Apple gives out in parts.
public protocol AnswerPage: Sendable {
    /// Where the next page begins, or where to go on another day.
    var next: String? { get }
    /// Whether there is a next page now.
    var hasMore: Bool { get }
}

/// A page of a customer's transactions.
public struct UnverifiedTransactionPage: AnswerPage, Hashable {
    /// The transactions in Apple's order.
    public let transactions: [UnverifiedSigned<TransactionPayload>]
    /// Apple's `revision`: keep it, and ask with the same filters for what has changed since.
    public let next: String?
    /// Whether there is a next page now.
    public let hasMore: Bool
}

/// How one subscription stands, by Apple's word and by signed data that nobody has checked.
public struct UnverifiedSubscription: Sendable, Hashable {
    /// The group.
    public let groupID: SubscriptionGroupID?
    /// The state as the answer says it.
    public let claimedStatus: SubscriptionStatus?
    /// The first purchase as the answer names it.
    public let claimedOriginalTransactionID: TransactionID?
    /// The latest transaction.
    public let transaction: UnverifiedSigned<TransactionPayload>
    /// How it will go on.
    public let renewal: UnverifiedSigned<RenewalPayload>?
}

/// A notification that Apple sent or tried to send.
public struct UnverifiedNotification: Sendable, Hashable {
    /// The notification, the same bytes that were sent.
    public let signed: UnverifiedSigned<NotificationPayload>
    /// The attempts, at most six.
    public let attempts: [SendAttempt]
}

/// A page of notifications.
public struct UnverifiedNotificationPage: AnswerPage, Hashable {
    /// The notifications in Apple's order.
    public let notifications: [UnverifiedNotification]
    /// Apple's `paginationToken`; it ends after a while.
    public let next: String?
    /// Whether there is a next page now.
    public let hasMore: Bool
}
