import AppStoreModel
import TestKit
import Testing

@testable import TillLedger

/// Notifications in the ledger: each once, in any order, and nothing that a newer one has overtaken.
@Suite struct NotificationTests {
    private static func day(_ days: Int) -> Timestamp { Sale.noon.later(days: days) }

    /// N02: one effect, however often it comes.
    @Test(arguments: StoreKind.allCases)
    func `A notification that comes again does nothing new`(kind: StoreKind) async throws {
        let shop = try await Shop(kind)
        let order = try await shop.order().order.id
        let sale = Sale("1") { $0.token = order.rawValue }
        let notice = Notice("uuid", .oneTimeCharge, nil, sale)
        let first = try await shop.tell(notice)
        #expect(first.notification.effect == .granted && !first.isRepeated)
        for _ in 0..<4 {
            let again = try await shop.tell(notice, at: Self.day(3))
            #expect(again.isRepeated && again.notification == first.notification)
        }
        #expect(try await shop.balance() == 600)
        // Apple may tell the same under another name; the transaction is granted once all the same.
        var renamed = notice
        renamed.id = "other"
        #expect(try await shop.tell(renamed).notification.effect == .recorded)
        #expect(try await shop.balance() == 600)
        try await shop.expectSound()
    }

    @Test(arguments: StoreKind.allCases)
    func `What is signed anew under the name of a known notification is heard all the same`(
        kind: StoreKind
    ) async throws {
        let shop = try await Shop(kind)
        let order = try await shop.order().order.id
        let sale = Sale("1") { $0.token = order.rawValue }
        let first = try await shop.tell(Notice("uuid", .oneTimeCharge, nil, sale))
        var refunded = sale
        refunded.revoked = Self.day(1)
        refunded.signed = Self.day(1)
        let refund = Notice("uuid", .refund, nil, refunded)
        for _ in 0..<2 {
            let again = try await shop.tell(refund, at: Self.day(1))
            #expect(again.isRepeated && again.notification == first.notification)
            #expect(try await shop.balance() == 0)
        }
        try await shop.expectSound()
    }

    /// N10: the order's customer gets it, whether the app comes first, later or never.
    @Test(arguments: StoreKind.allCases)
    func `A charge is granted to the order's customer, and the app hears that it may finish`(
        kind: StoreKind
    ) async throws {
        for isToldFirst in [true, false] {
            let shop = try await Shop(kind)
            let order = try await shop.order().order.id
            let sale = Sale("1") { $0.token = order.rawValue }
            let notice = Notice("uuid", .oneTimeCharge, nil, sale)
            if isToldFirst { try await shop.tell(notice) }
            let results = try await shop.show(sale, order: order)
            #expect(results.map(\.outcome) == [isToldFirst ? .alreadyGranted : .granted])
            #expect(results.map(\.mayFinish) == [true])
            try await shop.tell(notice)
            #expect(try await shop.balance() == 600)
            let paid = try #require(try await shop.ledger.order(order, of: .anna))
            #expect(paid.status(at: Sale.noon) == .fulfilled)
            try await shop.expectSound()
        }
        let never = try await Shop(kind)
        let order = try await never.order(Sale.monthly).order.id
        let sale = Sale.month(0) { $0.token = order.rawValue }
        let answer = try await never.tell(Notice("buy", .subscribed, .initialBuy, sale) { _ in })
        #expect(answer.notification.effect == .granted)
        #expect(try await never.active(at: Self.day(1)) == ["pro"])
    }

