public import HTTPMessage

/// Fetches over libcurl, on a thread of its own that all its exchanges share.
///
/// Connections are kept and used again. Cancelling the calling task ends the exchange at once.
public final class CurlFetcher: HTTPFetching {
    /// Makes a fetcher.
    public init(_ configuration: CurlFetcherConfiguration = CurlFetcherConfiguration()) {
    }

    /// Sends `request` to its absolute URL and returns the response, whatever its status.
    public func fetch(
        _ request: HTTPRequest, limits: HTTPFetchLimits = HTTPFetchLimits()
    ) async throws(HTTPFetchError) -> HTTPResponse {
        throw HTTPFetchError(.cannotConnect)
    }
}
