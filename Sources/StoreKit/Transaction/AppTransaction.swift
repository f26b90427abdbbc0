public import Foundation

/// What the App Store signed about the customer's copy of the app.
public struct AppTransaction: Hashable, Sendable, CustomDebugStringConvertible {
    /// The app's number in the App Store; nothing outside production.
    public let appID: UInt64?
    /// The build that runs.
    public let appVersion: String
    /// The App Store's number of that version.
    public let appVersionID: UInt64?
    /// The app.
    public let bundleID: String
    /// Where the app was bought.
    public let environment: AppStore.Environment
    /// The build that was first bought.
    public let originalAppVersion: String
    /// When the app was first bought.
    public let originalPurchaseDate: Date
    /// The platform on which it was first bought.
    public let originalPlatform: AppStore.Platform
    /// When it was ordered before its release.
    public let preorderDate: Date?
    /// The number of the customer's copy of the app.
    public let appTransactionID: String
    /// When the App Store took the app back.
    public let revocationDate: Date?
    /// Which store sold the app.
    public let storeType: StoreType
    /// Binds the value to the device.
    public let deviceVerification: Data
    /// The one-time number of ``deviceVerification``.
    public let deviceVerificationNonce: UUID
    /// When the App Store signed.
    public let signedDate: Date
    /// The payload as it was signed.
    public let jsonRepresentation: Data

    let signed: SignedText

    /// A store for some kind of customers.
    public struct StoreType: RawRepresentable, Hashable, Sendable {
        /// The App Store's word.
        public let rawValue: String
        /// Takes any word.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// Everybody.
        public static let consumer = StoreType(rawValue: "CONSUMER")
        /// Companies.
        public static let enterprise = StoreType(rawValue: "ENTERPRISE")
        /// Schools.
        public static let education = StoreType(rawValue: "EDUCATION")
    }

    /// Where the app was bought, in the App Store's word.
    public var environmentStringRepresentation: String { environment.rawValue }
    /// The platform on which it was first bought, in the App Store's word.
    public var originalPlatformStringRepresentation: String { originalPlatform.rawValue }

    /// The JSON.
    public var debugDescription: String { String(decoding: jsonRepresentation, as: UTF8.self) }

    /// Compares everything that was signed.
    public static func == (left: AppTransaction, right: AppTransaction) -> Bool {
        left.jsonRepresentation == right.jsonRepresentation
    }

    /// Agrees with `==`.
    public func hash(into hasher: inout Hasher) { hasher.combine(jsonRepresentation) }

    /// The app's own transaction; throws when nobody is signed in or the store cannot be reached.
    public static var shared: VerificationResult<AppTransaction> {
        get async throws { try await StoreSession.current.appTransaction(refreshing: false) }
    }

    /// Asks the store anew.
    public static func refresh() async throws -> VerificationResult<AppTransaction> {
        try await StoreSession.current.appTransaction(refreshing: true)
    }
}
