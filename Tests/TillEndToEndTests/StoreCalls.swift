import AppStoreModel
import Foundation
import HTTPMessage
import StoreWire

@testable import LocalAppStore

/// Carries the device API to a store in this process: one line for each call that StoreKit makes.
struct StoreCalls: HTTPFetching {
    let store: LocalStore
    /// Answers must be read whole, whatever the limits.
    private let encoder = JSONEncoder()

    init(_ store: LocalStore) { self.store = store }

    /// One call: where it goes, what it brings, and what is left of its path.
    private struct Call {
        var device: DeviceID
        var query: [String: String]
        var body: Data
        var rest: String?

        func read<Value: Decodable>() throws -> Value {
            try JSONDecoder().decode(Value.self, from: body)
        }
    }

    func fetch(
        _ request: HTTPRequest, limits: HTTPFetchLimits
    ) async throws(HTTPFetchError) -> HTTPResponse {
        guard let parts = URLComponents(string: request.target) else {
            throw HTTPFetchError(.invalidURL)
        }
        let path = parts.path.split(separator: "/").map(String.init)
        var query: [String: String] = [:]
        for item in parts.queryItems ?? [] { query[item.name] = item.value ?? "" }
        do {
            let answer = try await answer(request.method.rawValue, path, query, request.body)
            return HTTPResponse(status: answer.isEmpty ? .noContent : .ok, body: answer)
        } catch let problem as StoreProblem {
            return HTTPResponse(
                status: HTTPStatus(rawValue: problem.status),
                body: (try? encoder.encode(problem)) ?? Data())
        } catch {
            throw HTTPFetchError(.invalidResponse, detail: "\(error)")
        }
    }

    private func answer(
        _ method: String, _ path: [String], _ query: [String: String], _ body: Data
    ) async throws -> Data {
        if path.first == "control" { return try encoder.encode(await store.info()) }
        if path.last == "launch" {
            let request = try JSONDecoder().decode(LaunchRequest.self, from: body)
            return try encoder.encode(await store.launch(request, port: .sandbox))
        }
        let call = Call(
            device: DeviceID(path[2]), query: query, body: body,
            rest: path.count > 4 ? path[4] : nil)
        let value: any Encodable =
            method == "GET" ? try await look(path[3], call) : try await act(path[3], call)
        if value is Nothing { return Data() }
        return try encoder.encode(value)
    }

    private struct Nothing: Encodable {}

    private func look(_ name: String, _ call: Call) async throws -> any Encodable {
        let device = call.device
        switch name {
        case "session": return try await store.session(device)
        case "queue": return try await store.queue(device)
        case "unfinished": return try await store.unfinished(device)
        case "receipt": return try await store.receipt(device)
        case "entitlements": return try await store.entitlements(device)
        case "app-transaction": return try await store.appTransaction(device)
        case "purchase-intents": return try await store.intents(device)
        case "messages": return try await store.messages(device)
        case "events":
            return try await store.events(
                device, after: call.query["after"].flatMap { Int64($0) } ?? 0,
                wait: call.query["wait"].flatMap { Double($0) } ?? 0)
        case "transactions":
            return try await store.transactions(
                device, product: call.query["productId"].map { ProductID($0) },
                withFinishedConsumables: call.query["consumables"] == "true")
        case "subscriptions":
            return try await store.subscriptionStatuses(
                device, group: call.query["groupId"].map { SubscriptionGroupID($0) },
                transaction: call.query["transactionId"].map { TransactionID($0) })
        case "intro-eligibility":
            return try await store.introEligibility(
                device, group: SubscriptionGroupID(call.query["groupId"] ?? ""))
        default: throw StoreProblem(.routeNotFound, detail: name)
        }
    }

    private func act(_ name: String, _ call: Call) async throws -> any Encodable {
        let device = call.device
        switch name {
        case "products": return try await store.products(device, try call.read())
        case "purchases": return try await store.purchase(device, try call.read())
        case "finish": return try await store.finish(device, try call.read())
        case "restore": return try await store.restore(device, try call.read())
        case "receipt": return try await store.refreshReceipt(device, try call.read())
        case "purchase-intents":
            try await store.dropIntent(device, call.rest ?? "")
            return Nothing()
        case "messages":
            try await store.showMessage(device, call.rest ?? "")
            return Nothing()
        default: throw StoreProblem(.routeNotFound, detail: name)
        }
    }
}
