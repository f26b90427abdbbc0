import AppStoreModel
import Foundation
import HTTPMessage
import Synchronization

@testable import LocalAppStore

/// The local store's own routes behind the fetch protocol, without a socket and with a network that fails at will.
final class StoreTable: HTTPFetching {
    private let service: StoreService
    private let outage = Mutex<HTTPFetchError?>(nil)
    private let lost = Mutex<(call: String, left: Int)>(("", 0))
    private let held = Mutex<(call: String, waiting: [CheckedContinuation<Void, Never>])?>(nil)

    init(_ store: LocalStore) { service = StoreService(store: store, environment: .sandbox) }

    /// Lets every call fail until it is set to nothing.
    func setOutage(_ error: HTTPFetchError?) { outage.withLock { $0 = error } }

    /// Does the work of so many calls and loses their answers.
    func loseAnswers(of call: String, times: Int) { lost.withLock { $0 = (call, times) } }

    /// Keeps calls on their way until ``letGo()``.
    func hold(_ call: String) { held.withLock { $0 = (call, []) } }

    /// Lets the calls go that are held.
    func letGo() {
        let waiting = held.withLock { held in
            defer { held = nil }
            return held?.waiting ?? []
        }
        for continuation in waiting { continuation.resume() }
    }

    /// How many calls are held.
    var heldCalls: Int { held.withLock { $0?.waiting.count ?? 0 } }

    private func losesAnswer(of path: String) -> Bool {
        lost.withLock { lost in
            guard lost.left > 0, path.hasSuffix(lost.call) else { return false }
            lost.left -= 1
            return true
        }
    }

    private func waitIfHeld(_ path: String) async {
        await withCheckedContinuation { continuation in
            let isHeld = held.withLock { held in
                guard let call = held?.call, path.hasSuffix(call) else { return false }
                held?.waiting.append(continuation)
                return true
            }
            if !isHeld { continuation.resume() }
        }
    }

    func fetch(
        _ request: HTTPRequest, limits: HTTPFetchLimits
    ) async throws(HTTPFetchError) -> HTTPResponse {
        if let error = outage.withLock({ $0 }) { throw error }
        let target = String(request.target.dropFirst("http://store".count))
        let path = String(target.prefix { $0 != "?" })
        await waitIfHeld(path)
        let response = await service.respond(
            to: HTTPRequest(
                method: request.method, target: target, fields: request.fields, body: request.body))
        if let error = outage.withLock({ $0 }) { throw error }
        if losesAnswer(of: path) { throw HTTPFetchError(.connectionLost) }
        return response
    }
}
