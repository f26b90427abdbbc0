#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// What a look into a store of secrets found.
enum SecretReading: Sendable, Hashable {
    case found(String)
    case absent
    /// The store cannot be read now, as the Keychain before the first unlock: nothing is known.
    case unavailable
}

/// A place for small texts that outlives the launch.
protocol SecretStore: Sendable {
    func read(_ name: String) -> SecretReading
    /// Whether it is kept now.
    func write(_ text: String, for name: String) -> Bool
    func remove(_ name: String)
}

/// A text in two homes, each healing the other: the Keychain outlives the app, the user defaults are
/// there when the Keychain is not.
struct TwoHomes: Sendable {
    var first: any SecretStore
    var second: any SecretStore

    /// The text of `name`; `make` makes one when no home has it.
    ///
    /// When both have one and they differ the first home is right. A home that cannot be read is left
    /// alone, so that a locked Keychain is never overwritten.
    func text(_ name: String, orMake make: () -> String) -> String {
        let (one, two) = (first.read(name), second.read(name))
        switch (one, two) {
        case (.found(let text), _):
            if two != .found(text), two != .unavailable { _ = second.write(text, for: name) }
            return text
        case (_, .found(let text)):
            if one == .absent { _ = first.write(text, for: name) }
            return text
        case (.absent, _), (.unavailable, _):
            let text = make()
            if one == .absent { _ = first.write(text, for: name) }
            if two == .absent { _ = second.write(text, for: name) }
            return text
        }
    }
}
