import AppStoreModel
import HTTPMessage
import HTTPServer

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Answers in Apple's own forms.
enum AppleAnswer {
    /// What Apple says to a token that it does not like: 401 and no JSON.
    static let unauthenticated = HTTPResponse.text(
        "Unauthenticated\n", status: .unauthorized, type: "text/plain")

    /// The envelope of the Server API's errors; Apple's library reads it only as plain `application/json`.
    static func error(
        _ code: ServerErrorCode, status: HTTPStatus? = nil, fields: HTTPFields = HTTPFields()
    ) -> HTTPResponse {
        document(
            ErrorDocument(
                errorCode: code.rawValue, errorMessage: code.message ?? code.name ?? "Error."),
            status: status ?? HTTPStatus(rawValue: code.httpStatus), fields: fields)
    }

    /// 429; `Retry-After` is a time in UNIX milliseconds.
    static func rateLimited(until moment: Timestamp) -> HTTPResponse {
        error(.rateLimitExceeded, fields: ["Retry-After": "\(moment.milliseconds)"])
    }

    /// `verifyReceipt`'s answer of a status alone.
    static func receiptStatus(
        _ status: Int, isRetryable: Bool? = nil, retryableKey: String = "is-retryable"
    ) -> HTTPResponse {
        var members: [String: JSONValue] = ["status": .integer(Int64(status))]
        if let isRetryable { members[retryableKey] = .bool(isRetryable) }
        return document(JSONValue.object(members))
    }

    /// A JSON document; a value that cannot be encoded is the store's own fault.
    static func document(
        _ value: some Encodable, status: HTTPStatus = .ok, fields: HTTPFields = HTTPFields()
    ) -> HTTPResponse {
        (try? .json(value, status: status, fields: fields))
            ?? HTTPResponse(status: .internalServerError)
    }

    private struct ErrorDocument: Encodable {
        let errorCode: Int64
        let errorMessage: String
    }
}
