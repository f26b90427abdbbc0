public import AppStoreModel

/// One ledger behind the address: an app, an environment, and who vouches for it.
///
/// Nothing is ever moved or added up across books, so that what was bought for nothing in a sandbox
/// never mixes with what was paid for. Transaction ids are unique within a book only: Apple counts anew
/// in each environment, and a test store counts from one.
public struct Book: Sendable, Hashable, Comparable, CustomStringConvertible {
    /// The app.
    public let bundleID: BundleID
    /// The environment that signed.
    public let environment: AppStoreEnvironment
    /// The configured root that vouches for it; nil when Apple does.
    public let anchor: String?

    /// Names a book.
    public init(bundleID: BundleID, environment: AppStoreEnvironment, anchor: String? = nil) {
        self.bundleID = bundleID
        self.environment = environment
        self.anchor = anchor
    }

    /// Hashes the app alone: it has a handful of books, and decisions look books up all the time.
    public func hash(into hasher: inout Hasher) { hasher.combine(bundleID) }

    /// App, environment and root, for people.
    public var description: String {
        "\(bundleID)/\(environment.rawValue)" + (anchor.map { "@\($0)" } ?? "")
    }

    /// Orders by text, for stable output only.
    public static func < (left: Book, right: Book) -> Bool {
        (left.bundleID.rawValue, left.environment.rawValue, left.anchor ?? "")
            < (right.bundleID.rawValue, right.environment.rawValue, right.anchor ?? "")
    }
}
