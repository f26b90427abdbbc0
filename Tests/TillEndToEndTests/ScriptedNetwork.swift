import Foundation
import HTTPFetch
import HTTPMessage

@testable import Till

/// A network over sockets on which a test says what becomes of some requests.
final class ScriptedNetwork: HTTPFetching {
    enum Fate: Sendable {
        /// The request does not arrive.
        case lost
        /// It arrives and is carried out, and its answer does not come.
        case unanswered
        /// Somebody on the way answers.
        case answered(Int, String)
    }

    private let inner = CurlFetcher()
    private let plans = Locked<[(path: String, fate: Fate)]>([])
    private let passed = Locked<[String]>([])

    /// What becomes of the next requests whose path ends so.
    func plan(_ path: String, _ fate: Fate, times: Int = 1) {
        plans.withLock { $0 += Array(repeating: (path, fate), count: times) }
    }

    func clear() { plans.withLock { $0 = [] } }

    /// How many requests whose path ends so have been made.
    func count(_ path: String) -> Int { passed.withLock { $0.count { $0.hasSuffix(path) } } }

    func fetch(
        _ request: HTTPRequest, limits: HTTPFetchLimits
    ) async throws(HTTPFetchError) -> HTTPResponse {
        let path = String(request.target.prefix { $0 != "?" })
        passed.withLock { $0.append(path) }
        let fate = plans.withLock { plans in
            plans.firstIndex { path.hasSuffix($0.path) }.map { plans.remove(at: $0).fate }
        }
        switch fate {
        case nil: return try await inner.fetch(request, limits: limits)
        case .lost: throw HTTPFetchError(.cannotConnect)
        case .unanswered:
            _ = try await inner.fetch(request, limits: limits)
            throw HTTPFetchError(.cannotConnect)
        case .answered(let status, let body):
            return HTTPResponse(
                status: HTTPStatus(rawValue: status),
                fields: ["Content-Type": "application/json"], body: Data(body.utf8))
        }
    }
}
