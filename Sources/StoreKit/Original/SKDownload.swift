public import Foundation

/// How far a download has come.
public enum SKDownloadState: Int, Sendable {
    /// Not begun.
    case waiting = 0
    /// Running.
    case active = 1
    /// Stopped by the app.
    case paused = 2
    /// Done.
    case finished = 3
    /// Broken off.
    case failed = 4
    /// Given up by the app.
    case cancelled = 5
}

/// The time that remains when nobody knows it.
public let SKDownloadTimeRemainingUnknown: TimeInterval = -1

/// Content that the App Store hosts for a product.
///
/// Apple has given hosted content up and the local store has none, so no download ever appears; the
/// class is here for the code that still names it.
open class SKDownload: NSObject, @unchecked Sendable {
    private let owner = SKPaymentTransaction()

    /// Makes an empty download, for subclasses in tests.
    public override init() { super.init() }

    /// How far it has come.
    open var state: SKDownloadState { .waiting }
    /// How far it has come, by its older name.
    open var downloadState: SKDownloadState { state }
    /// The product whose content it is.
    open var contentIdentifier: String { "" }
    /// Where the content is.
    open var contentURL: URL? { nil }
    /// The content's version.
    open var contentVersion: String { "" }
    /// The content's size in bytes.
    open var expectedContentLength: Int64 { 0 }
    /// The content's size by its older name.
    open var contentLength: NSNumber { NSNumber(value: expectedContentLength) }
    /// Why it failed.
    open var error: (any Error)? { nil }
    /// The part that is there, 0 to 1.
    open var progress: Float { 0 }
    /// Seconds to go.
    open var timeRemaining: TimeInterval { SKDownloadTimeRemainingUnknown }
    /// The transaction that bought it.
    open var transaction: SKPaymentTransaction { owner }
}
