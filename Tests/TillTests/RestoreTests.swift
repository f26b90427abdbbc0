import AppStoreModel
import Testing
import TillAPI

@testable import Till

@Suite(.timeLimit(.minutes(1))) struct RestoreTests {
    @Test(arguments: FakeStore.Flavor.allCases)
    func `a restore is one request with original ids in time order, each once`(
        _ flavor: FakeStore.Flavor
    ) async throws {
        let world = World(flavor)
        // Told out of order, with a renewal of the same subscription.
        let late = await world.store.add("forever", at: Timestamp(seconds: 1_900_000_300))
        let early = await world.store.add("monthly", at: Timestamp(seconds: 1_900_000_100))
        let renewal = await world.store.add(
            "monthly", original: early.transactionID?.rawValue,
            at: Timestamp(seconds: 1_900_000_200))
        for transaction in [late, early, renewal] { await world.store.finish(transaction.handle) }
        let till = try await world.launch(as: "alice")
        guard case .restored(let restoration) = await till.restore() else {
            Issue.record("not restored")
            return
        }
        let ids = [early.transactionID, late.transactionID].compactMap(\.self)
        #expect(restoration.originalTransactionIDs == ids)
        #expect(restoration.productIDs == ["monthly", "forever"])
        #expect(restoration.entitlements.sorted() == ["forever", "monthly"])
        #expect(await world.server.count("POST /v1/purchases") == 1)
        let request = try #require(await world.server.purchases.first)
        #expect(request.isRestore)
        #expect(request.transactionIDs == ids)
        #expect(await world.store.queue.isEmpty)
        #expect(await world.store.restores == 1)
    }

    @Test("F17: restoring three times grants nothing new", arguments: FakeStore.Flavor.allCases)
    func restoresWithoutGranting(_ flavor: FakeStore.Flavor) async throws {
        let world = World(flavor)
        let till = try await world.launch(as: "alice")
        _ = await till.buy("forever")
        for _ in 0..<3 {
            guard case .restored = await till.restore() else {
                Issue.record("not restored")
                return
            }
        }
        await world.expectAllDelivered(payments: 1)
    }

    @Test(arguments: FakeStore.Flavor.allCases)
    func `nothing to restore and everything over are different answers`(
        _ flavor: FakeStore.Flavor
    ) async throws {
        let world = World(flavor)
        let till = try await world.launch(as: "alice")
        #expect(await till.restore() == .nothingToRestore)
        #expect(await world.server.exchanges.isEmpty)
        _ = await till.buy("coins600")
        #expect(await till.restore() == .nothingToRestore)
        _ = await till.buy("monthly")
        await world.server.change { $0.expired = ["monthly"] }
        guard case .expired(let restoration) = await till.restore() else {
            Issue.record("not expired")
            return
        }
        #expect(restoration.productIDs == ["monthly"])
        _ = await till.buy("forever")
        guard case .restored = await till.restore() else {
            Issue.record("not restored")
            return
        }
    }

    @Test func `a closed password sheet is no failure, and no answer is no loss`() async throws {
        let world = World(.original)
        let till = try await world.launch(as: "alice")
        _ = await till.buy("forever")
        await world.store.change { $0.restoreFault = StoreFault(.cancelled) }
        #expect(await till.restore() == .cancelled)
        await world.store.change { $0.restoreFault = nil }
        await world.server.plan("POST /v1/purchases", .lost, .lost, .lost)
        guard case .failed(let failure) = await till.restore() else {
            Issue.record("not failed")
            return
        }
        #expect(failure.next == .tryAgain)
        // The restored transactions stay until the server has seen them.
        #expect(await world.store.queue.count == 1)
        await till.recover()
        #expect(await world.store.queue.isEmpty)
    }

    @Test("F09: a receipt of somebody else's purchases restores nothing for this customer")
    func refusesTheReceiptOfAnother() async throws {
        let world = World(.original)
        let alice = try await world.launch(as: "alice")
        _ = await alice.buy("forever")
        await alice.logout()
        let bob = try await world.launch(as: "bob")
        guard case .refused(let refusal) = await bob.restore() else {
            Issue.record("not refused")
            return
        }
        #expect(refusal.reason == "belongsToAnother")
        #expect(await bob.entitlements().active.isEmpty)
        await world.expectAllDelivered(payments: 1, to: "alice")
    }

    @Test func `two restores at once are one`() async throws {
        let world = World()
        let till = try await world.launch(as: "alice")
        _ = await till.buy("forever")
        let outcomes = try await world.twice("POST /v1/purchases") { await till.restore() }
        #expect(outcomes[0] == outcomes[1])
        #expect(await world.store.restores == 1)
    }
}
