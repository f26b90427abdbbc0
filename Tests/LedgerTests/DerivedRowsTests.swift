import AppStoreModel
import PostgresDriver
import SQLiteDriver
import TestKit
import Testing
import TillLedger

@testable import LedgerPostgres
@testable import LedgerSQLite

/// What the stores repeat of the facts, in ledgers of more rows than are looked at together.
@Suite struct DerivedRowsTests {
    private static let book = Book(bundleID: Sale.app, environment: .production)
    private static let databases = StoreKind.allCases.filter { $0 != .memory }

    private static func customer(_ number: Int) -> CustomerID {
        .named("c\(10_000 + number)")
    }

    private static func order(_ number: Int) throws -> Order {
        let bytes = [UInt8](repeating: 0, count: 8) + [UInt8(number >> 8), UInt8(number & 255)]
        return Order(
            id: try #require(OrderID(randomBytes: bytes, at: Timestamp(milliseconds: 0))),
            bundleID: Sale.app,
            customer: customer(number), productID: Sale.coins600, quantity: 1,
            openedAt: Sale.noon, expiresAt: Sale.noon.later(days: 1))
    }

    /// Wallets and unpaid orders of so many customers.
    private func fill(_ shop: Shop, _ count: Int) async throws {
        var facts: [Fact] = []
        for number in 0..<count {
            let place = MovementPlace(
                book: Self.book, customer: Self.customer(number),
                id: try #require(MovementID(rawValue: "gift")))
            facts.append(
                .movement(
                    WalletMovement(
                        place: place, currency: "coins", amount: 5, account: .promotions,
                        reason: "hello", at: Sale.noon)))
            facts.append(.orderOpened(try Self.order(number)))
        }
        let all = facts
        try await shop.store.transact(reading: FactQuery()) { _ in
            Decision(facts: all, answer: ())
        }
    }

    /// Runs a script past the ledger.
    private func damage(_ shop: Shop, _ script: String) throws {
        if let schema = shop.schema { return try schema.execute(script) }
        var database = try SQLiteDatabase(path: try #require(shop.path), access: .readWrite)
        try database.execute(script)
    }

    @Test(arguments: databases)
    func `What is astray in any piece of a large ledger is found and put right, and nothing else`(
        kind: StoreKind
    ) async throws {
        let shop = try await Shop(kind)
        try await fill(shop, 2_500)
        try await shop.show(Sale("1"), by: Self.customer(2_000))
        try await shop.expectSound()
        let orders = try [0, 999, 1_000, 2_499].map { try Self.order($0).id.rawValue }
        try damage(
            shop,
            """
            UPDATE balances SET amount = 7 WHERE customer_id IN ('c10000', 'c11000', 'c11001');
            DELETE FROM balances WHERE customer_id = 'c12499';
            INSERT INTO balances (customer_id, book_id, currency, amount, debt)
                SELECT 'c99999', min(book_id), 'coins', 3, 0 FROM balances;
            DELETE FROM unpaid_orders WHERE order_id IN ('\(orders[1])', '\(orders[3])');
            INSERT INTO owed_orders (order_id) VALUES ('\(orders[0])'), ('\(orders[2])');
            UPDATE grants SET holder_id = 'nobody-knows';
            """)
        let found = try await shop.ledger.rebuild().discrepancies
        let first = "of book 1"
        #expect(
            Set(found.map(\.description)) == [
                "balance of c10000 in coins \(first): recorded 7, expected 5",
                "balance of c11000 in coins \(first): recorded 7, expected 5",
                "balance of c11001 in coins \(first): recorded 7, expected 5",
                "balance of c12499 in coins \(first): recorded nothing, expected 5",
                "balance of c99999 in coins \(first): recorded 3, expected nothing",
                "order \(orders[1]): recorded paid, expected unpaid",
                "order \(orders[3]): recorded paid, expected unpaid",
                "goods of the order \(orders[0]): recorded owed, expected not owed",
                "goods of the order \(orders[2]): recorded owed, expected not owed",
                "holder of the grant once/1 \(first): recorded nobody-knows, expected c12000",
            ])
        #expect(found.count == 10)
        #expect(try await shop.ledger.rebuild(repairing: true).discrepancies == found)
        try await shop.expectSound()
        #expect(try await shop.balance(Self.customer(2_000)) == 605)
        #expect(try await shop.balance(Self.customer(2_499)) == 5)
        await shop.store.close()
    }

    @Test func `What stands in a list of orders and is none is struck`() async throws {
        let shop = try await Shop(.sqlite)
        try await fill(shop, 3)
        try damage(
            shop,
            """
            INSERT INTO owed_orders VALUES ('stranger');
            INSERT INTO unpaid_orders SELECT customer_id, bundle_id, product_id, 1, order_id
                FROM orders ORDER BY order_id LIMIT 1;
            """)
        let found = try await shop.ledger.rebuild(repairing: true).discrepancies
        let order = try Self.order(0).id.rawValue
        #expect(
            found.map(\.description) == [
                "order \(order): recorded unpaid, expected no order",
                "order stranger: recorded owed, expected no order",
            ])
        try await shop.expectSound()
        await shop.store.close()
    }

