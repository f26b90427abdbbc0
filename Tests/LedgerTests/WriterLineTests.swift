import AppStoreModel
import SQLiteDriver
import Synchronization
import Testing
import TillLedger

@testable import LedgerSQLite

/// The line of SQLite's one writer.
@Suite(.timeLimit(.minutes(5))) struct WriterLineTests {
    @Test func `A customer is erased though the line never runs out`() async throws {
        let shop = try await Shop(.sqlite)
        try await shop.show(Sale("1"))
        let store = try #require(shop.store as? SQLiteLedgerStore)
        let crowd = Crowd(store.writer)
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<8 { group.addTask { crowd.join() } }
        }
        crowd.losePatience()
        let isErased = try await store.erase(.anna, at: Sale.noon) { .named("nobody") }
        #expect(isErased)
        #expect(crowd.goHome(), "the line ran out before the customer was erased")
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

/// Callers who stand in line again as soon as they are answered, so that somebody always waits.
private final class Crowd: Sendable {
    private struct State {
        var isOver = false
        /// How many more are served; nil for without an end.
        var rest: Int?
    }

    private let writer: LedgerWriter
    private let state = Mutex(State())

    init(_ writer: LedgerWriter) { self.writer = writer }

    func join() {
        writer.submit(
            LedgerWriter.Job(
                run: { _, _ throws(LedgerError) in { self.comeAgain() } }, fail: { _ in }))
    }

    private func comeAgain() {
        let comes = state.withLock { state in
            if let rest = state.rest { state.rest = rest - 1 }
            return !state.isOver && state.rest ?? 1 > 0
        }
        if comes { join() }
    }

    /// From now on they come so often and no more: who starves now does not starve for ever.
    func losePatience() { state.withLock { $0.rest = 2_000_000 } }

    /// Ends it; false when it was over already.
    func goHome() -> Bool {
        state.withLock { state in
            state.isOver = true
            return state.rest.map { $0 > 0 } ?? true
        }
    }
}
