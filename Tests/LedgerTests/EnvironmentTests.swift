import AppStoreModel
import Testing
import TillLedger

/// What is done with proofs from environments that the app's rules do not list.
@Suite struct EnvironmentTests {
    private func catalog(_ other: OtherEnvironments) -> Catalog {
        var catalog = Sale.catalog
        catalog.apps[Sale.app]?.environments = [.production]
        catalog.apps[Sale.app]?.otherEnvironments = other
        return catalog
    }

    private let free = Sale("1") { $0.environment = .sandbox }
    private static let notAdmitted = TransactionOutcome.refused(.environmentNotAdmitted)

    @Test(arguments: StoreKind.allCases)
    func `By default a sandbox purchase is recorded, finished, and worth nothing`(
        kind: StoreKind
    ) async throws {
        let shop = try await Shop(kind, catalog: catalog(.record))
        let results = try await shop.show(free)
        #expect(results.map(\.outcome) == [Self.notAdmitted])
        #expect(results.map(\.mayFinish) == [true])
        let anna = try await shop.customer()
        #expect(anna.balances.isEmpty)
        #expect(anna.history.map(\.book.environment) == [.sandbox])
        #expect(anna.history.map(\.outcome) == [Self.notAdmitted])
        // What is signed by the environment that is listed counts beside it.
        #expect(try await shop.show(Sale("1")).map(\.outcome) == [.granted])
        #expect(try await shop.balance() == 600)
        #expect(try await shop.balance(environment: .sandbox) == 0)
        try await shop.expectSound()
    }

    @Test(arguments: StoreKind.allCases)
    func `A sandbox purchase pays no order, whoever's token it bears`(
        kind: StoreKind
    ) async throws {
        let shop = try await Shop(kind, catalog: catalog(.record))
        let order = try await shop.order().order.id
        var free = free
        free.token = order.rawValue
        let results = try await shop.show(free, by: .ben, order: order)
        #expect(results.map(\.outcome) == [Self.notAdmitted])
        #expect(results.map(\.orderID) == [nil])
        let before = try #require(try await shop.ledger.order(order, of: .anna))
        #expect(before.events.isEmpty)
        let paid = try await shop.show(Sale("2") { $0.token = order.rawValue })
        #expect(paid.map(\.orderID) == [order])
        let after = try #require(try await shop.ledger.order(order, of: .anna))
        #expect(after.status(at: Sale.noon) == .fulfilled)
        #expect(after.flags.isEmpty)
        try await shop.expectSound()
    }

    @Test(arguments: StoreKind.allCases)
    func `A subscription of the sandbox that is not granted is listed nowhere, a tester's is`(
        kind: StoreKind
    ) async throws {
        let sandbox = Sale.month(0) { $0.environment = .sandbox }
        let shop = try await Shop(kind, catalog: catalog(.record))
        #expect(try await shop.show(sandbox).map(\.outcome) == [Self.notAdmitted])
        #expect(try await shop.customer().subscriptions.isEmpty)
        #expect(try await shop.show(.month(0)).map(\.outcome) == [.granted])
        let books = try await shop.customer().subscriptions.map(\.book.environment)
        #expect(books == [.production])
        let testers = OtherEnvironments.testers(Testers(customers: [.anna]))
        let other = try await Shop(kind, catalog: catalog(testers))
        #expect(try await other.show(sandbox).map(\.outcome) == [.granted])
        #expect(try await other.customer().subscriptions.map(\.standing) == [.active])
    }

    @Test(arguments: StoreKind.allCases)
    func `Refused environments leave no record`(kind: StoreKind) async throws {
        let shop = try await Shop(kind, catalog: catalog(.refuse))
        #expect(try await shop.show(free).map(\.outcome) == [Self.notAdmitted])
        #expect(try await shop.customer().history.isEmpty)
    }

    @Test(arguments: StoreKind.allCases)
    func `A tester gets goods in a book apart, the next customer does not`(
        kind: StoreKind
    ) async throws {
        let shop = try await Shop(kind, catalog: catalog(.testers(Testers(customers: [.anna]))))
        #expect(try await shop.show(free).map(\.outcome) == [.granted])
        #expect(try await shop.balance(environment: .sandbox) == 600)
        #expect(try await shop.balance() == 0)
        let other = Sale("2") { $0.environment = .sandbox }
        #expect(try await shop.show(other, by: .ben).map(\.outcome) == [Self.notAdmitted])
        #expect(try await shop.balance(.ben, environment: .sandbox) == 0)
        // A tester stays one under another name.
        _ = try await shop.ledger.merge(.anna, into: .cleo, now: Sale.noon)
        let third = Sale("3") { $0.environment = .sandbox }
        #expect(try await shop.show(third, by: .cleo).map(\.outcome) == [.granted])
        // One who is no tester is not told whose it is.
        #expect(try await shop.show(free, by: .ben).map(\.outcome) == [Self.notAdmitted])
        #expect(try await shop.show(other, by: .anna).map(\.outcome) == [.anothers])
        try await shop.expectSound()
    }

    @Test(arguments: StoreKind.allCases)
    func `A tester's subscription follows Apple's word, as any other`(
        kind: StoreKind
    ) async throws {
        let testers = OtherEnvironments.testers(Testers(customers: [.anna]))
        let shop = try await Shop(kind, catalog: catalog(testers))
        try await shop.show(.month(0) { $0.environment = .sandbox })
        #expect(try await shop.active() == ["pro"])
        let renewal = Sale.month(1) { $0.environment = .sandbox }
        #expect(try await shop.tell(renewal).map(\.outcome) == [.granted])
        let later = Sale.noon.later(days: 35)
        #expect(try await shop.active(at: later) == ["pro"])
        try await shop.tell(
            .month(1) {
                $0.environment = .sandbox
                $0.revoked = later
                $0.signed = later
            })
        #expect(try await shop.active(at: later) == [])
        try await shop.expectSound()
    }

    @Test(arguments: StoreKind.allCases)
    func `While App Review looks at the app everybody is granted, and only until then`(
        kind: StoreKind
    ) async throws {
        let end = Sale.noon.later(minutes: 10)
        let testers = OtherEnvironments.testers(Testers(appReviewUntil: end))
        let shop = try await Shop(kind, catalog: catalog(testers))
        #expect(try await shop.show(free).map(\.outcome) == [.granted])
        let late = Sale("2") { $0.environment = .sandbox }
        #expect(try await shop.show(late, at: end).map(\.outcome) == [Self.notAdmitted])
        let xcode = Sale("3") { $0.environment = .xcode }
        #expect(try await shop.show(xcode).map(\.outcome) == [Self.notAdmitted])
        #expect(try await shop.show(free, at: end).map(\.outcome) == [.alreadyGranted])
        try await shop.expectSound()
    }

    @Test(arguments: StoreKind.allCases)
    func `One who becomes a tester gets what was only recorded`(kind: StoreKind) async throws {
        let shop = try await Shop(kind, catalog: catalog(.record))
        try await shop.show(free)
        let later = shop.with(catalog(.testers(Testers(customers: [.anna]))))
        let results = try await later.record(
            PurchaseSubmission(customer: .anna, proofs: [free.proof]), now: Sale.noon)
        #expect(results.results.map(\.outcome) == [.granted])
        #expect(try await shop.balance(environment: .sandbox) == 600)
        try await shop.expectSound()
    }
}
