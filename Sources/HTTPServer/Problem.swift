public import HTTPMessage

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// An error as its client reads it: a problem document (RFC 9457), `application/problem+json`.
///
/// A handler throws one, or the router makes one out of what it threw.
public struct Problem: Error, Sendable {
    /// The response's status.
    public var status: HTTPStatus
    /// A stable word for programs: what callers compare.
    public var code: String
    /// One line for people, the same each time the code comes.
    public var title: String
    /// What is particular this time; empty leaves it out.
    public var detail: String
    /// More members by name; those of the document itself cannot be replaced.
    public var extra: [String: any Encodable & Sendable]
    /// More header fields, such as `Retry-After`.
    public var fields: HTTPFields

    /// Makes a problem; the title is the status's phrase unless given.
    public init(
        _ status: HTTPStatus, code: String, title: String? = nil, detail: String = "",
        extra: [String: any Encodable & Sendable] = [:], fields: HTTPFields = HTTPFields()
    ) {
        self.status = status
        self.code = code
        self.title = title ?? status.phrase
        self.detail = detail
        self.extra = extra
        self.fields = fields
    }

    /// What a client hears of an error that nobody foresaw: nothing of the error itself.
    public static let internalError = Problem(.internalServerError, code: "internalError")

    /// The problem as a response; `requestID` goes along as `requestId`, for people who ask for help.
    public func response(requestID: String = "") -> HTTPResponse {
        let document = Document(problem: self, requestID: requestID)
        var fields = fields
        fields["Content-Type"] = "application/problem+json"
        if let body = try? HTTPJSON.encoder.encode(document) {
            return HTTPResponse(status: status, fields: fields, body: body)
        }
        // An extra member that cannot be encoded (a number that is none) must not hide the problem.
        var plain = self
        plain.extra = [:]
        let body = try? HTTPJSON.encoder.encode(Document(problem: plain, requestID: requestID))
        return HTTPResponse(status: status, fields: fields, body: body ?? Data())
    }

    private struct Document: Encodable {
        let problem: Problem
        let requestID: String

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: Key.self)
            let own: Set<String> = ["status", "code", "title", "detail", "requestId"]
            for (name, value) in problem.extra where !own.contains(name) {
                try container.encode(value, forKey: Key(stringValue: name))
            }
            try container.encode(problem.status.rawValue, forKey: Key(stringValue: "status"))
            try container.encode(problem.code, forKey: Key(stringValue: "code"))
            try container.encode(problem.title, forKey: Key(stringValue: "title"))
            if !problem.detail.isEmpty {
                try container.encode(problem.detail, forKey: Key(stringValue: "detail"))
            }
            if !requestID.isEmpty {
                try container.encode(requestID, forKey: Key(stringValue: "requestId"))
            }
        }
    }

    private struct Key: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }
        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }
}

/// JSON bodies, read and written in one place.
public enum HTTPJSON {
    /// Sorted keys, so that the same value is the same bytes.
    static var encoder: JSONEncoder {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return encoder
    }
}

extension HTTPResponse {
    /// Makes an `application/json` response; throws what the value's encoding throws.
    public static func json(
        _ value: some Encodable, status: HTTPStatus = .ok, fields: HTTPFields = HTTPFields()
    ) throws -> HTTPResponse {
        var fields = fields
        fields["Content-Type"] = "application/json"
        return HTTPResponse(
            status: status, fields: fields, body: try HTTPJSON.encoder.encode(value))
    }

    /// Makes a response of text; the type is `text/plain` unless given.
    public static func text(
        _ text: String, status: HTTPStatus = .ok, type: String = "text/plain; charset=utf-8"
    ) -> HTTPResponse {
        HTTPResponse(status: status, fields: ["Content-Type": type], body: Data(text.utf8))
    }
}

extension HTTPRequest {
    /// Reads the body as JSON; throws a ``Problem`` with status 400 that names the place, not the data.
    public func json<Value: Decodable>(as type: Value.Type = Value.self) throws(Problem) -> Value {
        do {
            return try JSONDecoder().decode(type, from: body)
        } catch {
            throw Problem(
                .badRequest, code: "invalidJSON",
                title: "The body is not the JSON that is expected",
                detail: Self.place(of: error))
        }
    }

    private static func place(of error: any Error) -> String {
        func path(_ keys: [any CodingKey]) -> String {
            keys.isEmpty ? "the document" : keys.map(\.stringValue).joined(separator: ".")
        }
        return switch error as? DecodingError {
        case .keyNotFound(let key, let context): "\(path(context.codingPath + [key])) is missing"
        case .typeMismatch(_, let context): "\(path(context.codingPath)) is of another type"
        case .valueNotFound(_, let context): "\(path(context.codingPath)) is null"
        case .dataCorrupted(let context): "\(path(context.codingPath)) cannot be read"
        default: "the document cannot be read"
        }
    }
}
