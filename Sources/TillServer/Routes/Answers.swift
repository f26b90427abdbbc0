import HTTPMessage
import TillAPI

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The one place that makes responses.
enum Answers {
    /// A value as JSON; the names are sorted, so that the same value is the same bytes.
    static func json(_ value: some Encodable, status: HTTPStatus = .ok) throws -> HTTPResponse {
        HTTPResponse(
            status: status,
            fields: ["Content-Type": "application/json", "Cache-Control": "no-store"],
            body: try JSONText.encode(value))
    }

    /// A problem as RFC 9457 wants it.
    static func problem(_ problem: ProblemDocument, requestID: String) -> HTTPResponse {
        var problem = problem
        problem.requestID = requestID.isEmpty ? nil : requestID
        var fields: HTTPFields = [
            "Content-Type": APIWire.problemMediaType, "Cache-Control": "no-store",
        ]
        if problem.status == 401 { fields["WWW-Authenticate"] = "Bearer" }
        if let seconds = problem.retryAfter { fields["Retry-After"] = String(seconds) }
        // A problem holds texts, numbers and flags: there is nothing in it that cannot be encoded.
        let body = (try? JSONText.encode(problem)) ?? Data()
        return HTTPResponse(
            status: HTTPStatus(rawValue: problem.status), fields: fields, body: body)
    }
}

/// Reads request bodies.
enum RequestBody {
    /// The body as a value of the wire, or the problem that names the place.
    static func decode<Value: Decodable>(
        _ type: Value.Type, from request: HTTPRequest
    ) throws(ProblemDocument) -> Value {
        let tape = try read(request.body)
        do {
            return try JSONTapeDecoder.decode(type, tape)
        } catch {
            // A type may repeat what it was given in its words; a problem stays short.
            throw ProblemDocument(.invalidRequest, detail: String(text(of: error).prefix(200)))
        }
    }

    /// A body as strict JSON, or the problem that says where it is none.
    static func read(_ body: Data) throws(ProblemDocument) -> JSONTape {
        do throws(JSONFault) {
            return try StrictJSON.read(body, depth: APILimits.jsonDepth)
        } catch {
            throw ProblemDocument(.malformedJSON, detail: error.text)
        }
    }

    /// Names the place and the rule, never the data.
    private static func text(of error: any Error) -> String {
        func place(_ path: [any CodingKey]) -> String {
            var text = ""
            for key in path {
                if let index = key.intValue {
                    text += "[\(index)]"
                } else {
                    text += text.isEmpty ? key.stringValue : ".\(key.stringValue)"
                }
            }
            return text.isEmpty ? "the body" : text
        }
        return switch error as? DecodingError {
        case .keyNotFound(let key, let context): "\(place(context.codingPath + [key])): required"
        case .typeMismatch(_, let context): "\(place(context.codingPath)): of another type"
        case .valueNotFound(_, let context): "\(place(context.codingPath)): must not be null"
        // The syntax has been checked, so what Foundation finds without a place is a number.
        case .dataCorrupted(let context) where context.codingPath.isEmpty:
            "a number is not whole, or larger than any that is taken"
        case .dataCorrupted(let context):
            "\(place(context.codingPath)): \(context.debugDescription)"
        default: "the body cannot be read"
        }
    }
}
