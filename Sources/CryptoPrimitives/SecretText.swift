/// A secret that no description shows.
public struct SecretText: Sendable, Hashable, CustomStringConvertible, CustomReflectable {
    /// The secret's bytes.
    public let bytes: [UInt8]
    /// Takes the text's UTF-8.
    public init(_ text: String) { bytes = Array(text.utf8) }
    /// Three dots.
    public var description: String { "…" }
    /// Nothing, so that `dump` and test failures show nothing either.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}
