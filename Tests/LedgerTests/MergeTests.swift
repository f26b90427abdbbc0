import AppStoreModel
import Testing
import TillLedger

/// An anonymous customer who logs in: two names, one customer.
@Suite struct MergeTests {
    private static let anonymous = CustomerID.named("anon-1")

    private func merge(
        _ from: CustomerID, into: CustomerID, _ shop: Shop
    ) async throws -> MergeAnswer {
        try await shop.ledger.merge(from, into: into, now: Sale.noon)
    }

    @Test(arguments: StoreKind.allCases)
    func `Both names see everything of both`(kind: StoreKind) async throws {
        let shop = try await Shop(kind)
        try await shop.show(Sale("1"), by: Self.anonymous)
        try await shop.show(Sale("2") { $0.product = Sale.lifetime }, by: .anna)
        try await shop.show(Sale("3"), by: .anna)
        _ = try await shop.order(by: Self.anonymous)
        _ = try await shop.order(by: .anna, at: Sale.noon.later(minutes: 1))
        #expect(try await merge(Self.anonymous, into: .anna, shop) == .merged(into: .anna))
        for name in [CustomerID.anna, Self.anonymous] {
            let customer = try await shop.customer(name)
            #expect(customer.customer == .anna)
            #expect(customer.history.count == 3)
            #expect(customer.orders.count == 2)
            #expect(customer.orders.first?.order.customer == .anna)
            #expect(try await shop.balance(name) == 1_200)
            #expect(try await shop.active(name) == ["pro"])
        }
        try await shop.expectSound()
    }

    @Test(arguments: StoreKind.allCases)
    func `What one name bought is the other's already, and still nobody else's`(
        kind: StoreKind
    ) async throws {
        let shop = try await Shop(kind)
        try await shop.show(Sale("1"), by: Self.anonymous)
        try await shop.show(.month(0), by: Self.anonymous)
        #expect(try await shop.show(Sale("1"), by: .anna).map(\.outcome) == [.anothers])
        _ = try await merge(Self.anonymous, into: .anna, shop)
        for name in [CustomerID.anna, Self.anonymous] {
            #expect(try await shop.show(Sale("1"), by: name).map(\.outcome) == [.alreadyGranted])
        }
        #expect(try await shop.show(Sale("1"), by: .ben).map(\.outcome) == [.anothers])
        #expect(try await shop.show(.month(1), by: .anna).map(\.outcome) == [.granted])
        #expect(try await shop.show(.month(2), by: .ben).map(\.outcome) == [.anothers])
        #expect(try await shop.balance() == 600)
        #expect(try await shop.balance(.anna, "gems") == 15)
        try await shop.expectSound()
    }