    @Test func `Facts that pay and fulfil an order at once leave the list of owed ones alone`()
        throws
    {
        let ids = try (1...4).map { try Self.order($0).id }
        func event(_ id: OrderID, _ kind: OrderEvent.Kind) -> Fact {
            .orderEvent(
                OrderEvent(orderID: id, number: 0, kind: kind, transaction: nil, at: Sale.noon))
        }
        let owed = OwedOrders([
            event(ids[0], .paid), event(ids[0], .fulfilled), event(ids[1], .paid),
            event(ids[2], .fulfilled), event(ids[3], .refunded), event(ids[3], .deferred),
            event(ids[1], .priceMismatch),
        ])
        #expect(owed.added == [ids[1]])
        #expect(owed.settled == [ids[2], ids[3]])
    }

    // MARK: Older forms

    private static let orders = """
        INSERT INTO orders (order_id, bundle_id, customer_id, product_id, quantity, opened_at_ms,
            expires_at_ms)
        VALUES ('open', 'a', 'anna', 'p', 1, 0, 1), ('owed', 'a', 'anna', 'p', 1, 0, 1),
            ('done', 'a', 'anna', 'p', 1, 0, 1), ('back', 'a', 'anna', 'p', 1, 0, 1);
        INSERT INTO order_events (order_id, number, kind, at_ms)
        VALUES ('owed', 0, 'paid', 0), ('done', 0, 'paid', 0), ('done', 1, 'fulfilled', 0),
            ('back', 0, 'paid', 0), ('back', 1, 'refunded', 0);
        """

    @Test func `An older file's owed orders are listed when it is brought up to date`() throws {
        let steps = LedgerSQLite.LedgerSchema.steps
        let place = try #require(steps.firstIndex { $0.name.hasPrefix("owed orders") })
        var database = try SQLiteDatabase(path: ":memory:", access: .create)
        try database.bringUpToDate(Array(steps[..<place]))
        try database.execute(Self.orders)
        try database.bringUpToDate()
        #expect(try database.text("SELECT group_concat(order_id) FROM owed_orders") == "owed")
        #expect(
            try database.text("SELECT group_concat(order_id) FROM lost_order_suspects") == "owed")
    }

    @Test(.enabled(if: PostgresServer.isInstalled, "PostgreSQL is not installed"))
    func `An older database's owed orders are listed when it is brought up to date`() throws {
        let steps = LedgerPostgres.LedgerSchema.steps
        let place = try #require(steps.firstIndex { $0.name.hasPrefix("owed orders") })
        let schema = try PostgresSchema()
        var connection = try PostgresConnection(address: schema.address)
        try connection.bringUpToDate(Array(steps[..<place]))
        try connection.execute(Self.orders)
        try connection.bringUpToDate()
        #expect(try schema.texts("SELECT order_id FROM owed_orders") == ["owed"])
        #expect(try schema.texts("SELECT order_id FROM lost_order_suspects") == ["owed"])
    }
}
