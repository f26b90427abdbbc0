import HTTPMessage

/// Why the engine answers a request itself, without asking a handler.
enum RequestRefusal: String, Error {
    case malformedRequest
    case missingHost
    case ambiguousLength
    case requestTimeout
    case contentTooLarge
    case uriTooLong
    case expectationFailed
    case headTooLarge
    case unknownTransferCoding
    case overloaded
    case handlerTimeout
    case httpVersionNotSupported

    var status: HTTPStatus {
        switch self {
        case .malformedRequest, .missingHost, .ambiguousLength: .badRequest
        case .requestTimeout: .requestTimeout
        case .contentTooLarge: .contentTooLarge
        case .uriTooLong: .uriTooLong
        case .expectationFailed: .expectationFailed
        case .headTooLarge: .requestHeaderFieldsTooLarge
        case .unknownTransferCoding: .notImplemented
        case .overloaded, .handlerTimeout: .serviceUnavailable
        case .httpVersionNotSupported: .httpVersionNotSupported
        }
    }

    func response(requestID: String) -> HTTPResponse {
        var problem = Problem(status, code: rawValue)
        if status == .serviceUnavailable { problem.fields["Retry-After"] = "1" }
        return problem.response(requestID: requestID)
    }
}
