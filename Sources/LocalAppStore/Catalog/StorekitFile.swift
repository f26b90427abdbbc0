import AppStoreModel

extension Catalog {
    /// The most bytes that a catalog file may have.
    public static let fileSizeLimit = 16 << 20

    /// Reads a `.storekit` file of any version from 1.0 to 5.0.
    ///
    /// Unknown keys pass; a value that cannot be used is an error that names its place.
    public init(storekit bytes: [UInt8], source: String) throws(CatalogError) {
        guard bytes.count <= Self.fileSizeLimit else {
            throw CatalogError(path: "", line: 1, reason: "more than 16 MiB")
        }
        let root = Node(json: try LocatedJSON(bytes), path: "")
        guard case .object = root.json.content else { throw root.wrong("not an object") }
        self.init(
            source: source, products: [], groups: [], settings: CatalogSettings(), offersKey: nil)
        for product in try root.list("products") + root.list("nonRenewingSubscriptions") {
            products.append(try Product(product, type: try product.productType()))
        }
        for group in try root.list("subscriptionGroups") {
            let id = SubscriptionGroupID(try group.text("id"))
            guard self.group(id) == nil else { throw group.wrong("a second group \(id)") }
            groups.append(
                SubscriptionGroup(id: id, displayName: try group.text("name", or: id.rawValue)))
            for subscription in try group.list("subscriptions") {
                var product = try Product(subscription, type: .autoRenewable)
                product.subscription = try SubscriptionTerms(subscription, group: id)
                products.append(product)
            }
        }
        var seen: Set<ProductID> = []
        for product in products where !seen.insert(product.id).inserted {
            throw root.wrong("two products are named \(product.id)")
        }
        if let settings = try root.member("settings") {
            self.settings = try CatalogSettings(settings)
        }
        if let key = try root.member("subscriptionOffersKeyPair") {
            offersKey = OffersKey(
                id: try key.text("id"), privateKey: try key.text("privateKey"))
        }
    }
}

/// A value of the file with its place.
private struct Node {
    let json: LocatedJSON
    let path: String

    func wrong(_ reason: String) -> CatalogError {
        CatalogError(path: path, line: json.line, reason: reason)
    }

    /// A member; nothing when it is absent or null.
    func member(_ name: String) throws(CatalogError) -> Node? {
        guard case .object(let members) = json.content else {
            throw wrong("an object is wanted, this is \(json.kind)")
        }
        guard let value = members[name] else { return nil }
        if case .null = value.content { return nil }
        return Node(json: value, path: path.isEmpty ? name : "\(path).\(name)")
    }

    func list(_ name: String) throws(CatalogError) -> [Node] {
        guard let node = try member(name) else { return [] }
        guard case .array(let elements) = node.json.content else {
            throw node.wrong("a list is wanted, this is \(node.json.kind)")
        }
        guard elements.count <= 10_000 else { throw node.wrong("more than 10,000 elements") }
        return elements.enumerated().map { index, element in
            Node(json: element, path: "\(node.path)[\(index)]")
        }
    }

    func text(_ name: String, or usual: String? = nil) throws(CatalogError) -> String {
        guard let node = try member(name) else {
            guard let usual else { throw wrong("\(name) is missing") }
            return usual
        }
        guard case .string(let text) = node.json.content else {
            throw node.wrong("a text is wanted, this is \(node.json.kind)")
        }
        if usual == nil, text.isEmpty { throw node.wrong("an empty text") }
        return text
    }

    func flag(_ name: String) throws(CatalogError) -> Bool {
        guard let node = try member(name) else { return false }
        guard case .bool(let flag) = node.json.content else {
            throw node.wrong("true or false is wanted, this is \(node.json.kind)")
        }
        return flag
    }

    func whole(_ name: String, in range: ClosedRange<Int>) throws(CatalogError) -> Int? {
        guard let node = try member(name) else { return nil }
        guard case .number(let number) = node.json.content, let whole = Int(exactly: number) else {
            throw node.wrong("a whole number is wanted, this is \(node.json.kind)")
        }
        guard range.contains(whole) else {
            throw node.wrong("\(whole) is not from \(range.lowerBound) to \(range.upperBound)")
        }
        return whole
    }

    /// A number that nothing depends on, with or without quotes; 0 for anything else.
    func number(_ name: String) throws(CatalogError) -> Int64 {
        switch try member(name)?.json.content {
        case .string(let text): Int64(text) ?? 0
        case .number(let number): Int64(exactly: number) ?? 0
        default: 0
        }
    }

    func price(_ name: String) throws(CatalogError) -> Int64? {
        guard let node = try member(name) else { return nil }
        guard case .string(let text) = node.json.content else {
            throw node.wrong("a price in quotes is wanted, this is \(node.json.kind)")
        }
        guard let price = PriceText.milliunits(text) else {
            throw node.wrong("\"\(text)\" is no price")
        }
        return price
    }

    func period(_ name: String) throws(CatalogError) -> Period {
        let text = try text(name)
        guard let period = Period(iso8601: text) else {
            throw (try member(name) ?? self).wrong("\"\(text)\" is no period such as P1M")
        }
        return period
    }

    func productType() throws(CatalogError) -> ProductType {
        let word = try text("type")
        switch word {
        case "Consumable": return .consumable
        case "NonConsumable": return .nonConsumable
        case "NonRenewingSubscription": return .nonRenewing
        default: throw (try member("type") ?? self).wrong("\"\(word)\" is no type of product")
        }
    }
}

