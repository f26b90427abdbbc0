import AppStoreModel
import Testing

@testable import TillLedger

/// What every store promises about tasks.
@Suite struct TaskTests {
    private static let kind = TaskKind("test.kind")
    private static let other = TaskKind("test.other")

    private func scheduled(
        _ subject: String, _ kind: TaskKind = kind, due: Timestamp = Sale.noon
    ) -> ScheduledTask {
        ScheduledTask(kind, subject: subject, due: due, payload: #"{"n":1}"#)
    }

    @Test(arguments: StoreKind.allCases)
    func `A task is held when it is due, by one who asks for its kind, the longest due first`(
        kind: StoreKind
    ) async throws {
        let outgoing = try await Outgoing(kind)
        try await outgoing.shop.ledger.schedule([
            scheduled("late", due: Sale.noon.later(minutes: 2)),
            scheduled("early", due: Sale.noon.later(minutes: 1)), scheduled("x", Self.other),
            scheduled("never", due: Sale.noon.later(days: 1)),
        ])
        #expect(try await outgoing.claimTasks([Self.kind]).isEmpty)
        #expect(try await outgoing.claimTasks([]).isEmpty)
        let now = Sale.noon.later(minutes: 2)
        let first = try await outgoing.claimTasks([Self.kind], at: now, limit: 1)
        #expect(first.map(\.key.subject) == ["early"])
        #expect(first.map(\.payload) == [#"{"n":1}"#])
        #expect(first.map(\.wasAbandoned) == [false])
        let rest = try await outgoing.claimTasks([Self.kind, Self.other], at: now)
        #expect(rest.map(\.key.subject) == ["x", "late"])
    }

    @Test(arguments: StoreKind.allCases)
    func `A task that waits stays as it is, a finished one can be scheduled anew`(
        kind: StoreKind
    ) async throws {
        let outgoing = try await Outgoing(kind)
        let ledger = outgoing.shop.ledger
        try await ledger.schedule([scheduled("a")])
        try await ledger.schedule([scheduled("a", due: Sale.noon.later(days: 1))])
        let task = try #require(try await outgoing.claimTasks([Self.kind]).first)
        #expect(try await outgoing.work.settle(task, .finished(at: Sale.noon)))
        #expect(try await outgoing.work.tasks(after: nil, limit: 9) == [])
        try await ledger.schedule([scheduled("a")])
        #expect(try await outgoing.claimTasks([Self.kind]).map(\.lease.attempt) == [1])
    }

    @Test(arguments: StoreKind.allCases)
    func `What is scheduled while it is held runs once more`(kind: StoreKind) async throws {
        let outgoing = try await Outgoing(kind)
        try await outgoing.shop.ledger.schedule([scheduled("a")])
        let task = try #require(try await outgoing.claimTasks([Self.kind]).first)
        for _ in 0..<3 { try await outgoing.shop.ledger.schedule([scheduled("a")]) }
        #expect(try await outgoing.claimTasks([Self.kind]).isEmpty)
        #expect(try await outgoing.work.settle(task, .finished(at: Sale.noon)))
        let again = try #require(try await outgoing.claimTasks([Self.kind]).first)
        #expect(again.lease.attempt == 1)
        #expect(try await outgoing.work.settle(again, .finished(at: Sale.noon)))
        #expect(try await outgoing.claimTasks([Self.kind]).isEmpty)
    }

    @Test(arguments: StoreKind.allCases)
    func `A failure is noted and counted, success and giving back are not`(
        kind: StoreKind
    ) async throws {
        let outgoing = try await Outgoing(kind)
        let work = outgoing.work
        try await outgoing.shop.ledger.schedule([scheduled("a")])
        let later = Sale.noon.later(minutes: 1)
        let first = try #require(try await outgoing.claimTasks([Self.kind]).first)
        #expect(try await work.settle(first, .failed("no luck", until: later)))
        #expect(
            try await work.tasks(after: nil, limit: 9)
                == [
                    TaskState(
                        key: first.key, due: later, attempts: 1, owner: nil, lastError: "no luck")
                ])
        #expect(try await outgoing.claimTasks([Self.kind]).isEmpty)
        let second = try #require(try await outgoing.claimTasks([Self.kind], at: later).first)
        #expect(second.lease.attempt == 2)
        #expect(try await work.settle(second, .released(at: later)))
        let third = try #require(try await outgoing.claimTasks([Self.kind], at: later).first)
        #expect(third.lease.attempt == 2)
        #expect(try await work.settle(third, .again(at: later)))
        #expect(
            try await outgoing.claimTasks([Self.kind], at: later).map(\.lease.attempt) == [1])
    }

    @Test(arguments: StoreKind.allCases)
    func `A hold that ran out is another's, who learns of it, and the old one is void`(
        kind: StoreKind
    ) async throws {
        let outgoing = try await Outgoing(kind)
        try await outgoing.shop.ledger.schedule([scheduled("a")])
        let first = try #require(try await outgoing.claimTasks([Self.kind], as: "one").first)
        let end = Sale.noon.later(seconds: 60)
        #expect(
            try await outgoing.claimTasks([Self.kind], at: end.later(seconds: -1)).isEmpty)
        let second = try #require(
            try await outgoing.claimTasks([Self.kind], at: end, as: "two").first)
        #expect(second.wasAbandoned)
        for settlement: TaskSettlement in [
            .finished(at: end), .again(at: end), .failed("x", until: end), .released(at: end),
        ] {
            #expect(try await !outgoing.work.settle(first, settlement))
        }
        #expect(try await outgoing.work.settle(second, .finished(at: end)))
    }

    @Test(arguments: StoreKind.allCases)
    func `Tasks are listed by key, a piece at a time`(kind: StoreKind) async throws {
        let outgoing = try await Outgoing(kind)
        try await outgoing.shop.ledger.schedule(
            ["c", "a", "b"].map { scheduled($0) } + [scheduled("a", Self.other)])
        let first = try await outgoing.work.tasks(after: nil, limit: 3)
        #expect(first.map(\.key.subject) == ["a", "b", "c"])
        let rest = try await outgoing.work.tasks(after: first.last?.key, limit: 3)
        #expect(rest.map(\.key) == [TaskKey(kind: Self.other, subject: "a")])
    }

    @Test func `Pauses double from five seconds to six hours`() {
        let key = TaskKey(kind: Self.kind, subject: "a")
        let pauses = (1...30).map { RetrySchedule.taskPause(after: $0, key: key) }
        #expect((5_000...6_000).contains(pauses[0]))
        #expect((10_000...12_000).contains(pauses[1]))
        let longest = RetrySchedule.longestTaskPause
        #expect(pauses.allSatisfy { $0 <= longest + longest / 5 })
        #expect(pauses[29] >= longest)
        #expect(RetrySchedule.taskPause(after: .max, key: key) >= longest)
    }

    @Test(arguments: StoreKind.allCases)
    func `Old answers and refusals are forgotten, young ones are not`(
        kind: StoreKind
    ) async throws {
        let outgoing = try await Outgoing(kind)
        let work = outgoing.work
        for (number, day) in [0, 1, 2].enumerated() {
            let now = Sale.noon.later(days: day)
            let id = TransactionID("\(number)")
            let key = try #require(
                IdempotencyKey(caller: "anna", key: "\(number)", input: [1]))
            _ = try await outgoing.shop.ledger.record(
                PurchaseSubmission(customer: .anna, proofs: [Sale(id).proof]), idempotency: key,
                now: now)
            try await outgoing.shop.show(Sale(id), by: .ben, at: now)
        }
        for prunable in [PrunableRecord.idempotentAnswers, .refusals] {
            let time = Sale.noon.later(days: 1)
            #expect(try await work.prune(prunable, before: time, limit: 9) == 1)
            #expect(try await work.prune(prunable, before: time, limit: 9) == 0)
            #expect(try await work.prune(prunable, before: time.later(days: 9), limit: 1) == 1)
        }
        let left = try await outgoing.shop.store.facts(of: .ben, limit: 9).refusals
        #expect(left.count == 1)
        var query = FactQuery()
        query.idempotency = IdempotencyKey(caller: "anna", key: "0", input: [1])
        #expect(try await outgoing.shop.store.facts(query).answer == nil)
        try await outgoing.shop.expectSound()
    }
}
