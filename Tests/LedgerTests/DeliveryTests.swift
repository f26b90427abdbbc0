import AppStoreModel
import LedgerPostgres
import LedgerSQLite
import TestKit
import Testing

@testable import TillLedger

/// What every store promises about events on their way.
@Suite struct DeliveryTests {
    @Test(arguments: StoreKind.allCases)
    func `A customer's next event waits for the former one, another customer's does not`(
        kind: StoreKind
    ) async throws {
        let outgoing = try await Outgoing(kind)
        for id in ["1", "2", "3"] { try await outgoing.shop.show(Sale(TransactionID(id))) }
        try await outgoing.shop.show(Sale("4"), by: .ben)
        let first = try await outgoing.claim()
        #expect(Set(first.map(\.event.event.customer)) == [.anna, .ben])
        #expect(first.map(\.event.sequence) == [1, 1])
        #expect(try await outgoing.claim(as: "other").isEmpty)

        let anna = try #require(first.first { $0.event.event.customer == .anna })
        let ben = try #require(first.first { $0.event.event.customer == .ben })
        let failure = DeliveryFailure(status: 500, text: "status 500")
        let later = Sale.noon.later(minutes: 5)
        #expect(try await outgoing.work.settle(ben, .released(at: later), nil))
        #expect(try await outgoing.work.settle(anna, .postponed(failure, until: later), nil))
        // What came meanwhile waits as well.
        try await outgoing.shop.show(Sale("5"))
        #expect(try await outgoing.claim(at: later.later(seconds: -1)).isEmpty)
        let again = try await outgoing.claim(at: later)
        #expect(again.map(\.event.sequence).sorted() == [1, 1])
        let second = try #require(again.first { $0.event.event.customer == .anna })
        #expect(second.lease.attempt == 2)
        #expect(second.event == anna.event)
        #expect(try await outgoing.work.settle(second, .delivered(status: 200, at: later), nil))
        #expect(try await outgoing.claim(at: later).map(\.event.sequence) == [2])
    }

