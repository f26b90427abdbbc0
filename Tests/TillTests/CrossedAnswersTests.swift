import AppStoreModel
import Testing
import TillAPI

@testable import Till

/// Requests that are under way at once, whose answers come in another order than they were made.
@Suite(.timeLimit(.minutes(1))) struct CrossedAnswersTests {
    @Test func `the older of two crossed answers does not take coins away`() async throws {
        let world = World()
        let till = try await world.launch(as: "alice")
        await world.server.change { server in
            server.delays["POST /v1/purchases"] = {
                await eventually { await till.has(coins: 700) }
            }
        }
        async let first = till.buy("coins600")
        await eventually { await world.server.count("POST /v1/purchases") == 1 }
        _ = await till.buy("coins100")
        guard case .granted(let delivery) = await first else {
            Issue.record("not granted")
            return
        }
        #expect(delivery.balances["coins"] == 700)
        #expect(await till.balance(of: "coins") == 700)
        #expect(await world.server.count("GET /v1/customers") == 1)
        await world.expectAllDelivered(payments: 2)
    }

    @Test func `a reading that was asked for before a purchase does not hide it`() async throws {
        let world = World()
        let till = try await world.launch(as: "alice")
        await world.server.change { server in
            server.delays["GET /v1/customers/alice"] = {
                await eventually { await till.has(coins: 600) }
            }
        }
        async let view = till.refresh()
        await eventually { await world.server.count("GET /v1/customers") == 1 }
        _ = await till.buy("coins600")
        _ = await view
        #expect(await till.balance(of: "coins") == 600)
        #expect(await world.server.count("GET /v1/customers") == 2)
    }

    @Test func `what could not be asked for anew is asked for later, by itself`() async throws {
        let world = World()
        let till = try await world.launch(as: "alice")
        // The first is carried out second, and its answer comes second too.
        await world.server.change { server in
            server.interrupts["POST /v1/purchases"] = {
                await eventually { await till.has(coins: 100) }
            }
        }
        await world.server.plan("GET /v1/customers", .lost)
        async let first = till.buy("coins600")
        await eventually { await world.store.paid.count == 1 }
        _ = await till.buy("coins100")
        guard case .granted(let delivery) = await first else {
            Issue.record("not granted")
            return
        }
        #expect(delivery.balances["coins"] == 700)
        await eventually { world.clock.sleepers == 1 }
        world.clock.advance(milliseconds: 60_000)
        await eventually { await till.has(coins: 700) }
        #expect(await world.server.count("GET /v1/customers") == 1)
    }

    @Test func `what is granted under a former name shows up under the new one`() async throws {
        let world = World()
        await world.server.change { $0.tokens["token-anon"] = "anon" }
        let till = try await world.launch(as: "anon")
        await world.server.change { server in
            server.interrupts["POST /v1/purchases"] = {
                await eventually { await world.server.merges.count == 1 }
                await eventually { await till.customerID == "alice" }
                await eventually { await till.merging.isEmpty }
            }
        }
        async let bought = till.buy("coins600")
        await eventually { await !world.store.paid.isEmpty }
        #expect(try await till.login(mergingInto: "token-alice", customerID: "alice") == .merged)
        guard case .granted = await bought else {
            Issue.record("not granted")
            return
        }
        #expect(await till.balance(of: "coins") == 600)
        await world.expectAllDelivered(payments: 1)
    }

    @Test(
        "F03: a purchase for which a call and a look at the queue both wait is told once, to the person",
        arguments: 0..<8)
    func tellsOnce(_ round: Int) async throws {
        let world = World()
        await world.store.plan(.tellsTwice)
        let till = try await world.launch(as: "alice")
        let heard = Locked<[TillEvent]>([])
        let events = till.events
        await world.server.change { server in
            server.delays["POST /v1/purchases"] = {
                await eventually { await till.sweeping != nil }
            }
        }
        _ = await till.buy("coins600")
        await till.recover()
        _ = await till.buy("unknown")
        for await event in events {
            heard.withLock { $0.append(event) }
            if event.kind == .couldNotAdd { break }
        }
        let told = heard.withLock { $0 }.filter {
            $0.kind == .purchased || $0.kind == .alreadyPurchased
        }
        #expect(told.map(\.kind) == [.purchased])
        #expect(told.map(\.isQuiet) == [false])
        #expect(await world.server.count("POST /v1/purchases") == 1)
    }
}

extension Till {
    fileprivate func has(coins: Int64) async -> Bool { await balance(of: "coins") == coins }
}
