import AppStoreModel
import StoreWire
import Testing

@testable import LocalAppStore

@Suite struct SubscriptionLifeTests {
    static let basic: ProductID = "com.example.basic.monthly"
    static let weekly: ProductID = "com.example.basic.weekly"
    static let pro: ProductID = "com.example.pro.monthly"
    static let yearly: ProductID = "com.example.pro.yearly"

    @Test func `A year with every kind of trouble tells the server each thing once and in order`()
        throws
    {
        var world = StoreWorld()
        let device = try world.device()
        let first = try world.bought(Self.basic, on: device)
        #expect(world.told() == ["SUBSCRIBED/INITIAL_BUY"])
        #expect(first.offer?.mode == .freeTrial && first.price == 0)
        #expect(first.expiresDate == midnight(1, 8))
        let id = first.originalID

        world.pass(to: 3, 1)
        #expect(world.told() == ["DID_RENEW", "DID_RENEW"])
        #expect(try world.current(first).expiresDate == midnight(3, 8))

        try world.set { $0.gracePeriodDays = 16 }
        try world.act(.setBilling, on: id) { $0.fails = true }
        world.pass(to: 3, 12)
        #expect(world.told() == ["DID_FAIL_TO_RENEW/GRACE_PERIOD"])
        #expect(try world.subscription(first).status == .billingGracePeriod)
        try world.act(.recover, on: id)
        #expect(world.told() == ["DID_RENEW/BILLING_RECOVERY"])
        #expect(try world.current(first).purchaseDate == midnight(3, 8))
        #expect(try world.current(first).expiresDate == midnight(4, 8))

        try world.set { $0.gracePeriodDays = 0 }
        try world.act(.setBilling, on: id) { $0.fails = true }
        world.pass(to: 4, 20)
        #expect(world.told() == ["DID_FAIL_TO_RENEW"])
        #expect(try world.subscription(first).status == .billingRetry)
        try world.act(.recover, on: id)
        #expect(world.told() == ["DID_RENEW/BILLING_RECOVERY"])
        #expect(try world.current(first).purchaseDate == midnight(4, 20))

        world.pass(to: 5, 1)
        let before = try world.current(first)
        try world.buy(Self.pro, on: device)
        #expect(world.told() == ["DID_CHANGE_RENEWAL_PREF/UPGRADE"])
        #expect(world.state.transactions[before.id]?.upgraded == midnight(5, 1))
        #expect(try world.current(first).expiresDate == midnight(6, 1))
        #expect(try world.current(first).originalID == id)

        try world.buy(Self.basic, on: device)
        try world.act(.undoChange, on: id)
        try world.act(.change, on: id) { $0.productID = Self.basic }
        #expect(
            world.told() == [
                "DID_CHANGE_RENEWAL_PREF/DOWNGRADE", "DID_CHANGE_RENEWAL_PREF",
                "DID_CHANGE_RENEWAL_PREF/DOWNGRADE",
            ])
        #expect(try world.current(first).productID == Self.pro)
        world.pass(to: 6, 2)
        #expect(world.told() == ["DID_RENEW"])
        #expect(try world.current(first).productID == Self.basic)

        try world.act(.increasePrice, on: id) { $0.price = 9_990 }
        try world.act(.consent, on: id)
        #expect(world.told() == ["PRICE_INCREASE/PENDING", "PRICE_INCREASE/ACCEPTED"])
        world.pass(to: 7, 2)
        #expect(world.told() == ["DID_RENEW"])
        #expect(try world.current(first).price == 9_990)

        try world.act(.extend, on: id) { $0.days = 10 }
        #expect(world.told() == ["RENEWAL_EXTENDED"])
        #expect(try world.current(first).expiresDate == midnight(8, 11))
        world.pass(to: 8, 12)
        #expect(world.told() == ["DID_RENEW"])

        try world.act(.refund, on: before.id)
        #expect(world.told() == ["REFUND"])
        #expect(world.state.notifications.rows.last?.status == .active)
        #expect(try world.subscription(first).status == .active)

