import AppStoreModel
import Testing
import TillLedger

/// One customer's wallet under two names.
@Suite struct MergedWalletTests {
    private static let anonymous = CustomerID.named("anon-1")
    private static let book = Book(bundleID: Sale.app, environment: .production)

    private func place(_ name: String, of customer: CustomerID) throws -> MovementPlace {
        MovementPlace(
            book: Self.book, customer: customer, id: try #require(MovementID(rawValue: name)))
    }

    private func spend(
        _ amount: Int64, _ name: String, by customer: CustomerID, _ shop: Shop
    ) async throws -> SpendAnswer {
        let request = try #require(
            SpendRequest(place: try place(name, of: customer), currency: "coins", amount: amount))
        return try await shop.ledger.spend(request, now: Sale.noon)
    }

    /// 600 coins under each of two names, of which the anonymous one has spent 100.
    private func shop(_ kind: StoreKind, _ catalog: Catalog = Sale.catalog) async throws -> Shop {
        let shop = try await Shop(kind, catalog: catalog)
        try await shop.show(Sale("1"), by: Self.anonymous)
        try await shop.show(Sale("2"), by: .anna)
        _ = try await spend(100, "early", by: Self.anonymous, shop)
        _ = try await shop.ledger.merge(Self.anonymous, into: .anna, now: Sale.noon)
        return shop
    }

    @Test(arguments: StoreKind.allCases)
    func `Both names spend from one wallet, and never below zero`(kind: StoreKind) async throws {
        let shop = try await shop(kind)
        guard case .spent(_, let balance) = try await spend(900, "big", by: .anna, shop) else {
            Issue.record("not spent")
            return
        }
        #expect(balance == 200)
        #expect(
            try await spend(201, "more", by: Self.anonymous, shop) == .insufficient(balance: 200))
        #expect(try await shop.balance(.anna) == 200)
        #expect(try await shop.balance(Self.anonymous) == 200)
        try await shop.expectSound()
    }

    @Test(arguments: StoreKind.allCases)
    func `A spend's name is taken once, under whichever name it comes again`(
        kind: StoreKind
    ) async throws {
        let shop = try await shop(kind)
        guard case .spent = try await spend(100, "early", by: .anna, shop) else {
            Issue.record("not the same spend")
            return
        }
        #expect(try await spend(99, "early", by: .anna, shop) == .nameTaken)
        _ = try await spend(10, "late", by: Self.anonymous, shop)
        _ = try await spend(10, "late", by: .anna, shop)
        #expect(try await shop.balance() == 1_090)
        let lines = try await shop.ledger.statement(of: Self.anonymous)
        #expect(lines.map(\.amount).reduce(0, +) == 1_090)
        #expect(lines.count == 4)
        var paged: [StatementEntry] = []
        while true {
            let page = try await shop.ledger.statement(
                of: .anna, after: paged.last?.place, limit: 1)
            if page.isEmpty { break }
            paged += page
        }
        #expect(paged == lines)
        try await shop.expectSound()
    }

    @Test(arguments: StoreKind.allCases)
    func `Fifty spends at once under two names leave the wallet at zero`(
        kind: StoreKind
    ) async throws {
        let shop = try await shop(kind)
        let spent = try await withThrowingTaskGroup(of: Bool.self) { group in
            for number in 0..<50 {
                group.addTask {
                    let name = number % 2 == 0 ? Self.anonymous : CustomerID.anna
                    let answer = try await self.spend(100, "s\(number)", by: name, shop)
                    if case .spent = answer { return true }
                    return false
                }
            }
            return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(spent == 11)
        #expect(try await shop.balance() == 0)
        try await shop.expectSound()
    }

    @Test(arguments: StoreKind.allCases)
    func `A refund looks at the whole wallet before it records a debt`(
        kind: StoreKind
    ) async throws {
        var catalog = Sale.catalog
        catalog.apps[Sale.app]?.keepsWalletsAboveZero = true
        let shop = try await shop(kind, catalog)
        _ = try await spend(400, "later", by: Self.anonymous, shop)
        // 100 of the anonymous name's own 600 are left, and 600 of the other's.
        try await shop.tell(
            Sale("1") {
                $0.revoked = Sale.noon
                $0.signed = Sale.noon.later(minutes: 5)
            })
        let balances = try await shop.customer().balances
        #expect(balances.map(\.amount) == [100])
        #expect(balances.map(\.debt) == [0])
        try await shop.expectSound()
    }

    @Test(arguments: StoreKind.allCases)
    func `How much of a purchase is used is told from the whole wallet`(
        kind: StoreKind
    ) async throws {
        let shop = try await shop(kind)
        // 1100 are left, 500 of them under the name that bought: enough to give either purchase back.
        let unused = DeliveryRecord(isDelivered: true, consumedShare: 0)
        #expect(try await shop.ledger.delivery(of: "1", in: Self.book) == unused)
        // 300 are left; all that was spent since the merge went from the other name.
        _ = try await spend(800, "later", by: .anna, shop)
        let half = DeliveryRecord(isDelivered: true, consumedShare: 50_000)
        #expect(try await shop.ledger.delivery(of: "1", in: Self.book) == half)
        #expect(try await shop.ledger.delivery(of: "2", in: Self.book) == half)
    }

    @Test(arguments: StoreKind.allCases)
    func `A promotional grant is found, and ended, under either name`(
        kind: StoreKind
    ) async throws {
        let shop = try await Shop(kind)
        let promotion = Promotion(
            place: try place("gift", of: Self.anonymous), entitlement: "pro", at: Sale.noon,
            endsAt: nil, reason: "sorry")
        _ = try await shop.ledger.promote(promotion)
        _ = try await shop.ledger.merge(Self.anonymous, into: .anna, now: Sale.noon)
        #expect(try await shop.active(.anna) == ["pro"])
        let end = Sale.noon.later(minutes: 1)
        let ended = try await shop.ledger.endPromotion(
            try place("gift", of: .anna), now: end)
        #expect(ended?.end == end)
        #expect(try await shop.active(.anna, at: end) == [])
        #expect(try await shop.active(Self.anonymous, at: end) == [])
    }
}
