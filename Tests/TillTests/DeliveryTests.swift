import AppStoreModel
import Testing
import TillAPI

@testable import Till

@Suite(.timeLimit(.minutes(1))) struct DeliveryTests {
    @Test(
        "F01: a server that is down at the delivery keeps the purchase, and it is delivered later",
        arguments: FakeStore.Flavor.allCases)
    func keepsWhatCannotBeDelivered(_ flavor: FakeStore.Flavor) async throws {
        for fault in [FakeServer.Fault.status(500), .status(503), .lost, .status(502, "<html>")] {
            let world = World(flavor)
            await world.server.plan("POST /v1/purchases", fault, fault, fault)
            let till = try await world.launch(as: "alice")
            let outcome = await till.buy("coins600")
            guard case .failed(let failure) = outcome else {
                Issue.record("\(outcome)")
                continue
            }
            #expect(failure.stage == .delivering)
            #expect(failure.next == .deliveredLater)
            #expect(await world.store.queue.count == 1)
            #expect(world.files.orderCount == 1)
            #expect(await world.grants.isEmpty)
            await eventually { world.clock.sleepers == 1 }
            world.clock.advance(milliseconds: 60_000)
            await eventually { await world.store.queue.isEmpty && world.files.orderCount == 0 }
            await world.expectAllDelivered(payments: 1)
        }
    }

    @Test(arguments: FakeStore.Flavor.allCases)
    func `a short trouble of the server is sat through within the call`(
        _ flavor: FakeStore.Flavor
    ) async throws {
        let world = World(flavor)
        await world.server.plan("POST /v1/orders", .lost)
        await world.server.plan("POST /v1/purchases", .status(500), .lost)
        let till = try await world.launch(as: "alice")
        let events = till.events
        guard case .granted = await till.buy("coins600") else {
            Issue.record("not granted")
            return
        }
        #expect(world.clock.pauses == [1_000, 1_000, 2_000])
        let kinds = await first(until: .purchased, of: events)
        #expect(kinds.count { $0 == .retrying } == 3)
        await world.expectAllDelivered(payments: 1)
    }

    @Test func `a lost answer is asked for again under the same key and is not granted twice`()
        async throws
    {
        let world = World()
        await world.server.plan("POST /v1/purchases", .answerLost)
        await world.server.plan("POST /v1/orders", .answerLost)
        let till = try await world.launch(as: "alice")
        _ = await till.buy("coins600")
        let keys = await world.server.exchanges.filter { $0.route == "POST /v1/purchases" }.map(
            \.key)
        #expect(keys.count == 2)
        #expect(Set(keys).count == 1)
        #expect(await world.server.orders.count == 1)
        await world.expectAllDelivered(payments: 1)
    }

    @Test(
        "F02: an answer that does not list the transaction lets go of nothing",
        arguments: FakeStore.Flavor.allCases)
    func finishesOnlyWhatIsListed(_ flavor: FakeStore.Flavor) async throws {
        let world = World(flavor)
        await world.server.plan(
            "POST /v1/purchases", .listsNothing, .listsNothing, .listsNothing)
        let till = try await world.launch(as: "alice")
        guard case .failed(let failure) = await till.buy("coins600") else {
            Issue.record("not failed")
            return
        }
        #expect(failure.code == .notInAnswer)
        #expect(await world.store.queue.count == 1)
        #expect(await world.store.finished.isEmpty)
        _ = try await world.launch(as: "alice")
        await world.expectAllDelivered(payments: 1)
    }

    @Test("F03: a transaction that the store tells twice is one grant and one success")
    func takesATwiceToldTransactionOnce() async throws {
        let world = World()
        await world.store.plan(.tellsTwice)
        let till = try await world.launch(as: "alice")
        let events = till.events
        guard case .granted(let delivery) = await till.buy("coins600") else {
            Issue.record("not granted")
            return
        }
        // And again, after it was finished.
        let late = StoreTransaction(
            handle: StoreHandle(name: "late"), state: .purchased,
            transactionID: delivery.transactionID, productID: "coins600",
            signedForm: await world.store.proofs[delivery.transactionID.rawValue]?.jws)
        await world.store.enqueue(late)
        await world.store.tell(.transaction(late))
        await eventually { await world.store.queue.isEmpty }
        await till.recover()
        #expect(await world.server.count("POST /v1/purchases") == 1)
        await world.expectAllDelivered(payments: 1)
        _ = await till.buy("unknown")
        let kinds = await first(until: .couldNotAdd, of: events)
        #expect(kinds.count { $0 == .purchased || $0 == .alreadyPurchased } == 1)
    }

    @Test("F12: a failed transaction in the queue is let go of without asking the server")
    func letsGoOfFailedTransactions() async throws {
        let world = World(.original)
        await world.store.enqueue(
            StoreTransaction(
                handle: StoreHandle(name: "old"), state: .failed(StoreFault(.other)),
                productID: "coins600"))
        await world.store.enqueue(
            StoreTransaction(
                handle: StoreHandle(name: "deferred"), state: .deferred, productID: "coins600"))
        _ = try await world.launch(as: "alice")
        #expect(await world.store.finished.map(\.name) == ["old"])
        #expect(await world.server.exchanges.isEmpty)
    }

    @Test func `a no for good lets go and says so, a no for now keeps`() async throws {
        for (mayFinish, left) in [(true, 0), (false, 1)] {
            let world = World()
            await world.server.plan(
                "POST /v1/purchases",
                .problem(ProblemDocument(.wrongSignature, mayFinish: mayFinish)))
            let till = try await world.launch(as: "alice")
            guard case .refused(let refusal) = await till.buy("coins600") else {
                Issue.record("not refused")
                continue
            }
            #expect(refusal.isFinal == mayFinish)
            #expect(refusal.reason == ProblemKind.wrongSignature.rawValue)
            #expect(await world.store.queue.count == left)
            #expect(world.files.orderCount == left)
        }
    }

    @Test func `a no that is not the server's own lets go of nothing`() async throws {
        let world = World()
        await world.server.plan("POST /v1/purchases", .status(422, "<html>blocked</html>"))
        let till = try await world.launch(as: "alice")
        guard case .refused(let refusal) = await till.buy("coins600") else {
            Issue.record("not refused")
            return
        }
        #expect(!refusal.isFinal)
        #expect(await world.store.queue.count == 1)
    }

    @Test("F24: an unverified transaction opens nothing here and goes to the server")
    func leavesUnverifiedTransactionsToTheServer() async throws {
        let world = World()
        await world.store.add("forever", isForged: true)
        let till = try await world.launch(as: "alice")
        #expect(await till.entitlements().active.isEmpty)
        #expect(await world.server.count("POST /v1/purchases") == 1)
        // The server's last no, and only that, lets go of it.
        #expect(await world.store.queue.isEmpty)
        #expect(await world.grants.isEmpty)
    }

    @Test func `one forged proof among good ones does not take them along`() async throws {
        let world = World()
        await world.store.add("forever", isForged: true)
        await world.store.add("monthly")
        let till = try await world.launch(as: "alice")
        #expect(await world.store.queue.isEmpty)
        #expect(await world.grants.count == 1)
        #expect(await till.entitlements().active == ["monthly"])
    }

    @Test func `the values of track travel with their own purchase, once`() async throws {
        let world = World()
        await world.server.plan("POST /v1/purchases", .status(500), .status(500), .status(500))
        let till = try await world.launch(as: "alice")
        _ = await till.buy("coins600", track: ["from": .text("banner"), "step": .integer(3)])
        _ = try await world.launch(as: "alice")
        _ = await (try world.launch(as: "alice")).buy("coins100", track: ["from": .text("shop")])
        #expect(
            await world.server.tracks == [
                ["from": .text("banner"), "step": .integer(3)], ["from": .text("shop")],
            ])
    }

    @Test func `the pauses between attempts that nobody waits for grow`() async throws {
        let world = World()
        await world.store.add("forever")
        await world.server.change { $0.isDown = true }
        _ = try await world.launch(as: "alice")
        await eventually { world.clock.sleepers == 1 }
        var pause = try #require(world.clock.pauses.last)
        for _ in 0..<3 {
            world.clock.advance(milliseconds: pause)
            await eventually { world.clock.sleepers == 1 }
            #expect(world.clock.pauses.last == pause * 2)
            pause *= 2
        }
        await world.server.change { $0.isDown = false }
        world.clock.advance(milliseconds: pause)
        await eventually { await world.store.queue.isEmpty }
        #expect(await world.grants.count == 1)
    }

    @Test(arguments: [(1, 4_000), (2, 8_000), (5, 64_000), (20, 900_000), (99, 900_000)])
    func `a pause doubles up to a quarter of an hour, and jitter halves it at most`(
        _ failures: Int, _ longest: Int64
    ) {
        let pauses = Pauses.unattended
        #expect(pauses.milliseconds(after: failures, jitter: 1) == longest)
        #expect(pauses.milliseconds(after: failures, jitter: 0) == longest / 2)
        #expect(
            pauses.milliseconds(after: failures, jitter: 0, retryAfterSeconds: 3_600) == 3_600_000)
    }

    @Test func `the server's Retry-After is obeyed`() async throws {
        let world = World()
        await world.server.plan("POST /v1/purchases", .status(429, retryAfter: 120))
        let till = try await world.launch(as: "alice")
        guard case .failed(let failure) = await till.buy("coins600") else {
            Issue.record("not failed")
            return
        }
        #expect(failure.code == .serverTrouble)
        await eventually { world.clock.pauses == [120_000] }
    }

    @Test func `the network's return is a reason to try at once`() async throws {
        let world = World()
        await world.store.add("forever")
        await world.server.change { $0.isDown = true }
        let (wakeUps, wake) = AsyncStream.makeStream(of: WakeUp.self)
        let till = world.launch(wakeUps: wakeUps)
        try await till.login(customerToken: "token-alice", customerID: "alice")
        await till.recover()
        #expect(await world.store.queue.count == 1)
        await world.server.change { $0.isDown = false }
        wake.yield(.networkReturned)
        await eventually { await world.store.queue.isEmpty }
        #expect(await world.grants.count == 1)
    }

    @Test func `a disk that cannot be written stops the purchase before it is paid`() async throws {
        let world = World()
        let till = try await world.launch(as: "alice")
        world.files.breaks(true)
        guard case .failed(let failure) = await till.buy("coins600") else {
            Issue.record("not failed")
            return
        }
        #expect(failure.code == .journalNotWritable)
        #expect(await world.store.payments.isEmpty)
    }
}

/// The kinds of the events up to and with the first of `kind`.
func first(until kind: TillEvent.Kind, of events: AsyncStream<TillEvent>) async -> [TillEvent.Kind]
{
    var kinds: [TillEvent.Kind] = []
    for await event in events {
        kinds.append(event.kind)
        if event.kind == kind { break }
    }
    return kinds
}
