import AppStoreModel
import Testing
import TillLedger

/// What is noted about customers, and what is not.
@Suite struct SignalTests {
    private func kinds(
        _ shop: Shop, _ customer: CustomerID, at now: Timestamp = Sale.noon
    ) async throws -> [SignalKind] {
        try await shop.ledger.signals(of: customer, now: now).signals.map(\.first.kind)
    }

    @Test(arguments: StoreKind.allCases)
    func `An honest customer has none`(kind: StoreKind) async throws {
        let shop = try await Shop(kind)
        let order = try await shop.order().order.id
        for _ in 0..<3 { try await shop.show(Sale("1") { $0.token = order.rawValue }) }
        try await shop.show(.month(0))
        // Apple charges for a renewal up to a day before it begins.
        try await shop.show(
            .month(1) { $0.signed = Sale.noon.later(days: 29) }, at: Sale.noon.later(days: 29))
        let signals = try await shop.ledger.signals(of: .anna, now: Sale.noon)
        #expect(signals.signals.isEmpty)
        #expect(signals.score == 0)
    }

    @Test(arguments: StoreKind.allCases)
    func `A purchase shown by many is noted of each, once, and of its owner`(
        kind: StoreKind
    ) async throws {
        let shop = try await Shop(kind)
        try await shop.show(Sale("1"))
        for number in 0..<20 {
            let stranger = CustomerID.named("stranger-\(number)")
            let now = Sale.noon.later(minutes: 2 * number)
            for _ in 0..<3 { try await shop.show(Sale("1"), by: stranger, at: now) }
            #expect(try await kinds(shop, stranger) == [.anothersPurchase])
            let known = try await shop.ledger.signals(of: stranger, now: now)
            #expect(known.signals.map(\.count) == [1])
        }
        let owner = try await shop.ledger.signals(of: .anna, now: Sale.noon)
        #expect(owner.signals.map(\.first.kind) == [.sharedProof])
        #expect(owner.signals.map(\.count) == [20])
        #expect(owner.score == 20)
        #expect(try await shop.balance() == 600)
    }

    @Test(arguments: StoreKind.allCases)
    func `Another's order, the future, a refund and a test environment are noted`(
        kind: StoreKind
    ) async throws {
        var catalog = Sale.catalog
        catalog.apps[Sale.app]?.environments = [.production]
        let shop = try await Shop(kind, catalog: catalog)
        let order = try await shop.order().order.id
        try await shop.show(Sale("1") { $0.token = order.rawValue }, by: .ben)
        #expect(try await kinds(shop, .ben) == [.anothersOrder])
        try await shop.show(Sale("2") { $0.purchased = Sale.noon.later(days: 400) }, by: .cleo)
        #expect(try await kinds(shop, .cleo) == [.futureDate])
        let dora = CustomerID.named("dora")
        try await shop.show(Sale("3") { $0.environment = .sandbox }, by: dora)
        #expect(try await kinds(shop, dora) == [.otherEnvironment])
        let eric = CustomerID.named("eric")
        try await shop.show(Sale("4"), by: eric)
        try await shop.tell(
            Sale("4") {
                $0.revoked = Sale.noon
                $0.signed = Sale.noon.later(minutes: 9)
            })
        #expect(try await kinds(shop, eric) == [.refund])
    }

    @Test(arguments: StoreKind.allCases)
    func `A second trial in one group is noted, the first and another group's are not`(
        kind: StoreKind
    ) async throws {
        let shop = try await Shop(kind)
        func trial(_ id: TransactionID, _ group: SubscriptionGroupID) -> Sale {
            Sale(id) {
                $0.product = Sale.monthly
                $0.expires = Sale.noon.later(days: 7)
                $0.group = group
                $0.offer = .introductory
            }
        }
        try await shop.show(trial("1", "g1"))
        try await shop.show(trial("2", "g2"))
        try await shop.show(trial("1", "g1"))
        #expect(try await kinds(shop, .anna) == [])
        try await shop.show(trial("3", "g1"))
        #expect(try await kinds(shop, .anna) == [.secondTrial])
        // Two names are one customer.
        try await shop.show(trial("4", "g2"), by: .ben)
        _ = try await shop.ledger.merge(.anna, into: .ben, now: Sale.noon)
        try await shop.show(trial("5", "g2"), by: .ben)
        #expect(try await kinds(shop, .ben) == [.secondTrial, .secondTrial])
        let offers = try await shop.ledger.introductoryOffers(of: .anna)
        #expect(Set(offers.map(\.groupID)) == ["g1", "g2"])
        #expect(offers.count == 2)
        #expect(offers.contains { $0.transactionID == "1" })
        #expect(try await shop.ledger.introductoryOffers(of: .cleo).isEmpty)
    }

    @Test(arguments: StoreKind.allCases)
    func `A trial that another has taken over since is used up for both`(
        kind: StoreKind
    ) async throws {
        var catalog = Sale.catalog
        catalog.apps[Sale.app]?.owners = .transfer
        let shop = try await Shop(kind, catalog: catalog)
        let trial = Sale.month(0) {
            $0.group = "g1"
            $0.offer = .introductory
        }
        try await shop.show(trial)
        try await shop.restore(trial, by: .ben)
        for customer in [CustomerID.anna, .ben] {
            let offers = try await shop.ledger.introductoryOffers(of: customer)
            #expect(offers.map(\.groupID) == ["g1"])
        }
        #expect(try await kinds(shop, .ben) == [.transfer])
    }

    @Test(arguments: StoreKind.allCases)
    func `What follows closely counts once, and no attacker fills the disk`(
        kind: StoreKind
    ) async throws {
        let shop = try await Shop(kind)
        func forge(_ subject: String, at now: Timestamp) async throws {
            try await shop.ledger.note([
                Signal(kind: .forgery, customer: .ben, subject: subject, at: now)
            ])
        }
        for second in 0..<120 {
            try await forge(
                "wrongSignature",
                at: Sale.noon.advanced(byMilliseconds: Int64(second) * 1_000))
        }
        let known = try await shop.ledger.signals(of: .ben, now: Sale.noon)
        #expect(known.signals.map(\.count) == [2])
        for number in 0..<(3 * Signal.mostSubjects) {
            try await forge("subject-\(number)", at: Sale.noon.later(days: 1))
        }
        let most = try await shop.ledger.signals(of: .ben, now: Sale.noon)
        #expect(most.signals.count == Signal.mostSubjects)
    }

    @Test func `A score fades by half in thirty days`() {
        let signal = Signal(kind: .forgery, customer: .ben, subject: "", at: Sale.noon)
        let count = SignalCount(first: signal, count: 1, last: Sale.noon)
        func score(_ count: SignalCount, days: Int) -> Double {
            CustomerSignals(
                customer: .ben, signals: [count], now: Sale.noon.later(days: days)
            ).score
        }
        #expect(score(count, days: 0) == 10)
        #expect(score(count, days: 30) == 5)
        #expect(score(count, days: 60) == 2.5)
        #expect(score(count, days: 15) == 7.5)
        #expect(score(count, days: 3_000) == 0)
        let many = SignalCount(first: signal, count: 1_000, last: Sale.noon)
        #expect(score(many, days: 0) == 100)
    }
}
