import AppStoreModel
import Testing

@testable import TillLedger

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// What is told to an app's backend, and in which order.
@Suite struct EventTests {
    private func data(_ event: NumberedEvent) throws -> JSONValue {
        try JSONDecoder().decode(JSONValue.self, from: Data(event.event.data.utf8))
    }

    @Test(arguments: StoreKind.allCases)
    func `A purchase that pays an order tells that it was paid, granted and fulfilled`(
        kind: StoreKind
    ) async throws {
        let outgoing = try await Outgoing(kind)
        let order = try await outgoing.shop.order()
        try await outgoing.shop.show(Sale("1") { $0.token = order.order.id.rawValue })
        let events = try await outgoing.drain()
        #expect(
            events.map(\.event.kind) == [.orderPaid, .purchaseGranted, .orderFulfilled])
        #expect(events.map(\.sequence) == [1, 2, 3])
        #expect(events.allSatisfy { $0.event.customer == .anna && $0.event.at == Sale.noon })
        #expect(events.allSatisfy { $0.event.environment == .production })
        let granted = try data(events[1])
        #expect(granted["transactionId"] == "1")
        #expect(granted["productId"]?.string == Sale.coins600.rawValue)
        #expect(granted["credits"]?["coins"] == .integer(600))
        #expect(granted["orderId"]?.string == order.order.id.rawValue)
        #expect(try data(events[0])["transactionId"] == "1")
    }

    @Test(arguments: StoreKind.allCases)
    func `A refund and its reversal are told with the purchase that they are about`(
        kind: StoreKind
    ) async throws {
        let outgoing = try await Outgoing(kind)
        try await outgoing.shop.show(Sale("1"))
        try await outgoing.shop.show(
            Sale("1") {
                $0.revoked = Sale.noon.later(minutes: 5)
                $0.signed = Sale.noon.later(minutes: 6)
            })
        try await outgoing.shop.show(Sale("1") { $0.signed = Sale.noon.later(minutes: 9) })
        let events = try await outgoing.drain()
        #expect(
            events.map(\.event.kind)
                == [.purchaseGranted, .purchaseRevoked, .purchaseRefused, .purchaseRestored])
        #expect(Set(events.map(\.event.id)).count == 4)
        let revoked = try data(events[1])
        #expect(
            revoked["revocationDate"]?.integer == Sale.noon.later(minutes: 5).milliseconds)
        #expect(try data(events[2])["reason"] == "revoked")
    }

    @Test(arguments: StoreKind.allCases)
    func `What is shown again tells nothing again`(kind: StoreKind) async throws {
        let outgoing = try await Outgoing(kind)
        try await outgoing.shop.show(Sale("1"))
        try await outgoing.shop.show(Sale("1"))
        try await outgoing.shop.show(Sale("1"), by: .ben)
        try await outgoing.shop.show(Sale("1"), by: .ben)
        let events = try await outgoing.drain().sorted { $0.event.customer < $1.event.customer }
        #expect(events.map(\.event.kind) == [.purchaseGranted, .purchaseRefused])
        #expect(events.map(\.event.customer) == [.anna, .ben])
        #expect(events.map(\.sequence) == [1, 1])
    }

    @Test(arguments: StoreKind.allCases)
    func `An app without endpoints records no event and no task`(kind: StoreKind) async throws {
        let shop = try await Shop(kind)
        let order = try await shop.order()
        try await shop.show(Sale("1") { $0.token = order.order.id.rawValue })
        #expect(try await shop.ledger.work.endpoints(of: Sale.app) == [])
        #expect(try await shop.ledger.work.tasks(after: nil, limit: 10) == [])
    }

    @Test(arguments: StoreKind.allCases)
    func `An endpoint hears of what it asked for, numbered as for all`(
        kind: StoreKind
    ) async throws {
        let outgoing = try await Outgoing(kind)
        let order = try await outgoing.shop.order()
        try await outgoing.shop.show(Sale("1") { $0.token = order.order.id.rawValue })
        let events = try await outgoing.drain(Outgoing.orders)
        #expect(events.map(\.event.kind) == [.orderPaid, .orderFulfilled])
        #expect(events.map(\.sequence) == [1, 3])
    }

    @Test(arguments: StoreKind.allCases)
    func `A decision that fails tells nothing`(kind: StoreKind) async throws {
        let outgoing = try await Outgoing(kind)
        let order = try await outgoing.shop.order()
        let event = CustomerEvent(
            id: EventID(ofKey: ["x"]), kind: .orderPaid, bundleID: Sale.app, environment: nil,
            customer: .anna, data: "{}", at: Sale.noon)
        let facts: [Fact] = [.event(event, to: ["main"]), .orderOpened(order.order)]
        await #expect(throws: LedgerError.self) {
            _ = try await outgoing.shop.store.transact(reading: FactQuery()) { _ in
                Decision(facts: facts, answer: true)
            }
        }
        #expect(try await outgoing.drain().isEmpty)
        // Nor was the number used up.
        try await outgoing.shop.show(Sale("1") { $0.product = Sale.lifetime })
        #expect(try await outgoing.drain().map(\.sequence) == [1])
    }

    @Test(arguments: StoreKind.allCases)
    func `Deferral is told, and what does not fit is flagged`(kind: StoreKind) async throws {
        let outgoing = try await Outgoing(kind)
        let order = try await outgoing.shop.order()
        for _ in 0..<2 {
            _ = try await outgoing.shop.ledger.deferOrder(
                order.order.id, of: .anna, now: Sale.noon)
        }
        try await outgoing.shop.show(
            Sale("1") {
                $0.token = order.order.id.rawValue
                $0.product = Sale.coins20
            })
        let events = try await outgoing.drain()
        #expect(
            events.map(\.event.kind) == [.orderDeferred, .orderFlagged, .purchaseGranted])
        #expect(try data(events[1])["flag"] == "productMismatch")
    }

    @Test(arguments: StoreKind.allCases)
    func `An order that nobody paid is told to have expired, once; a paid or deferred one is not`(
        kind: StoreKind
    ) async throws {
        let outgoing = try await Outgoing(kind)
        let unpaid = try await outgoing.shop.order()
        let paid = try await outgoing.shop.order(Sale.coins20)
        let deferred = try await outgoing.shop.order(by: .ben)
        try await outgoing.shop.show(
            Sale("1") {
                $0.token = paid.order.id.rawValue
                $0.product = Sale.coins20
            })
        let ledger = outgoing.shop.ledger
        _ = try await ledger.deferOrder(deferred.order.id, of: .ben, now: Sale.noon)
        _ = try await outgoing.drain()
        #expect(try await outgoing.claimTasks([.expireOrder], at: Sale.noon).isEmpty)

        let end = unpaid.order.expiresAt
        #expect(try await !ledger.expireOrder(unpaid.order.id, now: end.later(seconds: -1)))
        let tasks = try await outgoing.claimTasks([.expireOrder], at: end)
        #expect(
            Set(tasks.map(\.key.subject))
                == Set([unpaid, paid, deferred].map(\.order.id.rawValue)))
        for _ in 0..<2 {
            #expect(try await ledger.expireOrder(unpaid.order.id, now: end))
        }
        #expect(try await !ledger.expireOrder(paid.order.id, now: end))
        #expect(try await !ledger.expireOrder(deferred.order.id, now: end))
        let events = try await outgoing.drain(at: end)
        #expect(events.map(\.event.kind) == [.orderExpired])
        #expect(try data(events[0])["orderId"]?.string == unpaid.order.id.rawValue)
    }

    @Test(arguments: StoreKind.allCases)
    func `What moves a wallet or an entitlement without a purchase is told, once`(
        kind: StoreKind
    ) async throws {
        let outgoing = try await Outgoing(kind)
        let ledger = outgoing.shop.ledger
        let book = Book(bundleID: Sale.app, environment: .production)
        func place(_ name: String) throws -> MovementPlace {
            MovementPlace(
                book: book, customer: .anna, id: try #require(MovementID(rawValue: name)))
        }
        let credit = try #require(
            CreditRequest(place: try place("gift"), currency: "coins", amount: 10, reason: "sorry"))
        let spend = try #require(
            SpendRequest(place: try place("hat"), currency: "coins", amount: 4))
        let promotion = Promotion(
            place: try place("trial"), entitlement: "pro", at: Sale.noon, endsAt: nil,
            reason: "a friend")
        for _ in 0..<2 {
            _ = try await ledger.credit(credit, now: Sale.noon)
            _ = try await ledger.spend(spend, now: Sale.noon)
            _ = try await ledger.promote(promotion)
        }
        let tooMuch = try #require(
            SpendRequest(place: try place("car"), currency: "coins", amount: 100))
        _ = try await ledger.spend(tooMuch, now: Sale.noon)
        for _ in 0..<2 { _ = try await ledger.endPromotion(promotion.place, now: Sale.noon) }
        let events = try await outgoing.drain()
        #expect(
            events.map(\.event.kind) == [
                .walletCredited, .walletSpent, .entitlementPromoted, .entitlementPromotionEnded,
            ])
        #expect(try data(events[1])["amount"] == .integer(-4))
        #expect(try data(events[1])["id"] == "hat")
        #expect(try data(events[2])["entitlement"] == "pro")
    }

    @Test func `An event's name hangs on its key alone, and keys never run together`() {
        #expect(EventID(ofKey: ["a", "b"]) == EventID(ofKey: ["a", "b"]))
        #expect(EventID(ofKey: ["a", "b"]) != EventID(ofKey: ["ab"]))
        #expect(EventID(ofKey: ["a", "b"]) != EventID(ofKey: ["a", "b", ""]))
        #expect(EventID(ofKey: ["1:a"]) != EventID(ofKey: ["1", "a"]))
        let parts = EventID(ofKey: ["x"]).rawValue.split(separator: "-")
        #expect(parts.map(\.count) == [8, 4, 4, 4, 12])
        #expect(parts[2].hasPrefix("8"))
    }

    @Test(arguments: [
        ("*", true, true), ("purchase.*", true, false), ("purchase.granted", true, false),
        ("order.paid", false, true),
    ])
    func `A pattern fits what it names`(pattern: String, granted: Bool, paid: Bool) throws {
        let pattern = try #require(EventPattern(pattern))
        #expect(pattern.fits(.purchaseGranted) == granted)
        #expect(pattern.fits(.orderPaid) == paid)
    }

    @Test(arguments: ["", "purchase", "purchase.", ".*", "purchases.*", "purchase.grant", "**"])
    func `A pattern that fits nothing known is none`(pattern: String) {
        #expect(EventPattern(pattern) == nil)
    }
}