extension Product {
    fileprivate init(_ node: Node, type: ProductType) throws(CatalogError) {
        var localizations: [Localization] = []
        for text in try node.list("localizations") {
            localizations.append(
                Localization(
                    locale: try text.text("locale", or: "en_US"),
                    displayName: try text.text("displayName", or: ""),
                    description: try text.text("description", or: "")))
        }
        guard let price = try node.price("displayPrice") else {
            throw node.wrong("displayPrice is missing")
        }
        var codeOffers: [Offer] = []
        if type != .autoRenewable {
            for offer in try node.list("codeOffers") {
                codeOffers.append(try Offer(offer, kind: .offerCode, oneTime: true))
            }
        }
        self.init(
            id: ProductID(try node.text("productID")), type: type,
            referenceName: try node.text("referenceName", or: ""), price: price,
            isFamilyShareable: try node.flag("familyShareable"), localizations: localizations,
            codeOffers: codeOffers,
            appleID: try node.number("internalID"))
        if referenceName?.isEmpty == true { referenceName = nil }
    }
}

extension SubscriptionTerms {
    fileprivate init(_ node: Node, group: SubscriptionGroupID) throws(CatalogError) {
        var offers: [Offer] = []
        // Version 5 has a list and still writes the single offer; a list without it is empty.
        let introductory = try node.list("introductoryOffers")
        if let only = try node.member("introductoryOffer") {
            offers.append(try Offer(only, kind: .introductory))
        } else if let first = introductory.first {
            offers.append(try Offer(first, kind: .introductory))
        }
        for (key, kind) in [
            ("adHocOffers", OfferType.promotional), ("codeOffers", .offerCode),
            ("winbackOffers", .winBack),
        ] {
            for offer in try node.list(key) { offers.append(try Offer(offer, kind: kind)) }
        }
        var plans: [BillingPlan] = []
        for plan in try node.list("billingPlans") where try plan.flag("isEnabled") {
            guard let price = try plan.price("displayPrice") else {
                throw plan.wrong("displayPrice is missing")
            }
            plans.append(
                BillingPlan(
                    type: BillingPlanType(rawValue: try plan.text("billingPlanType")), price: price,
                    commitmentPrice: try plan.price("commitmentDisplayPrice") ?? price))
        }
        self.init(
            groupID: group, level: try node.whole("groupNumber", in: 1...1_000) ?? 1,
            period: try node.period("recurringSubscriptionPeriod"), offers: offers,
            billingPlans: plans)
    }
}

extension Offer {
    fileprivate init(
        _ node: Node, kind: OfferType, oneTime: Bool = false
    ) throws(CatalogError) {
        let word = try node.text("paymentMode", or: oneTime ? "oneTime" : nil)
        let mode: OfferDiscountType
        switch word {
        case "free": mode = oneTime ? .oneTime : .freeTrial
        case "payAsYouGo": mode = .payAsYouGo
        case "payUpFront": mode = .payUpFront
        case "oneTime": mode = .oneTime
        default:
            throw (try node.member("paymentMode") ?? node).wrong("\"\(word)\" is no payment mode")
        }
        let price = try node.price("displayPrice") ?? 0
        var eligibility: [String] = []
        if let list = try node.member("eligibility"), case .array(let words) = list.json.content {
            eligibility = words.compactMap {
                if case .string(let word) = $0.content { word } else { nil }
            }
        }
        let name =
            switch kind {
            case .introductory: nil as String?
            case .offerCode: try node.text("referenceName")
            default: try node.text("offerID")
            }
        self.init(
            kind: kind, id: name, mode: mode, price: mode == .freeTrial ? 0 : price,
            period: oneTime ? Period(oneOf: .month) : try node.period("subscriptionPeriod"),
            periodCount: try node.whole("numberOfPeriods", in: 1...60) ?? 1,
            eligibility: eligibility, isStackable: try node.flag("isStackable"),
            isEligible: kind == .winBack ? try node.flag("isEligible") : true)
    }
}

extension CatalogSettings {
    fileprivate init(_ node: Node) throws(CatalogError) {
        self.init()
        storefront = try node.text("_storefront", or: "USA")
        if Storefront(countryCode: storefront) == nil {
            throw (try node.member("_storefront") ?? node).wrong(
                "no storefront of \"\(storefront)\" is known")
        }
        locale = try node.text("_locale", or: "en_US")
        // A rate that this store does not know is real time, as Xcode of another version does.
        let rate = try node.whole("_timeRate", in: 0...1_000_000) ?? 0
        renewalRate = rate == 0 ? nil : RenewalRate(timeRate: rate)
        asksToBuy = try node.flag("_askToBuyEnabled")
        interruptsPurchases = try node.flag("_billingIssuesEnabled")
        renewalsFail = try node.flag("_renewalBillingIssuesEnabled")
        hasGracePeriod = try node.flag("_billingGracePeriodEnabled")
        for error in try node.list("_storeKitErrors") where try error.flag("enabled") {
            let current = try error.member("current")
            let index = try current?.whole("index", in: 0...1_000) ?? 0
            let type = try current?.text("type", or: "generic") ?? "generic"
            errors[try error.text("name")] = StoreKitErrorName.named(type: type, index: index)
        }
        if try node.flag("_failTransactionsEnabled") {
            let code = try node.whole("_storeKitError", in: 0...100) ?? 0
            errors["Purchase"] = StoreKitErrorName.skError(code)
        }
    }
}
