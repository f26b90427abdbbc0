import AppStoreModel
import CryptoPrimitives
import Foundation
import HTTPMessage
import SignedDataCoding
import Testing

@testable import AppStoreClient

/// Pauses, limits, tokens and cancellation of a call.
@Suite struct CallTests {
    private func ask(_ world: ScriptedWorld) async -> AppStoreClientError? {
        await failure {
            try await world.client.transaction("7", in: .production)
        }
    }

    @Test(
        arguments: [
            (0.0, [250, 500, 1_000, 1_500, 1_500]), (0.5, [375, 750, 1_500, 2_250, 2_250]),
            (0.999, [499, 999, 1_999, 2_998, 2_998]),
        ] as [(Double, [Int64])])
    func `Pauses double up to the longest, and chance moves them within their half`(
        _ random: Double, _ pauses: [Int64]
    ) async throws {
        let world = try ScriptedWorld([.bare(503)], repeatsLast: true, random: random) {
            $0.limits.repeats = 5
            $0.limits.longestPauseMilliseconds = 3_000
        }
        #expect(await ask(world)?.attempts == 6)
        #expect(world.time.pauses == pauses)
    }

    @Test func `The whole call has a limit, and no attempt gets more than is left`() async throws {
        let world = try ScriptedWorld([.failed(.timedOut)], repeatsLast: true, duration: 400) {
            $0.limits.totalMilliseconds = 1_500
            $0.limits.attemptMilliseconds = 400
            $0.limits.connectMilliseconds = 300
            $0.limits.repeats = 100
            $0.limits.firstPauseMilliseconds = 100
            $0.limits.responseBytes = 77
        }
        let error = try #require(await ask(world))
        #expect(error.code == .noAnswer)
        #expect(world.time.steady <= 1_500)
        let limits = world.script.limits
        #expect(limits.count == 3)
        #expect(limits.map(\.totalMilliseconds) == [400, 400, 400])
        #expect(limits.allSatisfy { $0.connectMilliseconds == 300 && $0.responseBytes == 77 })
        let short = try ScriptedWorld([.failed(.timedOut)], repeatsLast: true, duration: 400) {
            $0.limits.totalMilliseconds = 900
            $0.limits.attemptMilliseconds = 800
            $0.limits.firstPauseMilliseconds = 100
        }
        #expect(await ask(short)?.isRetryable == true)
        #expect(short.script.limits.map(\.totalMilliseconds) == [800, 425])
    }

    @Test func `One limit holds for both environments together`() async throws {
        let world = try ScriptedWorld(
            [.error(4_040_010), .transaction], duration: 700
        ) { $0.limits.totalMilliseconds = 1_000 }
        _ = try await world.client.transaction("7")
        #expect(world.script.limits.map(\.totalMilliseconds) == [1_000, 300])
    }

    @Test func `A cancelled task asks no more`() async throws {
        let world = try ScriptedWorld([.bare(503)], repeatsLast: true)
        let task = Task { () -> AppStoreClientError? in
            withUnsafeCurrentTask { $0?.cancel() }
            return await ask(world)
        }
        #expect(await task.value?.code == .cancelled)
        #expect(world.script.requests.isEmpty)
    }

    @Test func `A task that is cancelled in its pause asks no more`() async throws {
        let time = HeldTime()
        let script = Script([.bare(503)], repeatsLast: true)
        var surroundings = time.surroundings()
        let (slept, sleeping) = AsyncStream.makeStream(of: Void.self)
        surroundings.sleep = { _ in
            sleeping.yield()
            try await Task.sleep(for: .seconds(3_600))
        }
        let client = try AppStoreClient(
            try ScriptedWorld.configuration(), fetcher: script, surroundings: surroundings)
        let task = Task {
            await failure {
                try await client.transaction("7", in: .production)
            }
        }
        for await _ in slept { break }
        task.cancel()
        let error = await task.value
        #expect(error?.code == .cancelled)
        #expect(error?.isRetryable == true)
        #expect(script.requests.count == 1)
    }

    private struct Claims: Decodable {
        let iss: String
        let iat: Int64
        let exp: Int64
        let aud: String
        let bid: String
    }

    @Test func `A token says who asks, for which app, and is over in twenty minutes`() async throws
    {
        let world = try ScriptedWorld([.transaction])
        _ = try await world.client.transaction("7", in: .production)
        let token = try CompactJWS(decoding: try #require(world.tokens.first))
        let header = try token.header()
        #expect(header.algorithm == "ES256" && header.type == "JWT")
        #expect(header.keyID == ScriptedWorld.keyID)
        let claims = try JSONDecoder().decode(Claims.self, from: Data(token.payload))
        #expect(claims.iss == ScriptedWorld.issuerID)
        #expect(claims.bid == "com.example.app" && claims.aud == "appstoreconnect-v1")
        let now = HeldTime.start.seconds
        #expect(claims.iat <= now && claims.iat >= now - 60)
        #expect(claims.exp > now && claims.exp - claims.iat <= 1_200)
        #expect(
            try ScriptedWorld.key.get().publicKey.isValidES256(
                token.signature, of: Array(token.signingInput)))
    }

