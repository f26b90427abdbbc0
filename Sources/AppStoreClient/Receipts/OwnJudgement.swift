/// What the caller found when it read the receipt itself, offline.
///
/// It decides where Apple's status leaves open whether the receipt is worthless or the server has trouble:
/// 21002 stands for both, and 21003 for a forged receipt and for a missing password.
public enum OwnJudgement: String, Sendable, Hashable, CaseIterable {
    /// Nobody has looked.
    case notMade
    /// It can be read, and Apple's signature is on it.
    case genuine
    /// It can be read, and the signature does not hold.
    case notGenuine
    /// It is no receipt in any form.
    case unreadable

    /// Whether it is known to be worthless.
    var isAgainst: Bool { self == .notGenuine || self == .unreadable }
}
