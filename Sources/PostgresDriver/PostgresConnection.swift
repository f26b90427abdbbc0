import CPostgres

/// A connection to a server, closed when it goes out of scope.
///
/// It has no lock of its own: whoever owns it uses it from one place at a time, which the compiler sees
/// to. It blocks, so it belongs on a thread of its own; no call blocks longer than the time limits say.
/// It never connects again by itself, since what was set on it would be gone: an error that
/// ``PostgresError/endsConnection`` tells its owner to make a new one.
@safe public struct PostgresConnection: ~Copyable {
    /// What is decided when connecting.
    public struct Options: Sendable, Hashable {
        /// How long connecting may take.
        public var connectTime: Duration = .seconds(5)
        /// How long one call may take until its last answer is there.
        public var callTime: Duration = .seconds(30)
        /// What the server's list of connections shows, where the address names nothing else.
        public var applicationName = "till"

        /// The options that serve well.
        public init() {}
    }

    private let owner: ConnectionHandle
    var handle: OpaquePointer { unsafe owner.pointer }
    let options: Options
    /// The names of prepared statements by their text.
    var prepared: [String: String] = [:]
    /// How many statements were ever given a name.
    var namesGiven = 0
    /// Whether statements are prepared under names and used again; behind a pooler that gives each transaction
    /// another server's connection, nobody would find them.
    public var preparesStatements = true
    /// Set when the connection is of no more use.
    public internal(set) var isBroken = false

    /// Connects.
    ///
    /// - Parameters:
    ///   - address: `postgres://user:password@host/database?…` or whatever else libpq takes; what it
    ///     leaves out comes from libpq's environment variables and `~/.pgpass`.
    ///   - options: Time limits and name.
    /// - Throws: Why there is no connection; the words never hold the address.
    public init(address: String, options: Options = Options()) throws(PostgresError) {
        guard Self.isReadable(address) else {
            throw PostgresError(.notAdmitted, "the database's address cannot be read")
        }
        // What stands before the address is a default that it may change, what stands after it is fixed.
        let words = [
            ("fallback_application_name", options.applicationName), ("keepalives_idle", "30"),
            ("keepalives_interval", "10"), ("keepalives_count", "3"),
            ("dbname", address), ("client_encoding", "UTF8"),
        ]
        owner = try ConnectionHandle(connecting: words, within: options.connectTime)
        self.options = options
    }

    /// The server's version, such as 150004.
    public var serverVersion: Int { Int(unsafe PQserverVersion(handle)) }

    /// The number of the server's process, as whoever answered the connection gave it; a pooler makes one up.
    public var backendID: Int64 { Int64(unsafe PQbackendPID(handle)) }

    /// A setting that the server reports by itself, such as `server_encoding`; nil for others.
    public func reportedSetting(_ name: String) -> String? {
        guard let text = unsafe PQparameterStatus(handle, name) else { return nil }
        return unsafe String(cString: text)
    }

    /// Whether a transaction is open, whole or failed.
    public var isInTransaction: Bool {
        let status = unsafe PQtransactionStatus(handle)
        return status == PQTRANS_INTRANS || status == PQTRANS_INERROR
    }

    /// Whether libpq understands an address.
    public static func isReadable(_ address: String) -> Bool {
        guard !address.contains("\0") else { return false }
        guard let parsed = unsafe PQconninfoParse(address, nil) else { return false }
        defer { unsafe PQconninfoFree(parsed) }
        // libpq looks at the port only when it connects, and calls what is none a lost connection.
        var option = unsafe parsed
        while let keyword = unsafe option.pointee.keyword {
            if unsafe String(cString: keyword) == "port", let value = unsafe option.pointee.val {
                let digits = unsafe String(cString: value).utf8
                guard digits.allSatisfy({ (48...57).contains($0) || $0 == 44 }) else {
                    return false
                }
            }
            unsafe option += 1
        }
        return true
    }

    /// Waits until the socket is ready; throws, and gives the connection up, when that takes too long.
    ///
    /// Returns whether there is something to read.
    @discardableResult
    mutating func wait(
        for readiness: Readiness, until deadline: ContinuousClock.Instant
    ) throws(PostgresError) -> Bool {
        do throws(PostgresError) {
            return try owner.wait(for: readiness, until: deadline)
        } catch {
            isBroken = true
            throw error
        }
    }

    /// What the library says about the connection, in one line.
    var words: String { owner.words }

    /// Marks the connection as of no more use.
    mutating func lost() -> PostgresError {
        isBroken = true
        return owner.loss
    }
}
