import AppStoreModel
import Testing
import TillAPI

@testable import Till

/// What the device knows, forgets and gets wrong.
@Suite(.timeLimit(.minutes(1))) struct DeviceTests {
    private static let day: Int64 = 86_400_000
    private static let year: Int64 = 365 * day

    @Test(
        "F18: a revocation comes with an id that was seen and is reported",
        arguments: FakeStore.Flavor.allCases)
    func reportsRevocations(_ flavor: FakeStore.Flavor) async throws {
        let world = World(flavor)
        let till = try await world.launch(as: "alice")
        guard case .granted(let delivery) = await till.buy("forever") else {
            Issue.record("not granted")
            return
        }
        #expect(await till.entitlements().isActive("forever"))
        let finishes = await world.store.finished.count
        await world.store.revoke(delivery.transactionID)
        await eventually { await world.server.revoked.count == 1 }
        await eventually { await !till.entitlements().isActive("forever") }
        if flavor == .modern {
            await eventually { await world.store.finished.count == finishes + 1 }
        }
        #expect(await world.server.count("POST /v1/purchases") == 2)
        #expect(await world.grants.count == 1)
    }

    @Test("F18: a revocation that cannot be reported now is reported later")
    func keepsRevocations() async throws {
        for flavor in FakeStore.Flavor.allCases {
            let world = World(flavor)
            let till = try await world.launch(as: "alice")
            guard case .granted(let delivery) = await till.buy("forever") else { continue }
            await world.server.plan("POST /v1/purchases", .lost)
            await world.store.revoke(delivery.transactionID)
            await eventually { world.clock.sleepers == 1 }
            world.clock.advance(milliseconds: 5_000)
            await eventually { await world.server.revoked.count == 1 }
        }
    }

    @Test("F19: a finished consumable is credited once, whatever later launches see")
    func creditsConsumablesOnce() async throws {
        let world = World()
        let till = try await world.launch(as: "alice")
        _ = await till.buy("coins600")
        for _ in 0..<3 {
            let next = try await world.launch(as: "alice")
            _ = await next.restore()
            #expect(await next.entitlements().active.isEmpty)
        }
        #expect(await till.balance(of: "coins") == 600)
        await world.expectAllDelivered(payments: 1)
    }

    @Test(
        "F20: a missing receipt is refreshed once for each action of a person, never in the background"
    )
    func refreshesTheReceiptOnce() async throws {
        let world = World(.original)
        await world.store.change { $0.isReceiptMissing = true }
        await world.store.change { $0.isReceiptBroken = true }
        let till = try await world.launch(as: "alice")
        guard case .failed(let failure) = await till.buy("coins600") else {
            Issue.record("not failed")
            return
        }
        #expect(failure.code == .receiptMissing)
        #expect(failure.next == .deliveredLater)
        #expect(await world.store.receiptRefreshes == 1)
        await till.recover()
        let next = try await world.launch(as: "alice")
        #expect(await world.store.receiptRefreshes == 1)
        #expect(await world.store.queue.count == 1)
        await world.store.change { $0.isReceiptBroken = false }
        guard case .granted = await next.buy("coins100") else {
            Issue.record("not granted")
            return
        }
        #expect(await world.store.receiptRefreshes == 2)
        _ = try await world.launch(as: "alice")
        await world.expectAllDelivered(payments: 2)
    }

    @Test("F20: with signed transactions nobody asks for a receipt")
    func needsNoReceiptWithSignedTransactions() async throws {
        let world = World(.modern)
        await world.store.change { $0.isReceiptMissing = true }
        let till = try await world.launch(as: "alice")
        _ = await till.buy("coins600")
        #expect(await world.store.receiptRefreshes == 0)
        await world.expectAllDelivered(payments: 1)
    }

    @Test(
        "F27: the introductory offer is the store's or the server's word, never an empty receipt's")
    func asksForIntroductoryOffers() async throws {
        let world = World(.original)
        await world.store.change { $0.isReceiptMissing = true }
        let till = try await world.launch(as: "alice")
        _ = try await till.products(["monthly", "yearly"])
        #expect(await till.introductoryOfferEligibility("monthly") == .eligible)
        await world.store.change { $0.isReceiptMissing = false }
        _ = await till.buy("yearly")
        await world.store.change { $0.isReceiptMissing = true }
        #expect(await till.introductoryOfferEligibility("monthly") == .ineligible)
        #expect(await till.introductoryOfferEligibility("coins600") == .ineligible)
        let offline = world.launch()
        await world.server.plan("GET /v1/customers", .lost)
        await offline.start()
        #expect(await offline.introductoryOfferEligibility("monthly") == .unknown)
        await world.store.change { $0.eligibility = true }
        #expect(await offline.introductoryOfferEligibility("monthly") == .eligible)
    }

    @Test(
        "F23: a wrong device clock neither opens nor closes anything",
        arguments: [-year, year, day / 2])
    func distrustsTheDeviceClock(_ jump: Int64) async throws {
        let world = World()
        // The server says 2030-03-17T17:46:40Z; the subscription runs for ten more days.
        await world.server.change {
            $0.entitlementEnd = Timestamp(seconds: 1_900_000_000 + 10 * 86_400)
        }
        let till = try await world.launch(as: "alice")
        _ = await till.buy("monthly")
        world.clock.setDevice(by: jump)
        #expect(await till.entitlements().isActive("monthly"))
        world.clock.advance(milliseconds: 6 * Self.day)
        #expect(await till.entitlements().isActive("monthly"))
        world.clock.advance(milliseconds: 2 * Self.day)
        #expect(await till.entitlements().basis == .tooOld)
        #expect(await !till.entitlements().isActive("monthly"))
        await till.refresh()
        #expect(await till.entitlements().isActive("monthly"))
    }

    @Test(
        "F23: after a restart a clock that was set back keeps nothing open for longer than it ran")
    func countsRunningTimeAcrossRestarts() async throws {
        let world = World()
        let till = try await world.launch(as: "alice")
        _ = await till.buy("monthly")
        world.clock.advance(milliseconds: 5 * Self.day)
        _ = await till.entitlements()
        world.clock.restart(after: 0)
        world.clock.setDevice(by: -Self.year)
        let next = world.launch()
        #expect(await next.entitlements().isActive("monthly"))
        world.clock.advance(milliseconds: 3 * Self.day)
        #expect(await next.entitlements().basis == .tooOld)
    }

    @Test("F23: after a restart a clock that was set forward closes only until it is right again")
    func healsAfterAForwardClock() async throws {
        let world = World()
        let till = try await world.launch(as: "alice")
        _ = await till.buy("monthly")
        world.clock.restart(after: 60_000)
        world.clock.setDevice(by: Self.year)
        let next = world.launch()
        #expect(await next.entitlements().basis == .tooOld)
        world.clock.setDevice(by: -Self.year)
        #expect(await next.entitlements().isActive("monthly"))
    }

    @Test func `offline a subscription whose end has come holds for the grace and no longer`()
        async throws
    {
        let world = World()
        await world.server.change { $0.entitlementEnd = Timestamp(seconds: 1_900_000_000 + 86_400) }
        let till = try await world.launch(as: "alice")
        _ = await till.buy("monthly")
        world.clock.advance(milliseconds: 2 * Self.day - 60_000)
        #expect(await till.entitlements().isActive("monthly"))
        world.clock.advance(milliseconds: 120_000)
        #expect(await !till.entitlements().isActive("monthly"))
        #expect(await till.entitlements().basis == .server)
    }

    @Test("F25: only a server that cannot be reached or is in trouble leaves the remembered view")
    func keepsTheViewOnlyInTrouble() async throws {
        let faults: [(FakeServer.Fault, Bool)] = [
            (.lost, true), (.answerLost, true), (.status(500), true), (.status(503), true),
            (.status(429), true), (.status(400), false), (.status(401), false),
            (.status(403), false), (.status(404), false), (.status(410), false),
        ]
        for (fault, isOpen) in faults {
            let world = World()
            _ = await (try world.launch(as: "alice")).buy("forever")
            let till = world.launch()
            await world.server.plan("GET /v1/customers", fault)
            let view = await till.refresh()
            #expect(view.isActive("forever") == isOpen, "\(fault)")
            if !isOpen { #expect(view.basis == .refused) }
            // A launch later it is the same, until the server says otherwise.
            let next = world.launch()
            #expect(await next.entitlements().isActive("forever") == isOpen)
            #expect(await next.refresh().isActive("forever"))
        }
    }

    @Test(
        "F25: a purchase that the server refuses opens nothing, whatever its status",
        arguments: [400, 403, 422, 500])
    func grantsNothingOfflineOnErrors(_ status: Int) async throws {
        let world = World()
        let fault = FakeServer.Fault.status(status)
        await world.server.plan("POST /v1/purchases", fault, fault, fault)
        let till = try await world.launch(as: "alice")
        let outcome = await till.buy("forever")
        if case .granted = outcome { Issue.record("granted") }
        #expect(await till.entitlements().active.isEmpty)
        #expect(await world.store.queue.count == 1)
    }

    @Test func `the device's name heals from either home, and a locked Keychain is left alone`() {
        let (keychain, defaults) = (MemorySecrets(), MemorySecrets())
        let homes = TwoHomes(first: keychain, second: defaults)
        #expect(homes.text("device") { "first" } == "first")
        defaults["device"] = nil
        #expect(homes.text("device") { "second" } == "first")
        #expect(defaults["device"] == "first")
        keychain["device"] = nil
        #expect(homes.text("device") { "third" } == "first")
        #expect(keychain["device"] == "first")
        defaults["device"] = "other"
        #expect(homes.text("device") { "fourth" } == "first")
        #expect(defaults["device"] == "first")
        keychain["device"] = "old"
        defaults["device"] = nil
        keychain.lock(true)
        #expect(homes.text("device") { "new" } == "new")
        keychain.lock(false)
        #expect(keychain["device"] == "old")
        #expect(homes.text("device") { "newer" } == "old")
        #expect(defaults["device"] == "old")
    }

    @Test func `a broken journal file spoils no other order`() async throws {
        let world = World()
        await world.store.plan(.waitsForApproval)
        let till = try await world.launch(as: "alice")
        _ = await till.buy("coins600")
        world.files["order-broken.json"] = .init("{".utf8)
        await world.store.approve()
        _ = try await world.launch(as: "alice")
        await world.expectAllDelivered(payments: 1)
    }

    @Test func `an order that Apple's notification fulfilled is closed and its goods are seen`()
        async throws
    {
        let world = World()
        await world.store.plan(.waitsForApproval)
        let till = try await world.launch(as: "alice")
        _ = await till.buy("coins600")
        let order = await world.store.payments.first?.orderID.uuid
        await world.server.grantByNotification("900", order: order)
        let next = try await world.launch(as: "alice")
        #expect(world.files.orderCount == 0)
        #expect(await next.entitlements().basis == .server)
    }
}
