import AppStoreModel
import Foundation
import HTTPMessage
import Testing

@testable import AppStoreClient

/// The budget of calls, and what Apple says when it is over.
@Suite struct RateTests {
    private static let now = Timestamp(milliseconds: 1_800_000_000_000)

    @Test(
        arguments: [
            ("1800000005000", 5_000), ("1800000000000", 0), ("1799999990000", 0),
            ("1800000005", 5_000),
            ("120", 120_000), ("0", 0), ("Fri, 15 Jan 2027 08:01:00 GMT", 60_000),
            ("Fri, 15 Jan 2027 07:00:00 GMT", 0), ("1900000000000", 3_600_000),
            ("99999999", 3_600_000),
            ("", nil), ("-5", nil), ("5.5", nil), ("soon", nil), ("99999999999999999999", nil),
            ("1800000005000 ", nil), ("0x10", nil), ("Fri, 15 Jan 2027", nil),
        ] as [(String, Int64?)])
    func `Retry-After is read as a moment in milliseconds or seconds, as seconds, and as a date`(
        _ text: String, _ pause: Int64?
    ) {
        #expect(RetryAfter.pause(text, at: Self.now, limit: 3_600_000) == pause)
    }

    private func ask(
        _ world: ScriptedWorld, in environment: AppStoreEnvironment = .production
    ) async -> AppStoreClientError? {
        await failure {
            try await world.client.transaction("7", in: environment)
        }
    }

    @Test(arguments: [
        "1800000005000", "5", "Fri, 15 Jan 2027 08:00:05 GMT",
    ]) func `After a 429 the call waits as long as Apple says and goes on`(_ text: String)
        async throws
    {
        let world = try ScriptedWorld([
            .error(4_290_000, fields: ["Retry-After": text]), .transaction,
        ])
        #expect(await ask(world) == nil)
        #expect(world.script.moments == [0, 5_000])
    }

    @Test func `A 429 that names no moment to come is followed by the usual pause`() async throws {
        for fields in [HTTPFields(), ["Retry-After": "1799999990000"], ["Retry-After": "soon"]] {
            let world = try ScriptedWorld([.error(4_290_000, fields: fields), .transaction])
            #expect(await ask(world) == nil)
            #expect(world.script.moments == [0, 375])
        }
    }

    @Test func `Where the clocks differ, Apple's moment is read by Apple's clock`() async throws {
        // Our clock stands on 08:00:00; Apple's is an hour ahead, and then an hour behind.
        for (date, moment) in [
            ("Fri, 15 Jan 2027 09:00:00 GMT", "1800003605000"),
            ("Fri, 15 Jan 2027 07:00:00 GMT", "1799996405000"),
            // What may be the way of the answer is no difference.
            ("Fri, 15 Jan 2027 08:01:00 GMT", "1800000005000"),
        ] {
            let world = try ScriptedWorld([
                .error(4_290_000, fields: ["Date": date, "Retry-After": moment]), .transaction,
            ])
            #expect(await ask(world) == nil)
            #expect(world.script.moments == [0, 5_000], "\(date)")
        }
    }

