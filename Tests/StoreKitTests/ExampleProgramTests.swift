import AppStoreModel
import Foundation
import StoreWire
import TestKit
import Testing

@testable import LocalAppStore

/// The example programs as processes of their own against a store that listens: what each prints, and that
/// the fault of its flow is there to be seen.
@Suite(.serialized, .timeLimit(.minutes(5))) struct ExampleProgramTests {
    /// A store on two ports and one device's folder.
    private struct World: Sendable {
        let server: StoreServer
        let folder: URL

        init() async throws {
            let store = try LocalStore(
                LocalStoreConfiguration(seed: 7, start: Timestamp(seconds: 1_767_225_600), rate: 0),
                signer: AuthoritySigner(try TestDevice.authority.get()),
                wall: { Timestamp(milliseconds: Int64(Date().timeIntervalSince1970 * 1_000)) })
            server = try await StoreServer(store)
            folder = FileManager.default.temporaryDirectory
                .appendingPathComponent("till-example-\(UUID().uuidString)", isDirectory: true)
        }

        /// Runs a program on the device and gives the lines that it prints.
        func run(
            _ program: String, _ words: String..., isProduction: Bool = false
        ) async throws -> (lines: [String], exitCode: Int32) {
            let environment = [
                "TILL_STORE_URL": isProduction ? server.productionURL : server.url,
                "TILL_STORE_DEVICE": folder.path, "TILL_STORE_BUNDLE_ID": "com.example.app",
            ]
            let outcome = try await withCheckedThrowingContinuation { continuation in
                // Waiting for a process blocks a thread, and the store needs those of the pool.
                DispatchQueue.global().async {
                    continuation.resume(
                        with: Result {
                            try TillProcess.run(words, program: program, environment: environment)
                        })
                }
            }
            return (outcome.lines, outcome.exitCode)
        }

        /// What was bought, and whether the store was told that it was delivered.
        func finished() async -> [ProductID: Bool] {
            await server.store.state.transactions.rows.reduce(into: [:]) {
                $0[$1.productID] = $1.isFinished
            }
        }
    }

    private func with(_ body: (World) async throws -> Void) async throws {
        let world = try await World()
        do {
            try await body(world)
        } catch {
            try? await world.server.stop()
            throw error
        }
        try await world.server.stop()
        try? FileManager.default.removeItem(at: world.folder)
    }

    @Test func `A: the coin shop sells, and loses an order when its server is away`() async throws {
        try await with { world in
            let good = try await world.run("CoinShop", "com.example.coins600")
            #expect(good.lines.last == "coins: 600")
            #expect(good.lines.contains("purchasing"))
            let lost = try await world.run("CoinShop", "com.example.coins1000", "down")
            #expect(lost.lines.last == "the server did not answer")
            // Finished though nobody got the coins: no later launch brings them back.
            #expect(await world.finished()["com.example.coins1000"] == true)
            let none = try await world.run("CoinShop", "com.example.nothing")
            #expect(none.lines == ["no such product"])
        }
    }

    @Test func `B: the manager takes any purchase for the membership and loses ids of one second`()
        async throws
    {
        try await with { world in
            #expect(try await world.run("OrderFirst").lines == ["order 1 is paid"])
            let bought = try await world.run("Membership")
            #expect(
                bought.lines == [
                    "adding product…", "processing…", "verifying 1…", "purchase done", "restoring…",
                    "2 came back", "verifying 1…", "restored",
                ])
        }
    }

    @Test func `C: the order first finishes whatever its server says`() async throws {
        try await with { world in
            let lost = try await world.run("OrderFirst", "com.example.coins20", "down")
            #expect(lost.lines.first?.hasPrefix("not paid:") == true)
            #expect(await world.finished()["com.example.coins20"] == true)
            #expect(
                try await world.run("OrderFirst", "com.example.coins100").lines
                    == ["order 1 is paid"])
        }
    }

    @Test func `D: eight states deliver in the compiled environment and never in the other`()
        async throws
    {
        try await with { world in
            let good = try await world.run("EightStates")
            #expect(
                good.lines == [
                    "com.example.coins100 purchasing", "com.example.coins100 purchased",
                ])
        }
        try await with { world in
            let other = try await world.run("EightStates", isProduction: true)
            #expect(other.lines == ["com.example.coins100 purchasing", "status 21007"])
            #expect(other.exitCode == 1)
            // Here nothing is lost: it comes again at each launch, and is refused again.
            #expect(await world.finished()["com.example.coins100"] == false)
            #expect(
                try await world.run("EightStates", isProduction: true).lines.contains(
                    "status 21007"))
        }
    }

    @Test func `E: the top-up loses the order of a payment that was approved later`() async throws {
        try await with { world in
            let good = try await world.run("TopUp")
            #expect(good.lines.last == "balance 1")
            let store = world.server.store
            _ = try await store.changeAccount("default", AccountRequest(asksToBuy: true))
            #expect(try await world.run("TopUp").lines == ["finishes what waits"])
            let waiting = try #require(await store.waitingPurchases().purchases.first)
            _ = try await store.decide(waiting.itemID, WaitingDecision(decision: .approve))
            _ = try await store.changeAccount("default", AccountRequest(asksToBuy: false))
            #expect(try await world.run("TopUp").lines.contains("an order is lost"))
        }
    }

    @Test func `the store of StoreKit 2 buys one of each kind and owns what lasts`() async throws {
        try await with { world in
            let outcome = try await world.run("ModernStore")
            #expect(
                outcome.lines.suffix(2) == [
                    "owned: com.example.lifetime com.example.pro.monthly", "subscribed: true",
                ])
            #expect(outcome.exitCode == 0)
            #expect(await world.finished().values.allSatisfy { $0 })
        }
    }
}
