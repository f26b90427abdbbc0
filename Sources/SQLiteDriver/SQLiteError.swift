import CSQLite

/// What SQLite refused, with its own code and words.
///
/// The words hold SQL and names of ours, never bound values.
public struct SQLiteError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kinds of refusal that a caller treats differently; see <https://sqlite.org/rescode.html>.
    public enum Kind: String, Sendable, Hashable {
        /// Another connection holds the lock for longer than the busy timeout.
        case busy
        /// A key is taken, or another constraint does not hold.
        case constraint
        /// The disk or the quota is full.
        case full
        /// The file, its folder or its file system may not be written.
        case readOnly
        /// A page is damaged.
        case corrupt
        /// The file is no database.
        case notADatabase
        /// The file cannot be opened.
        case cannotOpen
        /// Reading, writing or syncing failed.
        case inputOutput
        /// A value is longer than SQLite or the limits here allow.
        case tooBig
        /// Anything else; the code says what.
        case other
    }

    /// SQLite's extended result code.
    public let code: Int32
    /// What SQLite said.
    public let message: String

    /// Makes an error out of a result code.
    public init(code: Int32, message: String) {
        self.code = code
        self.message = message
    }

    /// The kind of refusal.
    public var kind: Kind {
        switch code & 0xFF {
        case SQLITE_BUSY, SQLITE_LOCKED: .busy
        case SQLITE_CONSTRAINT: .constraint
        case SQLITE_FULL: .full
        case SQLITE_READONLY, SQLITE_PERM: .readOnly
        case SQLITE_CORRUPT: .corrupt
        case SQLITE_NOTADB: .notADatabase
        case SQLITE_CANTOPEN: .cannotOpen
        case SQLITE_IOERR: .inputOutput
        case SQLITE_TOOBIG: .tooBig
        default: .other
        }
    }

    /// Whether a primary key or a unique index already has the row.
    public var isDuplicateKey: Bool {
        // SQLITE_CONSTRAINT | 6 << 8 and | 8 << 8; the macros are too complex for the importer.
        code == SQLITE_CONSTRAINT | (6 << 8) || code == SQLITE_CONSTRAINT | (8 << 8)
    }

    /// Code and words.
    public var description: String { "SQLite \(code): \(message)" }
}
