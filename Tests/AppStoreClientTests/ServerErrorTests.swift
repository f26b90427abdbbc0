import AppStoreModel
import Foundation
import HTTPMessage
import Testing

@testable import AppStoreClient

/// Errors of the App Store Server API: what each means, and whether the call is made again.
@Suite struct ServerErrorTests {
    private func failed(
        _ world: ScriptedWorld, in environment: AppStoreEnvironment? = .production
    ) async -> AppStoreClientError? {
        await failure {
            try await world.client.transaction("7", in: environment)
        }
    }

    private static let retried: Set<Int64> = [
        4_040_002, 4_040_004, 4_040_006, 4_290_000, 5_000_000, 5_000_001,
    ]

    private static func expected(_ code: Int64) -> (AppStoreClientError.Code, String) {
        switch code {
        case 4_290_000: (.rateLimited, "retry")
        case 5_000_000, 5_000_001: (.appleTrouble, "retry")
        case 4_040_002, 4_040_004, 4_040_006: (.notFound, "retry")
        case 4_040_008: (.notFound, "retry")
        case 4_040_007: (.notFound, "notificationURL")
        case 4_000_002: (.refused, "bundleID serverKey")
        case 4_040_003: (.notFound, "bundleID serverKey")
        case 4_040_000..<4_050_000: (.notFound, "final")
        default: (.refused, "final")
        }
    }

    private func words(_ remedy: AppStoreClientError.Remedy?) -> String {
        switch remedy {
        case .retry?: "retry"
        case .configuration(let settings)?: settings.map(\.rawValue).joined(separator: " ")
        case .final?: "final"
        case nil: "none"
        }
    }

    @Test(arguments: ServerErrorCode.known.map(\.rawValue) + [4_009_999, 4_049_999, 4_100_000])
    func `Every code of Apple's has its end`(_ code: Int64) async throws {
        let world = try ScriptedWorld([.error(code)], repeatsLast: true)
        let error = try #require(await failed(world))
        let expected = Self.expected(code)
        #expect(error.code == expected.0)
        #expect(words(error.remedy) == expected.1)
        #expect(error.serverCode?.rawValue == code)
        #expect(error.httpStatus == Int(code / 10_000))
        #expect(error.environment == .production)
        let attempts = Self.retried.contains(code) ? 4 : 1
        #expect(world.script.requests.count == attempts)
        #expect(error.attempts == attempts)
        #expect(error.description.contains("\(code)"))
    }

    @Test(arguments: [
        (400, AppStoreClientError.Code.refused, "final", 1),
        (403, .unreadableAnswer, "addresses", 1), (404, .unreadableAnswer, "addresses", 1),
        (405, .unreadableAnswer, "addresses", 1), (301, .unreadableAnswer, "addresses", 1),
        (408, .noAnswer, "retry", 4), (413, .refused, "final", 1),
        (429, .rateLimited, "retry", 4), (500, .appleTrouble, "retry", 4),
        (502, .appleTrouble, "retry", 4), (503, .appleTrouble, "retry", 4),
        (504, .appleTrouble, "retry", 4),
    ]) func `An answer without Apple's document is judged by its status`(
        _ status: Int, _ code: AppStoreClientError.Code, _ remedy: String, _ attempts: Int
    ) async throws {
        let world = try ScriptedWorld([.bare(status)], repeatsLast: true)
        let error = try #require(await failed(world))
        #expect(error.code == code)
        #expect(words(error.remedy) == remedy)
        #expect(error.attempts == attempts)
        #expect(error.serverCode == nil)
    }

    @Test(arguments: [
        (HTTPFetchError.Code.cannotConnect, AppStoreClientError.Code.unreachable, "retry", 4),
        (.tls, .tlsFailed, "retry", 4), (.timedOut, .noAnswer, "retry", 4),
        (.connectionLost, .noAnswer, "retry", 4), (.invalidResponse, .unreadableAnswer, "retry", 4),
        (.responseTooLarge, .answerTooLarge, "limits", 1),
        (.invalidURL, .invalidConfiguration, "addresses", 1), (.cancelled, .cancelled, "retry", 1),
    ]) func `A failed exchange is told by its kind`(
        _ kind: HTTPFetchError.Code, _ code: AppStoreClientError.Code, _ remedy: String,
        _ attempts: Int
    ) async throws {
        let world = try ScriptedWorld([.failed(kind)], repeatsLast: true)
        let error = try #require(await failed(world))
        #expect(error.code == code)
        #expect(words(error.remedy) == remedy)
        #expect(error.attempts == attempts)
    }

