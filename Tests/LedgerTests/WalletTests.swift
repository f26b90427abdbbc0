import AppStoreModel
import Testing
import TillLedger

/// Spending, credits without a purchase, and what refunds do to a wallet.
@Suite struct WalletTests {
    static let book = Book(bundleID: Sale.app, environment: .production)

    @Test(arguments: StoreKind.allCases)
    func `Spending takes what is there, and no more`(kind: StoreKind) async throws {
        let shop = try await Shop(kind)
        try await shop.show(Sale("1"))
        #expect(try await shop.spend(400, "sword") == .left(200))
        #expect(try await shop.spend(201, "shield") == .short(200))
        #expect(try await shop.spend(200, "bow") == .left(0))
        #expect(try await shop.spend(1, "arrow") == .short(0))
        #expect(try await shop.balance() == 0)
        #expect(try await shop.spend(1, "arrow", by: .ben) == .short(0))
        try await shop.expectSound()
    }

    @Test(arguments: StoreKind.allCases)
    func `The same spend again takes nothing more, another of its name nothing at all`(
        kind: StoreKind
    ) async throws {
        let shop = try await Shop(kind)
        try await shop.show(Sale("1"))
        #expect(try await shop.spend(400, "sword") == .left(200))
        #expect(try await shop.spend(400, "sword") == .left(200))
        #expect(try await shop.spend(100, "sword") == .taken)
        // Even where it would not be granted any more, it was.
        #expect(try await shop.spend(200, "bow") == .left(0))
        #expect(try await shop.spend(400, "sword") == .left(0))
        #expect(try await shop.balance() == 0)
        // Names of different customers never meet.
        try await shop.show(Sale("2"), by: .ben)
        #expect(try await shop.spend(100, "sword", by: .ben) == .left(500))
    }

    @Test(arguments: StoreKind.allCases)
    func `What was bought in a sandbox pays for nothing in production`(
        kind: StoreKind
    ) async throws {
        let shop = try await Shop(kind)
        try await shop.show(Sale("1") { $0.environment = .sandbox })
        #expect(try await shop.spend(1, "sword") == .short(0))
        #expect(try await shop.spend(1, "sword", environment: .sandbox) == .left(599))
    }

