/// A sheet that the App Store would show over the app.
///
/// There is no screen here: what is displayed is answered by the connection's ``LocalStorePerson``.
public struct Message: Hashable, Sendable {
    /// Why the App Store has something to say.
    public struct Reason: RawRepresentable, Hashable, Sendable {
        /// The App Store's number.
        public let rawValue: Int
        /// Takes any number.
        public init(rawValue: Int) { self.rawValue = rawValue }

        /// Anything else.
        public static let generic = Reason(rawValue: 0)
        /// A price increase waits for an answer.
        public static let priceIncreaseConsent = Reason(rawValue: 1)
        /// A renewal could not be paid.
        public static let billingIssue = Reason(rawValue: 2)
        /// There is an offer to come back.
        public static let winBackOffer = Reason(rawValue: 3)
    }

    /// Why.
    public let reason: Reason

    let messageID: String
    let subject: Subject?

    /// The subscription that it is about.
    struct Subject: Hashable, Sendable {
        let productID: String
        let originalTransactionID: String
    }

    /// Messages for the customer; never ends while the app runs.
    public static var messages: Messages { Messages() }

    /// Messages, one after the other.
    public struct Messages: AsyncSequence, Sendable {
        /// A message.
        public typealias Element = Message

        /// A walk over the sequence.
        public struct AsyncIterator: AsyncIteratorProtocol {
            /// A message.
            public typealias Element = Message

            private var stream: AsyncStream<Message>.Iterator?

            init() {}

            /// The next message.
            public mutating func next() async -> Message? {
                var iterator: AsyncStream<Message>.Iterator
                if let stream {
                    iterator = stream
                } else {
                    iterator = await StoreSession.current.messageUpdates().makeAsyncIterator()
                }
                let message = await iterator.next()
                stream = iterator
                return message
            }
        }

        /// Begins a walk.
        public func makeAsyncIterator() -> AsyncIterator { AsyncIterator() }
    }
}
