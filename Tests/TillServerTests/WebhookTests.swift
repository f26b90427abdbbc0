import AppStoreModel
import CryptoPrimitives
import Foundation
import HTTPMessage
import Synchronization
import TestKit
import Testing
import TillAPI
import TillLedger

@testable import TillServer

/// Events on their way from the ledger to the endpoints.
@Suite struct WebhookTests {
    @Test func `a purchase is told with its customer, its number and a signature that holds`()
        async throws
    {
        let world = try WebhookShop()
        try await world.buy("1", by: "anna")
        await world.drain(world.worker())
        let told = try #require(world.receiver.received.first)
        #expect(world.receiver.received.count == 1)
        #expect(told.url == "https://a.example/hook")
        #expect(told.type == "purchase.granted")
        #expect(told.customer == "anna")
        #expect(told.sequence == 1)
        #expect(told.body["id"]?.string == told.id)
        #expect(told.body["bundleId"]?.string == TestShop.bundleID.rawValue)
        #expect(told.body["environment"] == "Sandbox")
        #expect(told.body["timestamp"]?.string == LogTime.text(TestClock.start))
        #expect(told.body["data"]?["transactionId"] == "1")
        #expect(told.body["data"]?["credits"]?["coins"] == .integer(600))
        #expect(told.timestamp == TestClock.start.seconds)
        #expect(told.signatures == [try signature(of: told, by: WebhookShop.secret)])
    }

    private func signature(of told: Receiver.Received, by secret: String) throws -> String {
        let secret = try #require(WebhookSecret(secret))
        return StandardWebhook.signature(
            id: told.id, seconds: told.timestamp, body: told.bytes, secrets: [secret])
    }

