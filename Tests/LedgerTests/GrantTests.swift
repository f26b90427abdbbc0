import AppStoreModel
import Testing
import TillLedger

@Suite struct GrantTests {
    @Test(arguments: StoreKind.allCases)
    func `A purchase is granted once, and shown again it is a success with the first answer`(
        kind: StoreKind
    ) async throws {
        let shop = try await Shop(kind)
        let first = try await shop.show(Sale("1"))
        #expect(first.map(\.outcome) == [.granted])
        #expect(first.map(\.mayFinish) == [true])
        for _ in 0..<3 {
            let again = try await shop.show(Sale("1"))
            #expect(again.map(\.outcome) == [.alreadyGranted])
            #expect(again.map(\.mayFinish) == [true])
        }
        #expect(try await shop.balance() == 600)
        try await shop.expectSound()
    }

    @Test(arguments: StoreKind.allCases)
    func `Two purchases of one product are two grants`(kind: StoreKind) async throws {
        let shop = try await Shop(kind)
        let results = try await shop.show(Sale("1"), Sale("2"))
        #expect(results.map(\.outcome) == [.granted, .granted])
        #expect(try await shop.balance() == 1_200)
    }

    @Test(arguments: StoreKind.allCases)
    func `The first to show a purchase owns it, and a second customer gets nothing`(
        kind: StoreKind
    ) async throws {
        let shop = try await Shop(kind)
        let sales = [Sale("1"), Sale.month(0), Sale("3") { $0.product = Sale.lifetime }]
        for sale in sales {
            try await shop.show(sale, by: .anna)
            let second = try await shop.show(sale, by: .ben)
            #expect(second.map(\.outcome) == [.anothers])
            // Recorded for its owner: nothing is lost when the second device lets go.
            #expect(second.map(\.mayFinish) == [true])
            #expect(try await shop.show(sale, by: .anna).map(\.outcome) == [.alreadyGranted])
        }
        let ben = try await shop.customer(.ben)
        #expect(ben.balances.isEmpty && ben.entitlements.isEmpty && ben.history.isEmpty)
        #expect(Set(ben.refusals.map(\.refusal.reason)) == [.belongsToAnother])
        #expect(ben.refusals.count == 3)
        #expect(try await shop.balance(.anna) == 600)
    }

    @Test(arguments: StoreKind.allCases)
    func `A later period goes to the owner of the first, whoever shows it`(
        kind: StoreKind
    ) async throws {
        let shop = try await Shop(kind)
        try await shop.show(Sale.month(0), by: .anna)
        let second = try await shop.show(Sale.month(1), by: .ben)
        #expect(second.map(\.outcome) == [.anothers])
        let later = Sale.noon.later(days: 45)
        #expect(try await shop.active(.anna, at: later) == ["pro"])
        #expect(try await shop.active(.ben, at: later) == [])
        #expect(try await shop.balance(.anna, "gems") == 10)
    }

    @Test(arguments: StoreKind.allCases)
    func `The quantity multiplies what one unit gives`(kind: StoreKind) async throws {
        let shop = try await Shop(kind)
        try await shop.show(Sale("1") { $0.quantity = 3 })
        #expect(try await shop.balance() == 1_800)
    }

    @Test(arguments: StoreKind.allCases)
    func `One period under two transaction ids is one period`(kind: StoreKind) async throws {
        let shop = try await Shop(kind)
        try await shop.show(Sale.month(0))
        let alias = Sale.month(0) { $0.id = "777" }
        #expect(try await shop.show(alias).map(\.outcome) == [.alreadyGranted])
        #expect(try await shop.balance(.anna, "gems") == 5)
        #expect(try await shop.show(alias, by: .ben).map(\.outcome) == [.anothers])
        try await shop.expectSound()
    }

