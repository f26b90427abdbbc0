import AppStoreModel
import CryptoPrimitives
import Foundation
import HTTPMessage
import SignedDataCoding
import Synchronization
import Testing

@testable import AppStoreClient

/// Clocks that stand until somebody sleeps, who then has slept at once.
final class HeldTime: Sendable {
    private struct State {
        var steady: Int64 = 0
        var pauses: [Int64] = []
    }

    private let state = Mutex(State())
    static let start = Timestamp(milliseconds: 1_800_000_000_000)

    var steady: Int64 { state.withLock { $0.steady } }
    var now: Timestamp { Self.start.advanced(byMilliseconds: steady) }
    /// Every pause that somebody slept through.
    var pauses: [Int64] { state.withLock { $0.pauses } }

    func pass(_ milliseconds: Int64) { state.withLock { $0.steady += milliseconds } }

    /// A world on these clocks, whose chance is always the same number.
    func surroundings(random: Double = 0.5) -> AppStoreClient.Surroundings {
        AppStoreClient.Surroundings(
            time: { self.now }, steadyMilliseconds: { self.steady },
            sleep: { milliseconds in
                let end = self.steady + milliseconds
                try Task.checkCancellation()
                self.state.withLock {
                    $0.pauses.append(milliseconds)
                    $0.steady = max($0.steady, end)
                }
            }, random: { random })
    }
}

/// Answers requests out of a list and remembers them; an empty list is a mistake of the test.
final class Script: HTTPFetching {
    typealias Answer = Result<HTTPResponse, HTTPFetchError>

    private struct State {
        var answers: [Answer]
        var requests: [HTTPRequest] = []
        var limits: [HTTPFetchLimits] = []
        var moments: [Int64] = []
    }

    private let state: Mutex<State>
    private let time: HeldTime?
    private let repeatsLast: Bool
    private let duration: Int64

    /// - Parameters:
    ///   - answers: One for each request.
    ///   - repeatsLast: Whether the last answer is given for ever.
    ///   - time: The clock by which the requests are noted.
    ///   - duration: How long each answer takes on that clock.
    init(
        _ answers: [Answer], repeatsLast: Bool = false, time: HeldTime? = nil, duration: Int64 = 0
    ) {
        state = Mutex(State(answers: answers))
        self.time = time
        self.repeatsLast = repeatsLast
        self.duration = duration
    }

    var requests: [HTTPRequest] { state.withLock { $0.requests } }
    var limits: [HTTPFetchLimits] { state.withLock { $0.limits } }
    /// When each request came, on the steady clock.
    var moments: [Int64] { state.withLock { $0.moments } }
    /// What of the script is left.
    var left: Int { state.withLock { $0.answers.count } }

    func fetch(
        _ request: HTTPRequest, limits: HTTPFetchLimits
    ) async throws(HTTPFetchError) -> HTTPResponse {
        let moment = time?.steady ?? 0
        let answer = state.withLock { state -> Answer? in
            state.requests.append(request)
            state.limits.append(limits)
            state.moments.append(moment)
            if repeatsLast, state.answers.count == 1 { return state.answers[0] }
            return state.answers.isEmpty ? nil : state.answers.removeFirst()
        }
        time?.pass(duration)
        guard let answer else { throw HTTPFetchError(.invalidURL, detail: "the script is over") }
        return try answer.get()
    }
}

extension Script.Answer {
    /// An answer with JSON in it.
    static func json(
        _ text: String, _ status: Int = 200, fields: HTTPFields = HTTPFields()
    ) -> Self {
        var fields = fields
        fields["Content-Type"] = "application/json"
        return .success(
            HTTPResponse(
                status: HTTPStatus(rawValue: status), fields: fields, body: Data(text.utf8)))
    }

    /// Apple's error document.
    static func error(_ code: Int64, fields: HTTPFields = HTTPFields()) -> Self {
        json(
            "{\"errorCode\":\(code),\"errorMessage\":\"words\"}", Int(code / 10_000), fields: fields
        )
    }

    /// An answer of no document.
    static func bare(_ status: Int, fields: HTTPFields = HTTPFields()) -> Self {
        .success(
            HTTPResponse(
                status: HTTPStatus(rawValue: status), fields: fields,
                body: Data("<html></html>".utf8)))
    }

    /// A status of `verifyReceipt` alone, or with more.
    static func status(_ status: Int64, _ more: String = "") -> Self {
        json("{\"status\":\(status)\(more)}")
    }

    /// A failed exchange.
    static func failed(_ code: HTTPFetchError.Code) -> Self { .failure(HTTPFetchError(code)) }

    static var unauthenticated: Self {
        .success(
            HTTPResponse(
                status: .unauthorized, fields: ["Content-Type": "text/plain"],
                body: Data("Unauthenticated\n".utf8)))
    }

    static var transaction: Self { json("{\"signedTransactionInfo\":\"a.b.c\"}") }
    static var validReceipt: Self { receipt(of: "Production") }
    static var validSandboxReceipt: Self { receipt(of: "Sandbox") }

    private static func receipt(of environment: String) -> Self {
        status(
            0,
            ",\"environment\":\"\(environment)\","
                + "\"receipt\":{\"bundle_id\":\"com.example.app\",\"in_app\":[]}")
    }
}

/// A client over a script, on clocks that stand.
struct ScriptedWorld: Sendable {
    let time = HeldTime()
    let script: Script
    let client: AppStoreClient

    static let secret = "0123456789abcdef0123456789abcdef"
    static let keyID = "ABCDEFGHIJ"
    static let issuerID = "57246542-96fe-1a63-e053-0824d011072a"
    static let key = Result { try PrivateKey.generate(.p256) }

    init(
        _ answers: [Script.Answer], repeatsLast: Bool = false, duration: Int64 = 0,
        budget: RateBudget = RateBudget(), random: Double = 0.5,
        _ change: (inout AppStoreClient.Configuration) -> Void = { _ in }
    ) throws {
        var configuration = try Self.configuration()
        change(&configuration)
        script = Script(answers, repeatsLast: repeatsLast, time: time, duration: duration)
        client = try AppStoreClient(
            configuration, fetcher: script, budget: budget,
            surroundings: time.surroundings(random: random))
    }

    static func configuration() throws -> AppStoreClient.Configuration {
        AppStoreClient.Configuration(
            bundleID: "com.example.app",
            serverKey: AppStoreClient.ServerKey(
                issuerID: issuerID, keyID: keyID, privateKey: SecretText(try key.get().pem)),
            sharedSecret: SecretText(secret))
    }

    /// Who was asked, by the request's host.
    var asked: [AppStoreEnvironment] {
        script.requests.map { $0.target.contains("sandbox") ? .sandbox : .production }
    }

    /// The tokens that were sent.
    var tokens: [String] {
        script.requests.compactMap { $0.fields["Authorization"].map { String($0.dropFirst(7)) } }
    }
}

/// The error that a call ends in; nothing where it succeeds.
func failure<Value>(
    _ body: () async throws -> Value
) async -> AppStoreClientError? {
    do {
        _ = try await body()
        return nil
    } catch let error as AppStoreClientError {
        return error
    } catch {
        Issue.record(error)
        return nil
    }
}
