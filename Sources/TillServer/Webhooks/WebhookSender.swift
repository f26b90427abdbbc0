import AppStoreModel
public import HTTPMessage
import TillLedger

/// The way out: sends messages to endpoints, and says how they answered.
public struct WebhookSender: Sendable {
    /// What one delivery may cost: 15 seconds, and 64 KiB of an answer that nobody reads.
    public static let limits = HTTPFetchLimits(
        totalMilliseconds: 15_000, connectMilliseconds: 5_000, responseBytes: 64 << 10)

    private let publicFetcher: any HTTPFetching
    private let privateFetcher: any HTTPFetching

    /// Makes a sender.
    ///
    /// - Parameters:
    ///   - publicFetcher: Connects to addresses that the internet routes alone, looked at after the name was
    ///     resolved.
    ///   - privateFetcher: Connects to any address; for endpoints whose configuration allows it.
    public init(publicFetcher: any HTTPFetching, privateFetcher: any HTTPFetching) {
        self.publicFetcher = publicFetcher
        self.privateFetcher = privateFetcher
    }

    /// A sender without a way out, for servers that tell nobody anything.
    public static let none = WebhookSender(publicFetcher: NoWayOut(), privateFetcher: NoWayOut())

    /// Sends a message; nil when the calling task was cancelled before an answer came.
    func send(
        _ message: WebhookMessage, to webhook: WebhookConfiguration, at now: Timestamp
    ) async -> DeliveryAnswer? {
        let request = StandardWebhook.request(message, to: webhook, at: now)
        let fetcher = webhook.allowsPrivateNetwork ? privateFetcher : publicFetcher
        do throws(HTTPFetchError) {
            let response = try await fetcher.fetch(request, limits: Self.limits)
            return .status(
                response.status.rawValue, retryAfter: Self.retryAfter(response, at: now))
        } catch {
            if error.code == .cancelled { return nil }
            let detail = error.detail.isEmpty ? "" : ": \(error.detail)"
            return .nothing("\(error.code.rawValue)\(detail)")
        }
    }

    /// `Retry-After` in milliseconds: seconds or an HTTP date (RFC 9110 section 10.2.3).
    static func retryAfter(_ response: HTTPResponse, at now: Timestamp) -> Int64? {
        guard let text = response.fields["Retry-After"] else { return nil }
        if let seconds = Int64(text) {
            return min(max(seconds, 0), DeliveryAnswer.longestRetryAfter / 1_000) * 1_000
        }
        return HTTPDate.secondsSinceEpoch(text).map { max(0, $0 * 1_000 - now.milliseconds) }
    }
}

/// Connects to nobody.
private struct NoWayOut: HTTPFetching {
    func fetch(
        _ request: HTTPRequest, limits: HTTPFetchLimits
    ) async throws(HTTPFetchError) -> HTTPResponse {
        throw HTTPFetchError(.cannotConnect, detail: "this server sends nothing")
    }
}
