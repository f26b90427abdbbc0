import AppStoreModel
import Foundation
import HTTPMessage
import Testing
import TillAPI

@testable import TillServer

/// Orders, and the payments that find them.
@Suite struct OrderTests {
    private func body(_ product: ProductID, _ more: String = "") -> Data {
        Data(#"{"productId": "\#(product)"\#(more)}"#.utf8)
    }

    @Test func `a payment that carries the order's id pays the order`() async throws {
        let shop = try TestShop()
        let order = try await shop.openOrder(TestShop.coins, by: "anna")
        #expect(order.status == .open)
        #expect(order.expiresAt == TestClock.start.advanced(byMilliseconds: 86_400_000))
        let answer = try await shop.purchase(
            PurchaseRequest(signedTransactions: [try shop.signed("1", order: order.orderID)]),
            by: "anna")
        #expect(answer.results.first?.orderID == order.orderID)
        let paid = try await shop.order(order.orderID, by: "anna")
        #expect(paid.status == .fulfilled)
        #expect(paid.transactionID == "1")
    }

    @Test func `a payment without its token finds the order that the app journaled`() async throws {
        let shop = try TestShop()
        let order = try await shop.openOrder(TestShop.coins, by: "anna")
        let request = PurchaseRequest(
            receipt: try shop.receipt([("1", TestShop.coins)]), orderID: order.orderID)
        #expect(
            try await shop.purchase(request, by: "anna").results.first?.orderID == order.orderID)
        #expect(try await shop.order(order.orderID, by: "anna").status == .fulfilled)
    }

    @Test func `a cheap payment never closes a dear order, and gives what was bought`() async throws
    {
        let shop = try TestShop()
        let order = try await shop.openOrder(TestShop.coins, by: "anna")
        let cheap = try shop.signed("1", TestShop.gems, order: order.orderID)
        let answer = try await shop.purchase(
            PurchaseRequest(signedTransactions: [cheap], orderID: order.orderID), by: "anna")
        #expect(answer.results.first?.outcome == .granted)
        #expect(answer.customer.balances == ["gems": 10])
        #expect(try await shop.order(order.orderID, by: "anna").status == .open)
        // The nearest neighbour: the right product closes it.
        let right = try shop.signed("2", TestShop.coins, order: order.orderID)
        try await shop.purchase(PurchaseRequest(signedTransactions: [right]), by: "anna")
        #expect(try await shop.order(order.orderID, by: "anna").status == .fulfilled)
    }

