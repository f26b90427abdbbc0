import AppStoreModel
import LedgerSQLite
import TestKit
import Testing
import TillLedger

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Law L2 at the store: the process is killed in the middle of many commits, again and again.
@Suite struct CrashTests {
    @Test func `What was acknowledged before each of ten kills is there, and nothing twice`()
        async throws
    {
        let folder = try Folder()
        let path = folder.file("till.db")
        let acknowledged = folder.file("acknowledged")
        var random = SeededRandom(seed: 20)
        for round in 0..<10 {
            let kill = Int.random(in: 1...120, using: &random)
            await #expect(processExitsWith: .signal(SIGKILL)) {
                [
                    path = path as String, acknowledged = acknowledged as String,
                    round = round as Int, kill = kill as Int
                ] in
                try await buyUntilKilled(
                    path, acknowledged: acknowledged, round: round, after: kill)
            }
        }
        let text = try String(contentsOfFile: acknowledged, encoding: .utf8)
        let ids = text.split(separator: "\n").map { TransactionID(String($0)) }
        #expect(ids.count >= 10)
        #expect(Set(ids).count == ids.count)

        let store = try await SQLiteLedgerStore.open(path: path)
        let ledger = Shop.ledger(on: store)
        let report = try await ledger.rebuild()
        #expect(report.discrepancies == [])
        // Some were recorded and not acknowledged any more; none is lost and none is half.
        #expect(report.purchases >= ids.count)
        let before = try await ledger.customer(.anna, now: Sale.noon).balances.map(\.amount)
        #expect(before == [Int64(report.purchases * 600)])
        let proofs = ids.map { Sale($0).proof }
        let again = try await ledger.record(
            PurchaseSubmission(customer: .anna, proofs: proofs), now: Sale.noon)
        #expect(again.results.count == ids.count)
        #expect(again.results.allSatisfy { $0.outcome == .alreadyGranted })
        await store.close()
    }
}

/// Buys from sixteen tasks, writes down what was acknowledged, and kills itself after so many.
private func buyUntilKilled(
    _ path: String, acknowledged: String, round: Int, after limit: Int
) async throws {
    let ledger = Shop.ledger(on: try await SQLiteLedgerStore.open(path: path))
    let journal = open(acknowledged, O_WRONLY | O_CREAT | O_APPEND, 0o600)
    try await withThrowingTaskGroup(of: Void.self) { group in
        for task in 0..<16 {
            group.addTask {
                for number in 0..<limit {
                    let id = "\(round)-\(task)-\(number)"
                    let answer = try await ledger.record(
                        PurchaseSubmission(
                            customer: .anna, proofs: [Sale(TransactionID(id)).proof]),
                        now: Sale.noon)
                    guard answer.results.map(\.outcome) == [.granted] else { exit(3) }
                    let line = Array("\(id)\n".utf8)
                    // One write is one line, whatever the other tasks do.
                    guard write(journal, line, line.count) == line.count else { exit(4) }
                    // The others are in the middle of their commits.
                    if task == 0, number == limit / 2 { kill(getpid(), SIGKILL) }
                }
            }
        }
        try await group.waitForAll()
    }
    exit(5)
}
