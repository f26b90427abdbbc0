#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// How a fetcher connects, and to whom.
public struct CurlFetcherConfiguration: Sendable, Hashable {
    /// Which certificates a server may show.
    public enum Roots: Sendable, Hashable {
        /// Those that this machine trusts.
        case system
        /// Those in a file of PEM certificates, and no others.
        case file(path: String)
        /// Those in PEM text, and no others.
        case pem(Data)
    }

    /// Which addresses may be connected to, whatever name led to them.
    public enum Addresses: Sendable, Hashable {
        /// Any.
        case any
        /// Only those that the internet routes: no loopback, private, link-local, shared, multicast or
        /// reserved ones. For addresses that strangers name.
        case publicOnly
    }

    /// The certificates that count.
    public var roots: Roots
    /// The addresses that may be connected to.
    public var allowedAddresses: Addresses
    /// The `User-Agent` of requests that bring none.
    public var userAgent: String
    /// Whether the proxies that the environment names are used.
    public var usesEnvironmentProxies: Bool
    /// Exchanges at once; more wait their turn, and their time limit runs.
    public var concurrentExchanges: Int
    /// Exchanges that may wait; over it a fetch fails at once with `cannotConnect`.
    public var waitingExchanges: Int

    /// Makes a configuration; the defaults suit calls to Apple and to a store on the same machine.
    public init(
        roots: Roots = .system, allowedAddresses: Addresses = .any, userAgent: String = "Till",
        usesEnvironmentProxies: Bool = false, concurrentExchanges: Int = 32,
        waitingExchanges: Int = 1_024
    ) {
        self.roots = roots
        self.allowedAddresses = allowedAddresses
        self.userAgent = userAgent
        self.usesEnvironmentProxies = usesEnvironmentProxies
        self.concurrentExchanges = concurrentExchanges
        self.waitingExchanges = waitingExchanges
    }
}
