public import AppStoreModel

/// Names one notification of the App Store: the UUID that it keeps in every retry.
public struct NotificationID: RawRepresentable, Sendable, Hashable, Comparable,
    CustomStringConvertible
{
    /// The most bytes that a name may have.
    public static let longest = 100

    /// The UUID as Apple wrote it.
    public let rawValue: String

    /// Takes a name that keeps the limits; else nil.
    public init?(rawValue: String) {
        guard isPlainName(rawValue, longest: Self.longest) else { return nil }
        self.rawValue = rawValue
    }

    /// The UUID.
    public var description: String { rawValue }

    /// Orders by text, for stable output only.
    public static func < (left: NotificationID, right: NotificationID) -> Bool {
        left.rawValue < right.rawValue
    }
}

/// Where a notification is kept: names are unique within a book only, so that a test store cannot take
/// one of Apple's.
public struct NotificationPlace: Sendable, Hashable {
    /// The book.
    public let book: Book
    /// The notification.
    public let id: NotificationID

    /// The place of a notification.
    public init(book: Book, id: NotificationID) {
        self.book = book
        self.id = id
    }
}

/// What a notification came to; the raw values are stable and stand in the database.
public enum NotificationEffect: String, Sendable, Hashable, CaseIterable {
    /// Kept and nothing more: a test, a report, a kind that this program does not know.
    case kept
    /// What it says of a purchase and its renewal is recorded, and no goods moved by it.
    case recorded
    /// Goods were handed out by it.
    case granted
    /// Goods were taken back by it, or will never be handed out since the purchase was taken back.
    case takenBack
    /// Its purchase waits: nobody has shown it yet, or no catalog knows the product.
    case waiting
    /// The app's policy grants nothing of this environment; nothing of it was recorded but this.
    case environmentNotAdmitted
    /// It carries a purchase without what the ledger needs to record it.
    case incomplete
    /// Unsigned, of version 1: it changes nothing, and Apple should be asked.
    case hint
}

/// A notification of the App Store as it was recorded; never changed.
public struct RecordedNotification: Sendable, Hashable {
    /// Its name.
    public let id: NotificationID
    /// What happened.
    public let type: NotificationType
    /// What happened, more exactly.
    public let subtype: NotificationSubtype?
    /// When Apple signed it, which orders notifications; nil for version 1, which nobody signs.
    public let signedAt: Timestamp?
    /// The original transaction that it is about, where it is about one.
    public let originalID: TransactionID?
    /// The transaction that it is about, where it is about one.
    public let transactionID: TransactionID?
    /// What came of it when it was recorded.
    public let effect: NotificationEffect
    /// Until when Apple waits for an answer, where it asked for one.
    public let answerBefore: Timestamp?
    /// The proof under which its received bytes are kept, so that it can be verified again.
    public let proof: ProofDigest
    /// When it came, by the server's clock.
    public let receivedAt: Timestamp

    /// Makes a record.
    public init(
        id: NotificationID, type: NotificationType, subtype: NotificationSubtype?,
        signedAt: Timestamp?, originalID: TransactionID?, transactionID: TransactionID?,
        effect: NotificationEffect, answerBefore: Timestamp?, proof: ProofDigest,
        receivedAt: Timestamp
    ) {
        self.id = id
        self.type = type
        self.subtype = subtype
        self.signedAt = signedAt
        self.originalID = originalID
        self.transactionID = transactionID
        self.effect = effect
        self.answerBefore = answerBefore
        self.proof = proof
        self.receivedAt = receivedAt
    }
}

/// A notification with its book.
public struct BookedNotification: Sendable, Hashable {
    /// The book.
    public let book: Book
    /// The notification.
    public let notification: RecordedNotification

    /// Puts the two together.
    public init(book: Book, notification: RecordedNotification) {
        self.book = book
        self.notification = notification
    }

    /// Where it is kept.
    public var place: NotificationPlace { NotificationPlace(book: book, id: notification.id) }
}