    @Test func `What may have been done already is not done twice, what was not done is`()
        async throws
    {
        func ask(_ answers: [Script.Answer]) async throws -> (Int, AppStoreClientError?) {
            let world = try ScriptedWorld(answers, repeatsLast: true)
            let error = await failure {
                try await world.client.requestTestNotification(in: .production)
            }
            return (world.script.requests.count, error)
        }
        for answer in [
            Script.Answer.failed(.timedOut), .failed(.connectionLost), .bare(500), .bare(504),
            .error(5_000_000), .json("{"),
        ] {
            let (count, error) = try await ask([answer])
            #expect(count == 1)
            #expect(error?.isRetryable == true)
        }
        for answer in [
            Script.Answer.failed(.cannotConnect), .bare(503), .error(5_000_001), .error(4_290_000),
        ] {
            let (count, error) = try await ask([
                answer, .json("{\"testNotificationToken\":\"t\"}"),
            ])
            #expect(count == 2)
            #expect(error == nil)
        }
    }

    @Test func `Only an unknown name leads to the sandbox, and only once`() async throws {
        let found = try ScriptedWorld([.error(4_040_010), .transaction])
        let answer = try await found.client.transaction("7")
        #expect(answer.environment == .sandbox)
        #expect(answer.content.text == "a.b.c")
        #expect(found.asked == [.production, .sandbox])

        let nowhere = try ScriptedWorld([.error(4_040_010)], repeatsLast: true)
        let error = await failed(nowhere, in: nil)
        #expect(error?.code == .notFound)
        #expect(error?.environment == .sandbox)
        #expect(nowhere.asked == [.production, .sandbox])

        for code: Int64 in [4_040_001, 4_040_019, 4_000_006, 4_040_003] {
            let world = try ScriptedWorld([.error(code)], repeatsLast: true)
            #expect(await failed(world, in: nil)?.serverCode?.rawValue == code)
            #expect(world.asked == [.production])
        }
        for answer in [Script.Answer.bare(404), .error(5_000_000), .failed(.cannotConnect)] {
            let world = try ScriptedWorld([answer], repeatsLast: true)
            #expect(await failed(world, in: nil) != nil)
            #expect(!world.asked.contains(.sandbox))
        }
        let known = try ScriptedWorld([.error(4_040_010)], repeatsLast: true)
        #expect(await failed(known, in: .production)?.code == .notFound)
        #expect(known.asked == [.production])
    }

    @Test func `An environment that is not configured is never asked`() async throws {
        for (environment, remedy) in [
            (
                AppStoreEnvironment.sandbox,
                AppStoreClientError.Remedy.configuration([.environments])
            ),
            (.xcode, .final), (.localTesting, .final), ("Moon", .final),
        ] {
            let world = try ScriptedWorld([.transaction]) { $0.environments = [.production] }
            #expect(await failed(world, in: environment)?.remedy == remedy)
            #expect(world.script.requests.isEmpty)
        }
        let world = try ScriptedWorld([.error(4_040_010)]) { $0.environments = [.production] }
        #expect(await failed(world, in: nil)?.code == .notFound)
        #expect(world.asked == [.production])
    }

    @Test func `An answer of another app or environment is none`() async throws {
        for (body, code) in [
            ("{\"bundleId\":\"com.example.App\"}", AppStoreClientError.Code.otherApp),
            (
                "{\"bundleId\":\"com.example.app\",\"environment\":\"Sandbox\"}",
                .environmentsDisagree
            ),
        ] {
            let history = try ScriptedWorld([.json(body)])
            let error = await failure {
                try await history.client.transactionHistory(of: "7", in: .production)
            }
            #expect(error?.code == code)
            let statuses = try ScriptedWorld([.json(body)])
            let second = await failure {
                try await statuses.client.subscriptions(of: "7", in: .production)
            }
            #expect(second?.code == code)
        }
    }

    @Test func `Without a key nothing of the Server API is asked, receipts still are`() async throws
    {
        let world = try ScriptedWorld([.validReceipt]) { $0.serverKey = nil }
        #expect(await failed(world)?.code == .noServerKey)
        #expect(world.script.requests.isEmpty)
        _ = try await world.client.verifyReceipt([1], judgement: .notMade)
    }
}
