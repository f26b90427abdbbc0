import AppStoreModel
import Foundation
import HTTPMessage
import StoreWire
import Synchronization

@testable import LocalAppStore

/// The local store's engine behind the fetch protocol, without a socket.
final class StoreTable: HTTPFetching {
    let store: LocalStore
    private let outage = Mutex<HTTPFetchError?>(nil)
    private let lost = Mutex<(call: String, left: Int)>(("", 0))

    init(_ store: LocalStore) { self.store = store }

    /// Lets every call fail until it is set to nothing.
    func setOutage(_ error: HTTPFetchError?) { outage.withLock { $0 = error } }

    /// Does the work of so many calls and loses their answers.
    func loseAnswers(of call: String, times: Int) { lost.withLock { $0 = (call, times) } }

    private func losesAnswer(of request: HTTPRequest) -> Bool {
        lost.withLock { lost in
            guard lost.left > 0, request.target.hasSuffix(lost.call) else { return false }
            lost.left -= 1
            return true
        }
    }

    func fetch(
        _ request: HTTPRequest, limits: HTTPFetchLimits
    ) async throws(HTTPFetchError) -> HTTPResponse {
        if let error = outage.withLock({ $0 }) { throw error }
        do {
            let answer = try await answer(to: request)
            let body = answer.isEmpty ? Data() : answer
            if let error = outage.withLock({ $0 }) { throw error }
            if losesAnswer(of: request) { throw HTTPFetchError(.connectionLost) }
            return HTTPResponse(status: answer.isEmpty ? .noContent : .ok, body: body)
        } catch let problem as StoreProblem {
            let body = (try? JSONEncoder().encode(problem)) ?? Data()
            return HTTPResponse(status: HTTPStatus(rawValue: problem.status), body: body)
        } catch let error as HTTPFetchError {
            throw error
        } catch {
            throw HTTPFetchError(.invalidResponse, detail: "\(error)")
        }
    }

    private func answer(to request: HTTPRequest) async throws -> Data {
        let target = request.target.dropFirst("http://store".count)
        let parts = target.split(separator: "?", maxSplits: 1)
        let path = parts[0].split(separator: "/").map { String($0).removingPercentEncoding ?? "" }
        var query: [String: String] = [:]
        if parts.count > 1 {
            for pair in parts[1].split(separator: "&") {
                let sides = pair.split(separator: "=", maxSplits: 1)
                query[String(sides[0])] = sides.count > 1 ? String(sides[1]) : ""
            }
        }
        if path.first == "control" { return try encoded(await store.info()) }
        if path == ["device", "v1", "launch"] {
            return try encoded(
                await store.launch(try decoded(request.body), port: .sandbox))
        }
        let device = DeviceID(path[2])
        let call = [request.method.rawValue] + path.dropFirst(3)
        return try await answer(to: call, device, query, request.body)
    }

    private func answer(
        to call: [String], _ device: DeviceID, _ query: [String: String], _ body: Data
    ) async throws -> Data {
        switch (call[0], call[1]) {
        case ("GET", "session"): try encoded(await store.session(device))
        case ("POST", "products"): try encoded(await store.products(device, try decoded(body)))
        case ("POST", "purchases"): try encoded(await store.purchase(device, try decoded(body)))
        case ("GET", "events"):
            try encoded(
                await store.events(
                    device, after: Int64(query["after"] ?? "") ?? 0,
                    wait: Double(query["wait"] ?? "") ?? 0))
        case ("GET", "queue"): try encoded(await store.queue(device))
        case ("GET", "unfinished"): try encoded(await store.unfinished(device))
        case ("POST", "finish"): try encoded(await store.finish(device, try decoded(body)))
        case ("POST", "restore"): try encoded(await store.restore(device, try decoded(body)))
        case ("POST", "receipt"):
            try encoded(await store.refreshReceipt(device, try decoded(body)))
        case ("GET", "receipt"): try encoded(await store.receipt(device))
        case ("GET", "transactions"):
            try encoded(
                await store.transactions(
                    device, product: query["productId"].map { ProductID($0) },
                    withFinishedConsumables: query["consumables"] == "true"))
        case ("GET", "entitlements"): try encoded(await store.entitlements(device))
        case ("GET", "subscriptions"):
            try encoded(
                await store.subscriptionStatuses(
                    device, group: query["groupId"].map { SubscriptionGroupID($0) },
                    transaction: query["transactionId"].map { TransactionID($0) }))
        case ("GET", "intro-eligibility"):
            try encoded(
                await store.introEligibility(
                    device, group: SubscriptionGroupID(query["groupId"] ?? "")))
        case ("GET", "app-transaction"): try encoded(await store.appTransaction(device))
        case ("GET", "purchase-intents"): try encoded(await store.intents(device))
        case ("GET", "messages"): try encoded(await store.messages(device))
        case ("DELETE", "purchase-intents"): try await dropped(device, intent: call[2])
        case ("DELETE", "messages"): try await dropped(device, message: call[2])
        default: throw StoreProblem(.routeNotFound, detail: call.joined(separator: "/"))
        }
    }

    private func dropped(_ device: DeviceID, intent: String) async throws -> Data {
        try await store.dropIntent(device, intent)
        return Data()
    }

    private func dropped(_ device: DeviceID, message: String) async throws -> Data {
        try await store.showMessage(device, message)
        return Data()
    }

    private func decoded<Value: Decodable>(_ body: Data) throws -> Value {
        do {
            return try JSONDecoder().decode(Value.self, from: body)
        } catch {
            throw StoreProblem(.invalidRequest, detail: "\(error)")
        }
    }

    private func encoded(_ value: some Encodable) throws -> Data { try JSONEncoder().encode(value) }
}
