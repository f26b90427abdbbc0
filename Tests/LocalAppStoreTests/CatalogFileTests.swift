import AppStoreModel
import TestKit
import Testing

@testable import LocalAppStore

@Suite struct CatalogFileTests {
    static let files = AppleSamples.names(in: "storekit").filter { $0.hasSuffix(".storekit") }

    @Test(.enabled(if: AppleSamples.areThere, Comment(rawValue: AppleSamples.comment)))
    func `Every real configuration file from version 1 to 5 loads`() throws {
        #expect(Self.files.count == 13)
        var kinds: Set<OfferType> = []
        for name in Self.files {
            let catalog = try Catalog(
                storekit: try AppleSamples.bytes("storekit/" + name), source: name)
            #expect(catalog.source == name)
            for product in catalog.products {
                #expect((product.type == .autoRenewable) == (product.subscription != nil))
                kinds.formUnion((product.subscription?.offers ?? []).map(\.kind))
            }
        }
        #expect(kinds == [.introductory, .promotional, .offerCode, .winBack])
    }

    @Test(.enabled(if: AppleSamples.areThere, Comment(rawValue: AppleSamples.comment)))
    func `A version 5 file keeps its offers, levels and monthly plan`() throws {
        let name = try #require(Self.files.first { $0.hasPrefix("storekit_04") })
        let catalog = try Catalog(
            storekit: try AppleSamples.bytes("storekit/" + name), source: name)
        let monthly = try #require(catalog.product("com.revenuecat.monthly_4.99.1_week_intro"))
        let terms = try #require(monthly.subscription)
        #expect(monthly.price == 4_990)
        #expect(terms.period.description == "P1M")
        #expect(terms.offers.filter { $0.kind == .introductory }.count == 1)
        #expect(monthly.offer(.introductory, nil)?.period.description == "P3M")
        let paid = try #require(
            monthly.offer(.promotional, "com.revenuecat.monthly_4.99.1_week_intro.pay_as_you_go"))
        #expect(paid.periodCount == 2 && paid.price == 20_150 && paid.mode == .payAsYouGo)
        let committed = try #require(catalog.product("com.revenuecat.annual_with_commitment"))
        let plan = try #require(
            committed.subscription?.billingPlans.first { $0.type == .monthly })
        #expect(plan.price == 500 && plan.commitmentPrice == 6_000)
        #expect(catalog.product("lifetime")?.isFamilyShareable == true)
    }

    @Test func `Unknown keys pass, and what a file leaves out is usual`() throws {
        let text = """
            {"future": {"a": [1, 2.5e3, null]}, "products": [
              {"productID": "p", "type": "Consumable", "displayPrice": "0.99", "other": true}]}
            """
        let catalog = try Catalog(storekit: Array(text.utf8), source: "x")
        let product = try #require(catalog.products.first)
        #expect(product.id == "p" && product.price == 990 && !product.isFamilyShareable)
        #expect(product.displayName("en_US") == "p")
        #expect(catalog.settings == CatalogSettings())
    }

    @Test
    func `A file of any country loads, and numbers that nothing depends on may have any form`()
        throws
    {
        for country in ["USA", "ROU", "NGA", "EST", "KAZ", "PER"] {
            let text = """
                {"settings": {"_storefront": "\(country)"}, "version": {"major": 99}, "products": [
                  {"productID": "p", "type": "Consumable", "displayPrice": "1", "internalID": 17},
                  {"productID": "q", "type": "Consumable", "displayPrice": "1", "internalID": "18"},
                  {"productID": "r", "type": "Consumable", "displayPrice": "1", "internalID": {}}]}
                """
            let catalog = try Catalog(storekit: Array(text.utf8), source: "x")
            #expect(catalog.settings.storefront == country)
            #expect(catalog.products.map(\.appleID) == [17, 18, 0])
        }
        #expect(throws: CatalogError.self) {
            try Catalog(
                storekit: Array(#"{"settings": {"_storefront": "XYZ"}}"#.utf8), source: "x")
        }
    }

    @Test(arguments: [
        ("{\"products\": [", "line 1: the file ends too early"),
        ("{\"products\":\n [}", "line 2: no JSON value"),
        ("{\"products\":\n {}}", "line 2, products: a list is wanted, this is an object"),
        (
            "{\"products\": [\n{\"productID\": \"a\",\n\"type\": \"Car\", \"displayPrice\": \"1\"}]}",
            "line 3, products[0].type: \"Car\" is no type of product"
        ),
        (
            "{\"products\": [{\"type\": \"Consumable\",\n\"displayPrice\": \"1\"}]}",
            "line 1, products[0]: productID is missing"
        ),
        (
            "{\"products\": [{\"type\": \"Consumable\", \"productID\": \"a\",\n\"displayPrice\": 1}]}",
            "line 2, products[0].displayPrice: a price in quotes is wanted, this is a number"
        ),
        (
            "{\"products\": [{\"type\": \"Consumable\", \"productID\": \"a\",\n\"displayPrice\": \"1,50\"}]}",
            "line 2, products[0].displayPrice: \"1,50\" is no price"
        ),
        (
            "{\"subscriptionGroups\": [{\"id\": \"g\", \"subscriptions\": [\n{\"productID\": \"a\", \"displayPrice\": \"1\", \"recurringSubscriptionPeriod\": \"1M\"}]}]}",
            "line 2, subscriptionGroups[0].subscriptions[0].recurringSubscriptionPeriod: \"1M\" is no period such as P1M"
        ),
        ("[]", "line 1: not an object"),
        (
            "{\"settings\": {\"_storefront\": \"XYZ\"}}",
            "line 1, settings._storefront: no storefront of \"XYZ\" is known"
        ),
        ("{} x", "line 1: text after the end of the JSON value"),
    ])
    func `A broken file is told with its line and place`(text: String, message: String) {
        #expect {
            _ = try Catalog(storekit: Array(text.utf8), source: "x")
        } throws: { error in
            "\(error)" == message
        }
    }

    @Test func `Two products of one name are refused`() {
        let one = "{\"productID\": \"a\", \"type\": \"Consumable\", \"displayPrice\": \"1\"}"
        #expect(throws: CatalogError.self) {
            _ = try Catalog(
                storekit: Array("{\"products\": [\(one), \(one)]}".utf8), source: "x")
        }
    }

    @Test func `Deep nesting and half a character are refused, and a whole character is read`()
        throws
    {
        let deep = String(repeating: "[", count: 100) + String(repeating: "]", count: 100)
        #expect(throws: CatalogError.self) { _ = try LocatedJSON(Array(deep.utf8)) }
        #expect(throws: CatalogError.self) { _ = try LocatedJSON(Array("\"\\uD83D\"".utf8)) }
        guard case .string(let text) = try LocatedJSON(Array("\"\\uD83D\\uDE00\\n\"".utf8)).content
        else {
            Issue.record("no text")
            return
        }
        #expect(text == "😀\n")
    }

    @Test func `The built-in catalog sells every kind of thing`() {
        let catalog = Catalog.builtIn
        let types = Set(catalog.products.map(\.type))
        #expect(types == [.consumable, .nonConsumable, .nonRenewing, .autoRenewable])
        #expect(
            catalog.products.filter { $0.type == .consumable }.map(\.id.rawValue) == [
                "com.example.coins20", "com.example.coins100", "com.example.coins600",
                "com.example.coins1000", "com.example.coins6000",
            ])
        let levels = Set(catalog.products.compactMap(\.subscription?.level))
        #expect(levels == [1, 2])
        for product in catalog.products where product.subscription != nil {
            let kinds = Set((product.subscription?.offers ?? []).map(\.kind))
            #expect(kinds == [.introductory, .promotional, .offerCode, .winBack])
        }
    }
}

@Suite struct PriceTextTests {
    @Test(arguments: [
        ("4.99", 4_990), ("0", 0), ("12", 12_000), ("0.5", 500), ("100000.00", 100_000_000),
        (".99", 990),
    ])
    func `A price in text is milliunits`(text: String, price: Int64) {
        #expect(PriceText.milliunits(text) == price)
    }

    @Test(arguments: ["", ".", "-1", "+1", "1e3", "1.2.3", "4,99", "99999999999999"])
    func `Another text is no price`(text: String) {
        #expect(PriceText.milliunits(text) == nil)
    }

    @Test func `Money is written in the currency's way`() {
        #expect(PriceText.text(4_990, currency: "USD") == "$4.99")
        #expect(PriceText.text(600_000, currency: "JPY") == "¥600")
        #expect(PriceText.text(9_500, currency: "CHF") == "CHF 9.50")
    }
}
