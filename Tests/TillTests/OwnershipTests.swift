import AppStoreModel
import Testing
import TillAPI

@testable import Till

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

@Suite(.timeLimit(.minutes(1))) struct OwnershipTests {
    @Test(
        "F06: what stands in the queue before anybody is logged in waits and is delivered at the login",
        arguments: FakeStore.Flavor.allCases)
    func keepsEverythingUntilALogin(_ flavor: FakeStore.Flavor) async throws {
        let world = World(flavor)
        await world.store.add("forever")
        let till = world.launch()
        let events = till.events
        await till.start()
        await till.recover()
        await world.store.tell(.promoted(PromotedPurchase(productID: "coins600")))
        _ = await first(until: .promoted, of: events)
        #expect(await world.store.queue.count == 1)
        #expect(await world.server.exchanges.isEmpty)
        try await till.login(customerToken: "token-alice", customerID: "alice")
        await eventually { await world.server.grants.count == 2 }
        await eventually { await world.store.queue.isEmpty }
        await world.expectAllDelivered(payments: 2)
    }

    @Test("F07: without its token a payment is found again by the journal")
    func findsTheOrderWithoutAToken() async throws {
        for orders in [1, 2] {
            let world = World(.original)
            let till = try await world.launch(as: "alice")
            if orders == 2 {
                await world.store.plan(.fails(StoreFault(.other)))
                _ = await till.buy("coins600")
            }
            let life = KillSwitch()
            let second = try await world.launch(as: "alice", life)
            await world.server.plan("POST /v1/purchases", .lost, .lost, .lost)
            _ = await second.buy("coins600", track: ["n": .integer(2)])
            let order = try #require(await world.store.payments.last?.orderID)
            await world.store.relaunch(forgetsTokens: true)
            _ = try await world.launch(as: "alice")
            #expect(await world.server.purchases.last?.orderID == order.uuid)
            #expect(await world.server.tracks == [["n": .integer(2)]])
            await world.expectAllDelivered(payments: 1)
        }
    }

    @Test("F07: without token and journal the signed proof says whose it is")
    func asksTheServerAfterAReinstallation() async throws {
        let world = World(.original)
        let till = try await world.launch(as: "alice")
        await world.server.plan("POST /v1/purchases", .lost, .lost, .lost)
        _ = await till.buy("forever")
        await world.store.relaunch(forgetsTokens: true)
        // Reinstalled: no journal, and another customer logs in.
        for name in world.files.names { world.files[name] = nil }
        _ = try await world.launch(as: "bob")
        #expect(await world.server.owners.values.map(\.self) == ["alice"])
    }

    @Test(
        "F07, F09: another customer's purchase waits for that customer and is not credited to this one",
        arguments: FakeStore.Flavor.allCases, [true, false])
    func neverCreditsTheWrongCustomer(
        _ flavor: FakeStore.Flavor, _ forgetsTokens: Bool
    ) async throws {
        let world = World(flavor)
        let alice = try await world.launch(as: "alice")
        await world.server.plan("POST /v1/purchases", .lost, .lost, .lost)
        _ = await alice.buy("coins600")
        await alice.logout()
        // As after a kill before the journal knew the transaction.
        let order = try #require(await world.store.payments.first?.orderID)
        await alice.journal.update(order) {
            $0.state = .paying
            $0.transactionID = nil
        }
        await world.store.relaunch(forgetsTokens: forgetsTokens)

        let bob = try await world.launch(as: "bob")
        await bob.recover()
        #expect(await world.grants.isEmpty)
        #expect(await world.store.queue.count == 1)
        #expect(await bob.unclaimedPurchases().count == (forgetsTokens ? 1 : 0))

        try await bob.login(customerToken: "token-alice", customerID: "alice")
        await bob.recover()
        await world.expectAllDelivered(payments: 1, to: "alice")
        #expect(world.files.orderCount == 0)
    }

    @Test func `an unclaimed purchase is handed in for whoever claims it`() async throws {
        let world = World(.original)
        let alice = try await world.launch(as: "alice")
        await world.store.plan(.fails(StoreFault(.other)))
        _ = await alice.buy("coins600")
        await alice.logout()
        // Bought on the App Store's page, without an order; Alice's open order makes it doubtful.
        await world.store.add("coins600")
        let bob = try await world.launch(as: "bob")
        let purchase = try #require(await bob.unclaimedPurchases().first)
        #expect(purchase.productID == "coins600")
        guard case .granted = await bob.claim(purchase) else {
            Issue.record("not granted")
            return
        }
        #expect(await bob.unclaimedPurchases().isEmpty)
        await world.expectAllDelivered(payments: 1, to: "bob")
        #expect(world.files.orderCount == 1)
    }

    @Test func `with the careful policy a purchase without any trace waits for a claim`()
        async throws
    {
        let world = World(.original)
        await world.store.add("coins600")
        let till = world.launch { $0.unattributedPurchases = .askFirst }
        try await till.login(customerToken: "token-alice", customerID: "alice")
        #expect(await till.unclaimedPurchases().count == 1)
        #expect(await world.grants.isEmpty)
    }

    @Test("F07: a customer who logs out while the sheet is open still gets the purchase")
    func deliversInTheNameOfTheOneWhoPaid() async throws {
        let world = World()
        let till = try await world.launch(as: "alice")
        await world.store.plan(.waitsForApproval)
        _ = await till.buy("coins600")
        try await till.login(customerToken: "token-bob", customerID: "bob")
        await world.store.approve()
        await eventually { await till.news.count == 1 }
        await till.recover()
        #expect(await world.grants.isEmpty)
        try await till.login(customerToken: "token-alice", customerID: "alice")
        await till.recover()
        await world.expectAllDelivered(payments: 1, to: "alice")
    }

    @Test("F26: nobody can buy without an order of the server, and no token is made up")
    func refusesToBuyWithoutAnOrder() async throws {
        let world = World()
        let stranger = world.launch()
        guard case .failed(let failure) = await stranger.buy("coins600") else {
            Issue.record("not failed")
            return
        }
        #expect(failure.code == .loginRequired)
        #expect(failure.next == .logIn)
        await world.server.plan("POST /v1/orders", .lost, .lost, .lost)
        let alice = try await world.launch(as: "alice")
        guard case .failed(let second) = await alice.buy("coins600") else {
            Issue.record("not failed")
            return
        }
        #expect(second.stage == .openingOrder)
        #expect(second.next == .tryAgain)
        #expect(await world.store.payments.isEmpty)
        _ = await alice.buy("coins600")
        let token = try #require(await world.store.payments.first?.orderID.token.rawValue)
        #expect(token == token.lowercased())
        #expect(await world.server.orders.keys.contains { $0.uuidString.lowercased() == token })
    }

    @Test func `a rejected token is renewed once, and without that the purchase waits`()
        async throws
    {
        let world = World()
        let till = world.launch { configuration in
            configuration.renewToken = { $0 == "alice" ? "token-alice" : nil }
        }
        try await till.login(customerToken: "stale", customerID: "alice")
        guard case .granted = await till.buy("coins600") else {
            Issue.record("not granted")
            return
        }
        await till.logout()
        await world.store.add("forever")
        let other = world.launch()
        try await other.login(customerToken: "stale", customerID: "alice")
        await other.recover()
        #expect(await world.store.queue.count == 1)
        #expect(world.clock.sleepers == 0)
        try await other.login(customerToken: "token-alice", customerID: "alice")
        await other.recover()
        await world.expectAllDelivered(payments: 2)
    }

    @Test(arguments: ["", "a.b", "a.e30.c"])
    func `a token that names nobody is not taken`(_ token: String) async {
        let till = World().launch()
        await #expect(throws: LoginError.self) { try await till.login(customerToken: token) }
        #expect(await till.customerID == nil)
    }

    @Test func `a token's subject is the customer`() async throws {
        // {"sub":"alice"}
        let till = World().launch()
        try await till.login(customerToken: "e30.eyJzdWIiOiJhbGljZSJ9.c2ln")
        #expect(await till.customerID == "alice")
    }

    @Test func `the session outlives the launch, and a logout forgets it`() async throws {
        let world = World()
        let till = try await world.launch(as: "alice")
        _ = await till.buy("forever")
        let next = world.launch()
        await next.start()
        #expect(await next.customerID == "alice")
        #expect(await next.entitlements().isActive("forever"))
        await next.logout()
        #expect(await next.entitlements().basis == .unknown)
        let third = world.launch()
        await third.start()
        #expect(await third.customerID == nil)
        #expect(world.files["customer.json"] == nil)
    }
}
