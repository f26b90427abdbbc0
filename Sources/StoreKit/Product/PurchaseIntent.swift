/// A purchase that the customer began outside the app.
public struct PurchaseIntent: Identifiable, Hashable, Sendable {
    /// The product to buy.
    public let product: Product
    /// The offer that comes with it.
    public let offer: Product.SubscriptionOffer?

    let intentID: String

    /// The product's name.
    public var id: String { product.id }

    /// Purchases that customers begin outside the app; never ends while the app runs.
    public static var intents: PurchaseIntents { PurchaseIntents() }

    /// Purchase intents, one after the other.
    public struct PurchaseIntents: AsyncSequence, Sendable {
        /// A purchase intent.
        public typealias Element = PurchaseIntent

        /// A walk over the sequence.
        public struct AsyncIterator: AsyncIteratorProtocol {
            /// A purchase intent.
            public typealias Element = PurchaseIntent

            private var stream: AsyncStream<PurchaseIntent>.Iterator?

            init() {}

            /// The next purchase intent.
            public mutating func next() async -> PurchaseIntent? {
                var iterator: AsyncStream<PurchaseIntent>.Iterator
                if let stream {
                    iterator = stream
                } else {
                    iterator = await StoreSession.current.intentUpdates().makeAsyncIterator()
                }
                let intent = await iterator.next()
                stream = iterator
                return intent
            }
        }

        /// Begins a walk.
        public func makeAsyncIterator() -> AsyncIterator { AsyncIterator() }
    }
}
