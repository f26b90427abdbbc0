import AppStoreModel
import Testing
import TillAPI

@testable import Till

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A device, a store and a server, in which launches begin and end.
final class World: Sendable {
    let store: FakeStore
    let server = FakeServer()
    let files = DeviceFiles()
    let keychain = MemorySecrets()
    let defaults = MemorySecrets()
    let clock = HeldClock()
    private let counter = Locked(UInt32(0))
    private let current = Locked<(life: KillSwitch, till: Till)?>(nil)

    init(_ flavor: FakeStore.Flavor = .modern) { store = FakeStore(flavor) }

    /// Begins a launch.
    ///
    /// `configure` may change what the app tells Till.
    func launch(
        _ life: KillSwitch = KillSwitch(),
        wakeUps: AsyncStream<WakeUp> = AsyncStream { $0.finish() },
        _ configure: (inout TillConfiguration) -> Void = { _ in }
    ) -> Till {
        var configuration = TillConfiguration(server: "https://till.test/")
        configuration.bundleID = "com.example.app"
        configuration.language = .english
        configure(&configuration)
        let network = FakeNetwork(server: server, store: store, life: life)
        let counter = counter
        current.withLock(\.self)?.life.kill()
        let till = Till(
            configuration: configuration,
            surroundings: Surroundings(
                front: FakeFront(store: store, life: life),
                desk: ServerDesk(
                    address: "https://till.test/", publishableKey: "pk_test", fetcher: network),
                disk: LaunchDisk(files: files, life: life),
                secrets: TwoHomes(first: keychain, second: defaults), clock: clock,
                makeUUID: {
                    let number = counter.withLock { value in
                        value += 1
                        return value
                    }
                    return UUID(
                        uuid: (
                            0xCC, 0, 0, 0, 0, 0, 0x40, 0, 0x80, 0, 0, 0,
                            UInt8(truncatingIfNeeded: number >> 24),
                            UInt8(truncatingIfNeeded: number >> 16),
                            UInt8(truncatingIfNeeded: number >> 8),
                            UInt8(truncatingIfNeeded: number)
                        ))
                }, jitter: { 1 }, wakeUps: { wakeUps }))
        current.withLock { $0 = (life, till) }
        return till
    }

    /// Begins a launch with somebody logged in, after its first look at what is unfinished.
    func launch(as customer: String, _ life: KillSwitch = KillSwitch()) async throws -> Till {
        let till = launch(life)
        try await till.login(customerToken: "token-\(customer)", customerID: customer)
        await till.recover()
        return till
    }

    /// Carries out a call twice at once for certain: the second begins while the answer on a route is on its
    /// way to the first.
    func twice<Outcome: Sendable>(
        _ route: String, _ call: @escaping @Sendable () async -> Outcome
    ) async throws -> [Outcome] {
        let second = Locked<Task<Outcome, Never>?>(nil)
        await server.change { server in
            server.delays[route] = {
                let hasBegun = Locked(false)
                let task = Task {
                    hasBegun.withLock { $0 = true }
                    return await call()
                }
                second.withLock { $0 = task }
                await eventually { hasBegun.withLock { $0 } }
                // From there it is a few instructions to the call itself.
                try? await Task.sleep(for: .milliseconds(50))
            }
        }
        let first = await call()
        let task = try #require(second.withLock { $0 })
        return [first, await task.value]
    }

    /// What was granted, how often.
    var grants: [String: Int] {
        get async { await server.grants }
    }

    /// Checks that every payment was granted once, to whom it belongs, and that nothing is left over.
    func expectAllDelivered(
        payments: Int, to customer: String = "alice",
        sourceLocation: SourceLocation = #_sourceLocation
    ) async {
        let grants = await server.grants
        let paid = await store.paid
        let owners = await server.owners
        let queue = await store.queue
        #expect(paid.count == payments, sourceLocation: sourceLocation)
        #expect(grants.values.allSatisfy { $0 == 1 }, sourceLocation: sourceLocation)
        for id in paid {
            #expect(grants[id.rawValue] == 1, sourceLocation: sourceLocation)
            #expect(owners[id.rawValue] == customer, sourceLocation: sourceLocation)
        }
        #expect(queue.isEmpty, sourceLocation: sourceLocation)
    }
}

/// Waits until something holds; the test's own time limit ends it when it never does.
func eventually(
    sourceLocation: SourceLocation = #_sourceLocation, _ condition: () async -> Bool
) async {
    while await !condition() {
        if Task.isCancelled {
            Issue.record("it never came true", sourceLocation: sourceLocation)
            return
        }
        await Task.yield()
    }
}
