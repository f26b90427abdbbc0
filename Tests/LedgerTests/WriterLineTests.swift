import AppStoreModel
import SQLiteDriver
import Synchronization
import Testing
import TillLedger

@testable import LedgerSQLite

/// The line of SQLite's one writer.
@Suite(.timeLimit(.minutes(5))) struct WriterLineTests {
    @Test func `A customer is erased however busy the line is`() async throws {
        let shop = try await Shop(.sqlite)
        try await shop.show(Sale("1"))
        let notes = Notes()
        let rounds = await withTaskGroup(of: Int.self) { group in
            for task in 0..<24 {
                group.addTask {
                    // Without an end, a line that starves the erasing would never let the test fail.
                    for round in 0..<400 where notes.all.isEmpty {
                        _ = try? await shop.show(
                            Sale(TransactionID("\(task)/\(round)")), by: .named("c\(task)"))
                    }
                    return notes.all.isEmpty ? 1 : 0
                }
            }
            group.addTask {
                // The line is busy when it comes.
                while (try? await shop.balance(.named("c0"))) ?? 0 == 0 { await Task.yield() }
                let isDone = try? await shop.ledger.erase(.anna, now: Sale.noon)
                notes.add(isDone == true ? "erased" : "failed")
                return 0
            }
            return await group.reduce(0, +)
        }
        #expect(notes.all == ["erased"])
        #expect(rounds == 0, "whoever kept the line busy was done before the erasing")
        #expect(try await shop.customer().history.isEmpty)
        try await shop.expectSound()
    }

    @Test func `Whoever must be alone comes in turn, between two batches`() async throws {
        let folder = try Folder()
        let path = folder.file("till.db")
        let store = try await SQLiteLedgerStore.open(path: path)
        // While the lock is held from outside, everybody lines up.
        var other = try SQLiteDatabase(path: path, access: .readWrite)
        try other.execute("BEGIN IMMEDIATE")
        let seen = Notes()
        let answered = Notes()
        let job: @Sendable (String, Bool) -> LedgerWriter.Job = { name, isAlone in
            LedgerWriter.Job(
                isAlone: isAlone,
                run: { connection, _ throws(LedgerError) in
                    let isOpen = connection.database.isInTransaction
                    seen.add(name + (isOpen ? "" : " alone"))
                    return { answered.add(name) }
                },
                fail: { error in answered.add("\(name) \(error)") })
        }
        let names = ["1", "2", "a", "b", "3", "4", "c"]
        for name in names { store.writer.submit(job(name, "abc".contains(name))) }
        try other.execute("ROLLBACK")
        while answered.all.count < names.count { await Task.yield() }
        #expect(seen.all == ["1", "2", "a alone", "b alone", "3", "4", "c alone"])
        #expect(answered.all == names)
        await store.close()
    }

    @Test func `What fails alone leaves nothing, and the line goes on`() async throws {
        let folder = try Folder()
        let store = try await SQLiteLedgerStore.open(path: folder.file("till.db"))
        let error = await #expect(throws: LedgerError.self) {
            try await store.writer.perform { connection throws(SQLiteError) in
                try connection.database.run("DELETE FROM schema_steps")
                try connection.database.run("INSERT INTO nothing VALUES (1)")
            }
        }
        #expect(error?.code == .unexpected)
        let steps = try await store.writer.perform { connection throws(SQLiteError) in
            try connection.database.number("SELECT count(*) FROM schema_steps")
        }
        #expect(steps == Int64(LedgerSchema.steps.count))
        let ledger = Shop.ledger(on: store)
        let answer = try await ledger.record(
            PurchaseSubmission(customer: .anna, proofs: [Sale("1").proof]), now: Sale.noon)
        #expect(answer.results.map(\.outcome) == [.granted])
        await store.close()
        let closed = await #expect(throws: LedgerError.self) {
            try await store.writer.perform { _ throws(SQLiteError) in 1 }
        }
        #expect(closed?.code == .closed)
    }
}

/// What happened, in order.
private final class Notes: Sendable {
    private let lines = Mutex<[String]>([])

    var all: [String] { lines.withLock { $0 } }

    func add(_ line: String) { lines.withLock { $0.append(line) } }
}
