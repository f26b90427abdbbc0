import AppStoreModel
import Testing
import TillLedger

/// The list of what nobody owns, a backend's claims, and the question whose a purchase is.
@Suite struct ClaimTests {
    private static let production = Book(bundleID: Sale.app, environment: .production)
    private static let sandbox = Book(bundleID: Sale.app, environment: .sandbox)

    private func claim(
        _ id: TransactionID, _ shop: Shop, for customer: CustomerID = .anna
    ) async throws -> ClaimAnswer {
        try await shop.ledger.claim(
            id, in: [Self.production, Self.sandbox], for: customer, now: Sale.noon)
    }

    private func ids(_ shop: Shop) async throws -> [TransactionID] {
        try await shop.ledger.unclaimed(of: Sale.app).map(\.transaction.id)
    }

    @Test(arguments: StoreKind.allCases)
    func `What nobody owns is listed until somebody claims it`(kind: StoreKind) async throws {
        let shop = try await Shop(kind)
        try await shop.tell(Sale("2"), Sale("1"), Sale("3") { $0.environment = .sandbox })
        try await shop.show(Sale("4"))
        #expect(Set(try await ids(shop)) == ["1", "2", "3"])
        #expect(try await shop.ledger.unclaimed(of: "com.example.other").isEmpty)
        try await shop.show(Sale("2"))
        #expect(Set(try await ids(shop)) == ["1", "3"])
    }

    @Test(arguments: StoreKind.allCases)
    func `A long list comes in pieces, each transaction once`(kind: StoreKind) async throws {
        let shop = try await Shop(kind)
        for number in 1...7 {
            try await shop.tell(
                Sale(TransactionID("\(number)")) {
                    $0.environment = number % 2 == 0 ? .sandbox : .production
                })
        }
        var found: [TransactionID] = []
        var place: TransactionReference?
        while true {
            let piece = try await shop.ledger.unclaimed(of: Sale.app, after: place, limit: 2)
            guard let last = piece.last else { break }
            #expect(piece.count <= 2)
            found += piece.map(\.transaction.id)
            place = last.reference
        }
        #expect(found.count == 7)
        #expect(Set(found).count == 7)
    }

    @Test(arguments: StoreKind.allCases)
    func `A backend's claim hands out, with what waits of the same original`(
        kind: StoreKind
    ) async throws {
        let shop = try await Shop(kind)
        for number in 0...1 { try await shop.tell(.month(number)) }
        guard case .claimed(let result) = try await claim("200001", shop) else {
            Issue.record("not claimed")
            return
        }
        #expect(result.outcome == .granted)
        #expect(try await shop.balance(.anna, "gems") == 10)
        #expect(try await ids(shop) == [])
        let bindings = try await shop.customer().history.map(\.transaction.binding)
        #expect(Set(bindings) == [.backend, .originalTransaction])
        // The same again is a success, another's claim is not.
        guard case .claimed(let again) = try await claim("200001", shop) else {
            Issue.record("not claimed")
            return
        }
        #expect(again.outcome == .alreadyGranted)
        #expect(try await claim("200000", shop, for: .ben) == .belongsToAnother)
        #expect(try await shop.show(.month(0), by: .ben).map(\.outcome) == [.anothers])
        #expect(try await claim("404", shop) == .unknown)
        try await shop.expectSound()
    }

    @Test(arguments: StoreKind.allCases)
    func `Of claims at once exactly one wins`(kind: StoreKind) async throws {
        let shop = try await Shop(kind)
        try await shop.tell(Sale("1"))
        let customers = (0..<5).map { CustomerID.named("customer-\($0)") }
        let won = try await withThrowingTaskGroup(of: CustomerID?.self) { group in
            for number in 0..<30 {
                let customer = customers[number % 5]
                group.addTask {
                    guard case .claimed = try await self.claim("1", shop, for: customer) else {
                        return nil
                    }
                    return customer
                }
            }
            return try await group.reduce(into: Set<CustomerID>()) { won, customer in
                if let customer { won.insert(customer) }
            }
        }
        #expect(won.count == 1)
        #expect(try await shop.balance(try #require(won.first)) == 600)
        try await shop.expectSound()
    }

    // MARK: Whose it is

    private func owner(
        _ sale: Sale, _ shop: Shop, asked customer: CustomerID
    ) async throws -> PurchaseOwner {
        PurchaseOwner(
            try await shop.ledger.owners(
                of: PurchaseSubmission(customer: customer, proofs: [sale.proof]), now: Sale.noon))
    }

    @Test(arguments: StoreKind.allCases)
    func `Whose a purchase is can be asked, and asking records nothing`(
        kind: StoreKind
    ) async throws {
        let shop = try await Shop(kind)
        #expect(try await owner(.month(0), shop, asked: .anna) == .nobody)
        #expect(try await owner(.month(0), shop, asked: .ben) == .nobody)
        #expect(try await shop.customer().history.isEmpty)
        try await shop.show(.month(0))
        #expect(try await owner(.month(0), shop, asked: .anna) == .you)
        #expect(try await owner(.month(0), shop, asked: .ben) == .another)
        // A renewal that the server has not heard of is whose its subscription is.
        #expect(try await owner(.month(1), shop, asked: .anna) == .you)
        #expect(try await owner(.month(1), shop, asked: .ben) == .another)
        #expect(try await shop.customer().history.count == 1)
        #expect(try await shop.customer(.ben).refusals.isEmpty)
        try await shop.tell(Sale("5"))
        #expect(try await owner(Sale("5"), shop, asked: .ben) == .nobody)
    }

    @Test(arguments: StoreKind.allCases)
    func `A payment with the token of an order is its customer's before it is shown`(
        kind: StoreKind
    ) async throws {
        let shop = try await Shop(kind)
        let order = try await shop.order().order.id
        let sale = Sale("1") { $0.token = order.rawValue }
        #expect(try await owner(sale, shop, asked: .anna) == .you)
        #expect(try await owner(sale, shop, asked: .ben) == .another)
    }

    @Test(arguments: StoreKind.allCases)
    func `A proof of several is another's as soon as one is`(kind: StoreKind) async throws {
        let shop = try await Shop(kind)
        try await shop.show(Sale("1"))
        try await shop.show(Sale("2"), by: .ben)
        let both = PurchaseSubmission(
            customer: .anna, proofs: [Sale("1").proof, Sale("2").proof, Sale("3").proof])
        let owners = try await shop.ledger.owners(of: both, now: Sale.noon)
        #expect(owners.map(\.owner) == [.you, .another, .nobody])
        #expect(PurchaseOwner(owners) == .another)
    }
}
