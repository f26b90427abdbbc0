public import AppStoreModel

/// One thing to record.
///
/// Facts are appended; each has a key that the store holds unique.
///
/// A fact whose key is taken makes the whole decision fail, and it is made again over newer facts; but for
/// those that say so, which simply stay as they were.
public enum Fact: Sendable, Hashable {
    /// Key: the order's id.
    case orderOpened(Order)
    /// Key: order and number.
    case orderEvent(OrderEvent)
    /// Key: the digest; kept as it was when known.
    case proof(StoredProof)
    /// Key: book and transaction.
    case transaction(Book, RecordedTransaction)
    /// Key: book and transaction; only one that nobody owns can be claimed.
    case claimed(Book, Claim)
    /// Key: book, transaction and number.
    case observation(Book, TransactionID, Observation)
    /// Apple signed again, later, what an observation says; raises its time, never lowers it.
    case signedAgain(Book, TransactionID, number: Int, at: Timestamp)
    /// Key: book, original transaction and number.
    case renewal(Book, RenewalObservation)
    /// Apple signed again, later, what a renewal info says; raises its time, never lowers it.
    case renewalSignedAgain(Book, TransactionID, number: Int, at: Timestamp)
    /// Key: book, original transaction and number; it takes the place of the one before, which must be there.
    case told(Book, SubscriptionTale)
    /// Key: book and the notification's name.
    case notification(Book, RecordedNotification)
    /// Key: book, original transaction and number; from the second on, it takes over what was recorded.
    case ownership(Book, Ownership)
    /// Key: book, original transaction and number.
    case share(Book, Share)
    /// Key: the name that becomes part of another.
    case merge(Merge)
    /// Counted under kind, customer and subject; see ``Signal/mostSubjects``.
    case signal(Signal)
    /// Key: book and grant key.
    case grant(Book, Grant)
    /// Key: book, grant key and turn.
    case grantChange(Book, GrantChange)
    /// Key: book, grant key, turn and currency.
    case walletEntry(Book, WalletEntry)
    /// Key: its place. A spend beyond the balance is the rules' to refuse.
    case movement(WalletMovement)
    /// Key: its place.
    case promotion(Promotion)
    /// Key: the promotional grant's place.
    case promotionEnded(MovementPlace, at: Timestamp)
    /// Key: book, transaction, customer and reason; kept as it was when known.
    case refusal(Book, RecordedRefusal)
    /// Key: book and transaction; kept as it was when known.
    case track(Book, Track)
    /// Key: caller and key.
    case answer(StoredAnswer)
    /// Key: the event's id; kept as it was when known. The store gives it its number, and a delivery to each
    /// endpoint.
    case event(CustomerEvent, to: [WebhookName])
    /// Key: kind and subject; kept as it was when known and not finished. One that is held at that moment runs
    /// once more afterwards.
    case task(ScheduledTask)
}

/// What an app sent along with a purchase for its analytics; proves nothing.
public struct Track: Sendable, Hashable {
    /// The first transaction that came with it.
    public let transactionID: TransactionID
    /// Who sent it.
    public let customer: CustomerID
    /// A JSON object.
    public let json: String
    /// When it came, by the server's clock.
    public let at: Timestamp

    /// Makes a track.
    public init(transactionID: TransactionID, customer: CustomerID, json: String, at: Timestamp) {
        self.transactionID = transactionID
        self.customer = customer
        self.json = json
        self.at = at
    }
}

/// A caller's name for one write, so that sending it again does nothing new.
public struct IdempotencyKey: Sendable, Hashable {
    /// The most bytes that a key may have.
    public static let longest = 255

    /// Who calls; keys of different callers never meet.
    public let caller: String
    /// The key as the caller wrote it.
    public let key: String
    /// A digest of the request, to tell a repetition from a mistake.
    public let input: [UInt8]

    /// Makes a key; nil when it is empty, too long or has control characters.
    public init?(caller: String, key: String, input: [UInt8]) {
        guard isPlainName(key, longest: Self.longest),
            isPlainName(caller, longest: Self.longest)
        else { return nil }
        self.caller = caller
        self.key = key
        self.input = input
    }
}

/// The answer that was given under an idempotency key.
public struct StoredAnswer: Sendable, Hashable {
    /// The key and the digest of its input.
    public let key: IdempotencyKey
    /// The answer in the ledger's own form, JSON.
    public let answer: String
    /// When it was given, by the server's clock.
    public let at: Timestamp

    /// Makes a stored answer.
    public init(key: IdempotencyKey, answer: String, at: Timestamp) {
        self.key = key
        self.answer = answer
        self.at = at
    }
}