    @Test func `A wait that is too long ends the call and says when to come back`() async throws {
        let world = try ScriptedWorld([
            .error(4_290_000, fields: ["Retry-After": "1800000600000"])
        ])
        let error = try #require(await ask(world))
        #expect(error.code == .rateLimited)
        #expect(
            error.remedy == .retry(notBefore: Timestamp(milliseconds: 1_800_000_600_000)))
        #expect(error.serverCode == .rateLimitExceeded)
        #expect(world.time.pauses.isEmpty)
    }

    @Test func `A 429 makes everybody of the app and environment wait, and nobody else`()
        async throws
    {
        let budget = RateBudget()
        let first = try ScriptedWorld(
            [.error(4_290_000, fields: ["Retry-After": "1800000005000"])], budget: budget
        ) { $0.limits.repeats = 0 }
        #expect(await ask(first)?.code == .rateLimited)
        let hurried = try ScriptedWorld([.transaction], budget: budget) {
            $0.limits.totalMilliseconds = 4_999
        }
        let error = await ask(hurried)
        #expect(error?.code == .rateLimited)
        #expect(
            error?.remedy == .retry(notBefore: Timestamp(milliseconds: 1_800_000_005_000)))
        #expect(hurried.script.requests.isEmpty)
        // Another client of the app, and another kind of call.
        let second = try ScriptedWorld([.json("{\"status\":1}")], budget: budget)
        #expect(try await second.client.order("MPX1") == nil)
        #expect(second.script.moments == [5_000])
        let sandbox = try ScriptedWorld([.transaction], budget: budget)
        #expect(await ask(sandbox, in: .sandbox) == nil)
        #expect(sandbox.script.moments == [0])
        let otherApp = try ScriptedWorld([.transaction], budget: budget) {
            $0.bundleID = "com.example.other"
        }
        #expect(await ask(otherApp) == nil)
        #expect(otherApp.script.moments == [0])
    }

    private func rates(
        _ perSecond: Double, burst: Int, waiting: Int = 1_000
    ) -> RateBudget.Rates {
        var rates = RateBudget.Rates()
        rates.perSecond[.usual] = perSecond
        rates.burst = burst
        rates.waitingCalls = waiting
        return rates
    }

    @Test func `After the burst calls go at their rate, the sandbox at a tenth of it`() async throws
    {
        let budget = RateBudget(rates(4, burst: 2))
        let world = try ScriptedWorld([.transaction], repeatsLast: true, budget: budget)
        for _ in 0..<5 { #expect(await ask(world) == nil) }
        #expect(world.script.moments == [0, 0, 250, 500, 750])
        let sandbox = try ScriptedWorld(
            [.transaction], repeatsLast: true, budget: RateBudget(rates(4, burst: 2)))
        for _ in 0..<4 { #expect(await ask(sandbox, in: .sandbox) == nil) }
        #expect(sandbox.script.moments == [0, 0, 2_500, 5_000])
        world.time.pass(3_600_000)
        for _ in 0..<3 { #expect(await ask(world) == nil) }
        #expect(world.script.moments.suffix(3) == [3_600_750, 3_600_750, 3_601_000])
    }

    @Test func `Many tasks together stay within the budget, and each has its turn`() async throws {
        let budget = RateBudget(rates(10, burst: 3))
        let world = try ScriptedWorld([.transaction], repeatsLast: true, budget: budget)
        let failures = await withTaskGroup(of: AppStoreClientError?.self) { group in
            for _ in 0..<100 { group.addTask { await ask(world) } }
            return await group.reduce(into: 0) { $0 += $1 == nil ? 0 : 1 }
        }
        #expect(failures == 0)
        let moments = world.script.moments.sorted()
        #expect(moments.count == 100)
        for (count, moment) in moments.enumerated() {
            #expect(Int64(count + 1) <= 3 + moment / 100, "call \(count) at \(moment)")
        }
    }

    @Test func `What the budget cannot allow in time is not waited for`() async throws {
        let budget = RateBudget(rates(0.1, burst: 1))
        let world = try ScriptedWorld([.transaction], repeatsLast: true, budget: budget) {
            $0.limits.totalMilliseconds = 9_999
        }
        #expect(await ask(world) == nil)
        let error = try #require(await ask(world))
        #expect(error.code == .budgetExhausted)
        #expect(
            error.remedy == .retry(notBefore: Timestamp(milliseconds: 1_800_000_010_000)))
        #expect(world.script.requests.count == 1)
        world.time.pass(10_000)
        #expect(await ask(world) == nil)
    }

    @Test func `A line that is full takes nobody more, and a place that is left is free`()
        async throws
    {
        let budget = RateBudget(rates(0.001, burst: 1, waiting: 1))
        let time = HeldTime()
        var surroundings = time.surroundings()
        let (slept, sleeping) = AsyncStream.makeStream(of: Void.self)
        surroundings.sleep = { _ in
            sleeping.yield()
            try await Task.sleep(for: .seconds(3_600))
        }
        let script = Script([.transaction], repeatsLast: true)
        var configuration = try ScriptedWorld.configuration()
        configuration.limits.totalMilliseconds = 10_000_000
        let client = try AppStoreClient(
            configuration, fetcher: script, budget: budget, surroundings: surroundings)
        let ask = { @Sendable in
            await failure {
                try await client.transaction("7", in: .production)
            }
        }
        #expect(await ask() == nil)
        var turns = slept.makeAsyncIterator()
        let waiting = Task { await ask() }
        await turns.next()
        #expect(await ask()?.code == .budgetExhausted)
        waiting.cancel()
        #expect(await waiting.value?.code == .cancelled)
        let next = Task { await ask() }
        await turns.next()
        next.cancel()
        #expect(await next.value?.code == .cancelled)
        #expect(script.requests.count == 1)
    }

    @Test(arguments: [0, -1, .nan, .infinity, 1e300] as [Double])
    func `A rate that makes no sense stops nothing for ever and overflows nothing`(
        _ perSecond: Double
    ) async throws {
        let budget = RateBudget(rates(perSecond, burst: .max))
        let world = try ScriptedWorld([.transaction], repeatsLast: true, budget: budget)
        #expect(await ask(world) == nil)
        world.time.pass(1 << 50)
        #expect(await ask(world) == nil)
    }

    @Test func `Apple's figures are the usual ones`() {
        let rates = RateBudget.Rates()
        #expect(rates.perSecond[.usual] == 50 && rates.perSecond[.writing] == 20)
        #expect(rates.perSecond[.lookup] == 10 && rates.perSecond[.rare] == 1)
        #expect(Set(rates.perSecond.keys) == Set(RateBudget.Group.allCases))
        #expect(rates.sandboxShare == 0.1)
    }
}