    @Test(arguments: [0, -1, Int64.min, WalletMovement.greatestAmount + 1])
    func `An amount outside its limits cannot be asked for`(amount: Int64) {
        let place = MovementPlace(book: Self.book, customer: .anna, id: .named("x"))
        #expect(SpendRequest(place: place, currency: "coins", amount: amount) == nil)
        #expect(
            CreditRequest(place: place, currency: "coins", amount: amount, reason: "-") == nil)
    }

    @Test(arguments: StoreKind.allCases)
    func `A hundred spends at once never spend a coin twice`(kind: StoreKind) async throws {
        let shop = try await Shop(kind)
        try await shop.show(Sale("1"))
        let spent = try await withThrowingTaskGroup(of: Bool.self) { group in
            for number in 0..<100 {
                group.addTask {
                    if case .left = try await shop.spend(7, "arrow-\(number)") {
                        true
                    } else {
                        false
                    }
                }
            }
            return try await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
        }
        #expect(spent == 600 / 7)
        #expect(try await shop.balance() == 600 % 7)
        try await shop.expectSound()
    }

    @Test(arguments: StoreKind.allCases)
    func `A refund after spending leaves the wallet below zero, and a reversal restores it`(
        kind: StoreKind
    ) async throws {
        let shop = try await Shop(kind)
        try await shop.show(Sale("1"))
        #expect(try await shop.spend(500, "sword") == .left(100))
        try await shop.show(.refunded("1", minute: 5))
        #expect(try await shop.balance() == -500)
        #expect(try await shop.spend(1, "arrow") == .short(-500))
        try await shop.show(Sale("1") { $0.signed = Sale.noon.later(minutes: 9) })
        #expect(try await shop.balance() == 100)
        try await shop.expectSound()
    }

    @Test(arguments: StoreKind.allCases)
    func `A wallet that never goes below zero records the rest of a refund as a debt`(
        kind: StoreKind
    ) async throws {
        var catalog = Sale.catalog
        catalog.apps[Sale.app]?.keepsWalletsAboveZero = true
        let shop = try await Shop(kind, catalog: catalog)
        try await shop.show(Sale("1"))
        #expect(try await shop.spend(500, "sword") == .left(100))
        try await shop.show(.refunded("1", minute: 5))
        let owing = try #require(try await shop.customer().balances.first)
        #expect(owing.amount == 0)
        #expect(owing.debt == 500)
        try await shop.expectSound()
        // Reversed, exactly what was taken comes back, whatever the policy is by then.
        _ = try await shop.with(Sale.catalog).record(
            PurchaseSubmission(
                customer: .anna,
                proofs: [Sale("1") { $0.signed = Sale.noon.later(minutes: 9) }.proof]),
            now: Sale.noon)
        let settled = try #require(try await shop.customer().balances.first)
        #expect(settled.amount == 100)
        #expect(settled.debt == 0)
        try await shop.expectSound()
    }

    @Test(arguments: StoreKind.allCases)
    func `Two refunds in one submission share what is left`(kind: StoreKind) async throws {
        var catalog = Sale.catalog
        catalog.apps[Sale.app]?.keepsWalletsAboveZero = true
        let shop = try await Shop(kind, catalog: catalog)
        try await shop.show(Sale("1"), Sale("2"))
        #expect(try await shop.spend(400, "sword") == .left(800))
        try await shop.show(.refunded("1", minute: 5), .refunded("2", minute: 5))
        let owing = try #require(try await shop.customer().balances.first)
        #expect(owing.amount == 0)
        #expect(owing.debt == 400)
        try await shop.expectSound()
    }

    @Test(arguments: StoreKind.allCases)
    func `A credit without a purchase is given once and can be spent`(
        kind: StoreKind
    ) async throws {
        let shop = try await Shop(kind)
        #expect(try await shop.credit(50, "sorry") == .left(50))
        #expect(try await shop.credit(50, "sorry") == .left(50))
        #expect(try await shop.credit(60, "sorry") == .taken)
        #expect(try await shop.spend(50, "sorry") == .taken)
        #expect(try await shop.spend(20, "sword") == .left(30))
        try await shop.expectSound()
    }

    @Test(arguments: StoreKind.allCases)
    func `The statement tells every movement, newest first, page by page`(
        kind: StoreKind
    ) async throws {
        let shop = try await Shop(kind)
        try await shop.show(Sale("1"), Sale("2"), at: Sale.noon)
        for number in 0..<5 {
            _ = try await shop.spend(
                10, "arrow-\(number)", at: Sale.noon.later(minutes: number / 2))
        }
        _ = try await shop.credit(3, "sorry", at: Sale.noon.later(minutes: 9))
        let whole = try await shop.ledger.statement(of: .anna)
        #expect(whole.map(\.amount).reduce(0, +) == 1_153)
        #expect(whole.count == 8)
        #expect(whole.first?.cause == .promotion(.named("sorry")))
        #expect(whole.map(\.place) == whole.map(\.place).sorted(by: >))
        var pages: [StatementEntry] = []
        while true {
            let page = try await shop.ledger.statement(
                of: .anna, after: pages.last?.place, limit: 3)
            pages += page
            if page.count < 3 { break }
        }
        #expect(pages == whole)
        #expect(try await shop.ledger.statement(of: .ben) == [])
    }

    @Test(arguments: StoreKind.allCases)
    func `A promotional grant holds from its beginning to its end`(kind: StoreKind) async throws {
        let shop = try await Shop(kind)
        let end = Sale.noon.later(days: 3)
        let given = try await shop.promote("pro", "friend", until: end)
        guard case .given = given else { throw Unexpected(what: "\(given)") }
        #expect(try await shop.promote("pro", "friend", until: end) == given)
        #expect(try await shop.promote("extra", "friend", until: end) == .nameTaken)
        #expect(
            try await shop.promote("pro", "past", until: Sale.noon) == .endsBeforeItBegins)
        #expect(try await shop.active() == ["pro"])
        #expect(try await shop.active(at: end) == [])
        #expect(try await shop.active(.ben) == [])
        let state = try #require(try await shop.customer().entitlements.first)
        #expect(state.isPromotional)
        #expect(state.expiresAt == end)
    }

    @Test(arguments: StoreKind.allCases)
    func `A promotional grant ended early gives nothing more, and a purchase beside it goes on`(
        kind: StoreKind
    ) async throws {
        let shop = try await Shop(kind)
        _ = try await shop.promote("pro", "friend", until: nil)
        try await shop.show(Sale("1") { $0.product = Sale.lifetime })
        let place = MovementPlace(book: Self.book, customer: .anna, id: .named("friend"))
        let ended = try await shop.ledger.endPromotion(place, now: Sale.noon.later(minutes: 1))
        #expect(ended?.end == Sale.noon.later(minutes: 1))
        let again = try await shop.ledger.endPromotion(place, now: Sale.noon.later(minutes: 5))
        #expect(again == ended)
        #expect(try await shop.active(at: Sale.noon.later(minutes: 2)) == ["pro"])
        #expect(try await shop.customer().entitlements.first?.isPromotional == false)
        let nobody = MovementPlace(book: Self.book, customer: .ben, id: .named("friend"))
        #expect(try await shop.ledger.endPromotion(nobody, now: Sale.noon) == nil)
    }
}

