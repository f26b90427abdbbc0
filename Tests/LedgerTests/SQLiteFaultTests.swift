import AppStoreModel
import SQLiteDriver
import Testing
import TillLedger

@testable import LedgerSQLite

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

@Suite struct SQLiteFaultTests {
    private func opening(_ path: String) async -> LedgerError? {
        await #expect(throws: LedgerError.self) {
            _ = try await SQLiteLedgerStore.open(path: path)
        }
    }

    private func write(_ bytes: [UInt8], _ path: String) throws {
        try Data(bytes).write(to: URL(fileURLWithPath: path))
    }

    private func read(_ path: String) throws -> [UInt8] {
        [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
    }

    // MARK: Opening

    @Test func `A ledger opened again is the same ledger`() async throws {
        let folder = try Folder()
        let path = folder.file("till.db")
        for round in 0..<3 {
            let store = try await SQLiteLedgerStore.open(path: path)
            let ledger = Shop.ledger(on: store)
            let results = try await ledger.record(
                PurchaseSubmission(customer: .anna, proofs: [Sale("1").proof]), now: Sale.noon)
            #expect(
                results.results.map(\.outcome) == [round == 0 ? .granted : .alreadyGranted])
            await store.close()
        }
    }

    @Test func `What is no database is refused and left as it is`() async throws {
        let folder = try Folder()
        for bytes in [Array("hello".utf8), [UInt8](repeating: 7, count: 9_000)] {
            let path = folder.file("\(bytes.count)")
            try write(bytes, path)
            #expect(await opening(path)?.code == .damaged)
            #expect(try read(path) == bytes)
        }
    }

    @Test func `Another program's database is refused and left as it is`() async throws {
        let folder = try Folder()
        let path = folder.file("other.db")
        var other = try SQLiteDatabase(path: path, access: .create)
        try other.execute("CREATE TABLE notes (text TEXT); INSERT INTO notes VALUES ('mine')")
        let before = try read(path)
        #expect(await opening(path)?.code == .foreign)
        #expect(try read(path) == before)
        try other.execute("PRAGMA application_id = 42; DROP TABLE notes; VACUUM")
        #expect(await opening(path)?.code == .foreign)
    }

    @Test func `A newer form is refused, and one made by other steps too`() async throws {
        let folder = try Folder()
        let path = folder.file("till.db")
        await (try SQLiteLedgerStore.open(path: path)).close()
        var database = try SQLiteDatabase(path: path, access: .readWrite)
        try database.execute("PRAGMA user_version = 99")
        #expect(await opening(path)?.code == .newer)
        try database.execute(
            """
            PRAGMA user_version = \(LedgerSchema.steps.count);
            UPDATE schema_steps SET checksum = 'x'
            """)
        #expect(await opening(path)?.code == .foreign)
    }

    @Test func `An older form is brought up to date, and a step that fails leaves it as it was`()
        throws
    {
        var database = try SQLiteDatabase(path: ":memory:", access: .create)
        try database.bringUpToDate()
        let good = LedgerSchema.Step(name: "more", sql: "CREATE TABLE more (n INTEGER)")
        let bad = LedgerSchema.Step(
            name: "bad", sql: "CREATE TABLE half (n INTEGER); CREATE TABLE orders (n INTEGER)")
        #expect(throws: LedgerError.self) {
            try database.bringUpToDate(LedgerSchema.steps + [good, bad])
        }
        #expect(try database.number("PRAGMA user_version") == Int64(LedgerSchema.steps.count))
        #expect(try database.number("SELECT count(*) FROM sqlite_schema WHERE name = 'half'") == 0)
        try database.bringUpToDate(LedgerSchema.steps + [good])
        #expect(try database.number("SELECT count(*) FROM more") == 0)
        let steps = Int64(LedgerSchema.steps.count) + 1
        #expect(try database.number("SELECT count(*) FROM schema_steps") == steps)
        let error = #expect(throws: LedgerError.self) { try database.bringUpToDate() }
        #expect(error?.code == .newer)
    }

    @Test func `A folder that is not there cannot be opened`() async throws {
        let folder = try Folder()
        #expect(await opening(folder.file("no/such/till.db"))?.code == .cannotOpen)
        #expect(await opening(folder.path)?.code == .cannotOpen)
    }

    @Test func `Damaged pages are told as damage, not as an empty ledger`() async throws {
        let folder = try Folder()
        let path = folder.file("till.db")
        await (try SQLiteLedgerStore.open(path: path)).close()
        // What was there before the first row holds the tables' own descriptions.
        let empty = try read(path).count
        let store = try await SQLiteLedgerStore.open(path: path)
        let sales = (1...300).map { Sale(TransactionID("\($0)")) }
        _ = try await Shop.ledger(on: store).record(
            PurchaseSubmission(customer: .anna, proofs: [Sale.receipt(sales)]), now: Sale.noon)
        await store.close()
        var bytes = try read(path)
        for place in bytes.indices.dropFirst(empty) where place % 4_096 < 100 {
            bytes[place] = 0xFF
        }
        try write(bytes, path)
        let reopened = try await SQLiteLedgerStore.open(path: path)
        let ledger = Shop.ledger(on: reopened)
        let shown = await #expect(throws: LedgerError.self) {
            try await ledger.customer(.anna, now: Sale.noon)
        }
        #expect(shown?.code == .damaged)
        let recorded = await #expect(throws: LedgerError.self) {
            try await ledger.record(
                PurchaseSubmission(customer: .anna, proofs: [Sale("1").proof]), now: Sale.noon)
        }
        #expect(recorded?.code == .damaged)
        await reopened.close()
    }

    // MARK: Writing

    @Test func `A full disk refuses, keeps what was acknowledged and nothing half`() async throws {
        let folder = try Folder()
        let path = folder.file("till.db")
        var options = SQLiteLedgerStore.Options()
        options.mostPages = 90
        let store = try await SQLiteLedgerStore.open(path: path, options: options)
        let ledger = Shop.ledger(on: store)
        var kept = 0
        var refusals = 0
        // Several at once, so that whole batches meet the wall.
        for round in 0..<40 {
            let outcomes = await withTaskGroup(of: LedgerError?.self) { group in
                for number in 0..<8 {
                    let sale = Sale(TransactionID("\(round * 8 + number)"))
                    group.addTask {
                        do throws(LedgerError) {
                            _ = try await ledger.record(
                                PurchaseSubmission(customer: .anna, proofs: [sale.proof]),
                                now: Sale.noon)
                            return nil
                        } catch {
                            return error
                        }
                    }
                }
                return await group.reduce(into: [LedgerError?]()) { $0.append($1) }
            }
            kept += outcomes.count { $0 == nil }
            for error in outcomes.compactMap(\.self) {
                #expect(error.code == .full)
                #expect(error.isRetryable)
                refusals += 1
            }
        }
        #expect(kept > 0 && refusals > 0)
        let anna = try await ledger.customer(.anna, now: Sale.noon)
        #expect(anna.balances.map(\.amount) == [Int64(600 * kept)])
        #expect(try await ledger.rebuild().discrepancies == [])
        await store.close()

        // With room again, it goes on.
        let roomy = try await SQLiteLedgerStore.open(path: path)
        let results = try await Shop.ledger(on: roomy).record(
            PurchaseSubmission(customer: .anna, proofs: [Sale("new").proof]), now: Sale.noon)
        #expect(results.results.map(\.outcome) == [.granted])
        await roomy.close()
    }

    @Test func `A locked database refuses in time, and goes on when it is free`() async throws {
        let folder = try Folder()
        let path = folder.file("till.db")
        var options = SQLiteLedgerStore.Options()
        options.busyTimeout = 20
        let store = try await SQLiteLedgerStore.open(path: path, options: options)
        let ledger = Shop.ledger(on: store)
        let submission = PurchaseSubmission(customer: .anna, proofs: [Sale("1").proof])
        var other = try SQLiteDatabase(path: path, access: .readWrite)
        try other.execute("BEGIN IMMEDIATE")
        let error = await #expect(throws: LedgerError.self) {
            try await ledger.record(submission, now: Sale.noon)
        }
        #expect(error?.code == .busy)
        #expect(error?.isRetryable == true)
        // Readers wait for nobody.
        #expect(try await ledger.customer(.anna, now: Sale.noon).history.isEmpty)
        try other.execute("ROLLBACK")
        let results = try await ledger.record(submission, now: Sale.noon).results
        #expect(results.map(\.outcome) == [.granted])
        await store.close()
    }

    @Test func `One bad decision does not sink those that wait with it`() async throws {
        let folder = try Folder()
        let path = folder.file("till.db")
        let store = try await SQLiteLedgerStore.open(path: path)
        let ledger = Shop.ledger(on: store)
        // While the lock is held from outside, everything lines up and then goes as one batch.
        var other = try SQLiteDatabase(path: path, access: .readWrite)
        try other.execute("BEGIN IMMEDIATE")
        let bad = Order(
            id: try #require(
                OrderID(
                    randomBytes: [UInt8](repeating: 1, count: 10), at: Timestamp(milliseconds: 0))),
            bundleID: Sale.app, customer: .ben, productID: Sale.coins600, quantity: 0,
            openedAt: Sale.noon, expiresAt: Sale.noon)
        async let refused: LedgerError? = #expect(throws: LedgerError.self) {
            try await store.transact(reading: FactQuery()) { _ in
                Decision(facts: [.orderOpened(bad)], answer: true)
            }
        }
        async let outcomes = withThrowingTaskGroup(of: TransactionOutcome?.self) { group in
            for number in 0..<20 {
                let sale = Sale(TransactionID("\(number)"))
                group.addTask {
                    try await ledger.record(
                        PurchaseSubmission(customer: .anna, proofs: [sale.proof]),
                        now: Sale.noon
                    ).results.first?.outcome
                }
            }
            return try await group.reduce(into: [TransactionOutcome?]()) { $0.append($1) }
        }
        try other.execute("ROLLBACK")
        // SQLite's CHECK refuses an order for nothing.
        #expect(await refused?.code == .unexpected)
        #expect(try await outcomes == [TransactionOutcome?](repeating: .granted, count: 20))
        #expect(try await store.order(bad.id) == nil)
        await store.close()
    }

    @Test func `A line that is too long refuses at once`() async throws {
        let folder = try Folder()
        var options = SQLiteLedgerStore.Options()
        options.longestLine = 0
        options.mostReads = 0
        let store = try await SQLiteLedgerStore.open(
            path: folder.file("till.db"), options: options)
        let ledger = Shop.ledger(on: store)
        let written = await #expect(throws: LedgerError.self) {
            try await ledger.record(
                PurchaseSubmission(customer: .anna, proofs: [Sale("1").proof]), now: Sale.noon)
        }
        #expect(written?.code == .overloaded)
        let read = await #expect(throws: LedgerError.self) {
            try await ledger.customer(.anna, now: Sale.noon)
        }
        #expect(read?.code == .overloaded)
        await store.close()
    }

    // MARK: Keeping

    @Test func `A backup taken while it goes on is a whole ledger`() async throws {
        let folder = try Folder()
        let store = try await SQLiteLedgerStore.open(path: folder.file("till.db"))
        let ledger = Shop.ledger(on: store)
        _ = try await ledger.record(
            PurchaseSubmission(customer: .anna, proofs: [Sale("1").proof]), now: Sale.noon)
        try await store.backUp(to: folder.file("copy.db"))
        _ = try await ledger.record(
            PurchaseSubmission(customer: .anna, proofs: [Sale("2").proof]), now: Sale.noon)
        await store.close()
        let copy = try await SQLiteLedgerStore.open(path: folder.file("copy.db"))
        let copied = try await Shop.ledger(on: copy).customer(.anna, now: Sale.noon)
        #expect(copied.balances.map(\.amount) == [600])
        await copy.close()
    }

    @Test func `Derived rows that went astray are found and put right`() async throws {
        let folder = try Folder()
        let path = folder.file("till.db")
        let store = try await SQLiteLedgerStore.open(path: path)
        let ledger = Shop.ledger(on: store)
        _ = try await ledger.record(
            PurchaseSubmission(customer: .anna, proofs: [Sale("1").proof]), now: Sale.noon)
        let request = OrderRequest(
            bundleID: Sale.app, customer: .anna, productID: Sale.coins600)
        _ = try await ledger.openOrder(request, now: Sale.noon)
        var other = try SQLiteDatabase(path: path, access: .readWrite)
        try other.execute("UPDATE balances SET amount = 7; DELETE FROM unpaid_orders")
        let found = try await ledger.rebuild().discrepancies
        #expect(found.map(\.recorded) == ["7", "paid"])
        #expect(found.map(\.expected) == ["600", "unpaid"])
        #expect(try await ledger.rebuild(repairing: true).discrepancies == found)
        #expect(try await ledger.rebuild().discrepancies == [])
        let anna = try await ledger.customer(.anna, now: Sale.noon)
        #expect(anna.balances.map(\.amount) == [600])
        await store.close()
    }

    @Test func `The file is readable with plain SQL`() async throws {
        let folder = try Folder()
        let path = folder.file("till.db")
        let store = try await SQLiteLedgerStore.open(path: path)
        let ledger = Shop.ledger(on: store)
        let refund = Sale("2") { $0.revoked = Sale.noon.later(days: 1) }
        _ = try await ledger.record(
            PurchaseSubmission(
                customer: .anna,
                proofs: [Sale("1"), Sale("2"), refund].map(\.proof)), now: Sale.noon)
        await store.close()
        var database = try SQLiteDatabase(path: path, access: .readOnly)
        let rows = try database.withStatement(
            """
            SELECT transaction_id || ' ' || product_id || ' ' || purchased || ' ' || standing
            FROM readable_transactions ORDER BY 1
            """
        ) { statement throws(SQLiteError) in
            var rows: [String] = []
            while try statement.step() { rows.append(statement.text()) }
            return rows
        }
        #expect(
            rows == [
                "1 com.example.coins600 2026-01-15 12:00:00 granted",
                "2 com.example.coins600 2026-01-15 12:00:00 not granted",
            ])
        #expect(
            try database.text("SELECT customer_id || ' ' || amount FROM readable_balances")
                == "anna 600")
    }
}
