extension Transaction {
    /// Transactions, one after the other; every loop over it begins anew.
    public struct Transactions: AsyncSequence, Sendable {
        /// A transaction and whether it is verified.
        public typealias Element = VerificationResult<Transaction>

        enum Source: Sendable {
            case updates
            case unfinished
            case all(productID: String?)
            case currentEntitlements(productID: String?)
        }

        let source: Source

        /// A walk over the sequence.
        public struct AsyncIterator: AsyncIteratorProtocol {
            /// A transaction and whether it is verified.
            public typealias Element = VerificationResult<Transaction>

            private enum Progress {
                case untouched(Source)
                case list(IndexingIterator<[Element]>)
                case stream(AsyncStream<Element>.Iterator)
            }

            private var progress: Progress

            init(_ source: Source) { progress = .untouched(source) }

            /// The next transaction; nothing when the list is over, and never nothing for updates.
            public mutating func next() async -> Element? {
                if case .untouched(let source) = progress { progress = await begin(source) }
                switch progress {
                case .untouched:
                    return nil
                case .list(var iterator):
                    let element = iterator.next()
                    progress = .list(iterator)
                    return element
                case .stream(var iterator):
                    let element = await iterator.next()
                    progress = .stream(iterator)
                    return element
                }
            }

            private func begin(_ source: Source) async -> Progress {
                let session = StoreSession.current
                switch source {
                case .updates:
                    return .stream(await session.transactionUpdates().makeAsyncIterator())
                case .unfinished:
                    return .list(await session.unfinished().makeIterator())
                case .all(let productID):
                    return .list(await session.history(productID: productID).makeIterator())
                case .currentEntitlements(let productID):
                    return .list(await session.entitlements(productID: productID).makeIterator())
                }
            }
        }

        /// Begins a walk.
        public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(source) }
    }

    /// Transactions that arrive by themselves; never ends while the app runs.
    ///
    /// Unfinished ones come first, then approvals, renewals, refunds and what was bought elsewhere.
    public static var updates: Transactions { Transactions(source: .updates) }

    /// Transactions that the app has not finished.
    public static var unfinished: Transactions { Transactions(source: .unfinished) }

    /// The customer's history, newest first; finished consumables are not in it.
    public static var all: Transactions { Transactions(source: .all(productID: nil)) }

    /// The customer's history of one product, newest first.
    public static func all(for productID: String) -> Transactions {
        Transactions(source: .all(productID: productID))
    }

    /// The transactions by which the customer owns something now.
    public static var currentEntitlements: Transactions {
        Transactions(source: .currentEntitlements(productID: nil))
    }

    /// The transactions by which the customer owns a product now.
    public static func currentEntitlements(for productID: String) -> Transactions {
        Transactions(source: .currentEntitlements(productID: productID))
    }

    /// The transaction by which the customer owns a product now.
    public static func currentEntitlement(
        for productID: String
    ) async -> VerificationResult<Transaction>? {
        await StoreSession.current.entitlements(productID: productID).first
    }

    /// The latest transaction of a product, whether or not it still counts.
    public static func latest(for productID: String) async -> VerificationResult<Transaction>? {
        await StoreSession.current.history(productID: productID).first
    }
}
