import AppStoreModel
import StoreWire
import Testing

@testable import LocalAppStore

@Suite struct OfferTests {
    static let basic: ProductID = "com.example.basic.monthly"
    static let pro: ProductID = "com.example.pro.monthly"

    @Test
    func `An introductory offer comes once for a group, and again when the history is cleared`()
        throws
    {
        var world = StoreWorld()
        let device = try world.device("tim", .sandbox)
        let first = try world.bought(Self.basic, on: device)
        #expect(first.offer?.kind == .introductory)
        try world.act(.expireNow, on: first.id)
        let second = try world.bought(Self.pro, on: device)
        #expect(second.offer == nil && second.originalID == first.id)
        try world.act(.expireNow, on: first.id)
        _ = try world.state.apply(.clearHistory("tim"))
        let third = try world.bought(Self.basic, on: device)
        #expect(third.offer?.kind == .introductory && third.originalID == third.id)
    }

    @Test func `A signed word about eligibility overrides the store's own`() throws {
        for (allowed, expected) in [(true, true), (false, false)] {
            var world = StoreWorld()
            let device = try world.device()
            if allowed {
                let first = try world.bought(Self.basic, on: device)
                try world.act(.expireNow, on: first.id)
            }
            var order = PurchaseOrder(Self.basic)
            order.allowsIntroductory = allowed
            let name = try world.state.apply(.purchase(order, PurchaseSetting(device: device))).name
            let row = try #require(
                world.state.payments[name]?.transaction.flatMap { world.state.transactions[$0] })
            #expect((row.offer?.kind == .introductory) == expected)
        }
    }

    @Test func `An offer paid as one goes lasts its periods and then the price is the regular one`()
        throws
    {
        var world = StoreWorld()
        let device = try world.device()
        let first = try world.bought(Self.basic, on: device)
        try world.act(.expireNow, on: first.id)
        let half = try world.bought(
            Self.basic, on: device, offer: (.promotional, "basic.monthly.half"))
        #expect(half.offer?.kind == .promotional)
        world.pass(days: 150)
        let rows = try #require(world.state.accounts["anna"]).transactions
            .compactMap { world.state.transactions[$0] }.dropFirst()
        #expect(rows.map(\.price) == [2_490, 2_490, 2_490, 4_990, 4_990])
        #expect(rows.map { $0.offer?.kind == .promotional } == [true, true, true, false, false])
        #expect(world.state.payload(half).offerPeriod == "P3M")
        #expect(world.state.payload(half).offerDiscountType == .payAsYouGo)
    }

    @Test func `An active subscriber's offer for the same plan begins with the next period`() throws
    {
        var world = StoreWorld()
        let device = try world.device()
        let first = try world.bought(Self.basic, on: device)
        world.pass(to: 1, 10)
        _ = world.told()
        let payment = try world.buy(
            Self.basic, on: device, offer: (.promotional, "basic.monthly.free"))
        #expect(payment.state == .purchased)
        #expect(world.told() == ["OFFER_REDEEMED"])
        #expect(try world.current(first).offer == nil)
        let renewal = world.state.payload(try world.subscription(first))
        #expect(renewal.offerIdentifier == "basic.monthly.free" && renewal.renewalPrice == 0)
        world.pass(to: 2, 9)
        #expect(try world.current(first).offer?.id == "basic.monthly.free")
        #expect(try world.current(first).price == 0)
    }

    @Test func `An offer with an upgrade or a downgrade is told as redeemed`() throws {
        var world = StoreWorld()
        let device = try world.device()
        _ = try world.bought(Self.basic, on: device)
        world.pass(to: 1, 10)
        _ = world.told()
        try world.buy(Self.pro, on: device, offer: (.promotional, "pro.monthly.half"))
        try world.buy(Self.basic, on: device, offer: (.promotional, "basic.monthly.half"))
        #expect(world.told() == ["OFFER_REDEEMED/UPGRADE", "OFFER_REDEEMED/DOWNGRADE"])
    }

    @Test func `A promotional offer is for those who have subscribed, and has to exist`() throws {
        var world = StoreWorld()
        let device = try world.device()
        let stranger = try world.buy(
            Self.basic, on: device, offer: (.promotional, "basic.monthly.half"))
        #expect(
            stranger.failure?.code == "ineligibleForOffer" && stranger.failure?.skErrorCode == 18)
        _ = try world.bought(Self.basic, on: device)
        let unknown = try world.buy(Self.pro, on: device, offer: (.promotional, "no.such"))
        #expect(unknown.failure?.code == "invalidOfferIdentifier")
        let other = try world.buy(
            Self.pro, on: device, offer: (.promotional, "basic.monthly.half"))
        #expect(other.failure?.code == "invalidOfferIdentifier")
    }

    @Test func `A win-back offer is for those who left, and renewal information names it`() throws {
        var world = StoreWorld()
        let device = try world.device()
        let first = try world.bought(Self.basic, on: device)
        let early = try world.buy(Self.basic, on: device, offer: (.winBack, "basic.monthly.back"))
        #expect(early.failure?.code == "ineligibleForOffer")
        #expect(world.state.payload(try world.subscription(first)).eligibleWinBackOfferIDs == nil)
        try world.act(.turnOff, on: first.id)
        world.pass(to: 1, 10)
        #expect(
            world.state.payload(try world.subscription(first)).eligibleWinBackOfferIDs
                == ["basic.monthly.back"])
        _ = world.told()
        let back = try world.bought(Self.basic, on: device, offer: (.winBack, "basic.monthly.back"))
        #expect(world.told() == ["SUBSCRIBED/RESUBSCRIBE"])
        #expect(back.offer?.kind == .winBack && world.state.payload(back).offerType == .winBack)
    }

    @Test func `A code gives its offer once to a customer and only as often as it may`() throws {
        var world = StoreWorld()
        let one = try world.device("one")
        let two = try world.device("two")
        let request = OfferCodesRequest(
            productID: Self.basic, offerID: "basic.monthly.code", code: "SPRING", count: 1)
        _ = try world.state.apply(.makeCodes(request))
        let name = try world.state.apply(.redeem("SPRING", one, nil)).name
        let row = try #require(
            world.state.payments[name]?.transaction.flatMap { world.state.transactions[$0] })
        #expect(row.offer?.kind == .offerCode && row.offer?.mode == .payUpFront)
        #expect(world.told() == ["SUBSCRIBED/INITIAL_BUY"])
        #expect(world.state.devices[one]?.events.map(\.kind).contains(.itemUpdated) == true)
        #expect(throws: StoreProblem.self) { try world.state.apply(.redeem("SPRING", two, nil)) }
        #expect(throws: StoreProblem.self) { try world.state.apply(.redeem("AUTUMN", two, nil)) }
        guard
            case .names(let codes) = try world.state.apply(
                .makeCodes(
                    OfferCodesRequest(
                        productID: Self.basic, offerID: "basic.monthly.code", count: 3)))
        else {
            Issue.record("no codes")
            return
        }
        #expect(Set(codes).count == 3)
        #expect(throws: StoreProblem.self) { try world.state.apply(.redeem(codes[0], one, nil)) }
        _ = try world.state.apply(.redeem(codes[0], two, nil))
    }
}