        try world.act(.turnOff, on: id)
        try world.act(.turnOn, on: id)
        try world.act(.turnOff, on: id)
        world.pass(to: 9, 30)
        #expect(
            world.told() == [
                "DID_CHANGE_RENEWAL_STATUS/AUTO_RENEW_DISABLED",
                "DID_CHANGE_RENEWAL_STATUS/AUTO_RENEW_ENABLED",
                "DID_CHANGE_RENEWAL_STATUS/AUTO_RENEW_DISABLED", "EXPIRED/VOLUNTARY",
            ])
        #expect(try world.subscription(first).intent == .customerCancelled)

        world.pass(to: 10, 1)
        let again = try world.bought(Self.basic, on: device)
        #expect(world.told() == ["SUBSCRIBED/RESUBSCRIBE"])
        #expect(again.originalID == id && again.id != id && again.offer == nil)
        #expect(again.originalPurchaseDate == StoreWorld.start)

        try world.act(.refund, on: again.id)
        #expect(world.told() == ["REFUND"])
        #expect(world.state.notifications.rows.last?.status == .revoked)
        try world.act(.reverseRefund, on: again.id)
        #expect(world.told() == ["REFUND_REVERSED"])
        #expect(try world.subscription(first).status == .active)
        world.pass(to: 11, 2)
        #expect(world.told() == ["DID_RENEW"])

        try world.set { $0.gracePeriodDays = 3 }
        try world.act(.setBilling, on: id) { $0.fails = true }
        world.pass(to: 2, 15, 2027)
        #expect(
            world.told() == [
                "DID_FAIL_TO_RENEW/GRACE_PERIOD", "GRACE_PERIOD_EXPIRED", "EXPIRED/BILLING_RETRY",
            ])
        let last = world.state.notifications.rows.suffix(3).map(\.date)
        #expect(last == [midnight(12, 1), midnight(12, 4), midnight(1, 30, 2027)])
        #expect(try world.subscription(first).intent == .billingError)
    }

    @Test func `Renewals keep the original names and take new line items`() throws {
        var world = StoreWorld()
        let device = try world.device()
        let first = try world.bought(Self.pro, on: device)
        world.pass(to: 12, 31)
        let account = try #require(world.state.accounts["anna"])
        let rows = account.transactions.compactMap { world.state.transactions[$0] }
        #expect(rows.count == 13)
        #expect(Set(rows.map(\.originalID)) == [first.id])
        #expect(Set(rows.map(\.originalPurchaseDate)) == [StoreWorld.start])
        #expect(Set(rows.map(\.id)).count == 13)
        #expect(Set(rows.compactMap(\.lineItemID)).count == 13)
        for (one, next) in zip(rows, rows.dropFirst()) {
            #expect(next.purchaseDate == one.expiresDate)
            #expect(next.reason == .renewal)
        }
        #expect(first.id.rawValue.count == 15)
    }

    @Test func `Turning renewal off while a payment is retried ends the subscription`() throws {
        var world = StoreWorld()
        let first = try world.bought(Self.basic, on: try world.device())
        try world.act(.setBilling, on: first.id) { $0.fails = true }
        world.pass(to: 1, 10)
        _ = world.told()
        try world.act(.turnOff, on: first.id)
        #expect(
            world.told() == [
                "DID_CHANGE_RENEWAL_STATUS/AUTO_RENEW_DISABLED", "EXPIRED/VOLUNTARY",
            ])
        world.pass(days: 100)
        #expect(world.told().isEmpty)
    }

    @Test func `A repaired account is charged at once`() throws {
        var world = StoreWorld()
        let first = try world.bought(Self.basic, on: try world.device())
        _ = try world.state.apply(.changeAccount("anna", AccountRequest(billingFails: true)))
        world.pass(to: 1, 20)
        #expect(world.told() == ["SUBSCRIBED/INITIAL_BUY", "DID_FAIL_TO_RENEW"])
        _ = try world.state.apply(.changeAccount("anna", AccountRequest(billingFails: false)))
        #expect(world.told() == ["DID_RENEW/BILLING_RECOVERY"])
        #expect(try world.current(first).purchaseDate == midnight(1, 20))
    }

    @Test func `Grace may leave out the step from a free trial`() throws {
        var world = StoreWorld()
        try world.set {
            $0.gracePeriodDays = 28
            $0.graceExcludesTrials = true
        }
        let first = try world.bought(Self.basic, on: try world.device())
        try world.act(.setBilling, on: first.id) { $0.fails = true }
        world.pass(to: 1, 9)
        try world.act(.recover, on: first.id)
        try world.act(.setBilling, on: first.id) { $0.fails = true }
        world.pass(to: 2, 10)
        #expect(
            world.told() == [
                "SUBSCRIBED/INITIAL_BUY", "DID_FAIL_TO_RENEW", "DID_RENEW/BILLING_RECOVERY",
                "DID_FAIL_TO_RENEW/GRACE_PERIOD",
            ])
    }

    @Test func `A weekly subscription has six days of grace at the most`() throws {
        var world = StoreWorld()
        try world.set { $0.gracePeriodDays = 28 }
        let first = try world.bought(Self.weekly, on: try world.device())
        try world.act(.setBilling, on: first.id) { $0.fails = true }
        world.pass(to: 1, 9)
        #expect(try world.subscription(first).state == .grace(until: midnight(1, 14)))
    }

    @Test
    func `Without consent the subscription ends with its period, with it the price is the new one`()
        throws
    {
        for agrees in [false, true] {
            var world = StoreWorld()
            let first = try world.bought(Self.pro, on: try world.device())
            world.pass(to: 1, 10)
            try world.act(.increasePrice, on: first.id) { $0.price = 19_990 }
            #expect(
                world.state.payload(try world.subscription(first)).priceIncreaseStatus
                    == .awaitingConsent)
            try world.act(agrees ? .consent : .declinePrice, on: first.id)
            _ = world.told()
            world.pass(to: 2, 10)
            #expect(world.told() == [agrees ? "DID_RENEW" : "EXPIRED/PRICE_INCREASE"])
            #expect(
                try world.subscription(first).intent == (agrees ? nil : .noConsentToPriceIncrease))
            #expect(try world.current(first).price == (agrees ? 19_990 : 9_990))
        }
    }

    @Test func `A small price increase asks nobody, a second one within a year does`() throws {
        var world = StoreWorld()
        let first = try world.bought(Self.pro, on: try world.device())
        world.pass(to: 1, 10)
        _ = world.told()
        try world.act(.increasePrice, on: first.id) { $0.price = 11_990 }
        #expect(world.told() == ["PRICE_INCREASE/ACCEPTED"])
        world.pass(to: 2, 10)
        try world.act(.increasePrice, on: first.id) { $0.price = 12_990 }
        #expect(world.told() == ["DID_RENEW", "PRICE_INCREASE/PENDING"])
        try world.act(.increasePrice, on: first.id) { $0.price = 4_990 }
        #expect(world.told().isEmpty)
        world.pass(to: 3, 10)
        #expect(try world.current(first).price == 4_990)
    }

    @Test func `A product that is no longer for sale is not renewed`() throws {
        var world = StoreWorld()
        let first = try world.bought(Self.basic, on: try world.device())
        _ = try world.state.apply(.changeProduct(Self.basic, ProductChange(isForSale: false)))
        world.pass(to: 1, 9)
        #expect(world.told() == ["SUBSCRIBED/INITIAL_BUY", "EXPIRED/PRODUCT_NOT_FOR_SALE"])
        #expect(try world.subscription(first).intent == .productUnavailable)
    }

    @Test
    func `Plans change at once upward and sideways, and at renewal downward or to another length`()
        throws
    {
        // From, to, at once, the words.
        let cases: [(ProductID, ProductID, Bool, String)] = [
            (Self.basic, Self.pro, true, "UPGRADE"), (Self.pro, Self.basic, false, "DOWNGRADE"),
            (Self.pro, Self.yearly, false, "DOWNGRADE"),
            (Self.weekly, Self.basic, false, "DOWNGRADE"),
            (Self.weekly, Self.yearly, true, "UPGRADE"),
        ]
        for (from, to, isAtOnce, word) in cases {
            var world = StoreWorld()
            let device = try world.device()
            let first = try world.bought(from, on: device)
            world.pass(days: 1)
            _ = world.told()
            let payment = try world.buy(to, on: device)
            #expect(world.told() == ["DID_CHANGE_RENEWAL_PREF/\(word)"], "\(from) to \(to)")
            #expect(try world.current(first).productID == (isAtOnce ? to : from))
            #expect(try world.subscription(first).nextProductID == to)
            #expect(payment.state == .purchased)
        }
    }

    @Test func `The sandbox renews twelve times and then stops by itself`() throws {
        var world = StoreWorld()
        let device = try world.device("tim", .sandbox)
        let first = try world.bought(Self.basic, on: device)
        #expect(first.id.rawValue.hasPrefix("2000000") && first.id.rawValue.count == 16)
        world.pass(days: 1)
        let told = world.told()
        #expect(told.filter { $0 == "DID_RENEW" }.count == 12)
        #expect(
            Array(told.suffix(2)) == [
                "DID_CHANGE_RENEWAL_STATUS/AUTO_RENEW_DISABLED", "EXPIRED/VOLUNTARY",
            ])
        #expect(try world.subscription(first).periods == 13)
        let rows = try #require(world.state.accounts["tim"]).transactions
            .compactMap { world.state.transactions[$0] }
        let lengths = rows.dropFirst().map {
            (($0.expiresDate ?? .zero).milliseconds - $0.purchaseDate.milliseconds) / 1_000
        }
        #expect(Set(lengths) == [300])
    }

    @Test func `Renewals come to an end before the machine's memory does`() throws {
        var world = StoreWorld()
        world.state.transactionLimit = 500
        let device = try world.device("dev", .xcode)
        try world.set(.xcode) { $0.renewalRate = "oneRenewalEveryTwoSeconds" }
        let first = try world.bought(Self.pro, on: device)
        world.pass(days: 365)
        #expect(world.state.transactions.count == 500)
        #expect(try world.subscription(first).intent == .other)
        #expect(throws: StoreProblem.self) { try world.buy(Self.basic, on: device) }
    }

    @Test func `Renewing now is what happens at the end of the period, not a payment for nothing`()
        throws
    {
        var world = StoreWorld()
        let device = try world.device()
        let first = try world.bought(Self.pro, on: device)
        try world.act(.setBilling, on: first.id) { $0.fails = true }
        try world.act(.renewNow, on: first.id)
        #expect(try world.subscription(first).state == .retry)
        #expect(world.state.transactions.count == 1)
        #expect(world.state.transactions[first.id]?.expiresDate == world.state.now)
        // In retry there is nothing to renew, and in grace a charge that fails stays unpaid.
        #expect(throws: StoreProblem.self) { try world.act(.renewNow, on: first.id) }
        try world.act(.recover, on: first.id)
        #expect(try world.subscription(first).state == .active)
        #expect(world.state.transactions.count == 2)
        try world.set(.production) { $0.gracePeriodDays = 16 }
        try world.act(.setBilling, on: first.id) { $0.fails = true }
        try world.act(.renewNow, on: first.id)
        guard case .grace = try world.subscription(first).state else {
            Issue.record("no grace")
            return
        }
        #expect(throws: StoreProblem.self) { try world.act(.renewNow, on: first.id) }
        #expect(world.state.transactions.count == 2)
        try world.act(.setBilling, on: first.id) { $0.fails = false }
        try world.act(.turnOff, on: first.id)
        #expect(throws: StoreProblem.self) { try world.act(.renewNow, on: first.id) }
        try world.act(.turnOn, on: first.id)
        try world.act(.renewNow, on: first.id)
        #expect(world.state.transactions.count == 4)
    }

    @Test func `Nothing is collected while the account or the catalog lets payments fail`() throws {
        var world = StoreWorld()
        let device = try world.device()
        let first = try world.bought(Self.pro, on: device)
        _ = try world.state.apply(.changeAccount("anna", AccountRequest(billingFails: true)))
        try world.act(.renewNow, on: first.id)
        #expect(try world.subscription(first).state == .retry)
        #expect(throws: StoreProblem.self) { try world.act(.recover, on: first.id) }
        try world.act(.setBilling, on: first.id) { $0.fails = false }
        #expect(try world.subscription(first).state == .retry)
        _ = try world.state.apply(.changeAccount("anna", AccountRequest(billingFails: false)))
        #expect(try world.subscription(first).state == .active)
        #expect(world.state.transactions.count == 2)
    }

    @Test func `Extensions are refused where Apple refuses them`() throws {
        var world = StoreWorld()
        let device = try world.device()
        let first = try world.bought(Self.basic, on: device)
        // In a free trial.
        #expect(throws: ExtensionRefusal.ineligible) { try world.state.extend(first.id, days: 5) }
        // The first paid period: no other was paid before.
        world.pass(to: 1, 10)
        #expect(throws: ExtensionRefusal.ineligible) { try world.state.extend(first.id, days: 5) }
        world.pass(to: 2, 20)
        _ = try world.state.extend(first.id, days: 5)
        _ = try world.state.extend(first.id, days: 90)
        #expect(throws: ExtensionRefusal.maximumReached) {
            try world.state.extend(first.id, days: 5)
        }
        #expect(throws: ExtensionRefusal.notFound) { try world.state.extend("1", days: 5) }
        try world.act(.expireNow, on: first.id)
        #expect(throws: ExtensionRefusal.ineligible) { try world.state.extend(first.id, days: 5) }
    }

    @Test func `A mass extension tells of each subscription and sums up`() throws {
        var world = StoreWorld()
        for name in ["a", "b", "c"] {
            _ = try world.bought(Self.basic, on: try world.device(AccountID(name)))
        }
        world.pass(to: 2, 9)
        _ = try world.bought(Self.basic, on: try world.device("trial"))
        _ = world.told()
        let key = MassExtension.Key(environment: .production, requestID: "r")
        for _ in 0..<2 {
            _ = try world.state.apply(
                .massExtend(key, Self.basic, days: 3, reason: .other, storefronts: nil))
        }
        #expect(world.told().isEmpty)
        world.pass(days: 1)
        #expect(
            world.told() == [
                "RENEWAL_EXTENDED", "RENEWAL_EXTENDED", "RENEWAL_EXTENDED",
                "RENEWAL_EXTENSION/FAILURE", "RENEWAL_EXTENSION/SUMMARY",
            ])
        let summary = try #require(world.state.notifications.rows.last?.summary)
        #expect(summary.succeededCount == 3 && summary.failedCount == 1)
    }

    @Test func `A monthly plan bills twelve months under one commitment`() throws {
        var catalog = Catalog.builtIn
        let place = try #require(catalog.products.firstIndex { $0.id == Self.yearly })
        catalog.products[place].subscription?.billingPlans = [
            BillingPlan(type: .monthly, price: 8_990, commitmentPrice: 107_880)
        ]
        catalog.products[place].subscription?.offers = []
        var world = StoreWorld(catalog: catalog)
        let device = try world.device()
        var order = PurchaseOrder(Self.yearly)
        order.plan = .monthly
        let name = try world.state.apply(.purchase(order, PurchaseSetting(device: device))).name
        let id = try #require(world.state.payments[name]?.transaction)
        world.pass(to: 2, 15, 2027)
        let rows = try #require(world.state.accounts["anna"]).transactions
            .compactMap { world.state.transactions[$0] }
        #expect(rows.count == 14)
        #expect(rows.compactMap(\.commitment?.number) == Array(1...12) + [1, 2])
        #expect(Set(rows.prefix(12).compactMap(\.commitment?.expires)) == [midnight(1, 1, 2027)])
        #expect(Set(rows.map(\.price)) == [8_990])
        #expect(world.state.payload(rows[0]).commitmentInfo?.commitmentPrice == 107_880)
        #expect(rows[0].id == id)
    }
}
