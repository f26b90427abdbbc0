import AppStoreModel
import Testing
import TillLedger

/// What Apple tells of before any customer shows it: recorded, nobody's, and claimed by exactly one.
@Suite struct UnclaimedTests {
    @Test(arguments: StoreKind.allCases)
    func `What nobody shows is recorded, handed to nobody, and waits`(kind: StoreKind) async throws
    {
        let shop = try await Shop(kind)
        let told = try await shop.tell(Sale("1"))
        #expect(told.map(\.outcome) == [.pending])
        #expect(try await shop.tell(Sale("1")).map(\.outcome) == [.pending])
        #expect(try await shop.customer().history.isEmpty)
        #expect(try await shop.balance() == 0)
        try await shop.expectSound()
    }

    @Test(arguments: StoreKind.allCases)
    func `The first who shows it owns it, the second does not`(kind: StoreKind) async throws {
        let shop = try await Shop(kind)
        try await shop.tell(Sale("1"))
        #expect(try await shop.show(Sale("1"), by: .ben).map(\.outcome) == [.granted])
        #expect(try await shop.show(Sale("1"), by: .anna).map(\.outcome) == [.anothers])
        #expect(try await shop.show(Sale("1"), by: .ben).map(\.outcome) == [.alreadyGranted])
        #expect(try await shop.balance(.ben) == 600)
        #expect(try await shop.balance(.anna) == 0)
        let entry = try #require(try await shop.customer(.ben).history.first)
        #expect(entry.transaction.binding == .uploader)
        #expect(entry.transaction.claimedAt == Sale.noon)
        try await shop.expectSound()
    }

    @Test(arguments: StoreKind.allCases)
    func `A claim pays the order that the claimant journaled`(kind: StoreKind) async throws {
        let shop = try await Shop(kind)
        let order = try await shop.order().order.id
        try await shop.tell(Sale("1"))
        let results = try await shop.show(Sale("1"), order: order)
        #expect(results.map(\.outcome) == [.granted])
        #expect(results.map(\.orderID) == [order])
        let paid = try await shop.ledger.order(order, of: .anna)
        #expect(paid?.status(at: Sale.noon) == .fulfilled)
        #expect(try await shop.show(Sale("1")).map(\.orderID) == [order])
        try await shop.expectSound()
    }

    @Test(arguments: StoreKind.allCases)
    func `A token that names an order grants to its customer though the app never comes back`(
        kind: StoreKind
    ) async throws {
        let shop = try await Shop(kind)
        let order = try await shop.order().order.id
        let sale = Sale("1") { $0.token = order.rawValue }
        #expect(try await shop.tell(sale).map(\.outcome) == [.granted])
        #expect(try await shop.balance() == 600)
        #expect(try await shop.show(sale).map(\.outcome) == [.alreadyGranted])
        #expect(try await shop.show(sale, by: .ben).map(\.outcome) == [.anothers])
        try await shop.expectSound()
    }

    @Test(arguments: StoreKind.allCases)
    func `Claiming one period claims those of its subscription that wait`(
        kind: StoreKind
    ) async throws {
        let shop = try await Shop(kind)
        for number in 0...2 { try await shop.tell(.month(number)) }
        #expect(try await shop.show(.month(1), by: .ben).map(\.outcome) == [.granted])
        let later = Sale.noon.later(days: 65)
        #expect(try await shop.active(.ben, at: later) == ["pro"])
        #expect(try await shop.balance(.ben, "gems") == 15)
        #expect(
            try await shop.show(.month(0), .month(2), by: .ben, at: later).map(\.outcome)
                == [.alreadyGranted, .alreadyGranted])
        #expect(try await shop.tell(.month(3)).map(\.outcome) == [.granted])
        try await shop.expectSound()
    }

    @Test(arguments: StoreKind.allCases)
    func `What was refunded while it waited gives nothing to the one who claims it`(
        kind: StoreKind
    ) async throws {
        let shop = try await Shop(kind)
        try await shop.tell(Sale("1"))
        let refund = Sale("1") {
            $0.revoked = Sale.noon.later(minutes: 5)
            $0.signed = Sale.noon.later(minutes: 6)
        }
        #expect(try await shop.tell(refund).map(\.outcome) == [.revoked])
        #expect(try await shop.show(Sale("1")).map(\.outcome) == [.revoked])
        #expect(try await shop.balance() == 0)
        try await shop.expectSound()
    }

    @Test(arguments: StoreKind.allCases)
    func `Fifty claims at once by five customers end with one owner`(
        kind: StoreKind
    ) async throws {
        let shop = try await Shop(kind)
        try await shop.tell(Sale("1"))
        let customers = (0..<5).map { CustomerID.named("customer-\($0)") }
        try await withThrowingTaskGroup(of: (CustomerID, TransactionOutcome?).self) { group in
            for number in 0..<50 {
                let customer = customers[number % 5]
                group.addTask {
                    (
                        customer,
                        try await shop.show(Sale("1"), by: customer, alone: false).first?.outcome
                    )
                }
                group.addTask { (customer, try await shop.tell(Sale("1")).first?.outcome) }
            }
            for try await _ in group {}
        }
        var owners: [CustomerID] = []
        for customer in customers where try await shop.balance(customer) != 0 {
            #expect(try await shop.balance(customer) == 600)
            owners.append(customer)
        }
        #expect(owners.count == 1)
        try await shop.expectSound()
    }

    @Test(arguments: StoreKind.allCases)
    func `A later owner takes over what the former held, and what comes later`(
        kind: StoreKind
    ) async throws {
        let shop = try await Shop(kind)
        try await shop.show(.month(0), .month(1))
        let book = Book(bundleID: Sale.app, environment: .production)
        let takeover = Ownership(
            originalID: "200000", number: 1, customer: .ben, binding: .transfer,
            since: Sale.noon)
        try await shop.store.transact(reading: FactQuery()) { _ in
            Decision(facts: [.ownership(book, takeover)], answer: ())
        }
        let later = Sale.noon.later(days: 35)
        #expect(try await shop.active(.anna, at: later) == [])
        #expect(try await shop.active(.ben, at: later) == ["pro"])
        #expect(try await shop.customer(.anna, at: later).history.isEmpty)
        #expect(try await shop.customer(.ben, at: later).history.count == 2)
        #expect(try await shop.show(.month(1), by: .anna).map(\.outcome) == [.anothers])
        #expect(try await shop.tell(.month(2)).map(\.outcome) == [.granted])
        #expect(try await shop.customer(.ben, at: later).history.count == 3)
        // Credits stay with the one who got them.
        #expect(try await shop.balance(.anna, "gems") == 10)
        #expect(try await shop.balance(.ben, "gems") == 5)
        try await shop.expectSound()
    }
}

extension Shop {
    /// Lets Apple tell of transactions that nobody shows.
    @discardableResult
    func tell(_ sales: Sale..., at now: Timestamp = Sale.noon) async throws -> [TransactionResult] {
        let submission = PurchaseSubmission(customer: nil, proofs: sales.map(\.proof))
        return try await ledger.record(submission, now: now).results
    }
}
