import AppStoreModel
import StoreWire

extension ControlVerb {
    /// Buying, and purchases that wait for somebody.
    static let aboutPurchases: [ControlVerb] = [
        ControlVerb(
            "buy", takes: "PRODUCT", count: 1...1,
            options: [
                "--account", "--environment", "--device", "--app-account-token", "--quantity",
                "--offer", "--offer-kind", "--outcome", "--failure", "--outside-app",
            ], "buy something"
        ) { store, words in
            ControlReport(
                try await store.call(
                    .buy, body: try order(words), as: ControlBuyResponse.self), \.shown)
        },
        ControlVerb("waiting", "the purchases that wait for approval or a remedy") { store, _ in
            ControlReport(try await store.call(.waiting, as: WaitingPurchasesResponse.self)) {
                var table = TextTable("PAYMENT", "WAITS FOR", "PRODUCT", "ACCOUNT", "SINCE")
                for purchase in $0.purchases {
                    table.add(
                        purchase.itemID, purchase.kind.rawValue, purchase.productID.rawValue,
                        purchase.accountID.rawValue, purchase.date.shown)
                }
                return table.text
            }
        },
        decision("approve", .approve, "say yes to a purchase that waits for approval"),
        decision("decline", .decline, "say no to it"),
        decision("lapse", .lapse, "let it wait until it is dropped"),
        decision("resolve", .resolve, "solve what interrupted a purchase, so that it goes through"),
        ControlVerb(
            "promote", takes: "DEVICE PRODUCT", count: 2...2, options: ["--offer"],
            "tap on a promoted purchase on the App Store's page"
        ) { store, words in
            let request = PromoteRequest(
                deviceID: DeviceID(words[0]), productID: ProductID(words[1]),
                offerID: words.value("--offer"))
            return ControlReport(
                try await store.call(.promote, body: request, as: PurchaseIntentItem.self)
            ) { "\($0.productID) waits for the app as \($0.intentID)" }
        },
    ]

    private static func order(_ words: VerbWords) throws(UsageError) -> ControlBuyRequest {
        var order = ControlBuyRequest(
            productID: ProductID(words[0]), accountID: words.value("--account"),
            environment: words.value("--environment"), deviceID: words.value("--device"),
            quantity: try words.number("--quantity", in: 1...10) ?? 1,
            appAccountToken: words.value("--app-account-token"),
            outcome: words.value("--outcome"), failure: words.value("--failure"),
            outsideApp: words.has("--outside-app"))
        if let offer = words.value("--offer") {
            order.offer = PurchaseOffer(
                kind: words.value("--offer-kind") ?? .promotional, offerID: offer)
        }
        return order
    }

    private static func decision(
        _ name: String, _ kind: WaitingDecisionKind, _ summary: String
    ) -> ControlVerb {
        ControlVerb(name, takes: "PAYMENT", count: 1...1, summary) { store, words in
            ControlReport(
                try await store.call(
                    .decide, ["item": words[0]], body: WaitingDecision(decision: kind),
                    as: ControlBuyResponse.self), \.shown)
        }
    }
}

extension ControlBuyResponse {
    fileprivate var shown: String {
        var facts = TextFacts()
        facts.add("outcome", outcome.rawValue)
        facts.add("failure", failure.map { "\($0.code): \($0.message)" })
        facts.add("payment", itemID)
        facts.add("device", deviceID.rawValue)
        facts.add("transaction", transactionID?.rawValue)
        facts.add("original", originalTransactionID?.rawValue)
        return facts.text
    }
}
