public import HTTPMessage

/// Fetches over libcurl, on a thread of its own that all its exchanges share.
///
/// Connections are kept and used again; when a kept one turns out to be dead before a byte of the answer has
/// come, libcurl asks once more over a new one. Cancelling the calling task ends the exchange at once.
public final class CurlFetcher: HTTPFetching {
    private let loop: CurlLoop

    /// Makes a fetcher with connections of its own.
    public init(_ configuration: CurlFetcherConfiguration = CurlFetcherConfiguration()) {
        loop = CurlLoop(configuration)
    }

    deinit { loop.end() }

    /// Sends `request` to its absolute URL and returns the response, whatever its status.
    ///
    /// `Content-Length`, `Transfer-Encoding`, `Connection` and `Expect` of the request are the library's
    /// alone and are left out. Redirects are not followed and bodies are not decompressed.
    public func fetch(
        _ request: HTTPRequest, limits: HTTPFetchLimits = HTTPFetchLimits()
    ) async throws(HTTPFetchError) -> HTTPResponse {
        guard Self.isURL(request.target), HTTPFields.isToken(request.method.rawValue) else {
            throw HTTPFetchError(.invalidURL, detail: "neither an http nor an https URL")
        }
        let deadline = steadyMilliseconds() + limits.totalMilliseconds
        let flag = CancelFlag()
        let outcome = await withTaskCancellationHandler {
            await withCheckedContinuation { waiter in
                loop.submit(
                    Exchange(
                        request, limits: limits, deadline: deadline, flag: flag, waiter: waiter))
            }
        } onCancel: {
            loop.cancel(flag)
        }
        return try outcome.get()
    }

    /// Scheme and characters; the rest is the library's to judge.
    private static func isURL(_ text: String) -> Bool {
        let lowered = text.prefix(8).lowercased()
        return (lowered.hasPrefix("http://") || lowered == "https://")
            && text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }
    }
}