    @Test(arguments: StoreKind.allCases)
    func `An order opened before the login is paid after it`(kind: StoreKind) async throws {
        let shop = try await Shop(kind)
        let byToken = try await shop.order(by: Self.anonymous).order.id
        let open = try await shop.order(Sale.coins20, by: Self.anonymous).order.id
        let journaled = try await shop.order(Sale.lifetime, by: Self.anonymous).order.id
        _ = try await merge(Self.anonymous, into: .anna, shop)
        let first = try await shop.show(Sale("1") { $0.token = byToken.rawValue }, by: .anna)
        #expect(first.map(\.outcome) == [.granted])
        #expect(first.map(\.orderID) == [byToken])
        let second = try await shop.show(Sale("2") { $0.product = Sale.coins20 }, by: .anna)
        #expect(second.map(\.orderID) == [open])
        let third = try await shop.show(
            Sale("3") { $0.product = Sale.lifetime }, by: .anna, order: journaled)
        #expect(third.map(\.orderID) == [journaled])
        for id in [byToken, open, journaled] {
            let order = try #require(try await shop.ledger.order(id, of: .anna))
            #expect(order.status(at: Sale.noon) == .fulfilled)
            #expect(try await shop.ledger.order(id, of: .ben) == nil)
        }
        let deferred = try await shop.order(by: Self.anonymous).order.id
        #expect(
            try await shop.ledger.deferOrder(deferred, of: .anna, now: Sale.noon)?
                .status(at: Sale.noon) == .deferred)
        #expect(try await shop.ledger.deferOrder(deferred, of: .ben, now: Sale.noon) == nil)
        try await shop.expectSound()
    }

    @Test(arguments: StoreKind.allCases)
    func `A payment that comes after the login with the anonymous token is granted`(
        kind: StoreKind
    ) async throws {
        let shop = try await Shop(kind)
        let order = try await shop.order(by: Self.anonymous).order.id
        _ = try await merge(Self.anonymous, into: .anna, shop)
        #expect(
            try await shop.tell(Sale("1") { $0.token = order.rawValue }).map(\.outcome)
                == [.granted])
        #expect(try await shop.balance(.anna) == 600)
        try await shop.expectSound()
    }

    @Test(arguments: StoreKind.allCases)
    func `Chains resolve, repetitions change nothing, and cycles are refused`(
        kind: StoreKind
    ) async throws {
        let shop = try await Shop(kind)
        let names = (0..<6).map { CustomerID.named("name-\($0)") }
        for (number, name) in names.enumerated() {
            try await shop.show(Sale(TransactionID("\(number)")), by: name)
        }
        for number in 0..<5 {
            #expect(
                try await merge(names[number], into: names[number + 1], shop)
                    == .merged(into: names[number + 1]))
        }
        for name in names {
            #expect(try await shop.balance(name) == 3_600)
            #expect(try await shop.show(Sale("0"), by: name).map(\.outcome) == [.alreadyGranted])
        }
        #expect(try await merge(names[0], into: names[5], shop) == .merged(into: names[5]))
        #expect(try await merge(names[0], into: names[1], shop) == .merged(into: names[5]))
        #expect(try await merge(names[5], into: names[0], shop) == .reversed)
        #expect(try await merge(names[1], into: .anna, shop) == .belongsToAnother)
        #expect(try await shop.balance(.anna) == 0)
        // A name that is part of another takes in more for that other.
        try await shop.show(Sale("9"), by: .ben)
        #expect(try await merge(.ben, into: names[2], shop) == .merged(into: names[5]))
        #expect(try await shop.balance(names[5]) == 4_200)
        try await shop.expectSound()
    }

    @Test(arguments: StoreKind.allCases)
    func `Merges at once never make a cycle`(kind: StoreKind) async throws {
        let shop = try await Shop(kind)
        let names = (0..<4).map { CustomerID.named("name-\($0)") }
        for (number, name) in names.enumerated() {
            try await shop.show(Sale(TransactionID("\(number)")), by: name)
        }
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<24 {
                group.addTask {
                    let from = names[number % 4]
                    let into = names[(number + 1 + number / 4) % 4]
                    _ = try? await self.merge(from, into: into, shop)
                }
            }
        }
        var canonical: Set<CustomerID> = []
        for name in names { canonical.insert(try await shop.customer(name).customer) }
        for name in canonical { #expect(try await shop.customer(name).customer == name) }
        var total: Int64 = 0
        for name in canonical { total += try await shop.balance(name) }
        #expect(total == 2_400)
        try await shop.expectSound()
    }

    @Test(arguments: StoreKind.allCases)
    func `Whose it is, is asked of the whole customer`(kind: StoreKind) async throws {
        let shop = try await Shop(kind)
        try await shop.show(Sale("1"), by: Self.anonymous)
        _ = try await merge(Self.anonymous, into: .anna, shop)
        let asked = try await shop.ledger.owners(
            of: PurchaseSubmission(customer: .anna, proofs: [Sale("1").proof]), now: Sale.noon)
        #expect(asked.map(\.owner) == [.you])
    }
}
