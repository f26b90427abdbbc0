import AppStoreModel
import HTTPMessage

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// What an answer that is no success means: one table for HTTP statuses and Apple's codes.
struct ServerAnswerReading: Sendable {
    let name: String
    let now: Timestamp
    let longestRatePause: Int64

    /// How far two clocks are apart before it is worth saying, in seconds.
    private static let clockTolerance: Int64 = 120

    /// What to do about a code of Apple's; everything that is not here is final for that request.
    static func remedy(for code: ServerErrorCode) -> AppStoreClientError.Remedy {
        if code.isRetryable { return .retry(notBefore: nil) }
        switch code {
        // Sent while the notification is on its way too.
        case .testNotificationNotFound: return .retry(notBefore: nil)
        case .serverNotificationURLNotFound: return .configuration([.notificationURL])
        // Invalid app identifier; app not found.
        case 4_000_002, 4_040_003: return .configuration([.bundleID, .serverKey])
        default: return .final
        }
    }

    /// Reads an error; the answer's status is none of success.
    func failure(_ response: HTTPResponse) -> CallFailure {
        let status = response.status.rawValue
        var failure: CallFailure
        if status == 401 {
            failure = CallFailure(tokenRefused(response), .withNewToken)
        } else if status == 429 {
            let pause = ratePause(response)
            let start = pause.map { now.advanced(byMilliseconds: $0) }
            failure = CallFailure(
                AppStoreClientError(.rateLimited, .retry(notBefore: start), name),
                .afterRatePause(pause))
        } else if let document = document(response), let code = document.errorCode {
            failure = self.failure(code, document.errorMessage, status: status)
        } else {
            failure = bareFailure(status)
        }
        failure.error.httpStatus = status
        failure.error.serverCode = failure.error.serverCode ?? document(response)?.errorCode
        return failure
    }

    private func failure(
        _ code: ServerErrorCode, _ message: String?, status: Int
    ) -> CallFailure {
        let remedy = Self.remedy(for: code)
        let kind: AppStoreClientError.Code
        var again = CallFailure.Again.never
        switch (status, code.httpStatus) {
        case (500..., _), (_, 500...):
            kind = .appleTrouble
            again = code == .generalInternalRetryable ? .always : .ifHarmless
        case (404, _):
            kind = .notFound
            if code.isRetryable { again = .always }
        default:
            kind = .refused
            if code.isRetryable { again = .always }
        }
        return CallFailure(
            AppStoreClientError(kind, remedy, words(message ?? code.message), serverCode: code),
            again)
    }

    /// An answer without a document of Apple's: of a gateway, a proxy, or somebody else's server.
    private func bareFailure(_ status: Int) -> CallFailure {
        let soon = AppStoreClientError.Remedy.retry(notBefore: nil)
        switch status {
        case 408: return CallFailure(AppStoreClientError(.noAnswer, soon, name), .ifHarmless)
        case 503: return CallFailure(AppStoreClientError(.appleTrouble, soon, name), .always)
        case 500...:
            return CallFailure(AppStoreClientError(.appleTrouble, soon, name), .ifHarmless)
        case 400, 413, 414, 422:
            return CallFailure(AppStoreClientError(.refused, .final, name), .never)
        default:
            return CallFailure(
                .configuration(
                    .unreadableAnswer, [.addresses], "\(name): no answer of Apple's"), .never)
        }
    }

    private func tokenRefused(_ response: HTTPResponse) -> AppStoreClientError {
        var settings: [AppStoreClientError.Setting] = [.serverKey, .bundleID]
        var detail = "\(name): the key, its name, the issuer or the app is another than Apple's"
        if let theirs = foreignTime(response) {
            settings.insert(.clock, at: 0)
            let difference = now.seconds - theirs.seconds
            detail = "\(name): this clock is \(difference) seconds off the server's"
        }
        return .configuration(.tokenRefused, settings, detail)
    }

    /// How long Apple asks to wait; by its own clock where that is far from ours.
    private func ratePause(_ response: HTTPResponse) -> Int64? {
        response.fields["Retry-After"].flatMap {
            RetryAfter.pause($0, at: foreignTime(response) ?? now, limit: longestRatePause)
        }
    }

    /// The server's time, where it is another than ours.
    private func foreignTime(_ response: HTTPResponse) -> Timestamp? {
        guard let theirs = response.fields["Date"].flatMap(HTTPDate.secondsSinceEpoch),
            abs(now.seconds - theirs) > Self.clockTolerance
        else { return nil }
        return Timestamp(seconds: theirs)
    }

    private func document(_ response: HTTPResponse) -> ServerErrorResponse? {
        guard response.body.count <= 65_536 else { return nil }
        return try? JSONDecoder().decode(ServerErrorResponse.self, from: response.body)
    }

    /// The call and Apple's sentence: printable and short, whatever came.
    private func words(_ message: String?) -> String {
        guard let message else { return name }
        let printable = message.unicodeScalars.filter { $0.value >= 0x20 && $0.value != 0x7F }
        return "\(name): \(String(String.UnicodeScalarView(printable.prefix(200))))"
    }
}
