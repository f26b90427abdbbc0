import AppStoreModel
import Foundation
import HTTPMessage
import Synchronization
import Testing
import TillAPI
import TillLedger

@testable import TillServer

/// The worker and its handlers.
@Suite struct WorkerTests {
    private static let kind = TaskKind("test.work")

    /// Counts what a handler did, and what it was told to answer.
    private final class Work: Sendable {
        private let state = Mutex((done: [String](), now: 0, most: 0))

        var done: [String] { state.withLock { $0.done } }
        var most: Int { state.withLock { $0.most } }

        func begin(_ task: ClaimedTask) {
            state.withLock {
                $0.done.append(task.key.subject)
                $0.now += 1
                $0.most = max($0.most, $0.now)
            }
        }

        func end() { state.withLock { $0.now -= 1 } }
    }

    private struct Trouble: Error, CustomStringConvertible {
        let description = "trouble ahead"
    }

    private func schedule(_ world: WebhookShop, _ subjects: [String]) async throws {
        try await world.shop.ledger.schedule(
            subjects.map { ScheduledTask(Self.kind, subject: $0, due: world.shop.clock.now) })
    }

    private func left(_ world: WebhookShop) async throws -> [TaskState] {
        try await world.shop.ledger.work.tasks(after: nil, limit: 100)
            .filter { $0.key.kind == Self.kind }
    }

    @Test func `a task is done once, by the handler of its kind`() async throws {
        let world = try WebhookShop()
        let work = Work()
        let handler = TaskHandler(Self.kind) { task, _ in
            work.begin(task)
            return .finished
        }
        try await schedule(world, ["a", "b"])
        await world.drain(world.worker(handlers: [handler]))
        await world.drain(world.worker("other", handlers: [handler]))
        #expect(work.done.sorted() == ["a", "b"])
        #expect(try await left(world).isEmpty)
    }

    @Test func `a task without a handler here waits for a server that has one`() async throws {
        let world = try WebhookShop()
        try await schedule(world, ["a"])
        await world.drain(world.worker())
        #expect(try await left(world).count == 1)
    }

    @Test func `what throws or says that it failed comes again, later each time, and is told`()
        async throws
    {
        let world = try WebhookShop()
        let work = Work()
        let handler = TaskHandler(Self.kind) { task, _ in
            work.begin(task)
            if task.key.subject == "a" { throw Trouble() }
            return .failed("not yet")
        }
        try await schedule(world, ["a", "b"])
        var dues: [Int64] = []
        for attempt in 1...5 {
            await world.drain(world.worker(handlers: [handler]))
            let tasks = try await left(world)
            #expect(tasks.map(\.attempts) == [attempt, attempt])
            #expect(tasks.map(\.lastError) == ["trouble ahead", "not yet"])
            let pause = tasks[0].due.milliseconds - world.shop.clock.now.milliseconds
            #expect(pause > dues.last ?? 4_999)
            dues.append(pause)
            world.shop.clock.advance(seconds: pause / 1_000 + 60)
        }
        #expect(work.done.count == 10)
        #expect(world.shop.logged.contains { $0.contains("trouble ahead") })
    }

    @Test func `what recurs comes again when it said, its attempts counted anew`() async throws {
        let world = try WebhookShop()
        let work = Work()
        let handler = TaskHandler(Self.kind) { task, now in
            work.begin(task)
            return .again(at: now.advanced(byMilliseconds: 60_000))
        }
        try await schedule(world, ["a"])
        for round in 1...3 {
            await world.drain(world.worker(handlers: [handler]))
            #expect(work.done.count == round)
            world.shop.clock.advance(seconds: 60)
        }
        #expect(try await left(world).map(\.attempts) == [0])
    }

