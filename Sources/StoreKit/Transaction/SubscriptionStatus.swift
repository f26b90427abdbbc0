extension Product.SubscriptionInfo {
    /// A subscription's state with what was signed about it.
    public struct Status: Hashable, Sendable {
        /// How it stands.
        public let state: RenewalState
        /// Its latest transaction.
        public let transaction: VerificationResult<Transaction>
        /// How it will go on.
        public let renewalInfo: VerificationResult<RenewalInfo>

        /// Changes of the customer's subscriptions; never ends while the app runs.
        public static var updates: Statuses { Statuses() }

        /// The customer's subscriptions by group.
        public static var all: AsyncStream<(groupID: String, statuses: [Status])> {
            AsyncStream { continuation in
                let task = Task {
                    let groups = await StoreSession.current.statusesByGroup()
                    for (groupID, statuses) in groups.sorted(by: { $0.key < $1.key }) {
                        continuation.yield((groupID: groupID, statuses: statuses))
                    }
                    continuation.finish()
                }
                continuation.onTermination = { _ in task.cancel() }
            }
        }

        /// Statuses, one after the other.
        public struct Statuses: AsyncSequence, Sendable {
            /// A subscription's status.
            public typealias Element = Status

            /// A walk over the sequence.
            public struct AsyncIterator: AsyncIteratorProtocol {
                /// A subscription's status.
                public typealias Element = Status

                private var stream: AsyncStream<Status>.Iterator?

                init() {}

                /// The next status.
                public mutating func next() async -> Status? {
                    var iterator: AsyncStream<Status>.Iterator
                    if let stream {
                        iterator = stream
                    } else {
                        iterator = await StoreSession.current.statusUpdates().makeAsyncIterator()
                    }
                    let status = await iterator.next()
                    stream = iterator
                    return status
                }
            }

            /// Begins a walk.
            public func makeAsyncIterator() -> AsyncIterator { AsyncIterator() }
        }
    }
}

/// A subscription's status, by its newer name.
public typealias SubscriptionStatus = Product.SubscriptionInfo.Status
