import AppStoreModel
import Testing
import TillAPI

@testable import Till

/// Whose this Apple account's subscription is, asked before another is sold.
@Suite(.timeLimit(.minutes(1))) struct OwnerTests {
    private func subscribed(_ flavor: FakeStore.Flavor) async throws -> World {
        let world = World(flavor)
        let alice = try await world.launch(as: "alice")
        guard case .granted = await alice.buy("monthly") else {
            Issue.record("not granted")
            return world
        }
        return world
    }

    @Test(arguments: FakeStore.Flavor.allCases)
    func `nobody is sold what would go on with another's subscription`(
        _ flavor: FakeStore.Flavor
    ) async throws {
        let world = try await subscribed(flavor)
        let bob = try await world.launch(as: "bob")
        #expect(await bob.owner(of: "monthly") == .anotherCustomer)
        // A plan of the same group as well, which no page has shown.
        #expect(await bob.owner(of: "yearly") == .anotherCustomer)
        #expect(await bob.owner(of: "coins600") == .nobody)
        let events = bob.events
        let outcome = await bob.buy("yearly")
        guard case .failed(let failure) = outcome else {
            Issue.record("\(outcome)")
            return
        }
        #expect(failure.code == .ownedByAnother && failure.next == .fixTheCause)
        var told: TillEvent?
        for await event in events where event.kind == .ownedByAnother {
            told = event
            break
        }
        #expect(told?.isQuiet == false && told?.productID == "yearly")
        #expect(await world.store.paid.count == 1)
        // It is the owner's own to change.
        let alice = try await world.launch(as: "alice")
        #expect(await alice.owner(of: "yearly") == .you)
        guard case .granted = await alice.buy("yearly") else {
            Issue.record("not granted")
            return
        }
    }

    @Test(arguments: FakeStore.Flavor.allCases)
    func `what is over may be sold to anybody, where what is signed says whose it is`(
        _ flavor: FakeStore.Flavor
    ) async throws {
        let world = try await subscribed(flavor)
        await world.store.change { $0.isOver = ["monthly"] }
        let bob = try await world.launch(as: "bob")
        // Without a token in what is signed the server takes it for the first owner's for good.
        #expect(
            await bob.owner(of: "monthly") == (flavor == .modern ? .nobody : .anotherCustomer))
    }

    @Test func `a server that cannot say it does not stand in the way`() async throws {
        let faults: [FakeServer.Fault] = [
            .lost, .status(404), .status(500), .status(200, "<html>"), .status(204),
        ]
        for fault in faults {
            let world = World()
            let alice = try await world.launch(as: "alice")
            _ = await alice.buy("monthly")
            await world.server.plan("POST /v1/purchases/owner", fault, fault)
            guard case .unknown(let failure) = await alice.owner(of: "yearly") else {
                Issue.record("\(fault)")
                continue
            }
            #expect(failure.stage == .checking)
            guard case .granted = await alice.buy("yearly") else {
                Issue.record("not granted after \(fault)")
                continue
            }
        }
    }

    @Test func `an app may leave the question out, and a missing receipt asks for no password`()
        async throws
    {
        let world = try await subscribed(.original)
        await world.store.change { $0.isReceiptMissing = true }
        let bob = try await world.launch(as: "bob")
        guard case .unknown(let failure) = await bob.owner(of: "monthly") else {
            Issue.record("known")
            return
        }
        #expect(failure.code == .receiptMissing)
        #expect(await world.store.receiptRefreshes == 0)
        await world.store.change { $0.isReceiptMissing = false }
        let asked = await world.server.count("POST /v1/purchases/owner")
        let careless = world.launch { $0.asksForOwner = false }
        try await careless.login(customerToken: "token-bob", customerID: "bob")
        _ = await careless.buy("monthly")
        #expect(await world.server.count("POST /v1/purchases/owner") == asked)
        #expect(await world.store.paid.count == 2)
    }

    @Test func `nobody is asked for what can be bought again and again`() async throws {
        let world = World()
        let till = try await world.launch(as: "alice")
        _ = await till.buy("coins600")
        #expect(await world.server.count("POST /v1/purchases/owner") == 0)
        let stranger = world.launch()
        await stranger.logout()
        guard case .unknown(let failure) = await stranger.owner(of: "monthly") else {
            Issue.record("known")
            return
        }
        #expect(failure.code == .loginRequired)
    }
}
