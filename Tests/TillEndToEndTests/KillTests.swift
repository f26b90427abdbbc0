import AppStoreModel
import Foundation
import StoreWire
import Testing
import TillAPI

@testable import Till

/// Real kills of real processes, at every exchange from "buy" to "finished", and of both other sides.
@Suite(
    .enabled(if: RunningProcess.folder != nil, "there is no till beside these tests"),
    .timeLimit(.minutes(5)))
struct KillTests {
    private func inProcesses(_ body: (ProcessShop) async throws -> Void) async throws {
        let shop = try await ProcessShop()
        do {
            try await body(shop)
        } catch {
            await shop.close()
            throw error
        }
        await shop.close()
    }

    /// Opens the app, and expects what has to hold soon, whatever happened before.
    private func expectSettled(
        _ person: ProcessShop.Person, sales count: Int, of product: ProductID,
        in shop: ProcessShop, _ when: String
    ) async throws {
        try await shop.open(by: person) {
            let sales = try await shop.sales(to: person)
            let customer = try await shop.customer(person)
            return sales.allSatisfy(\.transaction.isFinished)
                && customer.transactions.count == count
                && (count == 0 || shop.openOrders(of: person) == 0)
        }
        #expect(try await shop.sales(to: person).count == count, "\(when)")
        let customer = try await shop.customer(person)
        #expect(customer.transactions.allSatisfy { $0.outcome == .granted }, "\(when)")
        switch product {
        case Shop.coins:
            #expect(customer.balances["coins"] ?? 0 == Int64(600 * count), "\(when)")
        default:
            // Its end may have come meanwhile.
            let names = customer.entitlements.map(\.entitlement)
            #expect(names == (count > 0 ? ["pro"] : []), "\(when)")
        }
    }

    @Test(arguments: ShopTests.both, ["com.example.coins600", "com.example.pro.monthly"])
    func `an app that is killed at any exchange of a purchase gives what was paid, once`(
        _ choice: TillConfiguration.StoreKitChoice, _ product: String
    ) async throws {
        try await inProcesses { shop in
            for (number, step) in Step.buying.enumerated() {
                let person = try await shop.person("person\(number)", choice)
                let killed = try await shop.launch(
                    "buy", product, by: person, killedAt: step)
                #expect(killed.wasKilled && killed.status == SIGKILL, "\(step): \(killed)")
                #expect(try await shop.sales(to: person).count == (step.isPaid ? 1 : 0), "\(step)")
                try await expectSettled(
                    person, sales: step.isPaid ? 1 : 0, of: ProductID(product), in: shop, "\(step)")
            }
        }
    }

    /// The exchanges of a restore; StoreKit 2 asks the store in another way and finishes nothing.
    private static func restoring(_ choice: TillConfiguration.StoreKitChoice) -> [Step] {
        let both: [Step] = [.before, .after].map {
            Step(side: .server, path: "/v1/purchases", phase: $0, isPaid: true)
        }
        guard choice == .original else { return both }
        return both
            + ["/restore", "/finish"].flatMap { path in
                [Wire.Phase.before, .after].map {
                    Step(side: .store, path: path, phase: $0, isPaid: true)
                }
            }
    }

    @Test(arguments: ShopTests.both)
    func `an app that is killed while it restores restores when it is asked again`(
        _ choice: TillConfiguration.StoreKitChoice
    ) async throws {
        try await inProcesses { shop in
            var person = try await shop.person("person", choice)
            #expect(try await shop.launch("buy", "com.example.lifetime", by: person).status == 0)
            for (number, step) in Self.restoring(choice).enumerated() {
                // A new phone with the same Apple account, and nothing on it.
                person.folder = "\(shop.folder.path)/phone\(number)"
                let killed = try await shop.launch("restore", by: person, killedAt: step)
                #expect(killed.wasKilled, "\(step): \(killed)")
                let restored = try await shop.launch("restore", by: person)
                #expect(restored.lines.contains("restored"), "\(step): \(restored)")
                #expect(restored.lines.contains("you may use forever"), "\(step): \(restored)")
                let customer = try await shop.customer(person)
                #expect(customer.transactions.count { $0.outcome == .granted } == 1, "\(step)")
            }
            #expect(try await shop.sales(to: person).allSatisfy(\.transaction.isFinished))
        }
    }