    @Test func `no more is done at once than there are places, and all is done`() async throws {
        let world = try WebhookShop()
        let work = Work()
        let handler = TaskHandler(Self.kind) { task, _ in
            work.begin(task)
            for _ in 0..<50 { await Task.yield() }
            work.end()
            return .finished
        }
        try await schedule(world, (0..<40).map { "\($0)" })
        var options = Worker.Options()
        options.parallelTasks = 3
        options.pause = 1
        let worker = world.worker(handlers: [handler], options: options)
        worker.start()
        while try await !left(world).isEmpty { await Task.yield() }
        await worker.stop()
        #expect(work.done.count == 40)
        #expect(Set(work.done).count == 40)
        #expect((1...3).contains(work.most))
    }

    @Test func `a stopping worker lets go of what does not end, and another does it`()
        async throws
    {
        let world = try WebhookShop(receiver: Receiver { _ in .silence })
        try await world.buy("1", by: "anna")
        try await schedule(world, ["a"])
        let began = Bell()
        let handler = TaskHandler(Self.kind) { _, _ in
            began.close()
            try await Task.sleep(for: .seconds(3_600))
            return .finished
        }
        var options = Worker.Options()
        options.pause = 1
        options.grace = 1
        let worker = world.worker(handlers: [handler], options: options)
        worker.start()
        await began.wait()
        while world.receiver.received.isEmpty { await Task.yield() }
        await worker.stop()
        #expect(try await left(world).map(\.attempts) == [0])
        #expect(try await left(world).map(\.owner) == [nil])
        world.receiver.answer { _ in .status(200) }
        await world.drain(world.worker("next"))
        #expect(world.receiver.received.map(\.sequence) == [1, 1])
        // One that was stopped stays so.
        worker.start()
        await worker.stop()
        #expect(world.receiver.received.count == 2)
    }

    @Test func `a nudge makes a worker look at once`() async throws {
        let world = try WebhookShop()
        var options = Worker.Options()
        options.pause = 3_600_000
        let worker = world.worker(options: options)
        worker.start()
        try await world.buy("1", by: "anna")
        while world.receiver.received.isEmpty {
            worker.nudge()
            await Task.yield()
        }
        await worker.stop()
        #expect(world.receiver.received.count == 1)
    }

    @Test func `an order that nobody pays is told to have expired, once, when its time is over`()
        async throws
    {
        let world = try WebhookShop()
        let order = try await world.shop.openOrder(TestShop.coins, by: "anna")
        await world.drain(world.worker())
        #expect(world.receiver.received.isEmpty)
        world.shop.clock.advance(seconds: 24 * 3_600)
        await world.drain(world.worker())
        await world.drain(world.worker())
        #expect(world.receiver.received.map(\.type) == ["order.expired"])
        let told = world.receiver.received.first?.body["data"]?["orderId"]?.string
        #expect(told == order.orderID.uuidString.lowercased())
    }

    @Test func `upkeep forgets answers after thirty days, and comes back every day`() async throws {
        let world = try WebhookShop()
        let key: KeyValuePairs = ["Idempotency-Key": "k"]
        func open() async throws -> JSONValue {
            let response = try await world.shop.send(
                .post, "/v1/orders", Data(#"{"productId": "\#(TestShop.coins)"}"#.utf8),
                as: "anna", fields: key)
            return try JSONDecoder().decode(JSONValue.self, from: response.body)
        }
        let first = try await open()
        let worker = world.worker()
        try await world.shop.ledger.schedule(Upkeep.tasks(at: world.shop.clock.now))
        await world.drain(worker)
        #expect(try await open()["orderId"] == first["orderId"])
        world.shop.clock.advance(seconds: 30 * 86_400 + 1)
        await world.drain(worker)
        #expect(try await open()["orderId"] != first["orderId"])
        let prunes = try await world.shop.ledger.work.tasks(after: nil, limit: 100)
            .filter { $0.key.kind == .prune }
        #expect(prunes.count == PrunableRecord.allCases.count)
        #expect(
            prunes.allSatisfy {
                $0.due == world.shop.clock.now.advanced(byMilliseconds: 86_400_000)
            })
    }
}
