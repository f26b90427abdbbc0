import AppStoreModel
import StoreWire

extension ControlVerb {
    /// Subscriptions and what becomes of them.
    static let aboutSubscriptions: [ControlVerb] = [
        ControlVerb(
            "subscriptions", options: ["--account", "--environment"], "the subscriptions"
        ) { store, words in
            ControlReport(
                try await store.call(
                    .subscriptions,
                    query: [
                        ("account", words.value("--account")),
                        ("environment", words.value("--environment")),
                    ], as: SubscriptionsResponse.self)
            ) { answer in
                var table = TextTable(
                    "SUBSCRIPTION", "PRODUCT", "ACCOUNT", "STATUS", "EXPIRES", "NEXT", "PERIODS")
                for row in answer.subscriptions {
                    table.add(
                        row.originalTransactionID.rawValue, row.productID.rawValue,
                        row.accountID.rawValue, row.statusWord, row.expiresDate.shown,
                        row.autoRenews ? row.autoRenewProductID.rawValue : "ends",
                        "\(row.periods)")
                }
                return table.text
            }
        },
        ControlVerb("subscription", takes: "ID", count: 1...1, "one subscription") { store, words in
            ControlReport(
                try await store.call(
                    .subscription, ["subscription": words[0]], as: SubscriptionInfo.self), \.shown)
        },
        action(
            "renew", "let the period end now: it renews, or fails to where billing is set to fail"
        ) { _ in .init(action: .renewNow) },
        action("expire", "end the current period now") { _ in .init(action: .expireNow) },
        action(
            "auto-renew", takes: "ID on|off", count: 2...2, "the customer turns renewal on or off"
        ) {
            words in
            .init(action: try words.choice(at: 1, "on", "off") ? .turnOn : .turnOff)
        },
        action(
            "billing", takes: "ID fails|works", count: 2...2,
            "whether renewals can be paid from now on"
        ) { words in
            .init(action: .setBilling, fails: try words.choice(at: 1, "fails", "works"))
        },
        action("recover", "the customer repairs the payment, the store charges at once") { _ in
            .init(action: .recover)
        },
        action(
            "change", takes: "ID PRODUCT", count: 2...2, options: ["--offer"],
            "the customer chooses another plan"
        ) { words in
            .init(
                action: .change, productID: ProductID(words[1]), offerID: words.value("--offer"))
        },
        action("undo-change", "the customer keeps the current plan after all") { _ in
            .init(action: .undoChange)
        },
        action(
            "raise-price", takes: "ID PRICE", count: 2...2, options: ["--consent"],
            "raise the price, in thousandths of the currency's unit"
        ) { words in
            .init(
                action: .increasePrice, price: Int64(try words.number(at: 1, "PRICE")),
                needsConsent: try words.choice("--consent"))
        },
        action("consent", "the customer agrees to the higher price") { _ in
            .init(action: .consent)
        },
        action("decline-price", "the customer does not agree to it") { _ in
            .init(action: .declinePrice)
        },
        action(
            "extend", takes: "ID DAYS", count: 2...2, options: ["--reason-code"],
            "extend the period by 1 to 90 days"
        ) { words in
            .init(
                action: .extend, days: try words.number(at: 1, "DAYS"),
                reasonCode: try words.number("--reason-code"))
        },
        action("revoke", "the family loses what its organizer shares") { _ in
            .init(action: .stopSharing)
        },
    ]

    private static func action(
        _ name: String, takes operands: String = "ID", count: ClosedRange<Int> = 1...1,
        options: [String] = [], _ summary: String,
        _ make: @escaping @Sendable (VerbWords) throws -> SubscriptionAction
    ) -> ControlVerb {
        ControlVerb(name, takes: operands, count: count, options: options, summary) {
            store, words in
            ControlReport(
                try await store.call(
                    .actOnSubscription, ["subscription": words[0]], body: try make(words),
                    as: SubscriptionInfo.self), \.shown)
        }
    }
}

extension SubscriptionInfo {
    fileprivate var statusWord: String {
        switch status {
        case 1: "active"
        case 2: "expired"
        case 3: "billing retry"
        case 4: "grace period"
        case 5: "revoked"
        default: "status \(status)"
        }
    }

    fileprivate var shown: String {
        var facts = TextFacts()
        facts.add("subscription", originalTransactionID.rawValue)
        facts.add("product", productID.rawValue)
        facts.add("account", "\(accountID), \(environment)")
        facts.add("status", statusWord + (isFamilyShared ? ", shared" : ""))
        facts.add("expires", expiresDate.shown)
        facts.add("renews", autoRenews ? "\(autoRenewProductID)" : "no")
        facts.add("next try", renewalDate?.shown)
        facts.add("grace until", gracePeriodExpiresDate?.shown)
        facts.add("ended by", expirationIntent.map { "reason \($0)" })
        facts.add(
            "price increase", priceIncreaseStatus.map { $0 == 0 ? "waits for consent" : "accepted" }
        )
        facts.add("periods", "\(periods)")
        return facts.text
    }
}
