// swift-format-ignore-file
// The form of Darwin beside what Glibc has too, and of what Apple's Foundation has beside Linux's, as far as
// the SDK uses it. `AppleFormTests` checks the SDK's files for Apple's systems against it.
public import Foundation
@_exported public import Glibc

public let F_FULLFSYNC: Int32 = 51

public func sysctlbyname(
    _ name: UnsafePointer<CChar>, _ old: UnsafeMutableRawPointer?,
    _ oldLength: UnsafeMutablePointer<Int>?, _ new: UnsafeMutableRawPointer?, _ newLength: Int
) -> Int32 { -1 }

open class URLSessionConfiguration: NSObject, @unchecked Sendable {
    open class var ephemeral: URLSessionConfiguration { URLSessionConfiguration() }
    open var httpShouldSetCookies = true
    open var urlCache: URLCache?
}

open class URLCache: NSObject, @unchecked Sendable {}

public struct URLRequest: Sendable {
    public enum CachePolicy: UInt, Sendable {
        case useProtocolCachePolicy = 0
        case reloadIgnoringLocalCacheData = 1
    }

    public init(url: URL, cachePolicy: CachePolicy, timeoutInterval: TimeInterval) {}
    public var httpMethod: String?
    public var httpBody: Data?
    public mutating func addValue(_ value: String, forHTTPHeaderField field: String) {}
}

open class URLResponse: NSObject, @unchecked Sendable {}

open class HTTPURLResponse: URLResponse, @unchecked Sendable {
    open var statusCode: Int { 200 }
    open var allHeaderFields: [AnyHashable: Any] { [:] }
}

public protocol URLSessionTaskDelegate: NSObjectProtocol {
    // Optional in Objective-C.
    func urlSession(
        _ session: URLSession, task: URLSessionTask,
        willPerformHTTPRedirection response: HTTPURLResponse, newRequest request: URLRequest,
        completionHandler: @escaping @Sendable (URLRequest?) -> Void)
}

open class URLSessionTask: NSObject, @unchecked Sendable {
    open func resume() {}
}

open class URLSessionDataTask: URLSessionTask, @unchecked Sendable {}

open class URLSession: NSObject, @unchecked Sendable {
    public init(
        configuration: URLSessionConfiguration, delegate: (any URLSessionTaskDelegate)?,
        delegateQueue: OperationQueue?
    ) {}
    open func dataTask(
        with request: URLRequest,
        completionHandler: @escaping @Sendable (Data?, URLResponse?, (any Error)?) -> Void
    ) -> URLSessionDataTask { URLSessionDataTask() }
}
