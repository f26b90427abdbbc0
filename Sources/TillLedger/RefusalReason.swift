/// Why a transaction was not handed out to the one who showed it; in order of precedence.
///
/// The raw values are stable: they stand on the wire and in the database.
public enum RefusalReason: String, Sendable, Hashable, Codable, CaseIterable, Comparable {
    /// The request names another app than the one that the proof is for.
    case bundleMismatch
    /// The proof is for an app that this server does not serve.
    case appUnknown
    /// The app's policy does not grant what this environment signs.
    case environmentNotAdmitted
    /// Apple signed it, but without what a grant needs: an id, a product, a purchase date.
    case proofIncomplete
    /// Another customer owns it, or the order that it names is another customer's.
    case belongsToAnother
    /// Apple took it back: refunded, or no longer shared.
    case revoked
    /// The product is in no catalog.
    case productUnknown

    /// What goes with a reason; the one table of it.
    private var entry: (mayFinish: Bool, isRetryable: Bool, sentence: String) {
        switch self {
        // Not finished: the request or the configuration is wrong, the payment may be right.
        case .bundleMismatch:
            (false, false, "The proof is for another app than the request names.")
        case .appUnknown:
            (false, true, "The proof is for an app that is not in the configuration.")
        // A sandbox purchase costs nothing, and left in the queue it comes back at every launch.
        case .environmentNotAdmitted:
            (true, false, "Purchases of this environment are not granted here.")
        case .proofIncomplete:
            (false, false, "The proof lacks what a grant needs.")
        // Recorded for its owner, so nothing is lost by letting go.
        case .belongsToAnother:
            (true, false, "The purchase belongs to another customer.")
        case .revoked:
            (true, false, "The purchase was refunded or taken back by the store.")
        // Recorded; the catalog may be mended, and then the next launch brings it again.
        case .productUnknown:
            (false, true, "The product is not in the catalog; the purchase is recorded.")
        }
    }

    /// Whether the app may let go of the transaction.
    public var mayFinish: Bool { entry.mayFinish }
    /// Whether showing it again can help.
    public var isRetryable: Bool { entry.isRetryable }
    /// The reason in one sentence, for people.
    public var sentence: String { entry.sentence }

    /// Orders by precedence: the first that applies is the one that is told.
    public static func < (left: RefusalReason, right: RefusalReason) -> Bool {
        left.precedence < right.precedence
    }

    private var precedence: Int { Self.allCases.firstIndex(of: self) ?? 0 }
}
