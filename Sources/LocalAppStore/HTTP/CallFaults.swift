import AppStoreModel
import HTTPMessage
import HTTPServer
import StoreWire

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// What goes wrong on purpose with one call.
struct CallFaults: Sendable {
    private let rules: [FaultRule]

    /// The longest delay of an answer, in milliseconds: what a listener lets a handler take.
    static let delayLimit = 300_000

    init(_ rules: [FaultRule]) { self.rules = rules }

    /// For the log.
    var words: String? {
        rules.isEmpty ? nil : rules.map(\.kind.rawValue).joined(separator: ", ")
    }

    private func rule(_ kind: FaultKind) -> FaultRule? { rules.first { $0.kind == kind } }

    /// Waits if it must, and gives the answer that comes in place of any work.
    func answerBefore(store: LocalStore, path: String) async -> HTTPResponse? {
        if let delay = rule(.delay) {
            let length = min(max(0, delay.milliseconds ?? 1_000), Self.delayLimit)
            try? await Task.sleep(for: .milliseconds(length))
        }
        if rule(.refuse) != nil { return HTTPResponse(status: .brokenOff) }
        if rule(.unauthorized) != nil { return AppleAnswer.unauthenticated }
        if let limit = rule(.rateLimit) {
            let retry = store.wall().advanced(
                byMilliseconds: Int64(limit.milliseconds ?? 1_000))
            return AppleAnswer.rateLimited(until: retry)
        }
        guard let error = rule(.error) else { return nil }
        return Self.error(error, path: path)
    }

    /// An HTTP error, Apple's error document, or a status of `verifyReceipt`.
    private static func error(_ rule: FaultRule, path: String) -> HTTPResponse {
        let status = rule.status ?? rule.errorCode.map { $0 / 10_000 } ?? 500
        if status >= 21_000 {
            return AppleAnswer.receiptStatus(
                status, isRetryable: rule.isRetryable,
                retryableKey: rule.retryableKey ?? "is-retryable")
        }
        if let code = rule.errorCode {
            return AppleAnswer.error(
                ServerErrorCode(rawValue: Int64(code)), status: HTTPStatus(rawValue: status))
        }
        guard path.hasPrefix("/device/") else {
            return HTTPResponse(status: HTTPStatus(rawValue: status))
        }
        var problem = StoreProblem(.internalFault, detail: "on purpose")
        problem.status = status
        var response = AppleAnswer.document(problem, status: HTTPStatus(rawValue: status))
        response.fields["Content-Type"] = "application/problem+json"
        return response
    }

    /// Loses the answer or a part of it.
    func spoil(_ response: HTTPResponse, method: HTTPMethod) -> HTTPResponse {
        guard response.status != .brokenOff else { return response }
        if rule(.drop) != nil { return HTTPResponse(status: .brokenOff) }
        let response = rearranged(response)
        guard let cut = rule(.cut), method != .head else { return response }
        let kept = max(0, min(cut.bytes ?? response.body.count / 2, response.body.count))
        let type = response.fields["Content-Type"] ?? "application/json"
        let head =
            "HTTP/1.1 \(response.status.rawValue) Cut\r\nContent-Type: \(type)\r\n"
            + "Content-Length: \(response.body.count)\r\n\r\n"
        return HTTPResponse(
            status: .brokenOff, body: Data(head.utf8) + response.body.prefix(kept))
    }

    /// Makes the content of a `verifyReceipt` answer strange, where that was asked for.
    private func rearranged(_ response: HTTPResponse) -> HTTPResponse {
        let isMeant = [FaultKind.unsortedReceipt, .emptyReceipt, .unknownField]
            .contains { rule($0) != nil }
        guard isMeant,
            case .object(var answer)? = try? JSONDecoder().decode(
                JSONValue.self, from: response.body)
        else { return response }
        if rule(.unknownField) != nil { answer["future_field"] = "futureValue" }
        for name in ["receipt", "latest_receipt_info"] {
            switch answer[name] {
            case .array(let list): answer[name] = .array(changed(list))
            case .object(var receipt):
                if case .array(let list)? = receipt["in_app"] {
                    receipt["in_app"] = .array(changed(list))
                }
                answer[name] = .object(receipt)
            default: break
            }
        }
        var strange = response
        strange.body = AppleAnswer.document(JSONValue.object(answer)).body
        return strange
    }

    private func changed(_ list: [JSONValue]) -> [JSONValue] {
        if rule(.emptyReceipt) != nil { return [] }
        return rule(.unsortedReceipt) == nil ? list : list.reversed()
    }
}
