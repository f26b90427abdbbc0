/// What becomes of a purchase that a second customer shows.
///
/// Consumables never change hands, and neither does what was taken back.
public struct OwnerPolicy: OptionSet, Sendable, Hashable {
    /// The bits of the policies.
    public let rawValue: Int
    /// Takes the bits.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// It stays with its owner.
    public static let refuse: OwnerPolicy = []
    /// Whoever asks for former purchases (`restore`) takes it over; the former owner loses it.
    public static let transfer = OwnerPolicy(rawValue: 1)
    /// What Apple shares in a family may be used by several customers.
    public static let share = OwnerPolicy(rawValue: 2)
}

/// What becomes of proofs from an environment that the app's rules do not list.
public enum OtherEnvironments: Sendable, Hashable {
    /// They are refused, and nothing is recorded.
    case refuse
    /// They are recorded in a book of their own, and nothing is handed out.
    case record
    /// As ``record``, but handed out to the testers.
    case testers(Testers)
}
