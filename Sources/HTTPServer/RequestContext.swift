public import HTTPMessage

/// What a handler knows of a request beside the request itself.
public struct RequestContext: Sendable {
    /// Names this request in logs, in the `X-Request-ID` response field and in problem documents.
    public var requestID: String
    /// The peer's address without its port, or a proxy's if one is in front.
    ///
    /// `203.0.113.5`, `2001:db8::1`.
    public var remoteAddress: String
    /// The values of the pattern's `:name` parts, percent-decoded and never empty.
    public var parameters: [String: String]

    /// Makes a context, for requests that come over no socket.
    public init(
        requestID: String = "", remoteAddress: String = "", parameters: [String: String] = [:]
    ) {
        self.requestID = requestID
        self.remoteAddress = remoteAddress
        self.parameters = parameters
    }

    /// The value of a part that the route's pattern has; naming one that it has not is a mistake and stops.
    public func parameter(_ name: String) -> String {
        guard let value = parameters[name] else {
            preconditionFailure("the route's pattern has no :\(name)")
        }
        return value
    }
}

/// Answers a request; it cannot fail, since a client always hears something.
public typealias HTTPHandler = @Sendable (HTTPRequest, RequestContext) async -> HTTPResponse