/// What came of a movement, in short.
fileprivate enum Movement: Equatable {
    case left(Int64)
    case short(Int64)
    case taken
}

extension Shop {
    private func place(
        _ name: String, _ customer: CustomerID, _ environment: AppStoreEnvironment
    ) -> MovementPlace {
        MovementPlace(
            book: Book(bundleID: Sale.app, environment: environment), customer: customer,
            id: .named(name))
    }

    fileprivate func spend(
        _ amount: Int64, _ name: String, by customer: CustomerID = .anna,
        environment: AppStoreEnvironment = .production, at now: Timestamp = Sale.noon
    ) async throws -> Movement {
        let request = try #require(
            SpendRequest(
                place: place(name, customer, environment), currency: "coins", amount: amount))
        switch try await ledger.spend(request, now: now) {
        case .spent(_, let balance): return .left(balance)
        case .insufficient(let balance): return .short(balance)
        case .nameTaken: return .taken
        }
    }

    fileprivate func credit(
        _ amount: Int64, _ name: String, at now: Timestamp = Sale.noon
    ) async throws -> Movement {
        let request = try #require(
            CreditRequest(
                place: place(name, .anna, .production), currency: "coins", amount: amount,
                reason: "an outage"))
        switch try await ledger.credit(request, now: now) {
        case .given(_, let balance): return .left(balance)
        case .nameTaken: return .taken
        }
    }

    fileprivate func promote(
        _ entitlement: EntitlementName, _ name: String, until end: Timestamp?
    ) async throws -> PromotionAnswer {
        try await ledger.promote(
            Promotion(
                place: place(name, .anna, .production), entitlement: entitlement, at: Sale.noon,
                endsAt: end, reason: "a friend of the house"))
    }
}

extension MovementID {
    fileprivate static func named(_ name: String) -> MovementID {
        guard let id = MovementID(rawValue: name) else { preconditionFailure("no name") }
        return id
    }
}

extension Sale {
    /// A purchase that Apple took back, signed some minutes after noon.
    fileprivate static func refunded(_ id: TransactionID, minute: Int) -> Sale {
        Sale(id) {
            $0.revoked = Sale.noon.later(minutes: minute)
            $0.signed = Sale.noon.later(minutes: minute)
        }
    }
}
