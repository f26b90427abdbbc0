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
    /// The one-time text that the request carried.
    let nonce: String?

    /// Seconds of a `Retry-After` at the most that are heeded: longer ones are no server's of ours, and
    /// nobody shall wait a day for what was paid.
    static let longestPause = 3_600

    init(_ response: HTTPResponse, nonce: String? = nil) {
        self.response = response
        self.nonce = nonce
    }

    func read<Value: Decodable & Sendable>() throws(DeskFailure) -> DeskAnswer<Value> {
        guard response.status.isSuccess else { throw failure }
        guard let value = try? JSONDecoder().decode(Value.self, from: response.body) else {
            // A page of a hotel's network, or a server of another version: not a no.
            throw .unreachable(detail: "an answer \(status) that is not the server's")
        }
        return DeskAnswer(value: value, serverTime: serverTime, nonce: nonce)
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
                status: status,
                retryAfterSeconds: (retryAfter ?? problem?.retryAfter).map {
                    min(max(0, $0), Self.longestPause)
                }, detail: detail)
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

    /// Seconds, or a date by the server's own clock (RFC 9110 section 10.2.3).
    private var retryAfter: Int? {
        guard let text = response.fields["Retry-After"] else { return nil }
        if let seconds = Int(text) { return seconds }
        guard let end = HTTPDate.secondsSinceEpoch(text), let now = serverTime?.seconds else {
            return nil
        }
        return Int(clamping: end.subtractingReportingOverflow(now).partialValue)
    }
}
