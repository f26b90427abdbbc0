import AppStoreModel
import Foundation
import HTTPMessage
import Testing
import TillAPI
import TillLedger

@testable import TillServer

/// What waits, as backends see it.
@Suite struct TaskRouteTests {
    private func backend(
        _ shop: TestShop, _ method: HTTPMethod, _ target: String, _ body: String = ""
    ) async throws -> (status: Int, answer: JSONValue) {
        let response = try await shop.send(
            method, target, Data(body.utf8), as: nil,
            fields: ["Authorization": "Bearer \(TestShop.secretKey)"])
        return (
            response.status.rawValue,
            try JSONDecoder().decode(JSONValue.self, from: response.body)
        )
    }

    private func list(_ value: JSONValue?) -> [JSONValue] {
        if case .array(let list)? = value { list } else { [] }
    }

    private static let subject = BookedSubject(
        book: Book(bundleID: TestShop.bundleID, environment: .sandbox), name: "1")

    /// A shop with a task that waits, one that is due and one that failed.
    private func shop() async throws -> TestShop {
        let shop = try TestShop()
        let now = shop.clock.now
        try await shop.ledger.schedule([
            ScheduledTask("test.b", subject: "x", due: now),
            ScheduledTask(
                "test.a", subject: Self.subject.text, due: now.advanced(byMilliseconds: 60_000)),
            ScheduledTask("test.c", subject: "y", due: now),
        ])
        let claim = WorkClaim(owner: "w", now: now, lease: 1_000, limit: 1)
        let task = try #require(
            try await shop.ledger.work.claimTasks(claim, of: ["test.c"]).first)
        #expect(
            try await shop.ledger.work.settle(
                task, .failed("Apple was down", until: now.advanced(byMilliseconds: 5_000))))
        return shop
    }

    @Test func `a backend sees what waits, when, how often it was tried and why it failed`()
        async throws
    {
        let shop = try await shop()
        let (status, answer) = try await backend(shop, .get, "/v1/tasks")
        #expect(status == 200)
        let tasks = list(answer["tasks"])
        #expect(tasks.map { $0["kind"]?.string } == ["test.a", "test.b", "test.c"])
        #expect(tasks.map { $0["state"]?.string } == ["waiting", "due", "waiting"])
        #expect(tasks[0]["bundleId"]?.string == TestShop.bundleID.rawValue)
        #expect(tasks[0]["environment"] == "Sandbox" && tasks[0]["name"] == "1")
        #expect(tasks[2]["attempts"] == .integer(1))
        #expect(tasks[2]["lastError"] == "Apple was down")
        #expect(answer["next"] == nil)
    }

    @Test func `the list is cut in pieces and filtered`() async throws {
        let shop = try await shop()
        var seen: [String] = []
        var target = "/v1/tasks?limit=1"
        for _ in 0..<4 {
            let answer = try await backend(shop, .get, target).answer
            let kinds = list(answer["tasks"]).compactMap { $0["kind"]?.string }
            seen += kinds
            guard let next = answer["next"]?.string,
                let text = next.addingPercentEncoding(withAllowedCharacters: .alphanumerics)
            else { break }
            target = "/v1/tasks?limit=1&after=\(text)"
        }
        #expect(seen == ["test.a", "test.b", "test.c"])
        for (query, kind) in [
            ("kind=test.b", "test.b"), ("failed=true", "test.c"),
            ("app=\(TestShop.bundleID)", "test.a"),
        ] {
            let answer = try await backend(shop, .get, "/v1/tasks?\(query)").answer
            #expect(list(answer["tasks"]).map { $0["kind"]?.string } == [kind])
        }
        for query in ["limit=0", "limit=1001", "after=x", "failed=yes"] {
            let (status, answer) = try await backend(shop, .get, "/v1/tasks?\(query)")
            #expect(status == 400 && answer["code"] == "invalidRequest")
        }
        #expect(
            try await backend(shop, .get, "/v1/tasks?app=com.other").answer["code"] == "unknownApp")
    }

    @Test func `a backend has one done now`() async throws {
        let shop = try await shop()
        let body = try JSONEncoder().encode(["kind": "test.a", "subject": Self.subject.text])
        let (status, answer) = try await backend(
            shop, .post, "/v1/tasks/run", String(decoding: body, as: UTF8.self))
        #expect(status == 200 && answer["state"] == "due")
        let claim = WorkClaim(owner: "w", now: shop.clock.now, lease: 1_000, limit: 1)
        #expect(try await shop.ledger.work.claimTasks(claim, of: ["test.a"]).count == 1)
        // It runs, and is not begun twice.
        let again = try await backend(
            shop, .post, "/v1/tasks/run", String(decoding: body, as: UTF8.self))
        #expect(again.status == 200 && again.answer["state"] == "running")
        let unknown = try await backend(
            shop, .post, "/v1/tasks/run", #"{"kind": "test.a", "subject": "nothing"}"#)
        #expect(unknown.status == 404 && unknown.answer["code"] == "taskNotFound")
    }

    @Test func `no customer sees or moves any of it`() async throws {
        let shop = try await shop()
        for (method, target) in [(HTTPMethod.get, "/v1/tasks"), (.post, "/v1/tasks/run")] {
            let body = Data(#"{"kind": "test.b", "subject": "x"}"#.utf8)
            let response = try await shop.send(method, target, body, as: "anna")
            #expect(response.status.rawValue == 403)
            #expect(try await shop.send(method, target, body, as: nil).status.rawValue == 401)
        }
    }
}
