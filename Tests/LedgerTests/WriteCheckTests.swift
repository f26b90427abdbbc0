import AppStoreModel
import LedgerPostgres
import LedgerSQLite
import Testing
import TillLedger

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Whether a store knows that it cannot write.
@Suite struct WriteCheckTests {
    private func fault(of store: any LedgerStore) async -> LedgerError.Code? {
        do throws(LedgerError) {
            try await store.checkWriting()
            return nil
        } catch {
            return error.code
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `A store that can be written says so, and records nothing`(kind: StoreKind) async throws {
        let shop = try await Shop(kind)
        try await shop.show(Sale("1"))
        let before = try await shop.export()
        for _ in 0..<3 { try await shop.store.checkWriting() }
        try await shop.ledger.checkReadiness()
        #expect(try await shop.export() == before)
        #expect(try await shop.show(Sale("2")).map(\.outcome) == [.granted])
        try await shop.expectSound()
        await shop.store.close()
        #expect(await fault(of: shop.store) == .closed)
    }

    @Test func `A full database is noticed, and room too`() async throws {
        let folder = try Folder()
        let path = folder.file("till.db")
        var options = SQLiteLedgerStore.Options()
        options.mostPages = 90
        let store = try await SQLiteLedgerStore.open(path: path, options: options)
        #expect(await fault(of: store) == nil)
        let ledger = Shop.ledger(on: store)
        var isFull = false
        for number in 0..<1_000 where !isFull {
            let sale = Sale(TransactionID("\(number)"))
            do throws(LedgerError) {
                _ = try await ledger.record(
                    PurchaseSubmission(customer: .anna, proofs: [sale.proof]), now: Sale.noon)
            } catch {
                isFull = error.code == .full
            }
        }
        #expect(isFull)
        for _ in 0..<2 { #expect(await fault(of: store) == .full) }
        // What is there can be read all the same.
        #expect(try await ledger.customer(.anna, now: Sale.noon).balances.count == 1)
        #expect(try await ledger.rebuild().discrepancies == [])
        await store.close()
        let roomy = try await SQLiteLedgerStore.open(path: path)
        #expect(await fault(of: roomy) == nil)
        await roomy.close()
    }

    @Test(arguments: ["deleted", "replaced", "moved"])
    func `A file that is no longer where it was is noticed`(change: String) async throws {
        let folder = try Folder()
        let path = folder.file("till.db")
        let aside = folder.file("aside.db")
        let store = try await SQLiteLedgerStore.open(path: path)
        #expect(await fault(of: store) == nil)
        let files = FileManager.default
        switch change {
        case "deleted": try files.removeItem(atPath: path)
        case "replaced":
            try files.copyItem(atPath: path, toPath: aside)
            try files.removeItem(atPath: path)
            try files.moveItem(atPath: aside, toPath: path)
        default: try files.moveItem(atPath: path, toPath: aside)
        }
        for _ in 0..<2 { #expect(await fault(of: store) == .cannotOpen) }
        if change == "moved" {
            try files.moveItem(atPath: aside, toPath: path)
            #expect(await fault(of: store) == nil)
        }
        await store.close()
    }

    @Test(.enabled(if: StoreKind.allCases.contains(.postgres), "PostgreSQL is not installed"))
    func `A server of PostgreSQL that only reads is noticed`() async throws {
        let schema = try PostgresSchema()
        var options = PostgresLedgerStore.Options()
        options.waitAsLongAsABusyMachineNeeds()
        let writing = try await PostgresLedgerStore.open(address: schema.address, options: options)
        #expect(await fault(of: writing) == nil)
        let store = try await PostgresLedgerStore.open(
            address: schema.address + "%20-cdefault_transaction_read_only%3Don", options: options)
        for _ in 0..<2 { #expect(await fault(of: store) == .readOnly) }
        #expect(try await Shop.ledger(on: store).customer(.anna, now: Sale.noon).history.isEmpty)
        #expect(await fault(of: writing) == nil)
        for store in [writing, store] { await store.close() }
    }
}
