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

    @Test(arguments: StoreKind.allCases)
    func `Tasks are listed by kind, by app and by failure, piece by piece`(
        kind: StoreKind
    ) async throws {
        let outgoing = try await Outgoing(kind)
        let here = BookedSubject(
            book: Book(bundleID: Sale.app, environment: .production), name: "1")
        let there = BookedSubject(
            book: Book(bundleID: "com.example.app2", environment: .sandbox), name: "1")
        try await outgoing.shop.ledger.schedule([
            scheduled("a"), scheduled("b", Self.other), scheduled(here.text),
            scheduled(there.text),
        ])
        let task = try #require(
            try await outgoing.claimTasks([Self.kind]).first { $0.key.subject == there.text })
        #expect(
            try await outgoing.work.settle(
                task, .failed("no", until: Sale.noon.later(minutes: 5))))
        let work = outgoing.work
        func subjects(_ filter: TaskFilter, after place: TaskKey? = nil) async throws -> [String] {
            try await work.tasks(filter, after: place, limit: 10).map(\.key.subject)
        }
        #expect(try await subjects(TaskFilter(kind: Self.other)) == ["b"])
        #expect(try await subjects(TaskFilter(app: Sale.app)) == [here.text])
        #expect(try await subjects(TaskFilter(failedAlone: true)) == [there.text])
        #expect(try await subjects(TaskFilter(kind: Self.other, failedAlone: true)) == [])
        let all = try await subjects(TaskFilter(kind: Self.kind))
        #expect(all == ["a", here.text, there.text])
        let place = TaskKey(kind: Self.kind, subject: "a")
        #expect(
            try await subjects(TaskFilter(kind: Self.kind), after: place) == Array(all.dropFirst()))
        #expect(try await work.tasks(after: nil, limit: 2).count == 2)
    }

    @Test(arguments: StoreKind.allCases)
    func `A task that waits can be made due at once, one that is held cannot`(
        kind: StoreKind
    ) async throws {
        let outgoing = try await Outgoing(kind)
        let tomorrow = Sale.noon.later(days: 1)
        try await outgoing.shop.ledger.schedule([scheduled("a", due: tomorrow)])
        let key = TaskKey(kind: Self.kind, subject: "a")
        let hastened = try #require(try await outgoing.work.hasten(key, to: Sale.noon))
        #expect(hastened.due == Sale.noon && hastened.owner == nil)
        // Never the other way round.
        #expect(try await outgoing.work.hasten(key, to: tomorrow)?.due == Sale.noon)
        let task = try #require(try await outgoing.claimTasks([Self.kind]).first)
        let held = try #require(try await outgoing.work.hasten(key, to: Sale.noon))
        #expect(held.owner == "worker" && held.due > Sale.noon)
        #expect(try await outgoing.work.settle(task, .finished(at: Sale.noon)))
        #expect(try await outgoing.work.hasten(key, to: Sale.noon) == nil)
    }

    @Test(arguments: StoreKind.allCases)
    func `What comes again may come with another payload`(kind: StoreKind) async throws {
        let outgoing = try await Outgoing(kind)
        try await outgoing.shop.ledger.schedule([scheduled("a")])
        var task = try #require(try await outgoing.claimTasks([Self.kind]).first)
        #expect(
            try await outgoing.work.settle(task, .resumed(at: Sale.noon, payload: #"{"n":2}"#)))
        task = try #require(try await outgoing.claimTasks([Self.kind]).first)
        #expect(task.payload == #"{"n":2}"# && task.lease.attempt == 1)
        #expect(try await outgoing.work.settle(task, .again(at: Sale.noon)))
        #expect(try await outgoing.claimTasks([Self.kind]).first?.payload == #"{"n":2}"#)
    }
}

/// What is asked of Apple, and how often.
@Suite struct AppleWorkTests {
    private static let book = Book(bundleID: Sale.app, environment: .production)

    private static func shop(_ kind: StoreKind, asks: Bool = true) async throws -> Shop {
        var catalog = Sale.catalog
        catalog.apps[Sale.app]?.apple = AppleWork(asks: asks)
        return try await Shop(kind, catalog: catalog)
    }

    private static func hint(_ original: String?, _ number: Int = 0) -> NotificationSubmission {
        var body = NotificationV1Body(.cancel)
        body.originalTransactionID = original.map { TransactionID($0) }
        return NotificationSubmission(
            hint: body, bundleID: Sale.app, receipt: nil, keeping: Array("\(number)".utf8))
    }

    private static func asked(_ shop: Shop) async throws -> [TaskState] {
        try await shop.ledger.work.tasks(
            TaskFilter(kind: Reconciliation.readHistory), after: nil, limit: 100)
    }

    @Test(arguments: StoreKind.allCases)
    func `A hint without a receipt has Apple asked about what the ledger knows, and seldom`(
        kind: StoreKind
    ) async throws {
        let shop = try await Self.shop(kind)
        try await shop.show(Sale.month(0))
        // Any number of strangers' bodies within ten minutes come to one question.
        for number in 0..<20 {
            let now = Sale.noon.later(seconds: Int64(number * 29))
            let answer = try await shop.ledger.record(Self.hint("200000", number), now: now)
            #expect(answer.notification.effect == .hint && answer.results.isEmpty)
        }
        let asked = try await Self.asked(shop)
        #expect(asked.map(\.key.subject) == [BookedSubject(book: Self.book, name: "200000").text])
        #expect(asked.map(\.due) == [Sale.noon.later(minutes: 10)])
        #expect(try await shop.active() == ["pro"])
        try await shop.expectSound()
    }

    @Test(arguments: StoreKind.allCases)
    func `A hint about what nobody knows, or where nobody may ask, asks nothing`(
        kind: StoreKind
    ) async throws {
        let shop = try await Self.shop(kind)
        try await shop.show(Sale.month(0))
        let hints = ["1", nil, "", String(repeating: "2", count: 65), "200000 "]
        for (number, hint) in hints.enumerated() {
            _ = try await shop.ledger.record(Self.hint(hint, number), now: Sale.noon)
        }
        #expect(try await Self.asked(shop).isEmpty)
        let silent = try await Self.shop(kind, asks: false)
        try await silent.show(Sale.month(0))
        _ = try await silent.ledger.record(Self.hint("200000"), now: Sale.noon)
        #expect(try await Self.asked(silent).isEmpty)
    }

    @Test(arguments: StoreKind.allCases)
    func `Refunds are asked about once for a customer, and an erasure takes the name out`(
        kind: StoreKind
    ) async throws {
        let shop = try await Self.shop(kind)
        try await shop.show(Sale("1"), Sale("2"), by: .anna)
        try await shop.show(Sale("3"), by: .anna, at: Sale.noon.later(days: 1))
        try await shop.show(Sale("4"), by: .ben)
        try await shop.show(Sale.month(0), by: .cleo)
        let filter = TaskFilter(kind: Reconciliation.checkRefunds)
        let tasks = try await shop.ledger.work.tasks(filter, after: nil, limit: 10)
        #expect(tasks.map { BookedSubject($0.key.subject)?.name } == ["anna", "ben"])
        #expect(
            tasks[0].due == Sale.noon.advanced(byMilliseconds: Reconciliation.refundPause))
        #expect(try await shop.ledger.erase(.anna, now: Sale.noon))
        let after = try await shop.ledger.work.tasks(filter, after: nil, limit: 10)
            .compactMap { BookedSubject($0.key.subject)?.name }
        #expect(after.count == 2 && after.contains("ben") && !after.contains("anna"))
        #expect(after.contains { $0.hasPrefix("erased-") })
    }
}
