/// Where a listener listens and what it bears.
public struct HTTPListenerConfiguration: Sendable {
    /// A name or address: `127.0.0.1`, `::1`, `localhost`, `0.0.0.0`, `::`.
    public var host: String
    /// The port; 0 lets the system choose, and ``HTTPListener/port`` says which.
    public var port: Int
    /// Threads, each with a loop of its own over its connections; handlers run on them too.
    public var threads: Int
    /// What one client, and all of them, may cost.
    public var limits: HTTPServerLimits
    /// Called once for each response, on the loop's thread: hand the record on, do not block.
    public var accessLog: (@Sendable (AccessRecord) -> Void)?

    /// Makes a configuration; by default two threads on a port of the system's choice on loopback.
    public init(
        host: String = "127.0.0.1", port: Int = 0, threads: Int = 2,
        limits: HTTPServerLimits = HTTPServerLimits(),
        accessLog: (@Sendable (AccessRecord) -> Void)? = nil
    ) {
        self.host = host
        self.port = port
        self.threads = threads
        self.limits = limits
        self.accessLog = accessLog
    }
}

/// What one client, and all of them together, may cost; times are in milliseconds.
public struct HTTPServerLimits: Sendable, Hashable {
    /// Bytes of a request line; over it the answer is 414.
    public var requestLineBytes = 8 << 10
    /// Bytes of request line and fields together; over it the answer is 431.
    public var headBytes = 32 << 10
    /// Field lines in a request; over it the answer is 431.
    public var fieldCount = 100
    /// Bytes of all bodies that are held at once; over it the answer is 503.
    public var heldBodyBytes = 256 << 20
    /// Open connections.
    public var connections = 2_048
    /// Open connections from one address.
    public var connectionsPerAddress = 512
    /// Requests that handlers work on at once; over it the answer is 503.
    public var runningRequests = 1_024
    /// From the first byte of a request to the end of its fields; over it the answer is 408.
    public var headMilliseconds = 10_000
    /// From the first byte of a request to the last of its body; over it the answer is 408.
    public var requestMilliseconds = 30_000
    /// What a handler may take; over it the answer is 503, and the handler's is thrown away.
    public var handlerMilliseconds = 60_000
    /// What a client may take to read a response.
    public var writeMilliseconds = 30_000
    /// What a connection may wait for its next request.
    public var idleMilliseconds = 60_000

    /// Makes the default limits.
    public init() {}
}

/// One answered request, for the access log.
public struct AccessRecord: Sendable {
    /// The request's name in logs and problem documents.
    public let requestID: String
    /// The peer's address without its port.
    public let remoteAddress: String
    /// The method; empty when the request could not be read.
    public let method: String
    /// Path and query as sent; it may hold secrets.
    ///
    /// Empty when the request could not be read.
    public let target: String
    /// The response's status.
    public let status: Int
    /// Bytes of the request's body.
    public let requestBytes: Int
    /// Bytes of the response's body; of a streamed one what was known when it began.
    public let responseBytes: Int
    /// From the request's last byte to the response's first, in microseconds.
    public let microseconds: Int
}

/// Why a listener could not listen.
public struct HTTPListenerError: Error, Sendable, Hashable {
    /// The kinds of failure that a caller tells apart.
    public enum Code: String, Sendable, Hashable {
        /// The host is no address and no name of this machine.
        case unknownHost
        /// Somebody else listens there.
        case addressInUse
        /// The address is not this machine's, or the port is not for this user.
        case addressNotAllowed
        /// The system has no descriptors, memory or threads left.
        case noResources
    }

    /// What happened.
    public let code: Code
    /// The system's words for people; never compared.
    public let detail: String

    /// Makes an error.
    public init(_ code: Code, detail: String = "") {
        self.code = code
        self.detail = detail
    }
}
