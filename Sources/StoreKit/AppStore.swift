public import Foundation

/// The App Store that this device uses.
public enum AppStore {
    /// Whether the customer may pay on this device.
    public static var canMakePayments: Bool { StoreSession.current.canMakePayments }

    /// The UUID to which transactions are bound on this device.
    public static var deviceVerificationID: UUID? { StoreSession.current.deviceVerificationID }

    /// Brings the customer's transactions and the receipt up to date.
    public static func sync() async throws {
        try await StoreSession.current.sync()
    }

    /// An App Store: the real one or one for tests.
    public struct Environment: RawRepresentable, Hashable, Sendable {
        /// The App Store's word.
        public let rawValue: String
        /// Takes any word.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// Real customers, real money.
        public static let production = Environment(rawValue: "Production")
        /// Testers.
        public static let sandbox = Environment(rawValue: "Sandbox")
        /// Xcode's own.
        public static let xcode = Environment(rawValue: "Xcode")
    }

    /// A system on which apps run.
    public struct Platform: RawRepresentable, Hashable, Sendable {
        /// The App Store's word.
        public let rawValue: String
        /// Takes any word.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// iPhone, iPad and their kin.
        public static let iOS = Platform(rawValue: "iOS")
        /// Mac.
        public static let macOS = Platform(rawValue: "macOS")
        /// Apple TV.
        public static let tvOS = Platform(rawValue: "tvOS")
        /// Apple Vision.
        public static let visionOS = Platform(rawValue: "visionOS")
    }
}

/// The country whose App Store the customer uses.
public struct Storefront: Identifiable, Hashable, Sendable {
    /// The country in three letters (ISO 3166-1 alpha-3).
    public let countryCode: String
    /// The App Store's number of the storefront.
    public let id: String
    /// The currency of its prices.
    public let currency: Locale.Currency?

    /// The customer's storefront.
    public static var current: Storefront? {
        get async { await StoreSession.current.storefront() }
    }

    /// Changes of the storefront; never ends while the app runs.
    public static var updates: Storefronts { Storefronts() }

    /// Storefronts, one after the other.
    public struct Storefronts: AsyncSequence, Sendable {
        /// A storefront.
        public typealias Element = Storefront

        /// A walk over the sequence.
        public struct AsyncIterator: AsyncIteratorProtocol {
            /// A storefront.
            public typealias Element = Storefront

            private var stream: AsyncStream<Storefront>.Iterator?

            init() {}

            /// The next storefront.
            public mutating func next() async -> Storefront? {
                var iterator: AsyncStream<Storefront>.Iterator
                if let stream {
                    iterator = stream
                } else {
                    iterator = await StoreSession.current.storefrontUpdates().makeAsyncIterator()
                }
                let storefront = await iterator.next()
                stream = iterator
                return storefront
            }
        }

        /// Begins a walk.
        public func makeAsyncIterator() -> AsyncIterator { AsyncIterator() }
    }
}
