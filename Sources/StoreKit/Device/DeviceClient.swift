import Foundation
import HTTPMessage
import StoreWire

/// The calls of one device to its store.
struct DeviceClient: Sendable {
    let connection: LocalStoreConnection
    let deviceID: String

    /// Calls a route of the device API.
    func call<Answer: Decodable>(
        _ route: DeviceRoute, _ answer: Answer.Type, query: [(String, String)] = [],
        milliseconds: Int? = nil
    ) async throws(StoreFault) -> Answer {
        try await send(route, query: query, body: Data(), milliseconds: milliseconds)
    }

    /// Calls a route of the device API with a body.
    func call<Question: Encodable, Answer: Decodable>(
        _ route: DeviceRoute, _ question: Question, _ answer: Answer.Type
    ) async throws(StoreFault) -> Answer {
        try await send(route, query: [], body: try Self.encoded(question), milliseconds: nil)
    }

    /// Calls a route that answers with nothing.
    func call(_ route: DeviceRoute, parameters: [String: String]) async throws(StoreFault) {
        _ = try await Self.fetch(
            connection, method: route.method,
            path: route.path(parameters.merging(["device": deviceID]) { own, _ in own }))
    }

    /// Calls a route of the control API, as a person in front of the device may.
    func call<Question: Encodable, Answer: Decodable>(
        _ route: ControlRoute, parameters: [String: String], _ question: Question,
        _ answer: Answer.Type
    ) async throws(StoreFault) -> Answer {
        try Self.decoded(
            try await Self.fetch(
                connection, method: route.method, path: route.path(parameters),
                body: try Self.encoded(question)))
    }

    private func send<Answer: Decodable>(
        _ route: DeviceRoute, query: [(String, String)], body: Data, milliseconds: Int?
    ) async throws(StoreFault) -> Answer {
        var path = route.path(["device": deviceID])
        if !query.isEmpty {
            path += "?" + query.map { "\($0)=\(Self.escaped($1))" }.joined(separator: "&")
        }
        return try Self.decoded(
            try await Self.fetch(
                connection, method: route.method, path: path, body: body,
                milliseconds: milliseconds))
    }

    /// Registers the device or begins its next launch.
    static func launch(
        _ request: LaunchRequest, over connection: LocalStoreConnection
    ) async throws(StoreFault) -> DeviceSession {
        try decoded(
            try await fetch(
                connection, method: DeviceRoute.launch.method, path: DeviceRoute.launch.path([:]),
                body: try encoded(request)))
    }

    /// Asks the store for its root.
    static func storeInfo(
        over connection: LocalStoreConnection
    ) async throws(StoreFault) -> StoreInfo {
        try decoded(
            try await fetch(
                connection, method: ControlRoute.info.method, path: ControlRoute.info.path([:])))
    }

    private static func fetch(
        _ connection: LocalStoreConnection, method: String, path: String, body: Data = Data(),
        milliseconds: Int? = nil
    ) async throws(StoreFault) -> Data {
        guard !connection.url.isEmpty else { throw .noAddress }
        let request = HTTPRequest(
            method: HTTPMethod(rawValue: method), target: connection.url + path,
            fields: body.isEmpty
                ? ["Accept": "application/json"]
                : ["Accept": "application/json", "Content-Type": "application/json"],
            body: body)
        let limits = HTTPFetchLimits(
            totalMilliseconds: milliseconds ?? connection.callMilliseconds,
            responseBytes: responseBytes)
        let response: HTTPResponse
        do {
            response = try await connection.fetcher.fetch(request, limits: limits)
        } catch {
            throw .unreachable(error)
        }
        guard response.status.isSuccess else {
            if let problem = try? JSONDecoder().decode(StoreProblem.self, from: response.body) {
                throw .refused(problem)
            }
            throw .unreadable("status \(response.status.rawValue) without a problem document")
        }
        return response.body
    }

    private static func encoded(_ value: some Encodable) throws(StoreFault) -> Data {
        do {
            return try JSONEncoder().encode(value)
        } catch {
            throw .unreadable("\(error)")
        }
    }

    private static func decoded<Answer: Decodable>(_ data: Data) throws(StoreFault) -> Answer {
        do {
            return try JSONDecoder().decode(Answer.self, from: data)
        } catch {
            throw .unreadable("\(error)")
        }
    }

    private static func escaped(_ text: String) -> String {
        text.addingPercentEncoding(withAllowedCharacters: unreserved) ?? ""
    }

    private static let unreserved = CharacterSet(
        charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")

    /// An account with years of weekly renewals has some thousand signed transactions of 5 KB.
    private static let responseBytes = 64 << 20
}