    @Test(
        arguments: StoreKind.allCases,
        [
            Sale.month(0) {
                $0.id = "777"; $0.item = "other"
            },
            Sale.month(0) {
                $0.id = "777"; $0.original = "other"
            },
            Sale.month(0) {
                $0.id = "777"; $0.purchased = $0.purchased?.later(minutes: 1)
            },
        ])
    func `A period that differs in line item, chain or start is another one`(
        kind: StoreKind, sale: Sale
    ) async throws {
        let shop = try await Shop(kind)
        try await shop.show(Sale.month(0))
        #expect(try await shop.show(sale).map(\.outcome) == [.granted])
        #expect(try await shop.balance(.anna, "gems") == 10)
    }

    @Test(arguments: StoreKind.allCases)
    func `Consumables share the line item 0 and are still two`(kind: StoreKind) async throws {
        let shop = try await Shop(kind)
        let results = try await shop.show(Sale("1") { $0.item = "0" }, Sale("2") { $0.item = "0" })
        #expect(results.map(\.outcome) == [.granted, .granted])
    }

    @Test(arguments: StoreKind.allCases)
    func `A restore brings new ids and no new grant`(kind: StoreKind) async throws {
        let shop = try await Shop(kind)
        try await shop.show(Sale("100") { $0.product = Sale.lifetime })
        for id in ["r1", "r2", "r3"] {
            let restored = Sale(TransactionID(id)) {
                $0.product = Sale.lifetime
                $0.original = "100"
                $0.purchased = Sale.noon.later(days: 3)
            }
            #expect(try await shop.show(restored).map(\.outcome) == [.alreadyGranted])
        }
        #expect(try await shop.active() == ["pro"])
        try await shop.expectSound()
    }

    @Test(arguments: StoreKind.allCases)
    func `A restore seen before its original is granted once as well`(
        kind: StoreKind
    ) async throws {
        let shop = try await Shop(kind)
        let restored = Sale("r1") {
            $0.product = Sale.lifetime; $0.original = "100"
        }
        #expect(try await shop.show(restored).map(\.outcome) == [.granted])
        let original = Sale("100") { $0.product = Sale.lifetime }
        #expect(try await shop.show(original).map(\.outcome) == [.alreadyGranted])
        #expect(try await shop.show(original, by: .ben).map(\.outcome) == [.anothers])
    }

    @Test(arguments: StoreKind.allCases)
    func `An expired subscription is recorded, may be finished and entitles to nothing`(
        kind: StoreKind
    ) async throws {
        let shop = try await Shop(kind)
        let late = Sale.noon.later(days: 400)
        let results = try await shop.show(Sale.month(0), at: late)
        #expect(results.map(\.outcome) == [.granted])
        #expect(results.map(\.mayFinish) == [true])
        #expect(try await shop.active(at: late) == [])
        #expect(try await shop.active(at: Sale.noon.later(days: 29)) == ["pro"])
        let entitlement = try await shop.customer(at: late).entitlements.first
        #expect(entitlement?.expiresAt == Sale.noon.later(days: 30))
    }

