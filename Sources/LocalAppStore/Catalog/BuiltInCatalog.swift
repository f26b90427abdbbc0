import AppStoreModel

extension Catalog {
    /// What the store sells when nobody gave it a catalog: the coin shop, a lifetime purchase, a pass, two
    /// levels of a subscription with offers of all kinds.
    public static let builtIn = Catalog(
        source: "built-in", products: coins + [lifetime, season] + plans,
        groups: [SubscriptionGroup(id: "21500001", displayName: "Example Pro")],
        settings: CatalogSettings(), offersKey: nil)

    private static let coins: [Product] = [
        (20, 990), (100, 3_990), (600, 19_990), (1_000, 29_990), (6_000, 149_990),
    ].enumerated().map { index, row in
        Product(
            id: ProductID("com.example.coins\(row.0)"), type: .consumable,
            referenceName: "\(row.0) coins", price: Int64(row.1),
            localizations: texts(
                ("\(row.0) Coins", "A bag of \(row.0) coins."),
                ("\(row.0) 金币", "一袋 \(row.0) 枚金币。")),
            appleID: Int64(6_500_000_001 + index))
    }

    private static let lifetime = Product(
        id: "com.example.lifetime", type: .nonConsumable, referenceName: "Lifetime", price: 99_990,
        isFamilyShareable: true,
        localizations: texts(
            ("Lifetime", "Everything, for ever."), ("终身版", "永久解锁全部功能。")),
        appleID: 6_500_000_011)

    private static let season = Product(
        id: "com.example.season", type: .nonRenewing, referenceName: "Season pass", price: 9_990,
        localizations: texts(
            ("Season Pass", "Three months of the season."), ("赛季通行证", "三个月的赛季内容。")),
        appleID: 6_500_000_012)

    private static let plans: [Product] = [
        plan("pro.yearly", "Pro, yearly", "专业版（年）", 99_990, level: 1, .year, 21),
        plan("pro.monthly", "Pro, monthly", "专业版（月）", 9_990, level: 1, .month, 22),
        plan("basic.monthly", "Basic, monthly", "基础版（月）", 4_990, level: 2, .month, 23),
        plan("basic.weekly", "Basic, weekly", "基础版（周）", 1_990, level: 2, .week, 24),
    ]

    private static func plan(
        _ name: String, _ english: String, _ chinese: String, _ price: Int64, level: Int,
        _ unit: Period.Unit, _ number: Int64
    ) -> Product {
        let period = Period(oneOf: unit)
        let free = Period(oneOf: .week)
        let offers = [
            Offer(
                kind: .introductory, id: nil, mode: .freeTrial, price: 0, period: free,
                periodCount: 1),
            Offer(
                kind: .promotional, id: "\(name).half", mode: .payAsYouGo, price: price / 20 * 10,
                period: period, periodCount: 3),
            Offer(
                kind: .promotional, id: "\(name).free", mode: .freeTrial, price: 0, period: period,
                periodCount: 1),
            Offer(
                kind: .offerCode, id: "\(name).code", mode: .payUpFront, price: price / 20 * 10,
                period: period, periodCount: 1, eligibility: ["new", "existing", "expired"]),
            Offer(
                kind: .winBack, id: "\(name).back", mode: .payAsYouGo, price: price / 40 * 10,
                period: period, periodCount: 2),
        ]
        return Product(
            id: ProductID("com.example.\(name)"), type: .autoRenewable, referenceName: english,
            price: price, isFamilyShareable: level == 1,
            localizations: texts(
                (english, "Renews until you stop it."), (chinese, "自动续订，可随时取消。")),
            subscription: SubscriptionTerms(
                groupID: "21500001", level: level, period: period, offers: offers, billingPlans: []),
            appleID: 6_500_000_000 + number)
    }

    private static func texts(
        _ english: (String, String), _ chinese: (String, String)
    ) -> [Localization] {
        [
            Localization(locale: "en_US", displayName: english.0, description: english.1),
            Localization(locale: "zh_Hans", displayName: chinese.0, description: chinese.1),
        ]
    }
}
