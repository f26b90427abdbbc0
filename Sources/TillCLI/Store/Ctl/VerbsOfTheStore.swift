import AppStoreModel
import Foundation
import StoreWire

extension ControlVerb {
    /// The store itself: its names and keys, its catalog, its settings.
    static let aboutStore: [ControlVerb] = [
        ControlVerb("info", "everything that one needs to use the store, keys too") { store, _ in
            ControlReport(try await store.call(.info, as: StoreInfo.self), \.shown)
        },
        ControlVerb("catalog", "the products") { store, _ in
            ControlReport(try await store.call(.catalog, as: CatalogInfo.self), \.shown)
        },
        ControlVerb(
            "catalog load", takes: "FILE", count: 1...1, "take a .storekit file as the catalog"
        ) {
            store, words in
            guard let file = FileManager.default.contents(atPath: words[0]) else {
                throw UsageError("\(words[0]) cannot be read")
            }
            return ControlReport(
                try await store.upload(
                    .replaceCatalog, query: [("name", words[0])], file: file, as: CatalogInfo.self),
                \.shown)
        },
        ControlVerb(
            "product", takes: "PRODUCT", count: 1...1, options: ["--price", "--for-sale"],
            "change a product"
        ) { store, words in
            let change = ProductChange(
                price: try words.number("--price").map { Int64($0) },
                isForSale: try words.choice("--for-sale"))
            return ControlReport(
                try await store.call(
                    .changeProduct, ["product": words[0]], body: change, as: CatalogProduct.self)
            ) { "\($0.productID) costs \(Price.text($0.price, $0.currency))" }
        },
        ControlVerb(
            "codes", takes: "PRODUCT OFFER", count: 2...2, options: ["--code", "--count"],
            "make offer codes"
        ) { store, words in
            let request = OfferCodesRequest(
                productID: ProductID(words[0]), offerID: words[1], code: words.value("--code"),
                count: try words.number("--count") ?? 1)
            return ControlReport(
                try await store.call(.makeCodes, body: request, as: OfferCodesResponse.self)
            ) { $0.codes.joined(separator: "\n") }
        },
        ControlVerb(
            "environment", takes: "ENVIRONMENT", count: 1...1,
            options: [
                "--notify", "--notification-version", "--renewal-rate", "--grace",
                "--grace-excludes-trials",
            ], "change Sandbox or Production: notifications, rate of renewals, grace period"
        ) { store, words in
            let change = EnvironmentChange(
                notificationURL: words.value("--notify"),
                notificationVersion: try words.number("--notification-version"),
                renewalRate: words.value("--renewal-rate"),
                gracePeriodDays: try words.number("--grace"),
                graceExcludesTrials: try words.choice("--grace-excludes-trials"))
            return ControlReport(
                try await store.call(
                    .changeEnvironment, ["environment": words[0]], body: change,
                    as: EnvironmentInfo.self), \.shown)
        },
        ControlVerb("reset", "forget everything but keys and settings") { store, _ in
            ControlReport(try await store.call(.reset, as: StoreInfo.self)) { _ in
                "the store is as new"
            }
        },
    ]
}

extension StoreInfo {
    fileprivate var shown: String {
        var facts = TextFacts()
        facts.add("app", "\(bundleID) (\(appAppleID)), \(appName)")
        facts.add("clock", "\(clock.now.shown), rate \(clock.rate)")
        facts.add("root", Fingerprint.text(rootFingerprint))
        facts.add("key id", apiKey.keyID)
        facts.add("issuer id", apiKey.issuerID)
        facts.add("shared secret", sharedSecret)
        facts.add("seed", "\(seed)")
        for environment in environments {
            facts.add(environment.environment.rawValue, environment.shown)
        }
        return facts.text + "\n\n" + ProductTable.text(products) + "\n\n" + apiKey.privateKey
    }
}

extension EnvironmentInfo {
    fileprivate var shown: String {
        "notifications \(notificationURL.map { "V\(notificationVersion) to \($0)" } ?? "to nowhere"), "
            + "renewals \(renewalRate), grace \(gracePeriodDays.map { "\($0) days" } ?? "none")"
    }
}

extension CatalogInfo {
    fileprivate var shown: String {
        "\(source), \(storefront), \(locale)\n\n" + ProductTable.text(products)
    }
}

private enum ProductTable {
    static func text(_ products: [CatalogProduct]) -> String {
        var table = TextTable("PRODUCT", "TYPE", "PRICE", "PERIOD", "GROUP", "OFFERS")
        for product in products {
            table.add(
                product.productID.rawValue, product.type.rawValue,
                Price.text(product.price, product.currency) + (product.isForSale ? "" : " (off)"),
                product.period, product.groupID?.rawValue,
                product.offers.isEmpty
                    ? nil
                    : product.offers.map { $0.id ?? $0.type.rawValue }.joined(separator: ", "))
        }
        return table.text
    }
}