    @Test func `A token is used again until shortly before its end, and made anew then`()
        async throws
    {
        let world = try ScriptedWorld([.transaction], repeatsLast: true)
        func ask() async throws -> String {
            _ = try await world.client.transaction("7", in: .production)
            return try #require(world.tokens.last)
        }
        let first = try await ask()
        world.time.pass(1_109_000)
        #expect(try await ask() == first)
        world.time.pass(1_000)
        let second = try await ask()
        #expect(second != first)
        // A clock that was set back does not keep a token out of the future.
        world.time.pass(-3_600_000)
        #expect(try await ask() != second)
    }

    @Test func `Many tasks share one token`() async throws {
        let world = try ScriptedWorld([.transaction], repeatsLast: true)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<50 {
                group.addTask { _ = try await world.client.transaction("7", in: .production) }
            }
            try await group.waitForAll()
        }
        #expect(world.tokens.count == 50)
        #expect(Set(world.tokens).count == 1)
    }

    @Test func `A token that is refused is made anew once, at once, and then the key is at fault`()
        async throws
    {
        let world = try ScriptedWorld([.unauthenticated, .transaction])
        _ = try await world.client.transaction("7", in: .production)
        #expect(Set(world.tokens).count == 2)
        #expect(world.time.pauses.isEmpty)

        let stubborn = try ScriptedWorld([.unauthenticated], repeatsLast: true)
        let error = try #require(await ask(stubborn))
        #expect(error.code == .tokenRefused)
        #expect(error.remedy == .configuration([.serverKey, .bundleID]))
        #expect(stubborn.script.requests.count == 2)

        // Between two repetitions too it is once for a call.
        let mixed = try ScriptedWorld([.unauthenticated, .bare(503), .unauthenticated])
        #expect(await ask(mixed)?.code == .tokenRefused)
        #expect(mixed.script.left == 0)
    }

    @Test func `A refused token does not take a newer one with it`() throws {
        let key = try #require(try ScriptedWorld.configuration().serverKey)
        let maker = try TokenMaker(key, bundleID: "com.example.app")
        let first = try maker.token(at: HeldTime.start)
        maker.discard(first)
        let second = try maker.token(at: HeldTime.start)
        #expect(second != first)
        maker.discard(first)
        #expect(try maker.token(at: HeldTime.start) == second)
    }

    @Test func `A clock that is wrong is told, one that is right is not`() async throws {
        // The clock of the world stands on 2027-01-15 08:00:00.
        for (date, isWrong) in [
            ("Fri, 15 Jan 2027 08:10:00 GMT", true), ("Fri, 15 Jan 2027 08:00:30 GMT", false),
            ("yesterday", false),
        ] {
            let world = try ScriptedWorld(
                [.bare(401, fields: ["Date": date])], repeatsLast: true)
            let error = try #require(await ask(world))
            guard case .configuration(let settings) = error.remedy else {
                Issue.record("no configuration")
                return
            }
            #expect(settings.contains(.clock) == isWrong, "\(date)")
            #expect(settings.contains(.serverKey))
        }
    }

    @Test func `No text of an error or a configuration holds a secret`() async throws {
        let configuration = try ScriptedWorld.configuration()
        let pem = try ScriptedWorld.key.get().pem
        var texts = ["\(configuration)", "\(String(reflecting: configuration))"]
        var dumped = ""
        dump(configuration, to: &dumped)
        texts.append(dumped)
        for answer in [
            Script.Answer.unauthenticated, .error(4_000_006), .bare(503), .failed(.timedOut),
            .status(21_004), .status(21_002), .json("{"),
        ] {
            let world = try ScriptedWorld([answer], repeatsLast: true)
            let receipt = Array("receipt-of-somebody".utf8)
            for error in [
                await ask(world),
                await failure {
                    try await world.client.verifyReceipt(receipt, judgement: .notMade)
                },
            ] {
                guard let error else { continue }
                var dumped = ""
                dump(error, to: &dumped)
                texts += ["\(error)", "\(String(reflecting: error))", dumped]
            }
            for token in world.tokens { #expect(!texts.contains { $0.contains(token) }) }
            #expect(!texts.contains { $0.contains(Data(receipt).base64EncodedString()) })
        }
        #expect(texts.count > 20)
        #expect(!texts.contains { $0.contains(ScriptedWorld.secret) })
        let secretLine = try #require(pem.split(separator: "\n").dropFirst().first)
        #expect(!texts.contains { $0.contains(secretLine) || $0.contains("PRIVATE KEY") })
    }
}
