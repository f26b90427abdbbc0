import AppStoreModel
import Testing
import TillLedger

/// What a second customer who shows a purchase gets, under each rule that an app may have.
@Suite struct TakeoverTests {
    private func shop(_ kind: StoreKind, _ owners: OwnerPolicy) async throws -> Shop {
        var catalog = Sale.catalog
        catalog.apps[Sale.app]?.owners = owners
        return try await Shop(kind, catalog: catalog)
    }

    private func pro(_ change: (inout Sale) -> Void = { _ in }) -> Sale {
        Sale("1") {
            $0.product = Sale.lifetime
            change(&$0)
        }
    }

    private func shared(_ id: TransactionID) -> Sale {
        Sale(id) {
            $0.product = Sale.monthly
            $0.expires = Sale.noon.later(days: 30)
            $0.ownership = .familyShared
        }
    }

    // MARK: Refuse

    @Test(arguments: StoreKind.allCases)
    func `Left alone, even a restore leaves a purchase with its owner`(
        kind: StoreKind
    ) async throws {
        let shop = try await Shop(kind)
        try await shop.show(pro())
        #expect(try await shop.restore(pro(), by: .ben).map(\.outcome) == [.anothers])
        #expect(try await shop.active(.anna) == ["pro"])
        #expect(try await shop.active(.ben) == [])
        try await shop.expectSound()
    }

    // MARK: Transfer

    @Test(arguments: StoreKind.allCases)
    func `A restore takes a purchase over, and the former owner loses it`(
        kind: StoreKind
    ) async throws {
        let shop = try await shop(kind, .transfer)
        let order = try await shop.order(Sale.lifetime).order.id
        try await shop.show(pro { $0.token = order.rawValue })
        let taken = try await shop.restore(pro(), by: .ben)
        #expect(taken.map(\.outcome) == [.granted])
        #expect(taken.map(\.mayFinish) == [true])
        #expect(try await shop.active(.ben) == ["pro"])
        #expect(try await shop.active(.anna) == [])
        // Neither who had it nor for which order it was paid is told.
        let again = try await shop.show(pro(), by: .ben)
        #expect(again.map(\.outcome) == [.alreadyGranted])
        #expect((taken + again).map(\.orderID) == [nil, nil])
        #expect(try await shop.customer(.ben).history.map(\.orderID) == [nil])
        #expect(try await shop.show(pro(), by: .anna).map(\.outcome) == [.anothers])
        #expect(try await shop.restore(pro(), by: .anna).map(\.outcome) == [.granted])
        #expect(try await shop.active(.anna) == ["pro"])
        #expect(try await shop.active(.ben) == [])
        try await shop.expectSound()
    }

    @Test(arguments: StoreKind.allCases)
    func `Without a restore nothing moves, whatever the rule`(kind: StoreKind) async throws {
        let shop = try await shop(kind, .transfer)
        try await shop.show(pro())
        #expect(try await shop.show(pro(), by: .ben).map(\.outcome) == [.anothers])
        #expect(try await shop.active(.anna) == ["pro"])
        try await shop.expectSound()
    }

    @Test(arguments: StoreKind.allCases)
    func `A consumable and what was taken back never move`(kind: StoreKind) async throws {
        let shop = try await shop(kind, [.transfer, .share])
        try await shop.show(Sale("9"))
        #expect(try await shop.restore(Sale("9"), by: .ben).map(\.outcome) == [.anothers])
        #expect(try await shop.balance() == 600)
        #expect(try await shop.balance(.ben) == 0)
        try await shop.show(
            pro {
                $0.revoked = Sale.noon
                $0.signed = Sale.noon.later(minutes: 9)
            })
        // The proof from before the refund looks as if it stood.
        #expect(try await shop.restore(pro(), by: .ben).map(\.outcome) == [.anothers])
        #expect(try await shop.active(.ben) == [])
        try await shop.expectSound()
    }