    @Test(arguments: StoreKind.allCases)
    func `An unknown product is recorded, kept unfinished, and granted once it is known`(
        kind: StoreKind
    ) async throws {
        let shop = try await Shop(kind)
        let sale = Sale("1") { $0.product = "com.example.new" }
        let first = try await shop.show(sale)
        #expect(first.map(\.outcome) == [.unknownProduct])
        #expect(first.map(\.mayFinish) == [false])
        // A second customer cannot get hold of it meanwhile, and must not let go of it either.
        let second = try await shop.show(sale, by: .ben)
        #expect(second.map(\.outcome) == [.anothers])
        #expect(second.map(\.mayFinish) == [false])

        var catalog = Sale.catalog
        catalog.apps[Sale.app]?.products["com.example.new"] = ProductRule(
            kind: .consumable, credits: ["coins": 7])
        let mended = shop.with(catalog)
        let submission = PurchaseSubmission(customer: .anna, proofs: [sale.proof])
        #expect(
            try await mended.record(submission, now: Sale.noon).results.map(\.outcome) == [.granted]
        )
        #expect(try await shop.balance() == 7)
    }

    @Test(arguments: StoreKind.allCases)
    func `A later catalog changes what comes, not what was given`(kind: StoreKind) async throws {
        let shop = try await Shop(kind)
        try await shop.show(Sale("1"))
        var catalog = Sale.catalog
        catalog.apps[Sale.app]?.products[Sale.coins600]?.credits = ["coins": 1]
        let submission = PurchaseSubmission(
            customer: .anna, proofs: [Sale("1").proof, Sale("2").proof])
        _ = try await shop.with(catalog).record(submission, now: Sale.noon)
        #expect(try await shop.balance() == 601)
        try await shop.expectSound()
    }

    @Test(arguments: StoreKind.allCases)
    func `Sandbox and production, and each root, are ledgers of their own`(
        kind: StoreKind
    ) async throws {
        let shop = try await Shop(kind)
        try await shop.show(Sale("1"))
        #expect(
            try await shop.show(Sale("1") { $0.environment = .sandbox }, by: .ben)
                .map(\.outcome) == [.granted])
        #expect(
            try await shop.show(
                Sale("1") {
                    $0.environment = .sandbox; $0.anchor = "store"
                }, by: .cleo
            ).map(\.outcome) == [.granted])
        #expect(try await shop.balance(.anna) == 600)
        #expect(try await shop.balance(.ben) == 0)
        #expect(try await shop.balance(.ben, environment: .sandbox) == 600)
        #expect(try await shop.customer(.cleo).balances.map(\.book.anchor) == ["store"])
    }

    @Test(arguments: StoreKind.allCases)
    func `What is out of question is refused with its reason and leaves no record`(
        kind: StoreKind
    ) async throws {
        let shop = try await Shop(kind)
        let cases: [(Sale, BundleID?, RefusalReason, finish: Bool)] = [
            (Sale("1"), "com.example.other", .bundleMismatch, false),
            (Sale("1") { $0.bundle = "com.example.other" }, nil, .appUnknown, false),
            (Sale("1") { $0.environment = .xcode }, nil, .environmentNotAdmitted, true),
            (Sale("") { _ in }, nil, .proofIncomplete, false),
            (Sale("1") { $0.product = "" }, nil, .proofIncomplete, false),
            (Sale("1") { $0.purchased = nil }, nil, .proofIncomplete, false),
            (Sale("1") { $0.quantity = 0 }, nil, .proofIncomplete, false),
            (Sale("1") { $0.quantity = 10_001 }, nil, .proofIncomplete, false),
        ]
        for (sale, bundle, reason, finish) in cases {
            let submission = PurchaseSubmission(
                customer: .anna, bundleID: bundle, proofs: [sale.proof])
            let results = try await shop.ledger.record(submission, now: Sale.noon).results
            #expect(results.map(\.outcome) == [.refused(reason)])
            #expect(results.map(\.mayFinish) == [finish])
        }
        let anna = try await shop.customer()
        #expect(anna.history.isEmpty && anna.balances.isEmpty)
        let named = PurchaseSubmission(
            customer: .anna, bundleID: Sale.app, proofs: [Sale("1").proof])
        #expect(
            try await shop.ledger.record(named, now: Sale.noon).results.map(\.outcome)
                == [.granted])
    }

    @Test(arguments: StoreKind.allCases)
    func `Purchases of old Xcode, which all have the id 0, are told apart`(
        kind: StoreKind
    ) async throws {
        let shop = try await Shop(kind)
        let first = Sale("0") { $0.environment = .sandbox }
        let second = Sale("0") {
            $0.environment = .sandbox
            $0.purchased = Sale.noon.later(minutes: 1)
        }
        let results = try await shop.show(first, second)
        #expect(results.map(\.outcome) == [.granted, .granted])
        #expect(results.map(\.transactionID) == ["0", "0"])
        #expect(try await shop.show(first).map(\.outcome) == [.alreadyGranted])
    }
}
