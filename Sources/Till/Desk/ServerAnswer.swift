import AppStoreModel
import HTTPMessage
import TillAPI

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Reads a response: a value, a no, or trouble.
///
/// What is not plainly a no is trouble, which keeps the transaction.
struct ServerAnswer {
    let response: HTTPResponse

    init(_ response: HTTPResponse) { self.response = response }

    func read<Value: Decodable & Sendable>() throws(DeskFailure) -> DeskAnswer<Value> {
        guard response.status.isSuccess else { throw failure }
        guard let value = try? JSONDecoder().decode(Value.self, from: response.body) else {
            // A page of a hotel's network, or a server of another version: not a no.
            throw .unreachable(detail: "an answer \(status) that is not the server's")
        }
        return DeskAnswer(value: value, serverTime: serverTime)
    }

    /// The `Date` field (RFC 9110 section 6.6.1).
    var serverTime: Timestamp? {
        response.fields["Date"].flatMap(HTTPDate.secondsSinceEpoch).map(Timestamp.init(seconds:))
    }

    private var status: Int { response.status.rawValue }

    private var failure: DeskFailure {
        let problem = try? JSONDecoder().decode(ProblemDocument.self, from: response.body)
        let detail = problem.map { "\($0.code.rawValue): \($0.detail ?? $0.title)" } ?? "\(status)"
        switch status {
        case 401, 403:
            return .tokenRejected(status: status, detail: detail)
        case 408, 425, 429, 500...599, ..<400:
            return .trouble(
                status: status, retryAfterSeconds: retryAfter ?? problem?.retryAfter,
                detail: detail)
        default:
            return .refused(
                .init(
                    status: status, code: problem?.code.rawValue ?? "http\(status)",
                    detail: problem?.detail ?? problem?.title,
                    // Only the server's own document may let go of anything.
                    mayFinish: problem?.mayFinish ?? false,
                    isRetryable: problem?.isRetryable ?? false,
                    proofs: problem?.refusedProofs ?? []))
        }
    }

    private var retryAfter: Int? {
        guard let text = response.fields["Retry-After"], let seconds = Int(text), seconds >= 0
        else {
            return nil
        }
        return min(seconds, 86_400)
    }
}
