/// A fault of the ledger's store: nothing was answered, and nothing was half-written.
public struct LedgerError: Error, Sendable, Hashable, CustomStringConvertible {
    /// What went wrong; the raw values are stable.
    public enum Code: String, Sendable, Hashable, Codable, CaseIterable {
        /// More jobs wait than the store's queue holds.
        case overloaded
        /// Another process holds the database for too long.
        case busy
        /// The disk, or the quota, is full.
        case full
        /// The database may not be written.
        case readOnly
        /// The file is no database, or its pages are damaged.
        case damaged
        /// The file is a database, but not a ledger.
        case foreign
        /// A newer program wrote the database.
        case newer
        /// The database cannot be opened.
        case cannotOpen
        /// The database's server cannot be reached, or went away; what was under way may be recorded.
        case unreachable
        /// The disk failed.
        case inputOutput
        /// The store was closed.
        case closed
        /// Others changed the same facts again and again while this decision was made.
        case contended
        /// The idempotency key was used before, with another input.
        case idempotencyKeyReused
        /// More transactions at once than one submission may bring.
        case tooManyTransactions
        /// The store did what it should not; the detail says what.
        case unexpected

        /// Whether the same call may work later.
        public var isRetryable: Bool {
            switch self {
            case .overloaded, .busy, .full, .inputOutput, .closed, .contended, .readOnly,
                .unreachable, .unexpected:
                true
            case .damaged, .foreign, .newer, .cannotOpen, .idempotencyKeyReused,
                .tooManyTransactions:
                false
            }
        }
    }

    /// What went wrong.
    public let code: Code
    /// The cause in words, without secrets.
    public let detail: String

    /// Makes an error.
    public init(_ code: Code, _ detail: String) {
        self.code = code
        self.detail = detail
    }

    /// Whether the same call may work later.
    public var isRetryable: Bool { code.isRetryable }
    /// Code and cause.
    public var description: String { "\(code.rawValue): \(detail)" }
}
