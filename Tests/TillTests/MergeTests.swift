import AppStoreModel
import Testing
import TillAPI

@testable import Till

/// An anonymous customer turns out to be somebody.
@Suite(.timeLimit(.minutes(1))) struct MergeTests {
    /// A launch in which somebody without a name shops.
    private func anonymous(_ flavor: FakeStore.Flavor) async throws -> (World, Till) {
        let world = World(flavor)
        await world.server.change { $0.tokens["token-anon"] = "anon" }
        let till = try await world.launch(as: "anon")
        return (world, till)
    }

    @Test(arguments: FakeStore.Flavor.allCases)
    func `what was bought without a name is the customer's who logs in`(
        _ flavor: FakeStore.Flavor
    ) async throws {
        let (world, till) = try await anonymous(flavor)
        _ = await till.buy("forever")
        #expect(
            try await till.login(mergingInto: "token-alice", customerID: "alice") == .merged)
        #expect(await till.customerID == "alice")
        #expect(await till.entitlements().isActive("forever"))
        #expect(await world.server.merges == [MergeRequest(from: "anon", fromToken: "token-anon")])
        #expect(world.keychain["merges"] == nil)
        // Once more is no matter.
        #expect(
            try await till.login(mergingInto: "token-alice", customerID: "alice")
                == .nothingToMerge)
        await world.expectAllDelivered(payments: 1, to: "anon")
    }

    @Test(arguments: FakeStore.Flavor.allCases, [false, true])
    func `what waits in the queue and in the journal goes with it, token or none`(
        _ flavor: FakeStore.Flavor, _ forgetsTokens: Bool
    ) async throws {
        let (world, till) = try await anonymous(flavor)
        await world.server.plan("POST /v1/purchases", .lost, .lost, .lost, .lost, .lost, .lost)
        _ = await till.buy("coins600")
        await world.store.plan(.waitsForApproval)
        _ = await till.buy("coins100")
        #expect(world.files.orderCount == 2)
        await world.server.change { $0.faults = [:] }
        _ = try await till.login(mergingInto: "token-alice", customerID: "alice")
        await till.recover()
        #expect(world.files.orderCount == 1)
        #expect(await world.server.owners.values.allSatisfy { $0 == "alice" })
        // Weeks later somebody approves, in another launch.
        await world.store.approve()
        await world.store.relaunch(forgetsTokens: forgetsTokens)
        let next = try await world.launch(as: "alice")
        await next.recover()
        await world.expectAllDelivered(payments: 2)
        #expect(world.files.orderCount == 0)
        #expect(await next.balance(of: "coins") == 700)
    }

    @Test func `a server that cannot be asked is asked again, also after a kill`() async throws {
        let (world, till) = try await anonymous(.modern)
        _ = await till.buy("forever")
        await world.server.change { $0.isDown = true }
        guard
            case .pending(let failure) = try await till.login(
                mergingInto: "token-alice", customerID: "alice")
        else {
            Issue.record("not pending")
            return
        }
        #expect(failure.code == .serverUnreachable)
        #expect(await till.customerID == "alice")
        await world.server.change { $0.isDown = false }
        let next = world.launch()
        await next.recover()
        #expect(await world.server.merges.count == 1)
        #expect(await next.entitlements().isActive("forever"))
        #expect(world.keychain["merges"] == nil)
    }

    @Test func `an answer that was lost does no harm`() async throws {
        let (world, till) = try await anonymous(.modern)
        await world.server.plan("POST /v1/merge", .answerLost)
        #expect(
            try await till.login(mergingInto: "token-alice", customerID: "alice") == .merged)
        #expect(await world.server.merges.count == 2)
    }

    @Test func `a no keeps what waits for the former customer`() async throws {
        let (world, till) = try await anonymous(.modern)
        await world.store.plan(.waitsForApproval)
        _ = await till.buy("coins600")
        await world.server.plan("POST /v1/merge", .problem(ProblemDocument(.mergeRefused)))
        guard
            case .refused(let no) = try await till.login(
                mergingInto: "token-alice", customerID: "alice")
        else {
            Issue.record("not refused")
            return
        }
        #expect(no.reason == "mergeRefused" && no.isFinal)
        #expect(world.keychain["merges"] == nil)
        await world.store.approve()
        await till.recover()
        #expect(await world.grants.isEmpty)
        _ = try await world.launch(as: "anon")
        await world.expectAllDelivered(payments: 1, to: "anon")
    }

    @Test func `the former customer's token may be over: it is renewed by its own name`()
        async throws
    {
        let world = World()
        await world.server.change { $0.tokens["token-anon"] = "anon" }
        let till = world.launch { configuration in
            configuration.renewToken = { $0 == "anon" ? "newer-anon" : nil }
        }
        try await till.login(customerToken: "token-anon", customerID: "anon")
        await world.server.change {
            $0.tokens["token-anon"] = nil
            $0.tokens["newer-anon"] = "anon"
        }
        #expect(
            try await till.login(mergingInto: "token-alice", customerID: "alice") == .merged)
        #expect(await world.server.merges.first?.fromToken == "newer-anon")
    }

    @Test func `a purchase that was under way when the customers became one is delivered`()
        async throws
    {
        let (world, till) = try await anonymous(.modern)
        // The purchase of the anonymous customer hangs at the server's door; then the app dies.
        await world.server.plan("POST /v1/purchases", .lost, .lost, .lost)
        async let outcome = till.buy("coins600")
        _ = try await till.login(mergingInto: "token-alice", customerID: "alice")
        _ = await outcome
        let next = try await world.launch(as: "alice")
        await next.recover()
        await world.expectAllDelivered(payments: await world.store.paid.count)
        #expect(world.files.orderCount == 0)
    }

    @Test(arguments: 0..<24)
    func `a launch that is killed anywhere in a merge loses nothing`(_ moment: Int) async throws {
        let (world, till) = try await anonymous(.original)
        await world.store.plan(.waitsForApproval)
        _ = await till.buy("coins600")
        let life = KillSwitch(at: moment)
        let dying = world.launch(life)
        let task = Task {
            try await dying.login(customerToken: "token-anon", customerID: "anon")
            _ = try await dying.login(mergingInto: "token-alice", customerID: "alice")
            await dying.recover()
            life.kill()
        }
        await life.waitUntilDead()
        task.cancel()
        await world.store.approve()
        await world.store.relaunch(forgetsTokens: true)
        let next = world.launch()
        try await next.login(customerToken: "token-anon", customerID: "anon")
        #expect(
            [.merged, .nothingToMerge].contains(
                try await next.login(mergingInto: "token-alice", customerID: "alice")))
        await next.recover()
        #expect(await world.server.grants.values.allSatisfy { $0 == 1 })
        #expect(await world.grants.count == 1)
        #expect(await world.store.queue.isEmpty)
        #expect(await next.balance(of: "coins") == 600)
    }
}
