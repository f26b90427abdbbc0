/// What PostgreSQL refused, with its own code and words.
///
/// The words are the server's primary message alone, without the detail that would repeat values of a row,
/// and never hold the address that was connected to.
public struct PostgresError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kinds of refusal that a caller treats differently; see
    /// <https://www.postgresql.org/docs/current/errcodes-appendix.html>.
    public enum Kind: String, Sendable, Hashable {
        /// The server cannot be reached, is starting or stopping, or went away; the connection is of no
        /// more use.
        case connectionLost
        /// No answer came in time; the connection is of no more use.
        case timedOut
        /// The server ended a statement that ran, or waited for a lock, for too long.
        case canceled
        /// The server has no connection or memory left.
        case exhausted
        /// The server does not know the user, the password or the database, or does not admit them.
        case notAdmitted
        /// The user may not do this.
        case notPermitted
        /// The transaction or the server only reads, such as a standby does.
        case readOnly
        /// Transactions at the same time exclude one another; the same again may work.
        case serialization
        /// A unique key is taken.
        case duplicateKey
        /// Another constraint does not hold, or a value does not fit its column.
        case badValue
        /// A table or column is not there.
        case unknownName
        /// The disk is full.
        case full
        /// Reading or writing failed.
        case inputOutput
        /// A page or an index is damaged.
        case corrupt
        /// Anything else; the code says what.
        case other
    }

    /// The kind of refusal.
    public let kind: Kind
    /// The five characters that the server sent; nil when the fault is on this side of the wire.
    public let sqlState: String?
    /// What the server, or the library, said.
    public let message: String
    /// Which statement of a pipeline it was, from 0 on; nil outside of one.
    public internal(set) var statement: Int?

    /// Makes an error out of a code of the server.
    public init(sqlState: String, message: String) {
        kind = Kind(sqlState: sqlState)
        self.sqlState = sqlState
        self.message = message
    }

    /// Makes an error of this side of the wire.
    public init(_ kind: Kind, _ message: String) {
        self.kind = kind
        sqlState = nil
        self.message = message
    }

    /// Whether the connection is of no more use, so that a new one must be made.
    ///
    /// What was prepared or set on it is gone, and what was under way may have been done or not.
    public var endsConnection: Bool { kind == .connectionLost || kind == .timedOut }

    /// Code and words.
    public var description: String { "PostgreSQL \(sqlState ?? kind.rawValue): \(message)" }
}

extension PostgresError.Kind {
    /// The kind that a code of the server belongs to.
    public init(sqlState: String) {
        self =
            switch sqlState {
            case "57014", "55P03": .canceled
            case "57P01", "57P02", "57P03", "57P05", "25P03": .connectionLost
            case "53100": .full
            case "25006": .readOnly
            case "40001", "40P01": .serialization
            case "23505": .duplicateKey
            case "3D000": .notAdmitted
            case "42501": .notPermitted
            case "42P01", "42703", "42883", "3F000": .unknownName
            case "58030", "58P01", "58P02": .inputOutput
            default: Self(sqlStateClass: sqlState.prefix(2))
            }
    }

    private init(sqlStateClass: Substring) {
        self =
            switch sqlStateClass {
            case "08": .connectionLost
            case "22", "23": .badValue
            case "28": .notAdmitted
            case "40": .serialization
            case "53": .exhausted
            case "XX": .corrupt
            default: .other
            }
    }
}
