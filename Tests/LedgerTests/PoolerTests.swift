import AppStoreModel
import LedgerPostgres
import PostgresDriver
import TestKit
import Testing
import TillLedger

/// The ledger in PostgreSQL behind PgBouncer in transaction mode, where each transaction may be on another
/// connection.
@Suite(.serialized, .enabled(if: PgBouncer.isInstalled)) struct PoolerTests {
    @Test func `Behind a pooler that shares connections nothing is lost and nothing left on them`()
        async throws
    {
        let server = try PostgresServer()
        let pooler = try PgBouncer(before: server, connections: 3)
        var options = PostgresLedgerStore.Options()
        options.waitAsLongAsABusyMachineNeeds()
        var stores: [PostgresLedgerStore] = []
        for _ in 0..<2 {
            stores.append(
                try await PostgresLedgerStore.open(address: pooler.address, options: options))
        }
        let ledgers = stores.map { Shop.ledger(on: $0) }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<60 {
                let ledger = ledgers[number % 2]
                group.addTask {
                    let customer = CustomerID.named("customer-\(number % 7)")
                    for sale in [Sale(TransactionID("\(number)")), Sale("shared")] {
                        _ = try await ledger.record(
                            PurchaseSubmission(customer: customer, proofs: [sale.proof]),
                            now: Sale.noon)
                    }
                    _ = try await ledger.customer(customer, now: Sale.noon)
                    _ = try await ledger.work.tasks(after: nil, limit: 10)
                }
            }
            try await group.waitForAll()
        }
        var coins: Int64 = 0
        for number in 0..<7 {
            let customer = try await ledgers[0].customer(
                CustomerID.named("customer-\(number)"), now: Sale.noon)
            coins += customer.balances.reduce(0) { $0 + $1.amount }
        }
        #expect(coins == 61 * 600)
        #expect(try await ledgers[1].rebuild().discrepancies == [])
        // What was set for a transaction ended with it, and no statement was left under a name.
        var direct = try PostgresConnection(address: pooler.address)
        direct.preparesStatements = false
        for _ in 0..<6 {
            let rows = try direct.run(
                """
                SELECT current_setting('enable_seqscan') || current_setting('lock_timeout')
                    || (SELECT count(*) FROM pg_prepared_statements)
                """)
            #expect(rows.step())
            #expect(rows.text() == "on00")
        }
        for store in stores { await store.close() }
    }

    @Test func `What others hold for too long is told as busy behind a pooler too`() async throws {
        let server = try PostgresServer()
        let pooler = try PgBouncer(before: server, connections: 3)
        var options = PostgresLedgerStore.Options()
        options.lockTime = .milliseconds(50)
        let store = try await PostgresLedgerStore.open(address: pooler.address, options: options)
        let ledger = Shop.ledger(on: store)
        var other = try PostgresConnection(address: server.address())
        try other.execute("BEGIN; LOCK TABLE transactions IN EXCLUSIVE MODE")
        let submission = PurchaseSubmission(customer: .anna, proofs: [Sale("1").proof])
        let error = await #expect(throws: LedgerError.self) {
            _ = try await ledger.record(submission, now: Sale.noon)
        }
        #expect(error?.code == .busy)
        try other.execute("ROLLBACK")
        let results = try await ledger.record(submission, now: Sale.noon).results
        #expect(results.map(\.outcome) == [.granted])
        await store.close()
    }
}
