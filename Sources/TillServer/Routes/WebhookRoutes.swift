import AppStoreModel
import CryptoPrimitives
import HTTPMessage
import HTTPServer
import TillAPI
import TillLedger

/// What a backend sees of its endpoints, and what it can do about them; no customer sees any of it.
extension TillService {
    /// Events that are named in one request at the most.
    private static let mostReplayed = 1_000
    /// Dead letters in one answer: at the most, and when nothing else is asked for.
    private static let deadLetterLimits = (most: 1_000, usual: 100)

    /// `GET /v1/apps/{app}/webhooks`: every endpoint, with what waits for it.
    func listWebhooks(_ app: String, _ request: HTTPRequest) async throws -> HTTPResponse {
        let app = try backendsApp(app, request)
        var states: [WebhookName: EndpointState] = [:]
        for state in try await ledger.work.endpoints(of: app.bundleID) {
            states[state.place.name] = state
        }
        var documents = app.webhooks.map { webhook in
            let place = WebhookPlace(bundleID: app.bundleID, name: webhook.name)
            let state = states.removeValue(forKey: webhook.name)
            return WebhookDocument(state ?? EndpointState(place: place), webhook)
        }
        // What waits for an endpoint that the configuration no longer names is not forgotten.
        documents += states.values.sorted { $0.place < $1.place }.map { WebhookDocument($0, nil) }
        return try Answers.json(WebhookList(endpoints: documents))
    }

    /// `GET …/webhooks/deadLetters`: what was put aside, the longest first.
    func listDeadLetters(_ app: String, _ request: HTTPRequest) async throws -> HTTPResponse {
        let app = try backendsApp(app, request)
        let limit = try Self.limit(
            of: try Self.query(of: request), usual: Self.deadLetterLimits.usual,
            most: Self.deadLetterLimits.most)
        let letters = try await ledger.work.deadLetters(of: app.bundleID, limit: limit)
        return try Answers.json(DeadLetterList(deadLetters: letters.map { DeadLetterDocument($0) }))
    }

    /// `POST …/webhooks/replay`: puts events in line again.
    func replayWebhooks(_ app: String, _ request: HTTPRequest) async throws -> HTTPResponse {
        let app = try backendsApp(app, request)
        let body = try RequestBody.decode(ReplayRequest.self, from: request)
        let replay: DeliveryReplay
        switch (body.eventIDs, body.since) {
        case (let ids?, nil) where !ids.isEmpty && ids.count <= Self.mostReplayed:
            replay = .events(ids)
        case (nil, let time?): replay = .deadSince(time)
        default:
            throw ProblemDocument(
                .invalidRequest,
                detail: "either eventIds, 1 to \(Self.mostReplayed) of them, or since")
        }
        let count = try await ledger.work.replay(replay, of: app.bundleID, now: clock())
        nudge()
        return try Answers.json(ReplayAnswer(replayed: count))
    }

    /// `POST …/webhooks/test`: sends `webhook.test` to one endpoint or to all, and says how each answered.
    func testWebhooks(
        _ app: String, _ request: HTTPRequest, _ context: RequestContext
    ) async throws -> HTTPResponse {
        let app = try backendsApp(app, request)
        let body =
            request.body.isEmpty
            ? EndpointRequest(endpoint: nil)
            : try RequestBody.decode(EndpointRequest.self, from: request)
        var webhooks = app.webhooks
        if let name = body.endpoint { webhooks = [try app.webhook(name)] }
        let now = clock()
        let id = EventID(ofKey: ["webhook.test", context.requestID, String(now.milliseconds)])
        let message = WebhookMessage(testing: app.bundleID, id: id.rawValue, at: now)
        let results = await withTaskGroup(of: (Int, TestResult).self) { group in
            for (place, webhook) in webhooks.enumerated() {
                group.addTask {
                    let answer = await sender.send(message, to: webhook, at: now)
                    return (place, TestResult(webhook.name, answer))
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        let sorted = results.sorted { $0.0 < $1.0 }.map(\.1)
        return try Answers.json(TestAnswer(eventID: id, results: sorted))
    }

    /// `POST …/webhooks/enable`: lets an endpoint be sent to again.
    func enableWebhook(_ app: String, _ request: HTTPRequest) async throws -> HTTPResponse {
        let app = try backendsApp(app, request)
        let body = try RequestBody.decode(EndpointRequest.self, from: request)
        guard let name = body.endpoint else {
            throw ProblemDocument(.invalidRequest, detail: "endpoint: required")
        }
        let webhook = try app.webhook(name)
        let place = WebhookPlace(bundleID: app.bundleID, name: webhook.name)
        try await ledger.work.enable(place)
        nudge()
        let state = try await ledger.work.endpoints(of: app.bundleID).first { $0.place == place }
        return try Answers.json(
            WebhookDocument(state ?? EndpointState(place: place), webhook))
    }

    /// The app that a backend, and nobody else, asks about.
    private func backendsApp(
        _ name: String, _ request: HTTPRequest
    ) throws(ProblemDocument) -> AppConfiguration {
        guard case .backend = try callers.caller(of: request, now: clock()) else {
            throw ProblemDocument(.forbidden)
        }
        guard let app = configuration.app(BundleID(name)) else {
            throw ProblemDocument(.unknownApp)
        }
        return app
    }
}

extension AppConfiguration {
    fileprivate func webhook(_ name: WebhookName) throws(ProblemDocument) -> WebhookConfiguration {
        guard let webhook = webhooks.first(where: { $0.name == name }) else {
            throw ProblemDocument(
                .invalidRequest, detail: "endpoint: the configuration names no such one")
        }
        return webhook
    }
}
