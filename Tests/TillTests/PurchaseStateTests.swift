import AppStoreModel
import Testing
import TillAPI

@testable import Till

@Suite(.timeLimit(.minutes(1))) struct PurchaseStateTests {
    @Test(
        "F10: a purchase that waits for approval is pending, is never finished, and is granted late",
        arguments: FakeStore.Flavor.allCases)
    func waitsForApproval(_ flavor: FakeStore.Flavor) async throws {
        let world = World(flavor)
        await world.store.plan(.waitsForApproval)
        let till = try await world.launch(as: "alice")
        #expect(await till.buy("coins600") == .pending(.approval))
        #expect(await world.store.finished.isEmpty)
        await eventually { await world.server.orders.values.map(\.status) == [.deferred] }
        await world.store.relaunch(forgetsTokens: false)
        // Much later, with nobody logged in.
        await till.logout()
        world.clock.restart(after: 3 * 86_400_000)
        let next = world.launch()
        await next.start()
        await world.store.approve()
        await next.recover()
        #expect(await world.grants.isEmpty)
        try await next.login(customerToken: "token-alice", customerID: "alice")
        await eventually { await world.store.queue.isEmpty }
        await next.recover()
        await world.expectAllDelivered(payments: 1)
        #expect(world.files.orderCount == 0)
    }

    @Test func `a server that did not hear of the waiting hears of it at the next launch`()
        async throws
    {
        let world = World()
        await world.store.plan(.waitsForApproval)
        await world.server.plan("POST /v1/orders/id/deferred", .lost)
        let till = try await world.launch(as: "alice")
        #expect(await till.buy("coins600") == .pending(.approval))
        await till.recover()
        #expect(await world.server.orders.values.map(\.status) == [.open])
        await world.store.relaunch(forgetsTokens: false)
        let next = try await world.launch(as: "alice")
        await next.recover()
        await eventually { await world.server.orders.values.map(\.status) == [.deferred] }
        #expect(await next.journal.all().map(\.state) == [.pending])
    }

    @Test func `a declined approval lets go of the failure and grants nothing`() async throws {
        let world = World(.original)
        await world.store.plan(.waitsForApproval)
        let till = try await world.launch(as: "alice")
        _ = await till.buy("coins600")
        let payment = try #require(await world.store.payments.first)
        let declined = StoreTransaction(
            handle: StoreHandle(name: "declined"), state: .failed(StoreFault(.other)),
            productID: "coins600", token: payment.orderID.token)
        await world.store.enqueue(declined)
        await world.store.tell(.transaction(declined))
        await eventually { await world.store.queue.isEmpty }
        #expect(await world.grants.isEmpty)
        #expect(await till.journal.all().map(\.state) == [.failed])
    }

    @Test(
        "F11: an interrupted purchase fails first and completes the same order later",
        arguments: FakeStore.Flavor.allCases, [StoreFault.Code.other, .cancelled])
    func completesInterruptedPurchases(
        _ flavor: FakeStore.Flavor, _ code: StoreFault.Code
    ) async throws {
        let world = World(flavor)
        await world.store.plan(.isInterrupted(code))
        let till = try await world.launch(as: "alice")
        let outcome = await till.buy("coins600")
        if code == .cancelled {
            #expect(outcome == .cancelled)
        } else {
            guard case .failed(let failure) = outcome else {
                Issue.record("\(outcome)")
                return
            }
            #expect(failure.next == .mayCompleteLater)
        }
        // The failure itself is let go of.
        #expect(await world.store.queue.isEmpty)
        let order = try #require(await world.store.payments.first?.orderID)
        world.clock.advance(milliseconds: 30_000)
        await world.store.completeInterrupted()
        await eventually { await world.server.grants.count == 1 }
        await eventually { await world.store.queue.isEmpty && world.files.orderCount == 0 }
        #expect(await world.server.purchases.last?.orderID == order.uuid)
        await world.expectAllDelivered(payments: 1)
    }

    @Test(
        "F14: a consumable bought twice at once is two payments and two grants",
        arguments: FakeStore.Flavor.allCases)
    func buysConsumablesTwice(_ flavor: FakeStore.Flavor) async throws {
        let world = World(flavor)
        let till = try await world.launch(as: "alice")
        async let one = till.buy("coins600")
        async let two = till.buy("coins600")
        async let other = till.buy("coins100")
        let outcomes = await [one, two, other]
        for outcome in outcomes {
            guard case .granted = outcome else {
                Issue.record("\(outcome)")
                return
            }
        }
        #expect(await world.server.orders.count == 3)
        #expect(await till.balance(of: "coins") == 1_300)
        await world.expectAllDelivered(payments: 3)
    }

    @Test func `each of two payments in one receipt is a purchase of its own`() async throws {
        let world = World(.original)
        await world.server.plan("POST /v1/purchases", .lost, .lost, .lost, .lost, .lost, .lost)
        let till = try await world.launch(as: "alice")
        _ = await till.buy("coins600")
        _ = await till.buy("coins100")
        #expect(await world.store.queue.count == 2)
        await world.server.change { $0.faults = [:] }
        await world.store.relaunch(forgetsTokens: false)
        let heard = Locked<[TillEvent.Kind]>([])
        let next = world.launch {
            $0.onEvent = { event in heard.withLock { $0.append(event.kind) } }
        }
        try await next.login(customerToken: "token-alice", customerID: "alice")
        await next.recover()
        await world.expectAllDelivered(payments: 2)
        let kinds = heard.withLock { $0 }
        #expect(kinds.count { $0 == .purchased } == 2)
        #expect(!kinds.contains(.alreadyPurchased))
    }

    @Test func `a subscription bought twice at once is one payment with one outcome`() async throws
    {
        let world = World()
        let till = try await world.launch(as: "alice")
        _ = try await till.products(["monthly"])
        let outcomes = try await world.twice("POST /v1/purchases") { await till.buy("monthly") }
        #expect(outcomes[0] == outcomes[1])
        await world.expectAllDelivered(payments: 1)
        guard case .granted = await till.buy("monthly") else {
            Issue.record("a later call is a purchase of its own")
            return
        }
        await world.expectAllDelivered(payments: 2)
    }

    @Test("F16: a fresh purchase with the flag restored is delivered and let go of like any other")
    func decidesByIdsAndNotByTheFlag() async throws {
        let world = World(.original)
        var transaction = await world.store.add("coins600")
        await world.store.finish(transaction.handle)
        transaction.state = .restored
        await world.store.enqueue(transaction)
        _ = try await world.launch(as: "alice")
        #expect(await world.store.queue.count == 0)
    }

    @Test
    func `what StoreKit 1 restores by itself is named by the purchase that the receipt knows`()
        async throws
    {
        let world = World(.original)
        var transaction = await world.store.add("forever")
        await world.store.finish(transaction.handle)
        transaction.state = .restored
        transaction.handle = StoreHandle(name: "restored by itself")
        transaction.transactionID = "7777"
        await world.store.enqueue(transaction)
        _ = try await world.launch(as: "alice")
        #expect(await world.store.queue.count == 0)
        let request = try #require(await world.server.purchases.first)
        #expect(request.transactionIDs == [transaction.originalTransactionID].compactMap(\.self))
        #expect(!request.isRestore)
    }

    @Test
    func `in StoreKit 1 an unfinished purchase is delivered before the product is paid again`()
        async throws
    {
        let world = World(.original)
        await world.server.plan("POST /v1/purchases", .lost, .lost, .lost)
        let till = try await world.launch(as: "alice")
        _ = await till.buy("coins600")
        await world.server.plan("POST /v1/purchases", .lost, .lost, .lost)
        guard case .failed(let failure) = await till.buy("coins600") else {
            Issue.record("not failed")
            return
        }
        #expect(failure.code == .unfinishedPurchase)
        #expect(await world.store.payments.count == 1)
        guard case .granted = await till.buy("coins600") else {
            Issue.record("not granted")
            return
        }
        await world.expectAllDelivered(payments: 2)
    }

    @Test func `the eight states arrive as events with words`() async throws {
        let world = World(.original)
        let till = try await world.launch(as: "alice")
        let events = till.events
        await world.store.change { $0.mayPay = false }
        _ = await till.buy("coins600")
        await world.store.change { $0.mayPay = true }
        _ = await till.buy("nothing")
        await world.store.plan(
            .cancels, .fails(StoreFault(.other)), .waitsForApproval, .succeeds, .succeeds)
        for _ in 0..<4 { _ = await till.buy("coins600") }
        _ = await till.buy("forever")
        _ = await till.restore()
        var kinds: [TillEvent.Kind] = []
        for await event in events {
            #expect(!event.isQuiet || event.kind == .customerChanged)
            #expect(!event.message.isEmpty)
            kinds.append(event.kind)
            if event.kind == .restored { break }
        }
        for kind in [
            TillEvent.Kind.noPermission, .couldNotAdd, .purchasing, .purchased, .failed, .cancelled,
            .restored, .deferred, .openingOrder, .askingStore, .paying, .verifying, .delivering,
        ] {
            #expect(kinds.contains(kind), "\(kind)")
        }
    }

    @Test func `recovery in the background is quiet`() async throws {
        let world = World()
        await world.store.add("forever")
        let till = world.launch()
        let events = till.events
        try await till.login(customerToken: "token-alice", customerID: "alice")
        for await event in events {
            #expect(event.isQuiet, "\(event.kind)")
            if event.kind == .purchased { break }
        }
    }

    @Test func `every listener hears everything`() async throws {
        let world = World()
        let till = try await world.launch(as: "alice")
        let (one, two) = (till.events, till.events)
        _ = await till.buy("coins600")
        let heard = await (first(until: .purchased, of: one), first(until: .purchased, of: two))
        #expect(heard.0 == heard.1)
        #expect(heard.0.count > 4)
    }

    @Test func `what belongs to a call is heard before it returns`() async throws {
        let world = World()
        let heard = Locked<[TillEvent.Kind]>([])
        let till = world.launch {
            $0.onEvent = { event in heard.withLock { $0.append(event.kind) } }
        }
        try await till.login(customerToken: "token-alice", customerID: "alice")
        _ = await till.buy("coins600")
        let bought = heard.withLock { $0 }
        #expect(bought.contains(.openingOrder) && bought.last == .purchased)
        await world.store.plan(.fails(StoreFault(.other)))
        _ = await till.buy("coins600")
        #expect(heard.withLock { $0.last } == .failed)
        _ = await till.restore()
        #expect(heard.withLock { $0.last } == .nothingToRestore)
    }

    @Test(arguments: [0, 11, -1])
    func `a quantity that the store does not sell is refused before anything else`(
        _ quantity: Int
    ) async throws {
        let world = World()
        let till = try await world.launch(as: "alice")
        guard case .failed(let failure) = await till.buy("coins600", quantity: quantity) else {
            Issue.record("not failed")
            return
        }
        #expect(failure.code == .invalidQuantity)
        #expect(await world.server.exchanges.isEmpty)
        guard case .granted(let delivery) = await till.buy("coins600", quantity: 10) else {
            Issue.record("not granted")
            return
        }
        #expect(delivery.quantity == 10)
        #expect(await world.store.payments.last?.quantity == 10)
    }

    @Test func `an offer is signed by the server for this order and travels with the payment`()
        async throws
    {
        let world = World()
        let till = try await world.launch(as: "alice")
        _ = await till.buy("monthly", offer: .promotional(id: "comeback"))
        let payment = try #require(await world.store.payments.first)
        guard case .signed(let offer) = payment.offer else {
            Issue.record("not signed")
            return
        }
        #expect(offer.offerID == "comeback")
        #expect(offer.keyID == "KEY")
        await world.server.plan(
            "POST /v1/offers/signatures", .problem(ProblemDocument(.notFound)))
        guard case .failed(let failure) = await till.buy("yearly", offer: .promotional(id: "x"))
        else {
            Issue.record("not failed")
            return
        }
        #expect(failure.next == .fixTheCause)
        #expect(await world.store.payments.count == 1)
    }

    @Test func `an offer to come back needs no signature, and comes with a promoted purchase too`()
        async throws
    {
        let world = World()
        let till = try await world.launch(as: "alice")
        _ = await till.buy("monthly", offer: .winBack(id: "back"))
        #expect(await world.server.count("POST /v1/offers/signatures") == 0)
        #expect(await world.store.payments.last?.offer == .winBack(id: "back"))
        await world.store.tell(
            .promoted(PromotedPurchase(productID: "yearly", offer: .winBack(id: "again"))))
        await eventually { await world.store.payments.count == 2 }
        #expect(await world.store.payments.last?.offer == .winBack(id: "again"))
    }

    @Test func `a promoted purchase goes through an order like any other, if the app agrees`()
        async throws
    {
        let world = World(.original)
        let till = world.launch { $0.acceptsPromotedPurchase = { $0 == "coins100" } }
        try await till.login(customerToken: "token-alice", customerID: "alice")
        await world.store.tell(.promoted(PromotedPurchase(productID: "coins600")))
        await world.store.tell(.promoted(PromotedPurchase(productID: "coins100")))
        await eventually { await world.server.grants.count == 1 }
        await eventually { await world.store.queue.isEmpty }
        #expect(await world.store.payments.map(\.productID) == ["coins100"])
    }
}