    @Test(arguments: StoreKind.allCases)
    func `A subscription goes over as one, credits stay, and renewals follow the new owner`(
        kind: StoreKind
    ) async throws {
        let shop = try await shop(kind, .transfer)
        try await shop.show(.month(0), .month(1))
        #expect(
            try await shop.restore(.month(0), .month(1), by: .ben).map(\.outcome)
                == [.granted, .alreadyGranted])
        let later = Sale.noon.later(days: 65)
        #expect(try await shop.tell(.month(2), at: later).map(\.outcome) == [.granted])
        #expect(try await shop.active(.ben, at: later) == ["pro"])
        #expect(try await shop.active(.anna, at: later) == [])
        #expect(try await shop.balance(.anna, "gems") == 10)
        #expect(try await shop.balance(.ben, "gems") == 5)
        // The refund takes from the one who got.
        try await shop.tell(
            .month(0) {
                $0.revoked = later
                $0.signed = later
            })
        #expect(try await shop.balance(.anna, "gems") == 5)
        try await shop.expectSound()
    }

    @Test(arguments: StoreKind.allCases)
    func `A renewal with the token of the former owner's order follows the new owner`(
        kind: StoreKind
    ) async throws {
        func day(_ days: Int) -> Timestamp { Sale.noon.later(days: days) }
        let shop = try await shop(kind, .transfer)
        let first = try await shop.order(Sale.monthly).order.id.rawValue
        let early = try await shop.order(Sale.monthly, at: day(5)).order.id.rawValue
        try await shop.show(.month(0) { $0.token = first })
        let taken = try await shop.restore(.month(0) { $0.token = first }, by: .ben, at: day(10))
        #expect(taken.map(\.outcome) == [.granted])
        // Apple carries the token of the first order on to every renewal.
        try await shop.tell(.month(1) { $0.token = first }, at: day(31))
        #expect(try await shop.active(.ben, at: day(31)) == ["pro"])
        #expect(try await shop.active(.anna, at: day(31)) == [])
        // Its neighbours: an order of the former owner that nothing had paid, and one opened later.
        try await shop.tell(.month(2) { $0.token = early }, at: day(61))
        #expect(try await shop.active(.anna, at: day(61)) == ["pro"])
        let late = try await shop.order(Sale.monthly, at: day(89)).order.id.rawValue
        try await shop.tell(.month(3) { $0.token = late }, at: day(91))
        try await shop.tell(.month(4) { $0.token = late }, at: day(121))
        #expect(try await shop.active(.anna, at: day(121)) == ["pro"])
        #expect(try await shop.active(.ben, at: day(121)) == [])
        try await shop.expectSound()
    }

    @Test(arguments: StoreKind.allCases)
    func
        `A token that names another's order is granted to its customer, and moves by restore alone`(
            kind: StoreKind
        ) async throws
    {
        let shop = try await shop(kind, .transfer)
        let order = try await shop.order(Sale.lifetime).order.id
        let sale = pro { $0.token = order.rawValue }
        let late = Sale.noon.later(days: 3)
        #expect(try await shop.show(sale, by: .ben, at: late).map(\.outcome) == [.anothers])
        #expect(try await shop.active(.anna) == ["pro"])
        #expect(try await shop.restore(sale, by: .ben, at: late).map(\.outcome) == [.granted])
        #expect(try await shop.active(.anna) == [])
        #expect(try await shop.active(.ben) == ["pro"])
        try await shop.expectSound()
    }

    @Test(arguments: StoreKind.allCases)
    func `Of many who restore one purchase at once exactly one has it in the end`(
        kind: StoreKind
    ) async throws {
        let shop = try await shop(kind, .transfer)
        try await shop.show(pro())
        let customers = (0..<5).map { CustomerID.named("customer-\($0)") }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<40 {
                group.addTask {
                    try await shop.restore(self.pro(), by: customers[number % 5])
                }
            }
            try await group.waitForAll()
        }
        var owners = 0
        for customer in customers + [.anna] where try await shop.active(customer) == ["pro"] {
            owners += 1
        }
        #expect(owners == 1)
        try await shop.expectSound()
    }

    // MARK: Share

    @Test(arguments: StoreKind.allCases)
    func `Each member of a family has a purchase of their own, and a revocation hits one`(
        kind: StoreKind
    ) async throws {
        let shop = try await Shop(kind)
        try await shop.show(shared("501136461303889853"))
        try await shop.show(shared("501136461303889854"), by: .ben)
        #expect(try await shop.active(.anna) == ["pro"])
        #expect(try await shop.active(.ben) == ["pro"])
        var revoked = shared("501136461303889854")
        revoked.revoked = Sale.noon
        revoked.signed = Sale.noon.later(minutes: 5)
        #expect(try await shop.tell(revoked).map(\.outcome) == [.revoked])
        #expect(try await shop.active(.anna) == ["pro"])
        #expect(try await shop.active(.ben) == [])
        try await shop.expectSound()
    }

    @Test(arguments: StoreKind.allCases)
    func `What is shared in a family two customers may use, and credits come once`(
        kind: StoreKind
    ) async throws {
        let shop = try await shop(kind, .share)
        let sale = shared("7")
        try await shop.show(sale)
        #expect(try await shop.show(sale, by: .ben).map(\.outcome) == [.granted])
        #expect(try await shop.show(sale, by: .ben).map(\.outcome) == [.alreadyGranted])
        #expect(try await shop.show(sale).map(\.outcome) == [.alreadyGranted])
        #expect(try await shop.active(.anna) == ["pro"])
        #expect(try await shop.active(.ben) == ["pro"])
        #expect(try await shop.balance(.anna, "gems") == 5)
        #expect(try await shop.balance(.ben, "gems") == 0)
        #expect(try await shop.customer(.ben).history.map(\.outcome) == [.granted])
        var revoked = sale
        revoked.revoked = Sale.noon
        revoked.signed = Sale.noon.later(minutes: 5)
        try await shop.tell(revoked)
        #expect(try await shop.active(.anna) == [])
        #expect(try await shop.active(.ben) == [])
        #expect(try await shop.show(sale, by: .ben).map(\.outcome) == [.anothers])
        try await shop.expectSound()
    }

    @Test(arguments: StoreKind.allCases)
    func `What was bought is not shared, and no more share than a family has members`(
        kind: StoreKind
    ) async throws {
        let shop = try await shop(kind, .share)
        try await shop.show(pro { $0.ownership = .purchased })
        #expect(
            try await shop.restore(pro { $0.ownership = .purchased }, by: .ben).map(\.outcome)
                == [.anothers])
        try await shop.show(shared("7"))
        var outcomes: [TransactionOutcome] = []
        for number in 0..<(Share.most + 3) {
            outcomes += try await shop.show(shared("7"), by: .named("member-\(number)"))
                .map(\.outcome)
        }
        #expect(outcomes.count { $0 == .granted } == Share.most)
        #expect(outcomes.suffix(3) == [.anothers, .anothers, .anothers])
        try await shop.expectSound()
    }

    @Test(arguments: StoreKind.allCases)
    func `A shared original brings its renewals to all who share it`(
        kind: StoreKind
    ) async throws {
        let shop = try await shop(kind, .share)
        try await shop.show(.month(0) { $0.ownership = .familyShared })
        try await shop.show(.month(0) { $0.ownership = .familyShared }, by: .ben)
        try await shop.tell(.month(1) { $0.ownership = .familyShared })
        let later = Sale.noon.later(days: 35)
        #expect(try await shop.active(.anna, at: later) == ["pro"])
        #expect(try await shop.active(.ben, at: later) == ["pro"])
        #expect(try await shop.active(.cleo, at: later) == [])
        try await shop.expectSound()
    }
}

extension Shop {
    /// Hands in signed transactions as a customer who asked for former purchases.
    @discardableResult
    func restore(
        _ sales: Sale..., by customer: CustomerID = .anna, at now: Timestamp = Sale.noon
    ) async throws -> [TransactionResult] {
        let submission = PurchaseSubmission(
            customer: customer, proofs: sales.map(\.proof), isRestore: true)
        return try await ledger.record(submission, now: now).results
    }
}
