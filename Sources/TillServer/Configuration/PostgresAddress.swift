/// The address of a PostgreSQL database, `postgres://user:password@host/database?…`, whose password no
/// description shows.
public struct PostgresAddress: Sendable, Hashable, CustomStringConvertible, CustomReflectable {
    /// The address with its password, for the driver alone.
    public let text: String

    /// Takes an address that begins with `postgres://` or `postgresql://`.
    public init?(_ text: String) {
        guard ["postgres://", "postgresql://"].contains(where: { text.hasPrefix($0) }),
            !text.utf8.contains(where: { $0 <= 0x20 || $0 == 0x7F })
        else { return nil }
        self.text = text
    }

    /// The address with three dots for the password and for what is asked behind a `?`.
    ///
    /// Whatever stands before the last `@` may be part of a password that was not escaped, so where that
    /// cannot be told from the rest, nothing is shown.
    public var description: String {
        let scheme = text.hasPrefix("postgres://") ? "postgres://" : "postgresql://"
        let rest = text.dropFirst(scheme.count)
        let question = rest.firstIndex(of: "?") ?? rest.endIndex
        let asked = question == rest.endIndex ? "" : "?…"
        guard let at = rest.lastIndex(of: "@") else { return scheme + rest[..<question] + asked }
        guard at < question else { return scheme + "…" }
        let user = rest[..<at].prefix { $0 != ":" }
        let secret = user.endIndex == at ? "" : ":…"
        return scheme + user + secret + rest[at..<question] + asked
    }

    /// Nothing but the description, so that `dump` and test failures show no password either.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}
