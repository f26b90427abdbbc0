import AppStoreModel
import Testing
import TillLedger

@testable import LedgerSQLite
@testable import SQLiteDriver

/// How SQLite goes about what the ledger asks.
@Suite struct SQLitePlanTests {
    @Test func `No statement walks a table, however large the ledger is`() async throws {
        let tests = ErasureTests()
        let shop = try await tests.shop(.sqlite)
        try await tests.fill(shop)
        try await visit(shop)
        let store = try #require(shop.store as? SQLiteLedgerStore)
        var texts = Set(
            try await store.writer.perform { connection throws(SQLiteError) in
                connection.database.preparedTexts
            })
        let looked: @Sendable (inout LedgerConnection) throws(SQLiteError) -> [String] = {
            $0.database.preparedTexts
        }
        for _ in 0..<2 { texts.formUnion(try await store.read(looked)) }
        texts.formUnion(try await store.audit(looked))
        var database = try SQLiteDatabase(path: try #require(shop.path), access: .readOnly)
        var explained = 0
        for text in texts.sorted() where Self.isQuery(text) {
            explained += 1
            let steps = try database.withStatement("EXPLAIN QUERY PLAN \(text)") {
                statement throws(SQLiteError) in
                // A plan needs no values; the driver wants one for each parameter.
                while (try? statement.bind(Int64?.none)) != nil {}
                var steps: [String] = []
                while try statement.step() {
                    for _ in 0..<3 { _ = statement.int64() }
                    steps.append(statement.text())
                }
                return steps
            }
            #expect(steps.filter(Self.isWalk) == [], "\(text)")
        }
        #expect(explained >= 100)
        await store.close()
    }

    private static func isQuery(_ text: String) -> Bool {
        ["SELECT", "INSERT", "UPDATE", "DELETE", "WITH"].contains { text.hasPrefix($0) }
    }

    /// Whether a step reads a table whole, or a book, or all that waits for an endpoint.
    private static func isWalk(_ step: String) -> Bool {
        let words = step.split(separator: " ")
        if words.first == "SCAN" {
            // A customer's own rows, the few owed orders, and what is made up on the way.
            let small = ["mine", "lost_order_suspects", "w", "apps", "CONSTANT", "sqlite_master"]
            let name = words.count > 1 ? String(words[1]) : ""
            return !small.contains(name) && Int(name) == nil && !name.hasPrefix("(")
        }
        guard !step.contains("webhook_endpoints"), !step.contains(" books ") else { return false }
        // What waits or is dead is counted for an app's page.
        let isCount =
            step.contains("webhook_deliveries_in_line (bundle_id=?)")
            || step.contains("webhook_deliveries_dead (bundle_id=?)")
        let isWide = ["(book_id=?)", "(bundle_id=?)", "(bundle_id=? AND endpoint=?)"]
            .contains { step.hasSuffix($0) }
        return isWide && !isCount
    }

    /// Everything that the ledger's users ask for, once.
    private func visit(_ shop: Shop) async throws {
        let (ledger, store, work) = (shop.ledger, shop.store, shop.ledger.work)
        let later = Sale.noon.later(days: 400)
        _ = try await shop.tell(Notice("n1", .didRenew, nil, Sale.month(1)) { _ in })
        _ = try await shop.tell(Notice("n1", .didRenew, nil, Sale.month(1)) { _ in })
        _ = try await shop.tell(
            Notice("n2", .refund, nil, Sale("4") { $0.revoked = Sale.noon.later(days: 1) }))
        _ = try await shop.tell(Sale("20") { $0.product = Sale.coins20 })
        _ = try await ledger.unclaimed(of: Sale.app)
        try await shop.show(Sale("20") { $0.product = Sale.coins20 }, by: .cleo)
        let trial = Sale("21") {
            $0.product = Sale.monthly
            $0.expires = Sale.noon.later(days: 7)
            $0.group = "group"
            $0.offer = .introductory
        }
        try await shop.show(trial, by: .cleo)
        _ = try await ledger.introductoryOffers(of: .cleo)
        try await ledger.note([
            Signal(kind: .forgery, customer: .ben, subject: "x", at: Sale.noon)
        ])
        _ = try await ledger.signals(of: .ben, now: Sale.noon)
        for customer in [CustomerID.ben, .cleo, ErasureTests.anonymous] {
            _ = try await ledger.customer(customer, now: Sale.noon)
            _ = try await ledger.customer(customer, now: Sale.noon)
            _ = try await ledger.statement(of: customer)
        }
        _ = try await ledger.lostOrderSuspects(of: Sale.app)
        _ = try await ledger.endPromotion(
            MovementPlace(
                book: Book(bundleID: Sale.app, environment: .production),
                customer: ErasureTests.erased, id: try #require(MovementID(rawValue: "a sword"))),
            now: Sale.noon)

        let place = WebhookPlace(bundleID: Sale.app, name: "backend")
        let failure = DeliveryFailure(status: 500, text: "no")
        let settlements: [(DeliverySettlement, EndpointChange?)] = [
            (.released(at: Sale.noon), nil), (.postponed(failure, until: Sale.noon), nil),
            (.dead(failure, at: Sale.noon), .paused(until: Sale.noon)),
        ]
        for (settlement, change) in settlements {
            let claim = WorkClaim(owner: "w", now: later, lease: 1, limit: 1)
            for held in try await work.claimDeliveries(claim, to: place) {
                _ = try await work.settle(held, settlement, change)
            }
        }
        _ = try await work.endpoints(of: Sale.app)
        _ = try await work.deadLetters(of: Sale.app, limit: 10)
        _ = try await work.replay(.deadSince(Sale.noon), of: Sale.app, now: later)
        _ = try await work.replay(.events(["e1"]), of: Sale.app, now: later)
        try await work.enable(place)
        try await store.transact(reading: FactQuery()) { _ in
            Decision(
                facts: [.task(ScheduledTask(.prune, subject: "s", due: Sale.noon))], answer: ())
        }
        let claim = WorkClaim(owner: "w", now: later, lease: 1, limit: 1)
        for held in try await work.claimTasks(claim, of: [.prune]) {
            _ = try await work.settle(held, .again(at: Sale.noon))
        }
        for held in try await work.claimTasks(claim, of: [.prune]) {
            _ = try await work.settle(held, .finished(at: Sale.noon))
        }
        _ = try await work.tasks(after: nil, limit: 10)

        _ = try await ledger.export(at: Sale.noon)
        let path = try #require(shop.path)
        var other = try SQLiteDatabase(path: path, access: .readWrite)
        try other.execute("UPDATE balances SET amount = 7; DELETE FROM unpaid_orders")
        #expect(try await !ledger.rebuild(repairing: true).discrepancies.isEmpty)
        let digest = try #require(ProofDigest(rawValue: [UInt8](repeating: 0, count: 32)))
        _ = try await store.proof(digest)
        try other.execute("UPDATE webhook_deliveries SET state = 'delivered'")
        for kind in PrunableRecord.allCases {
            #expect(try await work.prune(kind, before: later, limit: 10) > 0, "\(kind)")
        }
        _ = try await ledger.erase(ErasureTests.erased, now: Sale.noon)
    }
}