    /// The example of the specification's own libraries.
    @Test func `the signature is that of the specification's example`() throws {
        let signature = StandardWebhook.signature(
            id: "msg_p5jXN8AQM9LWM0D4loKWxJek", seconds: 1_614_265_330,
            body: Array(#"{"test": 2432232314}"#.utf8),
            secrets: [try #require(WebhookSecret(WebhookShop.secret))])
        #expect(signature == "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=")
    }

    @Test func `while a key is being replaced, both sign, the configured order first`()
        async throws
    {
        let secrets = #""secrets": ["\#(WebhookShop.newSecret)", "\#(WebhookShop.secret)"]"#
        let world = try WebhookShop(webhooks: #"[{"url": "https://a.example/", \#(secrets)}]"#)
        try await world.buy("1", by: "anna")
        await world.drain(world.worker())
        let told = try #require(world.receiver.received.first)
        #expect(
            told.signatures == [
                try signature(of: told, by: WebhookShop.newSecret),
                try signature(of: told, by: WebhookShop.secret),
            ])
    }

    @Test func `an attempt that fails is made again, under the same id and a new time`()
        async throws
    {
        let world = try WebhookShop(receiver: Receiver { _ in .status(500) })
        try await world.buy("1", by: "anna")
        await world.drain(world.worker())
        world.receiver.answer { _ in .failure(.timedOut) }
        world.shop.clock.advance(seconds: 10)
        await world.drain(world.worker())
        world.receiver.answer { _ in .status(200) }
        world.shop.clock.advance(seconds: 400)
        await world.drain(world.worker())
        let told = world.receiver.received
        #expect(told.count == 3)
        #expect(Set(told.map(\.id)).count == 1)
        #expect(Set(told.map(\.bytes)).count == 1)
        #expect(Set(told.map(\.timestamp)).count == 3)
        #expect(Set(told.flatMap(\.signatures)).count == 3)
        world.shop.clock.advance(seconds: 1_000_000)
        await world.drain(world.worker())
        #expect(world.receiver.received.count == 3)
    }

    @Test func `a redirect is a failure, and leads nowhere`() async throws {
        let world = try WebhookShop(
            receiver: Receiver { _ in .status(302, fields: ["Location": "https://b.example/"]) })
        try await world.buy("1", by: "anna")
        await world.drain(world.worker())
        #expect(world.receiver.received.map(\.url) == ["https://a.example/hook"])
        #expect(try await state(world)["waiting"] == .integer(1))
    }

    private func state(_ world: WebhookShop) async throws -> JSONValue {
        let answer = try await asBackend(world, .get, "")
        return try #require(answer["endpoints"]?[0])
    }

    private func asBackend(
        _ world: WebhookShop, _ method: HTTPMethod, _ path: String, _ body: String = ""
    ) async throws -> JSONValue {
        let response = try await world.shop.send(
            method, "/v1/apps/\(TestShop.bundleID)/webhooks\(path)", Data(body.utf8), as: nil,
            fields: ["Authorization": "Bearer \(TestShop.secretKey)"])
        #expect(response.status == .ok, "\(String(decoding: response.body, as: UTF8.self))")
        return try JSONDecoder().decode(JSONValue.self, from: response.body)
    }

    @Test
    func `a worker that is gone between commit and sending, or before it knows, loses nothing`()
        async throws
    {
        let world = try WebhookShop()
        try await world.buy("1", by: "anna")
        // Held by one who never comes back.
        let place = WebhookPlace(bundleID: TestShop.bundleID, name: "main")
        let claim = WorkClaim(
            owner: "gone", now: world.shop.clock.now, lease: 60_000, limit: 10)
        let held = try await world.shop.ledger.work.claimDeliveries(claim, to: place)
        #expect(held.count == 1)
        await world.drain(world.worker("next"))
        #expect(world.receiver.received.isEmpty)
        world.shop.clock.advance(seconds: 61)
        await world.drain(world.worker("next"))
        #expect(world.receiver.received.count == 1)
    }

    @Test(arguments: [UInt64(7)])
    func `fifty events of five customers reach a flaky endpoint through two workers, in order`(
        seed: UInt64
    ) async throws {
        let flaw = Flaw(seed: seed)
        let world = try WebhookShop(receiver: Receiver { flaw.answer($0) })
        for number in 0..<50 {
            try await world.buy(TransactionID("\(number)"), by: "customer-\(number % 5)")
        }
        let workers = [world.worker("one"), world.worker("two")]
        for _ in 0..<2_000 where flaw.taken.values.map(\.count).reduce(0, +) < 50 {
            await withTaskGroup(of: Void.self) { group in
                for worker in workers { group.addTask { await worker.runOnce() } }
            }
            world.shop.clock.advance(seconds: 600)
        }
        #expect(flaw.taken.count == 5)
        for sequences in flaw.taken.values { #expect(sequences == Array(1...10)) }
        #expect(world.receiver.received.count > 60)
    }

    @Test func `an endpoint that says 410 is left alone until a backend enables it`() async throws {
        let world = try WebhookShop(receiver: Receiver { _ in .status(410) })
        try await world.buy("1", by: "anna")
        await world.drain(world.worker())
        world.shop.clock.advance(seconds: 1_000_000)
        await world.drain(world.worker())
        #expect(world.receiver.received.count == 1)
        #expect(try await state(world)["state"] == "disabled")
        #expect(world.shop.logged.contains { $0.contains("endpointDisabled") })
        world.receiver.answer { _ in .status(204) }
        let enabled = try await asBackend(world, .post, "/enable", #"{"endpoint": "main"}"#)
        #expect(enabled["state"] == "enabled")
        await world.drain(world.worker())
        #expect(world.receiver.received.map(\.sequence) == [1, 1])
        #expect(try await state(world)["waiting"] == .integer(0))
    }

    @Test(arguments: ["7200", "date"])
    func `Retry-After is obeyed, in seconds and as a date`(form: String) async throws {
        let start = TestClock.start
        let date = "Mon, 21 Sep 2026 16:13:20 GMT"
        #expect(HTTPDate.secondsSinceEpoch(date) == start.seconds + 7_200)
        let field = form == "date" ? date : form
        let world = try WebhookShop(
            receiver: Receiver { _ in .status(503, fields: ["Retry-After": field]) })
        try await world.buy("1", by: "anna")
        await world.drain(world.worker())
        world.shop.clock.advance(seconds: 7_199)
        await world.drain(world.worker())
        #expect(world.receiver.received.count == 1)
        world.shop.clock.advance(seconds: 2)
        await world.drain(world.worker())
        #expect(world.receiver.received.count == 2)
    }

    @Test func `what failed for days is listed, and sent again when a backend says so`()
        async throws
    {
        let world = try WebhookShop(receiver: Receiver { _ in .status(400) })
        try await world.buy("1", by: "anna")
        try await world.buy("2", by: "anna")
        for _ in 0..<200 {
            await world.drain(world.worker())
            world.shop.clock.advance(seconds: 7_200)
        }
        #expect(world.receiver.received.count == 20)
        let listed = try await asBackend(world, .get, "/deadLetters")
        let first = try #require(listed["deadLetters"]?[0])
        #expect(first["type"] == "purchase.granted")
        #expect(first["status"] == .integer(400))
        #expect(first["attempts"] == .integer(10))
        #expect(listed["deadLetters"]?[1]?["sequence"] == .integer(2))
        #expect(listed["deadLetters"]?[2] == nil)
        #expect(try await asBackend(world, .get, "/deadLetters?limit=1")["deadLetters"]?[1] == nil)
        let id = try #require(first["eventId"]?.string)
        world.receiver.answer { _ in .status(200) }
        #expect(
            try await asBackend(world, .post, "/replay", #"{"eventIds": ["\#(id)"]}"#)
                == ["replayed": 1])
        await world.drain(world.worker())
        #expect(world.receiver.received.last?.id == id)
        let since = world.shop.clock.now.milliseconds
        #expect(
            try await asBackend(world, .post, "/replay", #"{"since": \#(since)}"#)
                == ["replayed": 0])
        #expect(
            try await asBackend(
                world, .post, "/replay", #"{"since": \#(TestClock.start.milliseconds)}"#)
                == ["replayed": 1])
        await world.drain(world.worker())
        #expect(world.receiver.received.last?.sequence == 2)
        #expect(try await state(world)["dead"] == .integer(0))
    }

    @Test func `a test message tells how each endpoint answers, at once`() async throws {
        let world = try WebhookShop(
            webhooks: """
                [{"name": "a", "url": "https://a.example/?token=x", "secrets": "\(WebhookShop.secret)"},
                 {"name": "b", "url": "https://b.example/", "secrets": "\(WebhookShop.secret)",
                  "events": ["order.*"]}]
                """)
        world.receiver.answer { $0.url.contains("a.example") ? .status(200) : .failure(.tls) }
        let answer = try await asBackend(world, .post, "/test")
        #expect(answer["results"]?[0]?["delivered"] == true)
        #expect(answer["results"]?[1]?["delivered"] == false)
        #expect(answer["results"]?[1]?["error"]?.string?.hasPrefix("tls") == true)
        #expect(world.receiver.received.map(\.type) == ["webhook.test", "webhook.test"])
        let one = try await asBackend(world, .post, "/test", #"{"endpoint": "b"}"#)
        #expect(one["results"]?[1] == nil)
        // The address is shown without what may be secret in it.
        #expect(try await state(world)["url"] == "https://a.example/")
    }

    @Test func `only backends see endpoints, of apps that are there, and ask for what there is`()
        async throws
    {
        let world = try WebhookShop()
        let path = "/v1/apps/\(TestShop.bundleID)/webhooks"
        let key = "Bearer \(TestShop.secretKey)"
        func problem(
            _ method: HTTPMethod, _ target: String, _ body: String = "", by customer: String? = nil
        ) async throws -> ProblemKind? {
            let response = try await world.shop.send(
                method, target, Data(body.utf8), as: customer,
                fields: customer == nil ? ["Authorization": key] : [:])
            return try world.shop.problem(response).code.kind
        }
        for (method, end) in [
            (HTTPMethod.get, ""), (.get, "/deadLetters"), (.post, "/replay"), (.post, "/test"),
            (.post, "/enable"),
        ] {
            #expect(try await problem(method, path + end, "{}", by: "anna") == .forbidden)
            #expect(
                try await problem(method, "/v1/apps/no.such/webhooks" + end, "{}") == .unknownApp)
        }
        for (end, body) in [
            ("/replay", "{}"), ("/replay", #"{"eventIds": []}"#),
            ("/replay", #"{"eventIds": ["x"], "since": 1}"#), ("/enable", "{}"),
            ("/enable", #"{"endpoint": "x"}"#), ("/test", #"{"endpoint": "x"}"#),
        ] {
            #expect(try await problem(.post, path + end, body) == .invalidRequest, "\(body)")
        }
        for limit in ["0", "1001", "x"] {
            #expect(
                try await problem(.get, path + "/deadLetters?limit=\(limit)") == .invalidRequest)
        }
    }

    @Test func `what waits for an endpoint that was taken out is still shown`() async throws {
        let world = try WebhookShop()
        try await world.buy("1", by: "anna")
        let other = try WebhookShop(webhooks: "[]", store: world.shop.store)
        let state = try await state(other)
        #expect(state["name"] == "main")
        #expect(state["state"] == "unconfigured")
        #expect(state["waiting"] == .integer(1))
    }
}

/// Answers well two times in three, by a seed, and remembers what it took.
private final class Flaw: Sendable {
    private struct State {
        var random: SeededRandom
        var taken: [String: [Int64]] = [:]
    }

    private let state: Mutex<State>

    init(seed: UInt64) { state = Mutex(State(random: SeededRandom(seed: seed))) }

    var taken: [String: [Int64]] { state.withLock { $0.taken } }

    func answer(_ received: Receiver.Received) -> Receiver.Answer {
        state.withLock { state in
            switch Int.random(in: 0..<6, using: &state.random) {
            case 0..<4:
                state.taken[received.customer ?? "", default: []].append(received.sequence ?? 0)
                return .status(200)
            case 4: return .status(500)
            default: return .failure(.connectionLost)
            }
        }
    }
}
