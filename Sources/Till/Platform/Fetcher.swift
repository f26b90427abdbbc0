import HTTPMessage

#if os(Linux)
    import HTTPFetch

    /// libcurl: URLSession on Linux leaks, and crashes or hangs when calls are cancelled.
    enum Fetcher {
        static func system() -> any HTTPFetching { CurlFetcher() }
    }
#else
    import Foundation

    /// URLSession, without cookies, caches or redirects.
    enum Fetcher {
        static func system() -> any HTTPFetching { SessionFetcher() }
    }
#endif
