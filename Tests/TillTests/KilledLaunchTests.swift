import AppStoreModel
import Testing
import TillAPI

@testable import Till

/// A launch that is killed at each moment between "buy" and "finished", and the launch after it.
@Suite(.timeLimit(.minutes(2))) struct KilledLaunchTests {
    /// The moments of a launch that lives to the end of `action`.
    private func moments(
        _ flavor: FakeStore.Flavor, before: (World) async throws -> Void = { _ in },
        _ action: @escaping @Sendable (Till) async -> Void
    ) async throws -> Int {
        let world = World(flavor)
        try await before(world)
        let life = KillSwitch()
        await action(try await world.launch(as: "alice", life))
        return life.moments.count
    }

    private func kill(
        _ world: World, at moment: Int, in action: @escaping @Sendable (Till) async -> Void
    ) async {
        let life = KillSwitch(at: moment)
        let till = world.launch(life)
        Task {
            try await till.login(customerToken: "token-alice", customerID: "alice")
            await till.recover()
            await action(till)
        }
        await life.waitUntilDead()
        await world.store.relaunch(forgetsTokens: world.store.flavor == .original)
    }

    @Test(arguments: FakeStore.Flavor.allCases, ["coins600", "monthly", "forever"])
    func `killed at any moment of a purchase, it is granted once and nothing is left`(
        _ flavor: FakeStore.Flavor, _ product: String
    ) async throws {
        let product = ProductID(product)
        let buy: @Sendable (Till) async -> Void = { _ = await $0.buy(product) }
        let total = try await moments(flavor, buy)
        #expect(total > 12)
        var paidAfter = 0
        for moment in 0..<total {
            let world = World(flavor)
            await kill(world, at: moment, in: buy)
            _ = try await world.launch(as: "alice")
            let paid = await world.store.paid.count
            let payments = await world.store.payments.count
            #expect(paid == payments)
            await world.expectAllDelivered(payments: paid)
            if paid == 1 {
                paidAfter += 1
                #expect(world.files.orderCount == 0, "killed at \(moment)")
            }
        }
        #expect(paidAfter > 6)
    }

    @Test(arguments: FakeStore.Flavor.allCases)
    func `killed again at any moment of the recovery, it is still granted once`(
        _ flavor: FakeStore.Flavor
    ) async throws {
        let buy: @Sendable (Till) async -> Void = { _ = await $0.buy("coins600") }
        let total = try await moments(flavor, buy)
        for first in 0..<total {
            for second in 0..<8 {
                let world = World(flavor)
                await kill(world, at: first, in: buy)
                let life = KillSwitch(at: second)
                let till = world.launch(life)
                let recovery = Task {
                    try await till.login(customerToken: "token-alice", customerID: "alice")
                    await till.recover()
                    life.kill()
                }
                await life.waitUntilDead()
                recovery.cancel()
                _ = try await world.launch(as: "alice")
                await world.expectAllDelivered(payments: await world.store.paid.count)
            }
        }
    }

    @Test(arguments: FakeStore.Flavor.allCases)
    func `killed at any moment of a restore, nothing is granted again and nothing is left`(
        _ flavor: FakeStore.Flavor
    ) async throws {
        let buyBoth: (World) async throws -> Void = { world in
            let till = try await world.launch(as: "alice")
            _ = await till.buy("forever")
            _ = await till.buy("monthly")
        }
        let restore: @Sendable (Till) async -> Void = { _ = await $0.restore() }
        let total = try await moments(flavor, before: buyBoth, restore)
        for moment in 0..<total {
            let world = World(flavor)
            try await buyBoth(world)
            await kill(world, at: moment, in: restore)
            let till = try await world.launch(as: "alice")
            await world.expectAllDelivered(payments: 2)
            guard case .restored = await till.restore() else {
                Issue.record("the restore after a kill at \(moment) restores nothing")
                continue
            }
            await world.expectAllDelivered(payments: 2)
        }
    }

    @Test(arguments: FakeStore.Flavor.allCases)
    func `an order that was never paid grants nothing and goes when the server gives it up`(
        _ flavor: FakeStore.Flavor
    ) async throws {
        let world = World(flavor)
        await world.store.plan(.cancels)
        let till = try await world.launch(as: "alice")
        #expect(await till.buy("coins600") == .cancelled)
        #expect(world.files.orderCount == 1)
        _ = try await world.launch(as: "alice")
        #expect(world.files.orderCount == 1)
        await world.server.setStatus(.expired, ofOrdersFor: "coins600")
        _ = try await world.launch(as: "alice")
        #expect(world.files.orderCount == 0)
        #expect(await world.grants.isEmpty)
    }
}
