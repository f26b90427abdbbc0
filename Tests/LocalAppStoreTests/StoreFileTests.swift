import AppStoreModel
import StoreWire
import Testing

@testable import LocalAppStore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A folder that is gone after the test.
final class Folder {
    let path: String
    init() throws {
        path = FileManager.default.temporaryDirectory.path + "/till-store-\(UUID().uuidString)"
        try FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: true)
    }
    deinit { try? FileManager.default.removeItem(atPath: path) }
}

@Suite struct StoreFileTests {
    private func live(_ store: LocalStore) async throws -> TransactionID {
        let device = try await store.testDevice()
        _ = try await store.purchase(device, PurchaseRequest(productID: "com.example.coins20"))
        let bought = try await store.purchase(
            device, PurchaseRequest(productID: "com.example.pro.monthly"))
        let id = try #require(bought.item.transactionID)
        try await store.advance(days: 40)
        _ = try await store.act(on: id, TransactionAction(action: .refund))
        _ = try await store.purchase(
            device, PurchaseRequest(productID: "com.example.coins20", simulatesAskToBuy: true))
        return id
    }

    @Test func `What was answered is there after a kill, to the last name`() async throws {
        let folder = try Folder()
        let file = folder.path + "/state.json"
        let server = ListeningServer()
        let clock = TestClock()
        let store = try LocalStore.forTests(server: server, file: file, clock: clock)
        let id = try await live(store)
        await store.settle()
        // No goodbye: the second store finds the file as the first one left it.
        let again = try LocalStore.forTests(server: server, file: file, clock: clock)
        #expect(
            await again.state.transactions.rows.map(\.id) == store.state.transactions.rows.map(\.id)
        )
        #expect(await again.state.log == store.state.log)
        #expect(await again.state.now == store.state.now)
        #expect(again.keys == store.keys)
        #expect(
            await again.notificationsInfo(environment: nil)
                == store.notificationsInfo(environment: nil))
        #expect(await again.waitingPurchases() == store.waitingPurchases())
        #expect(try await again.transactionRecord(id) == store.transactionRecord(id))
        // Both go on alike.
        let one = try await store.makeAccount(AccountRequest(accountID: "new"))
        let two = try await again.makeAccount(AccountRequest(accountID: "new"))
        #expect(one.appTransactionID == two.appTransactionID)
    }

    @Test func `A torn last line is dropped, a broken one is told with its number`() async throws {
        let folder = try Folder()
        let file = folder.path + "/state.json"
        let store = try LocalStore.forTests(file: file)
        _ = try await store.testDevice()
        let whole = try #require(FileManager.default.contents(atPath: file))
        try (whole + Data("{\"at\":17".utf8)).write(to: URL(fileURLWithPath: file))
        let again = try LocalStore.forTests(file: file)
        #expect(await again.accountsInfo() == store.accountsInfo())
        let compact = try #require(FileManager.default.contents(atPath: file))
        try (compact + Data("{\"at\":17}x\n".utf8)).write(to: URL(fileURLWithPath: file))
        #expect {
            _ = try LocalStore.forTests(file: file)
        } throws: { error in
            "\(error)".contains("line 2")
        }
        try Data("not a state\n".utf8).write(to: URL(fileURLWithPath: file))
        #expect(throws: StoreFile.Damage.self) { _ = try LocalStore.forTests(file: file) }
    }

    @Test func `The file is written anew after a thousand commands and says the same`() async throws
    {
        let folder = try Folder()
        let file = folder.path + "/state.json"
        let store = try LocalStore.forTests(file: file)
        let device = try await store.testDevice()
        for _ in 0..<1_005 {
            _ = try await store.purchase(device, PurchaseRequest(productID: "com.example.coins20"))
        }
        #expect(await store.linesSinceWhole < 1_000)
        let again = try LocalStore.forTests(file: file)
        #expect(await again.state.transactions.count == 1_005)
    }

    @Test func `A stopped clock stands while the store is closed, a real one goes on`() async throws
    {
        let folder = try Folder()
        for (rate, expected) in [(0.0, 0), (1.0, 3_600_000), (60.0, 0)] as [(Double, Int64)] {
            let file = folder.path + "/\(rate).json"
            let clock = TestClock()
            let store = try LocalStore.forTests(file: file, rate: rate, clock: clock)
            _ = try await store.testDevice()
            clock.pass(milliseconds: 3_600_000)
            let again = try LocalStore.forTests(file: file, rate: rate, clock: clock)
            await again.catchUp()
            let passed = await again.state.now.milliseconds - StoreWorld.start.milliseconds
            #expect(passed == expected, "rate \(rate)")
        }
    }

    @Test func `The same seed, clock and calls give the same names and tokens`() async throws {
        let keys = try StoreKeys.generate(seed: 1)
        func tokens(seed: UInt64) async throws -> [String] {
            let server = ListeningServer()
            let store = try LocalStore.forTests(server: server, seed: seed, keys: keys)
            let id = try await live(store)
            await store.settle()
            let history = try await store.history(of: id.rawValue, in: .production, HistoryQuery())
            return history.signedTransactions + server.bodies
        }
        let one = try await tokens(seed: 7)
        #expect(try await tokens(seed: 7) == one)
        #expect(try await tokens(seed: 8) != one)
    }
}
