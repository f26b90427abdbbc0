import AppStoreModel
import Testing
import TillLedger

/// The order of certainty: token, owner of the original, journaled order, open order, uploader.
@Suite struct BindingTests {
    private func binding(
        _ shop: Shop, _ customer: CustomerID, _ id: TransactionID
    ) async throws -> Binding? {
        try await shop.customer(customer).history.first { $0.transaction.id == id }?
            .transaction.binding
    }

    @Test(arguments: StoreKind.allCases)
    func `A token that names another's order binds to that customer, never to the uploader`(
        kind: StoreKind
    ) async throws {
        let shop = try await Shop(kind)
        let order = try await shop.order(by: .anna)
        let bens = try await shop.order(by: .ben)
        let sale = Sale("1") { $0.token = order.order.id.rawValue.uppercased() }
        let results = try await shop.show(sale, by: .ben, order: bens.order.id)
        #expect(results.map(\.outcome) == [.anothers])
        #expect(results.map(\.mayFinish) == [true])
        // Whose it is, is not for the uploader to know.
        #expect(results.map(\.orderID) == [nil])
        #expect(try await shop.balance(.ben) == 0)
        #expect(try await shop.balance(.anna) == 600)
        #expect(try await binding(shop, .anna, "1") == .orderToken)
        let untouched = try await shop.ledger.order(bens.order.id, of: .ben)
        #expect(untouched?.events == [])
        let mine = try await shop.show(sale, by: .anna)
        #expect(mine.map(\.outcome) == [.alreadyGranted])
        #expect(mine.map(\.orderID) == [order.order.id])
    }

    @Test(
        arguments: StoreKind.allCases,
        ["not a uuid", "", "00000000-0000-0000-0000-000000000051"])
    func `A token of nobody binds to the uploader and makes no customer`(
        kind: StoreKind, token: String
    ) async throws {
        let shop = try await Shop(kind)
        let results = try await shop.show(Sale("1") { $0.token = token })
        #expect(results.map(\.outcome) == [.granted])
        #expect(try await binding(shop, .anna, "1") == .uploader)
    }

    @Test(arguments: StoreKind.allCases)
    func `A token that names an order of another app is a token of nobody`(
        kind: StoreKind
    ) async throws {
        var catalog = Sale.catalog
        catalog.apps["com.example.second"] = catalog.apps[Sale.app]
        let shop = try await Shop(kind, catalog: catalog)
        let order = try await shop.order(by: .anna)
        let sale = Sale("1") {
            $0.token = order.order.id.rawValue
            $0.bundle = "com.example.second"
        }
        #expect(try await shop.show(sale, by: .ben).map(\.outcome) == [.granted])
        #expect(try await shop.ledger.order(order.order.id, of: .anna)?.events == [])
    }

    @Test(arguments: StoreKind.allCases)
    func `The token beats the owner of the original, and older periods stay where they are`(
        kind: StoreKind
    ) async throws {
        let shop = try await Shop(kind)
        try await shop.show(Sale.month(0), by: .anna)
        let order = try await shop.order(Sale.monthly, by: .ben)
        let renewal = Sale.month(1) { $0.token = order.order.id.rawValue }
        #expect(try await shop.show(renewal, by: .ben).map(\.outcome) == [.granted])
        let later = Sale.noon.later(days: 45)
        #expect(try await shop.active(.ben, at: later) == ["pro"])
        #expect(try await shop.active(.anna, at: later) == [])
        #expect(try await shop.active(.anna, at: Sale.noon.later(days: 15)) == ["pro"])
    }

    @Test(arguments: StoreKind.allCases)
    func `The journaled order is bound, but for another's or one that is paid already`(
        kind: StoreKind
    ) async throws {
        let shop = try await Shop(kind)
        let mine = try await shop.order(by: .anna)
        let bens = try await shop.order(by: .ben)
        #expect(
            try await shop.show(Sale("1"), by: .anna, order: mine.order.id).map(\.orderID)
                == [mine.order.id])
        #expect(try await binding(shop, .anna, "1") == .journaledOrder)
        let again = try await shop.show(Sale("2"), by: .anna, order: mine.order.id)
        #expect(again.map(\.outcome) == [.granted])
        #expect(again.map(\.orderID) == [nil])
        let stolen = try await shop.show(Sale("3"), by: .anna, order: bens.order.id)
        #expect(stolen.map(\.outcome) == [.granted])
        #expect(try await binding(shop, .anna, "3") == .uploader)
        #expect(try await shop.ledger.order(bens.order.id, of: .ben)?.events == [])
    }

    @Test(arguments: StoreKind.allCases)
    func `Of several new purchases the journaled order takes the one of its product, nearest`(
        kind: StoreKind
    ) async throws {
        let shop = try await Shop(kind)
        let order = try await shop.order(at: Sale.noon.later(days: 10))
        let old = Sale("1")
        let other = Sale("2") {
            $0.product = Sale.coins20
            $0.purchased = Sale.noon.later(days: 10, minutes: 1)
        }
        let right = Sale("3") { $0.purchased = Sale.noon.later(days: 10, minutes: 2) }
        let answer = try await shop.showReceipt([right, other, old], order: order.order.id)
        let bound = answer.results.filter { $0.orderID != nil }.map(\.transactionID)
        #expect(bound == ["3"])
        #expect(answer.results.map(\.outcome) == [.granted, .granted, .granted])
        #expect(try await binding(shop, .anna, "1") == .uploader)
    }

    @Test(arguments: StoreKind.allCases)
    func `Without token and journal the open order for that product nearest in time is paid`(
        kind: StoreKind
    ) async throws {
        let shop = try await Shop(kind)
        let far = try await shop.order(at: Sale.noon.later(days: -5))
        let near = try await shop.order(at: Sale.noon.later(minutes: -5))
        let other = try await shop.order(Sale.coins20, at: Sale.noon.later(minutes: -1))
        let later = try await shop.order(at: Sale.noon.later(minutes: 60))
        #expect(try await shop.show(Sale("1")).map(\.orderID) == [near.order.id])
        #expect(try await binding(shop, .anna, "1") == .openOrder)
        // The next one takes what is left; one opened long after the payment is not meant.
        #expect(try await shop.show(Sale("2")).map(\.orderID) == [far.order.id])
        #expect(try await shop.show(Sale("3")).map(\.orderID) == [nil])
        for order in [other, later] {
            #expect(try await shop.ledger.order(order.order.id, of: .anna)?.events == [])
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `Another customer's open order is never paid by the uploader's purchase`(
        kind: StoreKind
    ) async throws {
        let shop = try await Shop(kind)
        let order = try await shop.order(by: .ben)
        #expect(try await shop.show(Sale("1"), by: .anna).map(\.orderID) == [nil])
        #expect(try await shop.ledger.order(order.order.id, of: .ben)?.events == [])
        #expect(try await shop.balance(.anna) == 600)
    }

    @Test(arguments: StoreKind.allCases)
    func `A restored purchase pays for no open order`(kind: StoreKind) async throws {
        let shop = try await Shop(kind)
        _ = try await shop.order(Sale.lifetime, at: Sale.noon.later(minutes: -1))
        let restored = Sale("r1") {
            $0.product = Sale.lifetime; $0.original = "100"
        }
        #expect(try await shop.show(restored).map(\.orderID) == [nil])
    }
}
