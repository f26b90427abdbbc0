import AppStoreModel
import Testing

@testable import TillLedger

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// What is told of takeovers and shares, and under which name after a merge.
@Suite struct CustomerNewsTests {
    private static let anonymous = CustomerID.named("anon-1")

    private func data(_ event: NumberedEvent) throws -> JSONValue {
        try JSONDecoder().decode(JSONValue.self, from: Data(event.event.data.utf8))
    }

    @Test(arguments: StoreKind.allCases)
    func `A takeover is told to the one who has it and to the one who had it, without names`(
        kind: StoreKind
    ) async throws {
        var catalog = try Outgoing.catalog
        catalog.apps[Sale.app]?.owners = .transfer
        let outgoing = try await Outgoing(kind, catalog: catalog)
        try await outgoing.shop.show(Sale.month(0), by: .anna)
        let restore = PurchaseSubmission(
            customer: .ben, proofs: [Sale.month(0).proof], isRestore: true)
        for _ in 0..<2 { _ = try await outgoing.shop.ledger.record(restore, now: Sale.noon) }
        let events = try await outgoing.drain().filter { $0.event.kind == .purchaseTransferred }
            .sorted { $0.event.customer < $1.event.customer }
        #expect(events.map(\.event.customer) == [.anna, .ben])
        #expect(try events.map { try data($0)["role"] } == ["former", "new"])
        #expect(try events.map { try data($0)["originalTransactionId"] } == ["200000", "200000"])
        #expect(!events[0].event.data.contains("ben") && !events[1].event.data.contains("anna"))
        // What comes of it later is the new one's to hear.
        try await outgoing.shop.tell(Notice("renew", .didRenew, nil, .month(1)) { _ in })
        let later = try await outgoing.drain()
        #expect(later.contains { $0.event.kind == .subscriptionRenewed })
        #expect(later.allSatisfy { $0.event.customer == .ben })
    }

    @Test(arguments: StoreKind.allCases)
    func `A share is told to the one who may use it, once`(kind: StoreKind) async throws {
        var catalog = try Outgoing.catalog
        catalog.apps[Sale.app]?.owners = .share
        let outgoing = try await Outgoing(kind, catalog: catalog)
        let sale = Sale.month(0) { $0.ownership = .familyShared }
        try await outgoing.shop.show(sale, by: .anna)
        for _ in 0..<2 { try await outgoing.shop.show(sale, by: .ben) }
        let shared = try await outgoing.drain().filter { $0.event.customer == .ben }
        #expect(shared.map(\.event.kind) == [.purchaseShared])
        #expect(try data(shared[0])["originalTransactionId"] == "200000")
    }

    @Test(arguments: StoreKind.allCases)
    func `A merge ends the one name's line, and what comes later is numbered under the other`(
        kind: StoreKind
    ) async throws {
        let outgoing = try await Outgoing(kind)
        let shop = outgoing.shop
        let order = try await shop.order(by: Self.anonymous)
        let unpaid = try await shop.order(by: Self.anonymous)
        try await shop.show(Sale("1") { $0.token = order.order.id.rawValue }, by: Self.anonymous)
        try await shop.show(Sale("2") { $0.product = Sale.lifetime }, by: .anna)
        for _ in 0..<2 {
            _ = try await shop.ledger.merge(Self.anonymous, into: .anna, now: Sale.noon)
        }
        // A refund of what the old name bought, an order of its that ends, a refusal it is shown.
        try await shop.tell(
            Notice(
                "refund", .refund, nil,
                Sale("1") {
                    $0.revoked = Sale.noon.later(minutes: 5)
                    $0.signed = Sale.noon.later(minutes: 5)
                }))
        try await shop.show(Sale("1"), by: Self.anonymous)
        let end = unpaid.order.expiresAt
        _ = try await shop.ledger.expireOrder(unpaid.order.id, now: end)
        let events = try await outgoing.drain(at: end)
        let old = events.filter { $0.event.customer == Self.anonymous }
        #expect(
            old.map(\.event.kind)
                == [.orderPaid, .purchaseGranted, .orderFulfilled, .customerMerged])
        #expect(old.map(\.sequence) == [1, 2, 3, 4])
        #expect(try data(old[3])["into"] == "anna")
        let new = events.filter { $0.event.customer == .anna }
        #expect(new.map(\.sequence) == Array(1...Int64(new.count)))
        #expect(
            new.map(\.event.kind) == [
                .purchaseGranted, .customerMerged, .purchaseRevoked, .orderRefunded,
                .purchaseRefused, .orderExpired,
            ])
        #expect(try data(new[1])["from"] == "anon-1")
        #expect(old.count + new.count == events.count)
    }

    @Test(arguments: StoreKind.allCases)
    func `An erasure leaves neither of two merged names in what was told`(
        kind: StoreKind
    ) async throws {
        let outgoing = try await Outgoing(kind)
        try await outgoing.shop.show(Sale("1"), by: Self.anonymous)
        _ = try await outgoing.shop.ledger.merge(Self.anonymous, into: .anna, now: Sale.noon)
        #expect(try await outgoing.shop.ledger.erase(.anna, now: Sale.noon))
        let events = try await outgoing.drain()
        #expect(events.count == 3)
        for event in events {
            #expect(event.event.customer.rawValue.hasPrefix("erased-"))
            #expect(!event.event.data.contains("ann") && !event.event.data.contains("anon"))
        }
    }
}