    @Test(arguments: ["Production", "Prod", "Moon", ""])
    func `an order for an environment from which nothing is taken is refused`(word: String)
        async throws
    {
        let shop = try TestShop()
        let wish = body(TestShop.coins, #", "environment": "\#(word)""#)
        let refused = try await shop.send(.post, APIWire.orders, wish, as: "anna")
        #expect(refused.status == .badRequest)
        let taken = try await shop.send(
            .post, APIWire.orders, body(TestShop.coins, #", "environment": "Sandbox""#), as: "anna")
        #expect(taken.status == .created)
    }

    @Test(arguments: ["eur", "Eur"])
    func `a currency is the same in small letters`(currency: String) async throws {
        let shop = try TestShop()
        let wish = body(TestShop.coins, #", "price": 990, "currency": "\#(currency)""#)
        let opened = try await shop.send(.post, APIWire.orders, wish, as: "anna")
        let order = try JSONDecoder().decode(OrderDocument.self, from: opened.body)
        let payment = try shop.signed("1", order: order.orderID) {
            $0.price = 990
            $0.currency = "EUR"
        }
        try await shop.purchase(PurchaseRequest(signedTransactions: [payment]), by: "anna")
        #expect(try await shop.order(order.orderID, by: "anna").flags == nil)
        for wrong in ["", "EURO", "E1R", "\u{20ac}"] {
            let body = body(TestShop.coins, #", "price": 1, "currency": "\#(wrong)""#)
            #expect(
                try await shop.send(.post, APIWire.orders, body, as: "anna").status == .badRequest)
        }
    }

    @Test func `what did not fit is told, and what looks lost is listed for backends alone`()
        async throws
    {
        let shop = try TestShop()
        let wish = Data(
            #"{"productId": "\#(TestShop.coins)", "price": 990, "currency": "EUR"}"#.utf8)
        let opened = try await shop.send(.post, APIWire.orders, wish, as: "anna")
        let order = try JSONDecoder().decode(OrderDocument.self, from: opened.body)
        let dear = try shop.signed("1", order: order.orderID) {
            $0.price = 1_990
            $0.currency = "EUR"
        }
        try await shop.purchase(PurchaseRequest(signedTransactions: [dear]), by: "anna")
        let paid = try await shop.order(order.orderID, by: "anna")
        #expect(paid.status == .fulfilled)
        #expect(paid.flags == ["priceMismatch"])
        let path = "/v1/apps/\(TestShop.bundleID)/orders/suspects"
        #expect(try await shop.send(.get, path, as: "anna").status == .forbidden)
        let key: KeyValuePairs = ["Authorization": "Bearer \(TestShop.secretKey)"]
        let list = try await shop.send(.get, path, as: nil, fields: key)
        #expect(try JSONDecoder().decode(LostOrderList.self, from: list.body).suspects == [])
        let wrong = Data(#"{"productId": "\#(TestShop.coins)", "currency": "euros"}"#.utf8)
        #expect(try await shop.send(.post, APIWire.orders, wrong, as: "anna").status == .badRequest)
    }

    @Test func `an order shows itself to its customer alone`() async throws {
        let shop = try TestShop()
        let order = try await shop.openOrder(TestShop.coins, by: "anna")
        let path = "\(APIWire.orders)/\(order.orderID.uuidString.lowercased())"
        let ben = try await shop.send(.get, path, as: "ben")
        let nothing = try await shop.send(
            .get, "\(APIWire.orders)/\(UUID().uuidString)", as: "ben")
        #expect(ben.status == .notFound)
        // A stranger cannot tell another's order from none.
        #expect(ben.body == nothing.body)
        #expect(try await shop.send(.get, "\(APIWire.orders)/17", as: "anna").status == .notFound)
        let key: KeyValuePairs = ["Authorization": "Bearer \(TestShop.secretKey)"]
        #expect(try await shop.send(.get, path, as: nil, fields: key).status == .ok)
        let asBen: KeyValuePairs = [
            "Authorization": "Bearer \(TestShop.secretKey)", APIWire.customerField: "ben",
        ]
        #expect(try await shop.send(.get, path, as: nil, fields: asBen).status == .notFound)
    }

    @Test func `a token that names another's order gives the other nothing to take`() async throws {
        let shop = try TestShop()
        let order = try await shop.openOrder(TestShop.coins, by: "anna")
        let proof = try shop.signed("1", order: order.orderID)
        let answer = try await shop.purchase(
            PurchaseRequest(signedTransactions: [proof]), by: "ben")
        #expect(answer.results.first?.outcome == .refused)
        #expect(answer.results.first?.reason == "belongsToAnother")
        #expect(answer.customer.balances.isEmpty)
    }

    @Test func `an idempotency key gives one order for one request`() async throws {
        let shop = try TestShop()
        func open(_ key: String, _ product: ProductID, as customer: String) async throws
            -> HTTPResponse
        {
            try await shop.send(
                .post, APIWire.orders, body(product), as: customer,
                fields: [APIWire.idempotencyField: key])
        }
        let first = try await open("k1", TestShop.coins, as: "anna")
        let again = try await open("k1", TestShop.coins, as: "anna")
        #expect(first.status == .created)
        #expect(first.body == again.body)
        let other = try await open("k1", TestShop.gems, as: "anna")
        #expect(try shop.problem(other).code.kind == .idempotencyKeyReused)
        #expect(try await open("k2", TestShop.coins, as: "anna").body != first.body)
        // Another customer's key is another key.
        #expect(try await open("k1", TestShop.gems, as: "ben").status == .created)
        for key in ["", "a b", String(repeating: "k", count: 256)] {
            #expect(
                try await open(key, TestShop.coins, as: "anna").status == .badRequest,
                "\(key.count)")
        }
    }

    @Test func `a body that was made anew is the same request under the same key`() async throws {
        let shop = try TestShop()
        func open(_ body: String) async throws -> HTTPResponse {
            try await shop.send(
                .post, APIWire.orders, Data(body.utf8), as: "anna",
                fields: [APIWire.idempotencyField: "k"])
        }
        let first = try await open(#"{"productId":"\#(TestShop.coins)","quantity":2}"#)
        let again = try await open(#"{ "quantity": 2.0, "productId": "\#(TestShop.coins)" }"#)
        #expect(first.status == .created && again.body == first.body)
        let other = try await open(#"{"productId":"\#(TestShop.coins)","quantity":3}"#)
        #expect(try shop.problem(other).code.kind == .idempotencyKeyReused)
    }

    @Test func `a purchase under an idempotency key answers the same and belongs to one body`()
        async throws
    {
        let shop = try TestShop()
        func buy(_ id: TransactionID) async throws -> HTTPResponse {
            try await shop.send(
                .post, APIWire.purchases,
                Data(#"{"signedTransactions": ["\#(try fixed(id))"]}"#.utf8), as: "anna",
                fields: [APIWire.idempotencyField: "k"])
        }
        let proofs = ["1": try shop.signed("1"), "2": try shop.signed("2")]
        func fixed(_ id: TransactionID) throws -> String { try #require(proofs[id.rawValue]) }
        let first = try await buy("1")
        #expect(first.status == .ok)
        #expect(try await buy("1").status == .ok)
        #expect(try shop.problem(try await buy("2")).code.kind == .idempotencyKeyReused)
        #expect(try await shop.customer("anna").balances == ["coins": 600])
    }

    @Test func `what cannot be sold is not ordered`() async throws {
        let shop = try TestShop()
        func kind(_ body: Data) async throws -> ProblemKind? {
            try shop.problem(try await shop.send(.post, APIWire.orders, body, as: "anna")).code.kind
        }
        #expect(try await kind(body("com.example.nothing")) == .unknownProduct)
        #expect(
            try await kind(body(TestShop.coins, #", "bundleId": "com.example.other""#))
                == .unknownApp)
        #expect(try await kind(body(TestShop.pro, #", "quantity": 2"#)) == .invalidRequest)
        #expect(try await kind(body(TestShop.coins, #", "quantity": 11"#)) == .invalidRequest)
        let ten = try await shop.send(
            .post, APIWire.orders, body(TestShop.coins, #", "quantity": 10"#), as: "anna")
        #expect(ten.status == .created)
    }

    @Test func `an unpaid order expires and a late payment still pays it`() async throws {
        let shop = try TestShop(more: #", "orders": {"lifetimeMinutes": 10}"#)
        let order = try await shop.openOrder(TestShop.coins, by: "anna")
        shop.clock.advance(seconds: 600)
        #expect(try await shop.order(order.orderID, by: "anna").status == .expired)
        let proof = try shop.signed("1", order: order.orderID)
        try await shop.purchase(PurchaseRequest(signedTransactions: [proof]), by: "anna")
        #expect(try await shop.order(order.orderID, by: "anna").status == .fulfilled)
    }

    @Test func `an order whose buyer waits for approval does not expire, and is paid later`()
        async throws
    {
        let shop = try TestShop()
        let order = try await shop.openOrder(TestShop.coins, by: "anna")
        let other = try await shop.openOrder(TestShop.coins, by: "anna")
        let path = "\(APIWire.orders)/\(order.orderID)/deferred"
        #expect(try await shop.send(.post, path, as: "ben").status == .notFound)
        #expect(try await shop.order(order.orderID, by: "anna").status == .open)
        for _ in 0..<2 {
            #expect(try await shop.send(.post, path, as: "anna").status == .ok)
            #expect(try await shop.order(order.orderID, by: "anna").status == .deferred)
        }
        shop.clock.advance(seconds: 25 * 3_600)
        #expect(try await shop.order(order.orderID, by: "anna").status == .deferred)
        #expect(try await shop.order(other.orderID, by: "anna").status == .expired)
        try await shop.purchase(
            PurchaseRequest(signedTransactions: [try shop.signed("1", order: order.orderID)]),
            by: "anna")
        let late = try await shop.send(.post, path, as: "anna")
        #expect(late.status == .ok)
        #expect(try await shop.order(order.orderID, by: "anna").status == .fulfilled)
    }
}
