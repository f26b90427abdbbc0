import Foundation
import HTTPFetch
import HTTPMessage
import StoreWire

/// Says the control API's calls to a store.
struct ControlClient: Sendable {
    private let url: String
    private let fetcher = CurlFetcher()

    /// Takes the store's address, with or without a slash at its end.
    init(url: String) {
        self.url = url.hasSuffix("/") ? String(url.dropLast()) : url
    }

    /// One call; `parameters` fill the path, pairs without a value are left out of the query.
    func call<Answer: Decodable>(
        _ route: ControlRoute, _ parameters: [String: String] = [:],
        query: [(String, String?)] = [], as type: Answer.Type = Answer.self
    ) async throws(ControlFailure) -> Answered<Answer> {
        try await send(route, parameters, query, Data())
    }

    /// One call with a body.
    func call<Answer: Decodable>(
        _ route: ControlRoute, _ parameters: [String: String] = [:],
        query: [(String, String?)] = [], body: some Encodable, as type: Answer.Type = Answer.self
    ) async throws(ControlFailure) -> Answered<Answer> {
        guard let data = try? JSONEncoder().encode(body) else {
            throw ControlFailure(text: "the request cannot be written")
        }
        return try await send(route, parameters, query, data)
    }

    /// One call with a body that is a file's.
    func upload<Answer: Decodable>(
        _ route: ControlRoute, query: [(String, String?)] = [], file: Data,
        as type: Answer.Type = Answer.self
    ) async throws(ControlFailure) -> Answered<Answer> {
        try await send(route, [:], query, file)
    }

    private func send<Answer: Decodable>(
        _ route: ControlRoute, _ parameters: [String: String], _ query: [(String, String?)],
        _ body: Data
    ) async throws(ControlFailure) -> Answered<Answer> {
        var pairs = HTTPQuery()
        for case (let name, let value?) in query { pairs.append(name, value) }
        let tail = pairs.all.isEmpty ? "" : "?" + pairs.encoded
        let request = HTTPRequest(
            method: HTTPMethod(rawValue: route.method), target: url + route.path(parameters) + tail,
            fields: ["Content-Type": "application/json"], body: body)
        let response: HTTPResponse
        do {
            // Moving the clock by years sends a notification for each thing that happens on the way.
            response = try await fetcher.fetch(
                request,
                limits: HTTPFetchLimits(
                    totalMilliseconds: 600_000, connectMilliseconds: 5_000,
                    responseBytes: 256 << 20))
        } catch {
            throw ControlFailure(
                text: "no store answers at \(url): \(error.detail); is till store running?",
                isUnreachable: true)
        }
        guard (200...299).contains(response.status.rawValue) else {
            throw ControlFailure(response)
        }
        do {
            return Answered(
                value: try JSONDecoder().decode(Answer.self, from: response.body),
                json: String(decoding: response.body, as: UTF8.self))
        } catch {
            throw ControlFailure(text: "what answers at \(url) is no store of this Till")
        }
    }
}

/// An answer as a value and as it came.
struct Answered<Answer> {
    let value: Answer
    let json: String
}

/// Why a call did not do what it should.
struct ControlFailure: Error {
    /// For people.
    let text: String
    /// The store's problem document, if it was one.
    var json: String?
    var isUnreachable = false

    init(text: String, isUnreachable: Bool = false) {
        self.text = text
        self.isUnreachable = isUnreachable
    }

    init(_ response: HTTPResponse) {
        guard let problem = try? JSONDecoder().decode(StoreProblem.self, from: response.body) else {
            text = "the store answered with status \(response.status.rawValue)"
            return
        }
        text =
            problem.title + (problem.detail.map { ": \($0)" } ?? "") + " (\(problem.code.rawValue))"
        json = String(decoding: response.body, as: UTF8.self)
    }
}
