import AppStoreModel
import Dispatch
import Foundation
import HTTPMessage
import LedgerSQLite
import Testing
import TillAPI
import TillLedger

@testable import TillServer

/// What `/readyz` and `/healthz` say when the database cannot be written.
@Suite struct ReadinessTests {
    private func status(_ path: String, _ shop: TestShop) async throws -> Int {
        try await shop.send(.get, path, as: nil).status.rawValue
    }

    @Test func `a server whose database is full is alive and not ready`() async throws {
        let folder = try TemporaryFolder()
        var options = SQLiteLedgerStore.Options()
        options.mostPages = 90
        let store = try await SQLiteLedgerStore.open(
            path: folder.file("full.db"), options: options)
        let shop = try TestShop(store: store)
        #expect(try await status("/readyz", shop) == 200)
        for number in 1..<1_000 {
            let signed = try shop.signed(TransactionID("\(number)"))
            let answer = try await shop.send(
                .post, APIWire.purchases,
                try JSONEncoder().encode(PurchaseRequest(signedTransactions: [signed])),
                as: "anna")
            if answer.status == .serviceUnavailable { break }
        }
        let answer = try await shop.send(.get, "/readyz", as: nil)
        #expect(answer.status == .serviceUnavailable)
        #expect(try shop.problem(answer).code.kind == .storageUnavailable)
        #expect(try await status("/healthz", shop) == 200)
        await store.close()
    }

    @Test func `a server whose database was deleted is alive and not ready`() async throws {
        let folder = try TemporaryFolder()
        let store = try await SQLiteLedgerStore.open(path: folder.file("lost.db"))
        let shop = try TestShop(store: store)
        #expect(try await status("/readyz", shop) == 200)
        try FileManager.default.removeItem(atPath: folder.file("lost.db"))
        #expect(try await status("/readyz", shop) == 503)
        #expect(try await status("/healthz", shop) == 200)
        await store.close()
    }

    @Test func `what would go into a file that was moved is refused, and taken when it is back`()
        async throws
    {
        let folder = try TemporaryFolder()
        let (place, away) = (folder.file("till.db"), folder.file("away.db"))
        let store = try await SQLiteLedgerStore.open(path: place)
        let shop = try TestShop(store: store)
        let request = PurchaseRequest(signedTransactions: [try shop.signed("1")])
        try FileManager.default.moveItem(atPath: place, toPath: away)
        let problem = try await shop.refusal(request, by: "anna")
        #expect(problem.code.kind == .storageUnavailable)
        #expect(!problem.mayFinish)
        // Something else in its place is not the ledger.
        try Data().write(to: URL(fileURLWithPath: place))
        #expect(try await shop.refusal(request, by: "anna").code.kind == .storageUnavailable)
        try FileManager.default.removeItem(atPath: place)
        try FileManager.default.moveItem(atPath: away, toPath: place)
        let answer = try await shop.purchase(request, by: "anna")
        #expect(answer.results.map(\.outcome) == [.granted])
        await store.close()
    }

    @Test func `a database that does not answer in time is not ready, and is asked once at a time`()
        async throws
    {
        let folder = try TemporaryFolder()
        var options = SQLiteLedgerStore.Options()
        options.longestLine = 2
        let store = try await SQLiteLedgerStore.open(
            path: folder.file("slow.db"), options: options)
        let shop = try TestShop(store: store)
        let check = ReadinessCheck(ledger: shop.ledger, limit: .milliseconds(50))
        let (started, hasStarted) = AsyncStream.makeStream(of: Void.self)
        let gate = DispatchSemaphore(value: 0)
        async let slow: Bool = store.transact(reading: FactQuery()) { _ in
            hasStarted.yield()
            gate.wait()
            return Decision(answer: true)
        }
        for await _ in started { break }
        // Were each of them in the line, the third would not find a place.
        for _ in 0..<5 {
            let error = await #expect(throws: LedgerError.self) { try await check.run() }
            #expect(error?.code == .busy)
        }
        gate.signal()
        #expect(try await slow)
        try await ReadinessCheck(ledger: shop.ledger, limit: .seconds(60)).run()
        await store.close()
    }
}