    @Test(arguments: StoreKind.allCases)
    func `What is held is nobody else's until the hold runs out, and then the old hold is void`(
        kind: StoreKind
    ) async throws {
        let outgoing = try await Outgoing(kind)
        try await outgoing.shop.show(Sale("1"))
        let first = try #require(try await outgoing.claim(as: "one").first)
        let end = Sale.noon.later(seconds: 60)
        #expect(try await outgoing.claim(at: end.later(seconds: -1), as: "two").isEmpty)
        let second = try #require(try await outgoing.claim(at: end, as: "two").first)
        #expect(second.lease == Lease(owner: "two", attempt: 2))
        for settlement: DeliverySettlement in [
            .delivered(status: 200, at: end), .released(at: end),
            .dead(DeliveryFailure(status: nil, text: "x"), at: end),
            .postponed(DeliveryFailure(status: nil, text: "x"), until: end),
        ] {
            #expect(
                try await !outgoing.work.settle(
                    first, settlement, .paused(until: Sale.noon.later(days: 9))))
        }
        #expect(try await outgoing.work.settle(second, .delivered(status: 200, at: end), nil))
        #expect(
            try await !outgoing.work.settle(second, .delivered(status: 200, at: end), nil))
        #expect(try await outgoing.claim(at: end.later(days: 1)).isEmpty)
    }

    @Test(arguments: StoreKind.allCases)
    func `What is given back is due at once, and the attempt does not count`(
        kind: StoreKind
    ) async throws {
        let outgoing = try await Outgoing(kind)
        try await outgoing.shop.show(Sale("1"))
        let first = try #require(try await outgoing.claim().first)
        #expect(try await outgoing.work.settle(first, .released(at: Sale.noon), nil))
        #expect(try await outgoing.claim(as: "two").map(\.lease.attempt) == [1])
    }

    @Test(arguments: StoreKind.allCases)
    func `After ten failures over three days an event is put aside, and the next one goes out`(
        kind: StoreKind
    ) async throws {
        let outgoing = try await Outgoing(kind)
        try await outgoing.shop.show(Sale("1"))
        try await outgoing.shop.show(Sale("2"))
        var now = Sale.noon
        var attempts = 0
        while try await outgoing.work.deadLetters(of: Sale.app, limit: 9).isEmpty {
            attempts += try await outgoing.answer(at: now) {
                #expect($0.sequence == 1)
                return .status(500, retryAfter: nil)
            }
            now = now.later(minutes: 1)
        }
        #expect(attempts == 10)
        let days = Double(now.milliseconds - Sale.noon.milliseconds) / 86_400_000
        #expect(days > 3.1 && days < 4)
        let letter = try #require(
            try await outgoing.work.deadLetters(of: Sale.app, limit: 9).first)
        #expect(letter.event.sequence == 1)
        #expect(letter.attempts == 10)
        #expect(letter.failure == DeliveryFailure(status: 500, text: "status 500"))
        #expect(letter.endpoint == Outgoing.main)
        let state = try #require(try await outgoing.work.endpoints(of: Sale.app).first)
        #expect(state.dead == 1)
        #expect(state.waiting == 1)
        #expect(state.oldestWaiting == Sale.noon)
        #expect(try await outgoing.drain(at: now).map(\.sequence) == [2])
    }

    @Test(arguments: StoreKind.allCases)
    func `Dead letters are sent again by name or from a moment on, and nothing else is`(
        kind: StoreKind
    ) async throws {
        let outgoing = try await Outgoing(kind)
        let work = outgoing.work
        for number in 1...4 {
            try await outgoing.shop.show(
                Sale(TransactionID("\(number)")), at: Sale.noon.later(minutes: number))
        }
        let now = Sale.noon.later(minutes: 10)
        let dead = DeliveryFailure(status: 400, text: "no")
        var ids: [EventID] = []
        for _ in 0..<4 {
            let delivery = try #require(try await outgoing.claim(at: now).first)
            ids.append(delivery.event.event.id)
            _ = try await work.settle(delivery, .dead(dead, at: now), nil)
        }
        #expect(try await outgoing.claim(at: now.later(days: 9)).isEmpty)
        #expect(try await work.replay(.events(["unknown"]), of: Sale.app, now: now) == 0)
        #expect(try await work.replay(.events([ids[0]]), of: "com.other", now: now) == 0)
        #expect(try await work.replay(.events([ids[0], ids[0]]), of: Sale.app, now: now) == 1)
        #expect(try await work.replay(.events([ids[0]]), of: Sale.app, now: now) == 0)
        #expect(try await outgoing.drain(at: now).map(\.event.id) == [ids[0]])
        // One that was delivered is sent again when it is named, not by a moment.
        let since = Sale.noon.later(minutes: 3)
        #expect(try await work.replay(.deadSince(since), of: Sale.app, now: now) == 2)
        #expect(try await outgoing.drain(at: now).map(\.event.id) == [ids[2], ids[3]])
        #expect(try await work.replay(.deadSince(Sale.noon), of: Sale.app, now: now) == 1)
        #expect(try await work.replay(.events([ids[0]]), of: Sale.app, now: now) == 1)
        let last = try await outgoing.claim(at: now)
        #expect(last.map(\.event.event.id) == [ids[0]])
        #expect(last.map(\.lease.attempt) == [1])
    }

    @Test(arguments: StoreKind.allCases)
    func `An endpoint that is gone gets nothing until it is enabled, and then everything in order`(
        kind: StoreKind
    ) async throws {
        let outgoing = try await Outgoing(kind)
        try await outgoing.shop.show(Sale("1"))
        try await outgoing.answer(at: Sale.noon) { _ in .status(410, retryAfter: nil) }
        try await outgoing.shop.show(Sale("2"))
        let later = Sale.noon.later(days: 9)
        #expect(try await outgoing.claim(at: later).isEmpty)
        let state = try #require(try await outgoing.work.endpoints(of: Sale.app).first)
        #expect(state.disabledAt == Sale.noon)
        #expect(state.disabledBecause != nil)
        #expect(state.waiting == 2)
        try await outgoing.work.enable(Outgoing.main)
        #expect(try await outgoing.drain(at: later).map(\.sequence) == [1, 2])
    }

    @Test(arguments: StoreKind.allCases, [429, 503])
    func `Retry-After holds for the endpoint as a whole, and only with its statuses`(
        kind: StoreKind, status: Int
    ) async throws {
        let outgoing = try await Outgoing(kind)
        try await outgoing.shop.show(Sale("1"))
        try await outgoing.answer(at: Sale.noon) { _ in .status(status, retryAfter: 600_000) }
        try await outgoing.shop.show(Sale("2"), by: .ben)
        let end = Sale.noon.later(minutes: 10)
        #expect(try await outgoing.claim(at: end.later(seconds: -1)).isEmpty)
        #expect(try await outgoing.claim(at: end).count == 2)

        let other = try await Outgoing(kind)
        try await other.shop.show(Sale("1"))
        try await other.answer(at: Sale.noon) { _ in .status(500, retryAfter: 600_000) }
        #expect(try await other.claim(at: Sale.noon.later(minutes: 1)).count == 1)
    }

    @Test func `A wait that is asked for is bounded, and never shortens the pause`() throws {
        let event = CustomerEvent(
            id: "e", kind: .orderPaid, bundleID: Sale.app, environment: nil, customer: .anna,
            data: "{}", at: Sale.noon)
        func due(_ attempt: Int, _ wait: Int64) -> Timestamp? {
            let delivery = ClaimedDelivery(
                endpoint: Outgoing.main, event: NumberedEvent(event: event, sequence: 1),
                lease: Lease(owner: "w", attempt: attempt))
            let (settlement, _) = delivery.settlement(
                for: .status(429, retryAfter: wait), now: Sale.noon)
            guard case .postponed(_, let due) = settlement else { return nil }
            return due
        }
        #expect(due(1, .max) == Sale.noon.later(days: 1))
        #expect(try #require(due(4, 1)) >= Sale.noon.later(minutes: 120))
        #expect(try #require(due(1, -5)) <= Sale.noon.later(seconds: 6))
    }

    @Test func `Pauses grow from seconds to a day, spread by up to a fifth`() throws {
        var least: Int64 = 0
        for attempt in 1...9 {
            let pauses = try (0..<50).map {
                try #require(RetrySchedule.deliveryPause(after: attempt, of: EventID("\($0)")))
            }
            let plain = RetrySchedule.deliveryPauses[attempt - 1]
            #expect(pauses.allSatisfy { $0 >= plain && $0 <= plain + plain / 5 })
            #expect(Set(pauses).count > 20)
            #expect(plain > least)
            least = plain
        }
        #expect(RetrySchedule.deliveryPause(after: 10, of: "e") == nil)
    }

    @Test(arguments: StoreKind.allCases, [UInt64(1), 2, 3])
    func `Fifty events of five customers reach a flaky endpoint, each customer's in order`(
        kind: StoreKind, seed: UInt64
    ) async throws {
        var random = SeededRandom(seed: seed)
        let outgoing = try await Outgoing(kind)
        for number in 0..<50 {
            try await outgoing.shop.show(
                Sale(TransactionID("\(number)")), by: .named("customer \(number % 5)"))
        }
        var now = Sale.noon
        var arrived: [CustomerID: [Int64]] = [:]
        var rounds = 0
        while arrived.values.map(\.count).reduce(0, +) < 50, rounds < 10_000 {
            rounds += 1
            let claimed = try await outgoing.claim(
                at: now, limit: Int.random(in: 1...4, using: &random))
            for delivery in claimed.shuffled(using: &random) {
                let isTaken = Int.random(in: 0..<3, using: &random) == 0
                // Now and then the worker is gone before it can write down what happened.
                let isForgotten = Int.random(in: 0..<5, using: &random) == 0
                if isTaken, !isForgotten {
                    arrived[delivery.event.event.customer, default: []]
                        .append(delivery.event.sequence)
                }
                guard !isForgotten else { continue }
                let answer: DeliveryAnswer =
                    isTaken ? .status(204, retryAfter: nil) : .nothing("no answer")
                let (settlement, change) = delivery.settlement(for: answer, now: now)
                if case .dead = settlement {
                    _ = try await outgoing.work.settle(delivery, .released(at: now), nil)
                } else {
                    _ = try await outgoing.work.settle(delivery, settlement, change)
                }
            }
            now = now.later(minutes: 7)
        }
        #expect(arrived.count == 5)
        for sequences in arrived.values { #expect(sequences == Array(1...10)) }
    }

    /// Opens a new database twice, as two servers do.
    private func twoStores(
        _ kind: StoreKind, in folder: Folder
    ) async throws -> [any LedgerStore] {
        let schema = kind == .postgres ? try PostgresSchema() : nil
        var options = PostgresLedgerStore.Options()
        options.waitAsLongAsABusyMachineNeeds()
        var stores: [any LedgerStore] = []
        for _ in 0..<2 {
            if let schema {
                stores.append(
                    try await PostgresLedgerStore.open(address: schema.address, options: options))
            } else {
                stores.append(try await SQLiteLedgerStore.open(path: folder.file("till.db")))
            }
        }
        return stores
    }

    @Test(arguments: StoreKind.allCases.filter { $0 != .memory })
    func `Two workers on one database never hold the same delivery or task`(
        kind: StoreKind
    ) async throws {
        let folder = try Folder()
        let stores = try await twoStores(kind, in: folder)
        let catalog = try Outgoing.catalog
        let ledger = Shop.ledger(on: stores[0], catalog: catalog)
        for number in 0..<60 {
            let proof = Sale(TransactionID("\(number)")).proof
            _ = try await ledger.record(
                PurchaseSubmission(customer: .named("c\(number % 20)"), proofs: [proof]),
                now: Sale.noon)
        }
        try await ledger.schedule(
            (0..<60).map { ScheduledTask("x", subject: "\($0)", due: Sale.noon) })
        let held = try await withThrowingTaskGroup(of: [String].self) { group in
            for (number, store) in stores.enumerated() {
                for _ in 0..<2 {
                    group.addTask {
                        var held: [String] = []
                        for _ in 0..<40 {
                            let claim = WorkClaim(
                                owner: "worker \(number)", now: Sale.noon, lease: 60_000, limit: 3)
                            for delivery in try await store.claimDeliveries(
                                claim, to: Outgoing.main)
                            {
                                held.append(delivery.event.event.id.rawValue)
                                let isSettled = try await store.settle(
                                    delivery, .delivered(status: 200, at: Sale.noon), nil)
                                #expect(isSettled)
                            }
                            for task in try await store.claimTasks(claim, of: ["x"]) {
                                held.append(task.key.subject)
                                #expect(try await store.settle(task, .finished(at: Sale.noon)))
                            }
                        }
                        return held
                    }
                }
            }
            return try await group.reduce(into: []) { $0 += $1 }
        }
        #expect(held.count == 120)
        #expect(Set(held).count == 120)
        for store in stores { await store.close() }
    }

    @Test(arguments: StoreKind.allCases)
    func `Old events are forgotten once they arrived, and numbers go on`(
        kind: StoreKind
    ) async throws {
        let outgoing = try await Outgoing(kind)
        try await outgoing.shop.show(Sale("1"))
        try await outgoing.shop.show(Sale("2"))
        let later = Sale.noon.later(days: 1)
        #expect(try await outgoing.work.prune(.events, before: later, limit: 10) == 0)
        let first = try #require(try await outgoing.claim().first)
        _ = try await outgoing.work.settle(first, .delivered(status: 200, at: later), nil)
        #expect(try await outgoing.work.prune(.events, before: Sale.noon, limit: 10) == 0)
        #expect(try await outgoing.work.prune(.events, before: later, limit: 10) == 1)
        let replayed = try await outgoing.work.replay(
            .events([first.event.event.id]), of: Sale.app, now: later)
        #expect(replayed == 0)
        #expect(try await outgoing.drain(at: later).map(\.sequence) == [2])
        #expect(try await outgoing.work.prune(.events, before: later, limit: 10) == 1)
        try await outgoing.shop.show(Sale("3"))
        #expect(try await outgoing.drain(at: later).map(\.sequence) == [3])
    }
}
