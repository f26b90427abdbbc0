import AppStoreModel
import Foundation
import HTTPMessage
import Synchronization
import Testing
import TillAPI
import TillLedger

@testable import TillServer

/// An endpoint without a socket: it answers as it is told, and remembers what it was sent.
final class Receiver: HTTPFetching {
    /// What it was sent, checked as a receiver would.
    struct Received: Sendable {
        let url: String
        let id: String
        let timestamp: Int64
        let signatures: [String]
        let body: JSONValue
        let bytes: [UInt8]

        var type: String? { body["type"]?.string }
        var customer: String? { body["customerId"]?.string }
        var sequence: Int64? { body["sequence"]?.integer }
    }

    enum Answer: Sendable {
        case status(Int, fields: HTTPFields = HTTPFields())
        case failure(HTTPFetchError.Code)
        /// Answers when the asking task is cancelled, as one that is cut off.
        case silence
    }

    private struct State {
        var received: [Received] = []
        var answer: @Sendable (Received) -> Answer
        var waiting = 0
        var most = 0
    }

    private let state: Mutex<State>

    init(_ answer: @escaping @Sendable (Received) -> Answer = { _ in .status(204) }) {
        state = Mutex(State(answer: answer))
    }

    var received: [Received] { state.withLock { $0.received } }

    /// The most requests that were open at once.
    var most: Int { state.withLock { $0.most } }

    func answer(_ answer: @escaping @Sendable (Received) -> Answer) {
        state.withLock { $0.answer = answer }
    }

    func fetch(
        _ request: HTTPRequest, limits: HTTPFetchLimits
    ) async throws(HTTPFetchError) -> HTTPResponse {
        let received = Received(
            url: request.target, id: request.fields["webhook-id"] ?? "",
            timestamp: request.fields["webhook-timestamp"].flatMap { Int64($0) } ?? 0,
            signatures: (request.fields["webhook-signature"] ?? "").split(separator: " ")
                .map(String.init),
            body: (try? JSONDecoder().decode(JSONValue.self, from: request.body)) ?? .null,
            bytes: [UInt8](request.body))
        let answer = state.withLock { state in
            state.received.append(received)
            state.waiting += 1
            state.most = max(state.most, state.waiting)
            return state.answer(received)
        }
        defer { state.withLock { $0.waiting -= 1 } }
        await Task.yield()
        switch answer {
        case .status(let status, let fields):
            return HTTPResponse(status: HTTPStatus(rawValue: status), fields: fields)
        case .failure(let code): throw HTTPFetchError(code, detail: "as told")
        case .silence:
            let bell = Bell()
            await bell.wait()
            throw HTTPFetchError(.cancelled)
        }
    }
}

/// A shop whose app has endpoints, the one who listens there, and the worker between them.
struct WebhookShop {
    static let secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
    static let newSecret = "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="
    static let oneEndpoint =
        #"[{"name": "main", "url": "https://a.example/hook", "secrets": ["\#(secret)"]}]"#

    let shop: TestShop
    let receiver: Receiver

    init(
        webhooks: String = oneEndpoint, receiver: Receiver = Receiver(),
        store: (any LedgerStore)? = nil
    ) throws {
        self.receiver = receiver
        shop = try TestShop(
            store: store, app: #", "webhooks": \#(webhooks)"#,
            sender: WebhookSender(publicFetcher: receiver, privateFetcher: receiver))
    }

    /// A worker as another process would have one.
    func worker(
        _ owner: String = "worker", handlers: [TaskHandler] = [],
        options: Worker.Options = Worker.Options()
    ) -> Worker {
        let clock = shop.clock
        return Worker(
            shop.configuration, ledger: shop.ledger,
            sender: WebhookSender(publicFetcher: receiver, privateFetcher: receiver),
            handlers: handlers, owner: owner, options: options, clock: { clock.now },
            sleep: { try? await Task.sleep(for: .milliseconds($0)) }, log: shop.log,
            metrics: shop.metrics)
    }

    /// Buys coins.
    func buy(_ id: TransactionID, by customer: String) async throws {
        try await shop.purchase(
            .init(signedTransactions: [try shop.signed(id)]), by: customer)
    }

    /// Works until nothing is due.
    func drain(_ worker: Worker) async {
        while await worker.runOnce() > 0 {}
    }
}