    @Test(arguments: StoreKind.allCases)
    func `What names nobody waits, and goes to the first who shows it`(
        kind: StoreKind
    ) async throws {
        let shop = try await Shop(kind)
        let told = try await shop.tell(
            Notice("buy", .subscribed, .initialBuy, Sale.month(0)) { _ in })
        #expect(told.notification.effect == .waiting)
        // The renewal follows its original, whoever owns that by then.
        #expect(
            try await shop.tell(Notice("renew", .didRenew, nil, Sale.month(1)) { _ in })
                .notification.effect == .waiting)
        #expect(try await shop.show(Sale.month(0), by: .ben).map(\.outcome) == [.granted])
        #expect(try await shop.balance(.ben, "gems") == 10)
        let state = try #require(try await shop.subscription(.ben, at: Self.day(31)))
        #expect(state.standing == .active && state.isAutoRenewing == true)
        #expect(
            try await shop.tell(Notice("again", .didRenew, nil, Sale.month(2)) { _ in })
                .notification.effect == .granted)
        try await shop.expectSound()
    }

    /// N08: the refund of an old period takes that period alone, and its reversal gives it back once.
    @Test(arguments: StoreKind.allCases)
    func `A refund of an old period takes back that alone, and its reversal gives it back`(
        kind: StoreKind
    ) async throws {
        let shop = try await Shop(kind)
        for month in 0..<3 { try await shop.show(Sale.month(month)) }
        let refund = Notice(
            "refund", .refund, nil,
            Sale.month(0) {
                $0.revoked = Self.day(70)
                $0.signed = Self.day(70)
            }
        ) { $0.signedDate = Self.day(70) }
        let reversal = Notice(
            "reversal", .refundReversed, nil, Sale.month(0) { $0.signed = Self.day(72) }
        ) { _ in }
        #expect(try await shop.tell(refund).notification.effect == .takenBack)
        #expect(try await shop.balance(.anna, "gems") == 10)
        #expect(try await shop.subscription(at: Self.day(71))?.standing == .active)
        #expect(try await shop.active(at: Self.day(71)) == ["pro"])
        #expect(try await shop.tell(reversal).notification.effect == .granted)
        #expect(try await shop.tell(reversal).isRepeated)
        #expect(try await shop.tell(refund).isRepeated)
        #expect(try await shop.balance(.anna, "gems") == 15)
        // A declined refund says nothing but that.
        let declined = Notice(
            "no", .refundDeclined, nil, Sale.month(1) { $0.signed = Self.day(73) })
        #expect(try await shop.tell(declined).notification.effect == .recorded)
        #expect(try await shop.balance(.anna, "gems") == 15)
        try await shop.expectSound()
    }

    @Test(arguments: StoreKind.allCases)
    func `A refund and its reversal in the wrong order end with the goods given once`(
        kind: StoreKind
    ) async throws {
        let shop = try await Shop(kind)
        let order = try await shop.order().order.id
        func sale(_ days: Int, isRevoked: Bool = false) -> Sale {
            Sale("1") {
                $0.token = order.rawValue
                $0.signed = Self.day(days)
                if isRevoked { $0.revoked = Self.day(days) }
            }
        }
        try await shop.tell(Notice("reversal", .refundReversed, nil, sale(3)))
        try await shop.tell(Notice("refund", .refund, nil, sale(2, isRevoked: true)))
        try await shop.tell(Notice("charge", .oneTimeCharge, nil, sale(0)))
        #expect(try await shop.balance() == 600)
        #expect(
            try await shop.ledger.order(order, of: .anna)?.status(at: Sale.noon) == .fulfilled)
        try await shop.expectSound()
    }

    /// N02: Apple asks again under new names; each asks for an answer about one transaction.
    @Test(arguments: StoreKind.allCases)
    func `A question about consumption is kept with the time until which Apple waits`(
        kind: StoreKind
    ) async throws {
        let shop = try await Shop(kind)
        try await shop.show(Sale("1"))
        for name in ["a", "b", "c"] {
            let answer = try await shop.tell(Notice(name, .consumptionRequest, nil, Sale("1")))
            #expect(answer.notification.answerBefore == Sale("1").signed.later(minutes: 720))
            #expect(answer.notification.transactionID == "1")
        }
        #expect(try await shop.balance() == 600)
        let kept = try await shop.store.notifications(after: nil, limit: 10)
        #expect(kept.map(\.notification.id.rawValue) == ["a", "b", "c"])
    }

    @Test(arguments: StoreKind.allCases)
    func `A kind that nobody knows is kept, and changes nothing`(kind: StoreKind) async throws {
        let shop = try await Shop(kind)
        try await shop.show(Sale("1"))
        let refunded = Sale("1") {
            $0.revoked = Self.day(1)
            $0.signed = Self.day(1)
        }
        for (name, type, subtype) in [
            ("a", "FUTURE_X", nil), ("b", "FUTURE_X", "Y"), ("c", "REFUND", "Y"),
            ("d", "TEST", nil), ("e", "RESCIND_CONSENT", nil),
        ] as [(String, String, String?)] {
            let notice = Notice(
                name, NotificationType(rawValue: type),
                subtype.map { NotificationSubtype(rawValue: $0) }, refunded)
            #expect(try await shop.tell(notice).notification.effect == .kept)
        }
        #expect(try await shop.balance() == 600)
        let kept = try await shop.store.notifications(after: nil, limit: 10)
        #expect(kept.count == 5)
        for row in kept {
            let proof = try await shop.store.proof(row.notification.proof)
            #expect(proof?.kind == .notification && proof?.bytes.isEmpty == false)
        }
    }

    @Test func `Every kind that Apple documents has its rule`() {
        for kind in NotificationKind.all {
            let rule = NotificationRule.rule(of: kind.type, kind.subtype)
            let isAboutAPurchase = kind.part == .data && kind.type != .test
            #expect((rule != .keep) == (isAboutAPurchase || kind.part == .summary), "\(kind)")
            #expect((rule == .observeAndAnswer) == (kind.type == .consumptionRequest))
        }
    }

    /// N07: what the app's policy does not take leaves its name and nothing else.
    @Test(arguments: StoreKind.allCases)
    func `The sandbox of an app that takes production alone touches nothing`(
        kind: StoreKind
    ) async throws {
        var catalog = Sale.catalog
        catalog.apps[Sale.app]?.environments = [.production]
        catalog.apps[Sale.app]?.otherEnvironments = .refuse
        let shop = try await Shop(kind, catalog: catalog)
        let order = try await shop.order().order.id
        let sale = Sale("1") {
            $0.environment = .sandbox
            $0.token = order.rawValue
        }
        for isRepeated in [false, true] {
            let answer = try await shop.tell(
                Notice("uuid", .subscribed, .initialBuy, sale) { _ in })
            #expect(answer.notification.effect == .environmentNotAdmitted)
            #expect(answer.isRepeated == isRepeated)
        }
        #expect(try await shop.customer().history.isEmpty)
        #expect(
            try await shop.ledger.order(order, of: .anna)?.status(at: Sale.noon) == .open)
        // The same name in production is another notification.
        let genuine = Notice("uuid", .oneTimeCharge, nil, Sale("1") { $0.token = order.rawValue })
        #expect(try await shop.tell(genuine).notification.effect == .granted)
    }

    /// N07, where such purchases are recorded and handed to nobody.
    @Test(arguments: StoreKind.allCases)
    func `The sandbox that is recorded beside production gives nothing`(
        kind: StoreKind
    ) async throws {
        var catalog = Sale.catalog
        catalog.apps[Sale.app]?.environments = [.production]
        let shop = try await Shop(kind, catalog: catalog)
        let sale = Sale.month(0) { $0.environment = .sandbox }
        let answer = try await shop.tell(Notice("uuid", .subscribed, .initialBuy, sale) { _ in })
        #expect(answer.notification.effect == .environmentNotAdmitted)
        try await shop.show(sale)
        #expect(try await shop.active(at: Self.day(1)) == [])
        #expect(try await shop.export().contains("book com.example.app/Sandbox"))
        try await shop.expectSound()
    }

    @Test(arguments: StoreKind.allCases)
    func `A notification without a purchase, or with half of one, is kept`(
        kind: StoreKind
    ) async throws {
        let shop = try await Shop(kind)
        #expect(
            try await shop.tell(Notice("sum", .renewalExtension, .summary)).notification.effect
                == .kept)
        let half = Sale("1") { $0.purchased = nil }
        #expect(
            try await shop.tell(Notice("half", .oneTimeCharge, nil, half)).notification.effect
                == .incomplete)
        let unknown = Sale("2") { $0.product = "com.example.unknown" }
        #expect(
            try await shop.tell(Notice("new", .oneTimeCharge, nil, unknown)).notification.effect
                == .waiting)
    }

    /// S13: the app and Apple at once, and four strangers beside them.
    @Test(arguments: StoreKind.allCases)
    func `Fifty uploads by five customers beside the notification are one grant of one owner`(
        kind: StoreKind
    ) async throws {
        let shop = try await Shop(kind)
        let names = ["a", "b", "c", "d", "e"].map { CustomerID.named($0) }
        let order = try await shop.order(Sale.monthly, by: names[2]).order.id
        let sale = Sale.month(0) { $0.token = order.rawValue }
        let notice = Notice("buy", .subscribed, .initialBuy, sale) { _ in }
        let outcomes = try await withThrowingTaskGroup(
            of: (CustomerID?, TransactionOutcome?).self
        ) { group in
            for number in 0..<50 {
                group.addTask {
                    let name = names[number % 5]
                    return (name, try await shop.show(sale, by: name, alone: false).first?.outcome)
                }
                if number % 10 == 0 {
                    group.addTask {
                        (nil, try await shop.tell(notice).results.first?.outcome)
                    }
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        // Whoever comes first brings it about, and only the owner or Apple hears of it.
        #expect(outcomes.count { $0.1 == .granted } <= 1)
        for (name, outcome) in outcomes {
            switch name {
            case names[2]: #expect(outcome == .granted || outcome == .alreadyGranted)
            case nil: #expect([nil, .granted, .alreadyGranted].contains(outcome))
            default: #expect(outcome == .anothers)
            }
        }
        for name in names {
            let gems = try await shop.balance(name, "gems")
            #expect(gems == (name == names[2] ? 5 : 0))
        }
        try await shop.expectSound()
    }
}
