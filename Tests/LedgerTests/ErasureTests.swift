import AppStoreModel
import SQLiteDriver
import Testing
import TillLedger

@testable import LedgerSQLite

/// A customer who asks to be forgotten.
@Suite struct ErasureTests {
    static let anonymous = CustomerID.named("anonymous-anna")
    static let erased = CustomerID.named("anna-the-erased")

    /// A customer with something of everything: orders, purchases, credits, refusals, signals, two names, a
    /// purchase that went to another and one that came.
    func fill(_ shop: Shop) async throws {
        let anna = Self.erased
        let order = try await shop.order(by: anna).order.id
        _ = try await shop.order(Sale.coins20, by: anna)
        let key = try #require(
            IdempotencyKey(caller: "customer:\(anna)", key: "k", input: [1]))
        let submission = PurchaseSubmission(
            customer: anna, proofs: [Sale("1") { $0.token = order.rawValue }.proof],
            track: #"{"from": "somebody"}"#)
        _ = try await shop.ledger.record(submission, idempotency: key, now: Sale.noon)
        try await shop.show(Sale("2") { $0.product = Sale.lifetime }, .month(0), by: anna)
        try await shop.show(Sale("3"), by: Self.anonymous)
        _ = try await shop.ledger.merge(Self.anonymous, into: anna, now: Sale.noon)
        try await shop.show(Sale("4"), by: .ben)
        try await shop.show(Sale("4"), by: anna)
        let yearly = Sale("6") {
            $0.product = Sale.yearly
            $0.expires = Sale.noon.later(days: 365)
        }
        try await shop.show(yearly, by: .ben)
        try await shop.restore(yearly, by: anna)
        let given = Sale("7") { $0.product = Sale.season }
        try await shop.show(given, by: anna)
        try await shop.restore(given, by: .ben)
        let shared = Sale("8") {
            $0.product = Sale.lifetime
            $0.ownership = .familyShared
        }
        try await shop.show(shared, by: .ben)
        try await shop.show(shared, by: anna)
        let place = MovementPlace(
            book: Book(bundleID: Sale.app, environment: .production), customer: anna,
            id: try #require(MovementID(rawValue: "a sword")))
        let spend = try #require(SpendRequest(place: place, currency: "coins", amount: 50))
        _ = try await shop.ledger.spend(spend, now: Sale.noon)
        _ = try await shop.ledger.promote(
            Promotion(
                place: place, entitlement: "vip", at: Sale.noon, endsAt: nil, reason: "sorry"))
        let event = CustomerEvent(
            id: "e1", kind: .purchaseGranted, bundleID: Sale.app, environment: .production,
            customer: anna, data: "{}", at: Sale.noon)
        try await shop.store.transact(reading: FactQuery()) { _ in
            Decision(facts: [.event(event, to: ["backend"])], answer: ())
        }
    }

    func shop(_ kind: StoreKind) async throws -> Shop {
        var catalog = Sale.catalog
        catalog.apps[Sale.app]?.owners = [.transfer, .share]
        return try await Shop(kind, catalog: catalog)
    }

    @Test(arguments: StoreKind.allCases)
    func `Nothing is known of the names afterwards, and the ledger is sound`(
        kind: StoreKind
    ) async throws {
        let shop = try await shop(kind)
        try await fill(shop)
        let before = try await shop.ledger.rebuild().purchases
        #expect(try await shop.ledger.erase(Self.anonymous, now: Sale.noon))
        for name in [Self.erased, Self.anonymous] {
            let customer = try await shop.customer(name)
            #expect(customer.customer == name)
            #expect(customer.history.isEmpty && customer.entitlements.isEmpty)
            #expect(customer.balances.isEmpty)
            #expect(customer.orders.isEmpty && customer.refusals.isEmpty)
            #expect(try await shop.ledger.signals(of: name, now: Sale.noon).signals.isEmpty)
        }
        #expect(try await shop.ledger.rebuild().purchases == before)
        try await shop.expectSound()
        // Others keep theirs.
        #expect(try await shop.balance(.ben) == 600)
        #expect(Set(try await shop.active(.ben)) == ["pro", "season"])
        // A second time there is nothing to do, and a stranger is nothing to do either.
        #expect(try await shop.ledger.erase(Self.erased, now: Sale.noon) == false)
        #expect(try await shop.ledger.erase(.cleo, now: Sale.noon) == false)
    }

    @Test(arguments: StoreKind.allCases)
    func `What was erased is handed out to nobody again, and goes to whoever restores it`(
        kind: StoreKind
    ) async throws {
        let shop = try await Shop(kind)
        try await shop.show(Sale("1"), by: Self.erased)
        try await shop.show(.month(0), by: Self.erased)
        #expect(try await shop.ledger.erase(Self.erased, now: Sale.noon))
        // The same person, or another, with the same proofs.
        for name in [Self.erased, .ben] {
            #expect(
                try await shop.show(Sale("1"), .month(0), by: name).map(\.outcome)
                    == [.anothers, .anothers])
        }
        #expect(
            try await shop.ledger.owners(
                of: PurchaseSubmission(customer: .ben, proofs: [Sale.month(0).proof]),
                now: Sale.noon
            ).map(\.owner) == [.nobody])
        #expect(
            try await shop.restore(Sale("1"), .month(0), by: .ben).map(\.outcome)
                == [.anothers, .granted])
        #expect(try await shop.active(.ben) == ["pro"])
        #expect(try await shop.customer(.ben).balances.isEmpty)
        // It is Ben's now, and the rule of the app holds again.
        #expect(
            try await shop.restore(.month(0), by: .cleo).map(\.outcome) == [.anothers])
        #expect(try await shop.tell(.month(1)).map(\.outcome) == [.granted])
        #expect(try await shop.balance(.ben, "gems") == 5)
        try await shop.expectSound()
    }

    @Test(arguments: StoreKind.allCases)
    func `A refund after the erasure still takes back what was handed out`(
        kind: StoreKind
    ) async throws {
        let shop = try await Shop(kind)
        try await shop.show(Sale("1"), by: Self.erased)
        _ = try await shop.ledger.erase(Self.erased, now: Sale.noon)
        let refund = Sale("1") {
            $0.revoked = Sale.noon
            $0.signed = Sale.noon.later(minutes: 5)
        }
        #expect(try await shop.tell(refund).map(\.outcome) == [.revoked])
        try await shop.expectSound()
    }

    @Test func `No row of the database has the names, in any column`() async throws {
        let shop = try await shop(.sqlite)
        try await fill(shop)
        let path = try #require(shop.path)
        #expect(try Self.places(of: ["anna"], in: path).count > 10)
        _ = try await shop.ledger.erase(Self.erased, now: Sale.noon)
        #expect(try Self.places(of: ["anna"], in: path) == [])
    }

    @Test func `Every column that can hold a customer's name is replaced or removed`() throws {
        var database = try SQLiteDatabase(path: ":memory:", access: .create)
        try database.bringUpToDate()
        var known = Set(
            (CustomerTraces.named + CustomerTraces.purchased + CustomerTraces.original)
                .map { "\($0.table).\($0.column)" })
        for table in CustomerTraces.removed { known.insert("\(table).customer_id") }
        for (table, _) in CustomerTraces.told { known.insert("\(table).customer_id") }
        let found = try Self.columns(&database).filter {
            $0.column.hasSuffix("customer_id") || $0.column == "holder_id"
        }
        #expect(Set(found.map { "\($0.table).\($0.column)" }) == known)
    }

    private static func columns(
        _ database: inout SQLiteDatabase
    ) throws -> [(table: String, column: String)] {
        let sql = """
            SELECT m.name, p.name FROM sqlite_schema m JOIN pragma_table_info(m.name) p
            WHERE m.type = 'table'
            """
        return try database.withStatement(sql) { statement throws(SQLiteError) in
            var found: [(table: String, column: String)] = []
            while try statement.step() { found.append((statement.text(), statement.text())) }
            return found
        }
    }

    /// The columns in which any of the words stands.
    private static func places(of words: [String], in path: String) throws -> [String] {
        var database = try SQLiteDatabase(path: path, access: .readWrite)
        var places: [String] = []
        for (table, column) in try columns(&database) {
            for word in words {
                let count = try database.number(
                    "SELECT count(*) FROM \(table) WHERE instr(CAST(\(column) AS TEXT), ?) > 0"
                ) { statement throws(SQLiteError) in try statement.bind(word) }
                if count ?? 0 > 0 { places.append("\(table).\(column)") }
            }
        }
        return places
    }
}
