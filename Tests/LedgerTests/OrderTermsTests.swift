import AppStoreModel
import Testing
import TillLedger

/// What the app said of a payment, against what Apple signed; and the orders that look lost.
@Suite struct OrderTermsTests {
    private func order(_ shop: Shop, _ terms: OrderTerms) async throws -> OrderID {
        let request = OrderRequest(
            bundleID: Sale.app, customer: .anna, productID: Sale.coins600, terms: terms)
        let answer = try await shop.ledger.openOrder(request, now: Sale.noon)
        guard case .opened(let order) = answer else { throw Unexpected(what: "\(answer)") }
        #expect(order.order.terms == terms)
        return order.order.id
    }

    private func flags(_ shop: Shop, _ id: OrderID) async throws -> [OrderEvent.Kind] {
        try #require(try await shop.ledger.order(id, of: nil)).flags.map(\.kind)
    }

    @Test(
        arguments: StoreKind.allCases,
        [
            (OrderTerms(price: 990, currency: "EUR"), [OrderEvent.Kind]()),
            (OrderTerms(price: 991, currency: "EUR"), [.priceMismatch]),
            (OrderTerms(price: 990, currency: "USD"), [.priceMismatch]),
            (OrderTerms(price: 990), []),
            (OrderTerms(), []),
        ])
    func `Another price than the app showed is flagged, and the order is paid all the same`(
        kind: StoreKind, expected: (terms: OrderTerms, flags: [OrderEvent.Kind])
    ) async throws {
        let shop = try await Shop(kind)
        let id = try await order(shop, expected.terms)
        let sale = Sale("1") {
            $0.token = id.rawValue
            $0.price = 990
            $0.currency = "EUR"
        }
        #expect(try await shop.show(sale).map(\.orderID) == [id])
        #expect(try await flags(shop, id) == expected.flags)
        let paid = try await shop.ledger.order(id, of: .anna)
        #expect(paid?.status(at: Sale.noon) == .fulfilled)
    }

    @Test(arguments: StoreKind.allCases)
    func `A price that Apple did not sign is compared with nothing`(kind: StoreKind) async throws {
        let shop = try await Shop(kind)
        let id = try await order(shop, OrderTerms(price: 990, currency: "EUR"))
        try await shop.show(Sale("1") { $0.token = id.rawValue })
        #expect(try await flags(shop, id) == [])
    }

    @Test(arguments: StoreKind.allCases)
    func `A payment of another environment than the order's pays for nothing but itself`(
        kind: StoreKind
    ) async throws {
        let shop = try await Shop(kind)
        let id = try await order(shop, OrderTerms(environment: .production))
        let sandbox = Sale("1") {
            $0.token = id.rawValue
            $0.environment = .sandbox
        }
        #expect(try await shop.show(sandbox).map(\.outcome) == [.granted])
        #expect(try await flags(shop, id) == [.environmentMismatch])
        #expect(try await shop.balance() == 0)
        #expect(try await shop.balance(environment: .sandbox) == 600)
        #expect(try await shop.ledger.order(id, of: .anna)?.status(at: Sale.noon) == .open)
        #expect(try await shop.show(Sale("2") { $0.token = id.rawValue }).map(\.orderID) == [id])
    }

    @Test(arguments: StoreKind.allCases)
    func `An order beside an unclaimed payment of its product and time is a suspect`(
        kind: StoreKind
    ) async throws {
        let shop = try await Shop(kind)
        let order = try await shop.order().order
        try await shop.tell(Sale("1"), Sale("2") { $0.product = Sale.coins20 })
        try await shop.tell(Sale("3") { $0.purchased = Sale.noon.later(days: 2) })
        let suspects = try await shop.ledger.lostOrderSuspects(of: Sale.app)
        #expect(suspects.map(\.order) == [order])
        #expect(suspects.map(\.suspicion) == [.unclaimedPayment])
        #expect(suspects.map(\.transaction.id) == ["1"])
        #expect(try await shop.ledger.lostOrderSuspects(of: "com.example.other") == [])
        try await shop.show(Sale("1"))
        #expect(try await shop.ledger.lostOrderSuspects(of: Sale.app) == [])
    }

    @Test(arguments: StoreKind.allCases)
    func `A paid order whose product left the catalog is a suspect until it is handed out`(
        kind: StoreKind
    ) async throws {
        let shop = try await Shop(kind)
        let order = try await shop.order().order
        var poor = Sale.catalog
        poor.apps[Sale.app]?.products[Sale.coins600] = nil
        let submission = PurchaseSubmission(
            customer: .anna, proofs: [Sale("1") { $0.token = order.id.rawValue }.proof])
        let outcome = try await shop.with(poor).record(submission, now: Sale.noon)
        #expect(outcome.results.map(\.outcome) == [.unknownProduct])
        let suspects = try await shop.ledger.lostOrderSuspects(of: Sale.app)
        #expect(suspects.map(\.suspicion) == [.paidNotFulfilled])
        #expect(suspects.map(\.order.id) == [order.id])
        _ = try await shop.ledger.record(submission, now: Sale.noon)
        #expect(try await shop.ledger.lostOrderSuspects(of: Sale.app) == [])
    }
}