    /// Kills a side at a moment, and begins it again on what it has on disk.
    private func launch(
        _ person: ProcessShop.Person, in shop: ProcessShop, killing side: ProcessShop.Side,
        at step: Step
    ) async throws -> ProcessShop.Launch {
        let (deaths, death) = AsyncStream.makeStream(of: Void.self)
        let victim = shop.process(side)
        shop.wire(step).trap(step.path, step.phase) {
            victim.kill()
            death.yield()
        }
        let running = try shop.begin(["buy", Shop.coins.rawValue], by: person)
        let launch = Task {
            let launch = await running.end()
            death.finish()
            return launch
        }
        for await _ in deaths { break }
        try await shop.beginAgain(side)
        return await launch.value
    }

    @Test(arguments: ShopTests.both)
    func `a server that is killed before or after its commit grants what was paid, once`(
        _ choice: TillConfiguration.StoreKitChoice
    ) async throws {
        try await inProcesses { shop in
            for (number, step) in Step.buying.filter({ $0.side == .server }).enumerated() {
                let person = try await shop.person("person\(number)", choice)
                let launch = try await launch(person, in: shop, killing: .server, at: step)
                #expect(!launch.wasKilled && launch.status == 0, "\(step): \(launch)")
                // An order that nobody could open is tried again, or nothing is paid.
                let paid = try await shop.sales(to: person).count
                #expect(step.isPaid ? paid == 1 : paid <= 1, "\(step)")
                try await expectSettled(
                    person, sales: paid, of: Shop.coins, in: shop, "\(step)")
            }
        }
    }

    @Test(arguments: ShopTests.both)
    func `a server that is killed while it writes grants what was paid, once`(
        _ choice: TillConfiguration.StoreKitChoice
    ) async throws {
        try await inProcesses { shop in
            // The request is let through, and death comes a little later each time: in the middle of
            // verification, commit or answer, wherever that falls.
            for microseconds in [0, 300, 1_000, 2_000, 4_000, 8_000] {
                let person = try await shop.person("person\(microseconds)", choice)
                let victim = shop.process(.server)
                let killed = Locked(false)
                shop.serverWire.watch("/v1/purchases") {
                    Thread.detachNewThread {
                        usleep(UInt32(microseconds))
                        victim.kill()
                        killed.withLock { $0 = true }
                    }
                }
                async let launch = shop.launch("buy", Shop.coins.rawValue, by: person)
                await eventually { killed.withLock { $0 } }
                try await shop.beginAgain(.server)
                #expect(try await launch.status == 0)
                try await expectSettled(
                    person, sales: 1, of: Shop.coins, in: shop, "\(microseconds) µs")
            }
        }
    }

    @Test(arguments: ShopTests.both)
    func `a store that is killed sells and lets go once`(
        _ choice: TillConfiguration.StoreKitChoice
    ) async throws {
        try await inProcesses { shop in
            let steps = Step.buying.filter { $0.side == .store && $0.path != "/products" }
            for (number, step) in steps.enumerated() {
                let person = try await shop.person("person\(number)", choice)
                let launch = try await launch(person, in: shop, killing: .store, at: step)
                #expect(!launch.wasKilled && launch.status == 0, "\(step): \(launch)")
                let paid = try await shop.sales(to: person).count
                #expect(step.isPaid ? paid == 1 : paid <= 1, "\(step)")
                try await expectSettled(
                    person, sales: paid, of: Shop.coins, in: shop, "\(step)")
            }
        }
    }

    @Test func `where the manager class loses the coins the shop over Till delivers them`()
        async throws
    {
        try await inProcesses { shop in
            let step = Step(side: .server, path: "/v1/purchases", phase: .before, isPaid: true)
            let before = try await shop.person("before", .original)
            let whole = try await shop.launch("buy", by: before, app: "CoinShopBefore")
            #expect(whole.lines.contains("… purchased"))
            #expect(try await shop.customer(before).balances["coins"] == 600)
            _ = try await shop.launch("buy", by: before, app: "CoinShopBefore", killedAt: step)
            _ = try await shop.launch("open", by: before, app: "CoinShopBefore")
            let sales = try await shop.sales(to: before)
            #expect(sales.count == 2 && sales.allSatisfy(\.transaction.isFinished))
            // Paid twice, delivered once.
            #expect(try await shop.customer(before).balances["coins"] == 600)

            let after = try await shop.person("after", .original)
            let bought = try await shop.launch("buy", by: after)
            #expect(bought.lines.contains("purchased"))
            #expect(bought.lines.last == "you have 600 coins")
            #expect(bought.lines.contains("… Delivering…"))
            #expect(try await shop.launch("buy", by: after, killedAt: step).wasKilled)
            let opened = try shop.begin(["open"], by: after)
            defer { opened.kill() }
            _ = try await opened.line { $0 == "you have 1200 coins" }
            #expect(try await shop.customer(after).balances["coins"] == 1_200)
            await eventually { shop.openOrders(of: after) == 0 }
        }
    }
}
