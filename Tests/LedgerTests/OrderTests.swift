import AppStoreModel
import Testing
import TillLedger

@Suite struct OrderTests {
    @Test(arguments: StoreKind.allCases)
    func `An order is opened, found by its customer, and by nobody else`(
        kind: StoreKind
    ) async throws {
        let shop = try await Shop(kind)
        let order = try await shop.order(quantity: 2)
        let id = order.order.id
        let found = try #require(try await shop.ledger.order(id, of: .anna))
        #expect(found == order)
        #expect(found.status(at: Sale.noon) == .open)
        #expect(found.order.quantity == 2)
        #expect(try await shop.ledger.order(id, of: .ben) == nil)
        #expect(try await shop.ledger.order(id, of: nil) == order)
        let nobodys = try #require(
            OrderID(randomBytes: [UInt8](repeating: 9, count: 10), at: Timestamp(milliseconds: 0)))
        #expect(try await shop.ledger.order(nobodys, of: nil) == nil)
    }

    @Test(
        arguments: [
            ("com.example.app", "com.example.coins600", 10, OrderRefusal?.none),
            ("com.example.app", "com.example.coins600", 11, .quantityInvalid),
            ("com.example.app", "com.example.coins600", 0, .quantityInvalid),
            ("com.example.app", "com.example.coins600", -1, .quantityInvalid),
            ("com.example.app", "com.example.season", 2, nil),
            ("com.example.app", "com.example.lifetime", 1, nil),
            ("com.example.app", "com.example.lifetime", 2, .quantityInvalid),
            ("com.example.app", "com.example.monthly", 2, .quantityInvalid),
            ("com.example.app", "com.example.unknown", 1, .productUnknown),
            ("com.example.other", "com.example.coins600", 1, .appUnknown),
        ] as [(BundleID, ProductID, Int64, OrderRefusal?)])
    func `An order is for a known product in a quantity that StoreKit takes`(
        bundle: BundleID, product: ProductID, quantity: Int64, refusal: OrderRefusal?
    ) async throws {
        let shop = try await Shop(.memory)
        let request = OrderRequest(
            bundleID: bundle, customer: .anna, productID: product, quantity: quantity)
        switch try await shop.ledger.openOrder(request, now: Sale.noon) {
        case .opened: #expect(refusal == nil)
        case .refused(let reason): #expect(reason == refusal)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `The same key opens one order, and with another request it is a mistake`(
        kind: StoreKind
    ) async throws {
        let shop = try await Shop(kind)
        let request = OrderRequest(
            bundleID: Sale.app, customer: .anna, productID: Sale.coins600)
        func key(_ caller: String, _ input: [UInt8]) throws -> IdempotencyKey {
            try #require(IdempotencyKey(caller: caller, key: "k1", input: input))
        }
        func open(_ key: IdempotencyKey?) async throws -> OrderAnswer {
            try await shop.ledger.openOrder(request, idempotency: key, now: Sale.noon)
        }
        let first = try await open(key("anna", [1]))
        #expect(try await open(key("anna", [1])) == first)
        #expect(try await open(key("ben", [1])) != first)
        #expect(try await open(nil) != first)
        let error = await #expect(throws: LedgerError.self) { try await open(key("anna", [2])) }
        #expect(error?.code == .idempotencyKeyReused)
        #expect(try await shop.customer().orders.count == 3)
    }

    @Test(arguments: StoreKind.allCases)
    func `Fifty openings at once under one key are one order`(kind: StoreKind) async throws {
        let shop = try await Shop(kind)
        let key = try #require(IdempotencyKey(caller: "anna", key: "k", input: [1]))
        let request = OrderRequest(
            bundleID: Sale.app, customer: .anna, productID: Sale.coins600)
        let answers = try await withThrowingTaskGroup(of: OrderAnswer.self) { group in
            for _ in 0..<50 {
                group.addTask {
                    try await shop.ledger.openOrder(request, idempotency: key, now: Sale.noon)
                }
            }
            return try await group.reduce(into: Set<OrderAnswer>()) { $0.insert($1) }
        }
        #expect(answers.count == 1)
        #expect(try await shop.customer().orders.count == 1)
    }

    @Test(arguments: StoreKind.allCases)
    func `An unpaid order expires, a deferred one does not, and a late payment revives it`(
        kind: StoreKind
    ) async throws {
        let shop = try await Shop(kind)
        let order = try await shop.order()
        let waiting = try await shop.order()
        let deferred = try await shop.ledger.deferOrder(
            waiting.order.id, of: .anna, now: Sale.noon)
        #expect(deferred?.status(at: Sale.noon) == .deferred)
        #expect(
            try await shop.ledger.deferOrder(waiting.order.id, of: .ben, now: Sale.noon) == nil)
        let end = order.order.expiresAt
        #expect(order.status(at: end.advanced(byMilliseconds: -1)) == .open)
        #expect(order.status(at: end) == .expired)
        #expect(deferred?.status(at: end) == .deferred)

        let late = end.later(days: 3)
        let sale = Sale("1") {
            $0.token = order.order.id.rawValue
            $0.purchased = late
        }
        let results = try await shop.show(sale, at: late)
        #expect(results.map(\.outcome) == [.granted])
        #expect(results.map(\.orderID) == [order.order.id])
        let revived = try await shop.ledger.order(order.order.id, of: .anna)
        #expect(revived?.status(at: late) == .fulfilled)
        // Too late to wait for.
        let paid = try await shop.ledger.deferOrder(order.order.id, of: .anna, now: late)
        #expect(paid?.status(at: late) == .fulfilled)
    }

    @Test(arguments: StoreKind.allCases)
    func `A cheap purchase does not close a dear order`(kind: StoreKind) async throws {
        let shop = try await Shop(kind)
        for byToken in [true, false] {
            let order = try await shop.order(Sale.coins600)
            let sale = Sale(byToken ? "1" : "2") {
                $0.product = Sale.coins20
                $0.token = byToken ? order.order.id.rawValue : nil
            }
            let results = try await shop.show(sale, order: byToken ? nil : order.order.id)
            #expect(results.map(\.outcome) == [.granted])
            #expect(results.map(\.orderID) == [nil])
            let open = try #require(try await shop.ledger.order(order.order.id, of: .anna))
            #expect(open.status(at: Sale.noon) == .open)
            #expect(open.flags.map(\.kind) == [.productMismatch])
        }
        #expect(try await shop.balance() == 40)
    }

    @Test(arguments: StoreKind.allCases)
    func `Another quantity is granted as bought and flags the order`(
        kind: StoreKind
    ) async throws {
        let shop = try await Shop(kind)
        let order = try await shop.order(quantity: 5)
        let sale = Sale("1") { $0.token = order.order.id.rawValue }
        try await shop.show(sale)
        try await shop.show(sale)
        let open = try #require(try await shop.ledger.order(order.order.id, of: .anna))
        #expect(open.status(at: Sale.noon) == .open)
        #expect(open.flags.map(\.kind) == [.quantityMismatch])
        #expect(try await shop.balance() == 600)
        // The right one still pays it.
        let right = Sale("2") {
            $0.token = order.order.id.rawValue
            $0.quantity = 5
        }
        #expect(try await shop.show(right).map(\.orderID) == [order.order.id])
    }

    @Test(arguments: StoreKind.allCases)
    func `A second payment for an order is granted and flagged, a renewal is not flagged`(
        kind: StoreKind
    ) async throws {
        let shop = try await Shop(kind)
        let order = try await shop.order()
        let token = order.order.id.rawValue
        try await shop.show(Sale("1") { $0.token = token })
        let second = try await shop.show(Sale("2") { $0.token = token })
        #expect(second.map(\.outcome) == [.granted])
        #expect(second.map(\.orderID) == [nil])
        let flagged = try await shop.ledger.order(order.order.id, of: .anna)
        #expect(flagged?.flags.map(\.kind) == [.paidTwice])
        #expect(flagged?.payment?.id == "1")

        let subscription = try await shop.order(Sale.monthly)
        let carried = subscription.order.id.rawValue
        try await shop.show(
            Sale.month(0) {
                $0.token = carried; $0.original = "200000"
            })
        try await shop.show(Sale.month(1) { $0.token = carried })
        let renewed = try await shop.ledger.order(subscription.order.id, of: .anna)
        #expect(renewed?.flags == [])
        #expect(try await shop.balance() == 1_200)
    }

    @Test(arguments: StoreKind.allCases)
    func `An order paid with a product that the catalog lost is paid, and fulfilled later`(
        kind: StoreKind
    ) async throws {
        let shop = try await Shop(kind)
        let order = try await shop.order()
        var catalog = Sale.catalog
        catalog.apps[Sale.app]?.products[Sale.coins600] = nil
        let submission = PurchaseSubmission(
            customer: .anna,
            proofs: [Sale("1") { $0.token = order.order.id.rawValue }.proof])
        let refused = try await shop.with(catalog).record(submission, now: Sale.noon).results
        #expect(refused.map(\.outcome) == [.unknownProduct])
        let paid = try await shop.ledger.order(order.order.id, of: .anna)
        #expect(paid?.status(at: Sale.noon) == .paid)
        let granted = try await shop.ledger.record(submission, now: Sale.noon).results
        #expect(granted.map(\.outcome) == [.granted])
        let done = try await shop.ledger.order(order.order.id, of: .anna)
        #expect(done?.status(at: Sale.noon) == .fulfilled)
    }
}
