#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// A request method (RFC 9110 section 9); an unknown one is kept as it is spelled.
public struct HTTPMethod: RawRepresentable, Sendable, Hashable {
    /// The method's name, case-sensitive.
    public let rawValue: String

    /// Makes a method of any name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Reads a resource.
    public static let get = HTTPMethod(rawValue: "GET")
    /// Reads a resource's fields alone.
    public static let head = HTTPMethod(rawValue: "HEAD")
    /// Hands something in.
    public static let post = HTTPMethod(rawValue: "POST")
    /// Puts something in its place.
    public static let put = HTTPMethod(rawValue: "PUT")
    /// Changes a part.
    public static let patch = HTTPMethod(rawValue: "PATCH")
    /// Takes something away.
    public static let delete = HTTPMethod(rawValue: "DELETE")
    /// Asks what may be done.
    public static let options = HTTPMethod(rawValue: "OPTIONS")
}

/// A response status (RFC 9110 section 15).
public struct HTTPStatus: RawRepresentable, Sendable, Hashable {
    /// Three digits, 100 to 999.
    public let rawValue: Int

    /// Makes a status of any number.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// Whether the request was carried out (200 to 299).
    public var isSuccess: Bool { (200..<300).contains(rawValue) }

    /// 200.
    public static let ok = HTTPStatus(rawValue: 200)
    /// 201.
    public static let created = HTTPStatus(rawValue: 201)
    /// 202.
    public static let accepted = HTTPStatus(rawValue: 202)
    /// 204.
    public static let noContent = HTTPStatus(rawValue: 204)
    /// 303.
    public static let seeOther = HTTPStatus(rawValue: 303)
    /// 304.
    public static let notModified = HTTPStatus(rawValue: 304)
    /// 400.
    public static let badRequest = HTTPStatus(rawValue: 400)
    /// 401.
    public static let unauthorized = HTTPStatus(rawValue: 401)
    /// 402.
    public static let paymentRequired = HTTPStatus(rawValue: 402)
    /// 403.
    public static let forbidden = HTTPStatus(rawValue: 403)
    /// 404.
    public static let notFound = HTTPStatus(rawValue: 404)
    /// 405.
    public static let methodNotAllowed = HTTPStatus(rawValue: 405)
    /// 408.
    public static let requestTimeout = HTTPStatus(rawValue: 408)
    /// 409.
    public static let conflict = HTTPStatus(rawValue: 409)
    /// 410.
    public static let gone = HTTPStatus(rawValue: 410)
    /// 412.
    public static let preconditionFailed = HTTPStatus(rawValue: 412)
    /// 413.
    public static let contentTooLarge = HTTPStatus(rawValue: 413)
    /// 414.
    public static let uriTooLong = HTTPStatus(rawValue: 414)
    /// 415.
    public static let unsupportedMediaType = HTTPStatus(rawValue: 415)
    /// 417.
    public static let expectationFailed = HTTPStatus(rawValue: 417)
    /// 422.
    public static let unprocessableContent = HTTPStatus(rawValue: 422)
    /// 429.
    public static let tooManyRequests = HTTPStatus(rawValue: 429)
    /// 431.
    public static let requestHeaderFieldsTooLarge = HTTPStatus(rawValue: 431)
    /// 500.
    public static let internalServerError = HTTPStatus(rawValue: 500)
    /// 501.
    public static let notImplemented = HTTPStatus(rawValue: 501)
    /// 502.
    public static let badGateway = HTTPStatus(rawValue: 502)
    /// 503.
    public static let serviceUnavailable = HTTPStatus(rawValue: 503)
    /// 504.
    public static let gatewayTimeout = HTTPStatus(rawValue: 504)
    /// 505.
    public static let httpVersionNotSupported = HTTPStatus(rawValue: 505)
}

/// A whole request: what a client sends and what a server reads.
public struct HTTPRequest: Sendable {
    /// What is asked for.
    public var method: HTTPMethod
    /// An absolute URL for a client (`https://host/path?query`), path and query for a server.
    public var target: String
    /// The header fields.
    public var fields: HTTPFields
    /// The body, empty when there is none.
    public var body: Data

    /// Makes a request.
    public init(
        method: HTTPMethod, target: String, fields: HTTPFields = HTTPFields(), body: Data = Data()
    ) {
        self.method = method
        self.target = target
        self.fields = fields
        self.body = body
    }
}

/// A whole response.
public struct HTTPResponse: Sendable {
    /// How it went.
    public var status: HTTPStatus
    /// The header fields.
    public var fields: HTTPFields
    /// The body, empty when there is none.
    public var body: Data
    /// Parts that a server sends as they come, after `body`, until the stream ends.
    ///
    /// It is for server-sent events. A fetched response never has one.
    public var stream: AsyncStream<Data>?

    /// Makes a response.
    public init(
        status: HTTPStatus, fields: HTTPFields = HTTPFields(), body: Data = Data(),
        stream: AsyncStream<Data>? = nil
    ) {
        self.status = status
        self.fields = fields
        self.body = body
        self.stream = stream
    }
}

/// What one exchange may cost at the most.
public struct HTTPFetchLimits: Sendable, Hashable {
    /// The whole exchange, from name lookup to the last byte, in milliseconds.
    public var totalMilliseconds: Int
    /// Connecting alone, in milliseconds.
    public var connectMilliseconds: Int
    /// The response's body, in bytes.
    public var responseBytes: Int

    /// Makes limits; the defaults are those of an app that asks a server: 10 seconds, 8 MiB.
    public init(
        totalMilliseconds: Int = 10_000, connectMilliseconds: Int = 5_000,
        responseBytes: Int = 8 << 20
    ) {
        self.totalMilliseconds = totalMilliseconds
        self.connectMilliseconds = connectMilliseconds
        self.responseBytes = responseBytes
    }
}

/// Why no response came.
public struct HTTPFetchError: Error, Sendable, Hashable {
    /// The kinds of failure that a caller tells apart.
    public enum Code: String, Sendable, Hashable {
        /// The URL is none, or its scheme is neither http nor https.
        case invalidURL
        /// The name did not resolve or nothing accepted the connection, be it in time: nothing was
        /// sent, so asking again is safe.
        case cannotConnect
        /// The peer's certificate is not trusted, or TLS failed.
        case tls
        /// A time limit passed after connecting; the request may have been carried out.
        case timedOut
        /// The connection broke after it was made; the request may have been carried out.
        case connectionLost
        /// The response is over the limit.
        case responseTooLarge
        /// The response is not HTTP.
        case invalidResponse
        /// The calling task was cancelled.
        case cancelled
    }

    /// What happened.
    public let code: Code
    /// The library's words for people; never compared.
    public let detail: String

    /// Makes an error.
    public init(_ code: Code, detail: String = "") {
        self.code = code
        self.detail = detail
    }
}

/// One function to fetch: libcurl on servers and Linux, URLSession on Apple's systems, a table in tests.
public protocol HTTPFetching: Sendable {
    /// Sends `request` to its absolute URL and returns the response, whatever its status.
    ///
    /// Redirects are not followed.
    func fetch(
        _ request: HTTPRequest, limits: HTTPFetchLimits
    ) async throws(HTTPFetchError) -> HTTPResponse
}
