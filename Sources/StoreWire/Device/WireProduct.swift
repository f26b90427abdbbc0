public import AppStoreModel

/// Asks for products.
public struct ProductsRequest: Codable, Sendable, Hashable {
    /// The wanted ones; all when left out.
    public var productIDs: [ProductID]?

    /// Makes the value out of its fields.
    public init(
        productIDs: [ProductID]? = nil
    ) {
        self.productIDs = productIDs
    }

    private enum CodingKeys: String, CodingKey {
        case productIDs = "productIds"
    }
}

/// The products that the store knows, and the names that it does not.
public struct ProductsResponse: Codable, Sendable, Hashable {
    /// In the order of the catalog.
    public var products: [WireProduct]
    /// Asked for and not there.
    public var invalidProductIDs: [ProductID]

    /// Makes the value out of its fields.
    public init(
        products: [WireProduct], invalidProductIDs: [ProductID]
    ) {
        self.products = products
        self.invalidProductIDs = invalidProductIDs
    }

    private enum CodingKeys: String, CodingKey {
        case products
        case invalidProductIDs = "invalidProductIds"
    }
}

/// A product as a device sees it: in its language and its storefront's currency.
public struct WireProduct: Codable, Sendable, Hashable {
    /// The product's name.
    public var productID: ProductID
    /// Apple's word for the kind.
    public var type: ProductType
    /// In the device's language.
    public var displayName: String
    /// In the device's language.
    public var description: String
    /// In milliunits of the currency.
    public var price: Int64
    /// For people, as `$4.99`.
    public var displayPrice: String
    /// ISO 4217.
    public var currency: String
    /// Whether family members may share it.
    public var isFamilyShareable: Bool
    /// For auto-renewable subscriptions alone.
    public var subscription: WireSubscription?

    /// Makes the value out of its fields.
    public init(
        productID: ProductID, type: ProductType, displayName: String, description: String,
        price: Int64, displayPrice: String, currency: String, isFamilyShareable: Bool,
        subscription: WireSubscription? = nil
    ) {
        self.productID = productID
        self.type = type
        self.displayName = displayName
        self.description = description
        self.price = price
        self.displayPrice = displayPrice
        self.currency = currency
        self.isFamilyShareable = isFamilyShareable
        self.subscription = subscription
    }

    private enum CodingKeys: String, CodingKey {
        case productID = "productId"
        case type
        case displayName
        case description
        case price
        case displayPrice
        case currency
        case isFamilyShareable
        case subscription
    }
}

/// What makes a product a subscription.
public struct WireSubscription: Codable, Sendable, Hashable {
    /// Its group.
    public var groupID: SubscriptionGroupID
    /// The group's name for people.
    public var groupDisplayName: String
    /// The level of service; 1 is the highest.
    public var groupLevel: Int
    /// ISO 8601, as `P1M`.
    public var period: String
    /// Whether this device's account may have the introductory offer.
    public var isEligibleForIntroOffer: Bool
    /// The offer for new subscribers.
    public var introductoryOffer: WireOffer?
    /// The offers that the app may sign.
    public var promotionalOffers: [WireOffer]
    /// The win-back offers, whether or not this account may have them.
    public var winBackOffers: [WireOffer]
    /// The ways to pay for a period.
    public var pricingTerms: [WirePricingTerms]

    /// Makes the value out of its fields.
    public init(
        groupID: SubscriptionGroupID, groupDisplayName: String, groupLevel: Int,
        period:
            String, isEligibleForIntroOffer: Bool, introductoryOffer: WireOffer? = nil,
        promotionalOffers: [WireOffer], winBackOffers: [WireOffer],
        pricingTerms:
            [WirePricingTerms]
    ) {
        self.groupID = groupID
        self.groupDisplayName = groupDisplayName
        self.groupLevel = groupLevel
        self.period = period
        self.isEligibleForIntroOffer = isEligibleForIntroOffer
        self.introductoryOffer = introductoryOffer
        self.promotionalOffers = promotionalOffers
        self.winBackOffers = winBackOffers
        self.pricingTerms = pricingTerms
    }

    private enum CodingKeys: String, CodingKey {
        case groupID = "groupId"
        case groupDisplayName
        case groupLevel
        case period
        case isEligibleForIntroOffer
        case introductoryOffer
        case promotionalOffers
        case winBackOffers
        case pricingTerms
    }
}

/// A reduced price for a while.
public struct WireOffer: Codable, Sendable, Hashable {
    /// The offer's name; none for an introductory offer.
    public var id: String?
    /// Which of the kinds.
    public var type: WireOfferKind
    /// In milliunits for each period of the offer.
    public var price: Int64
    /// For people.
    public var displayPrice: String
    /// How it is paid.
    public var paymentMode: WirePaymentMode
    /// ISO 8601.
    public var period: String
    /// How many such periods.
    public var periodCount: Int

    /// Makes the value out of its fields.
    public init(
        id: String? = nil, type: WireOfferKind, price: Int64, displayPrice: String,
        paymentMode: WirePaymentMode, period: String, periodCount: Int
    ) {
        self.id = id
        self.type = type
        self.price = price
        self.displayPrice = displayPrice
        self.paymentMode = paymentMode
        self.period = period
        self.periodCount = periodCount
    }
}

/// One way to pay for a subscription's period.
public struct WirePricingTerms: Codable, Sendable, Hashable {
    /// `BILLED_UPFRONT` or `MONTHLY`.
    public var billingPlanType: String
    /// In milliunits for each bill.
    public var billingPrice: Int64
    /// For people.
    public var billingDisplayPrice: String
    /// ISO 8601.
    public var billingPeriod: String
    /// In milliunits for the whole commitment.
    public var commitmentPrice: Int64
    /// ISO 8601.
    public var commitmentPeriod: String

    /// Makes the value out of its fields.
    public init(
        billingPlanType: String, billingPrice: Int64, billingDisplayPrice: String,
        billingPeriod: String, commitmentPrice: Int64, commitmentPeriod: String
    ) {
        self.billingPlanType = billingPlanType
        self.billingPrice = billingPrice
        self.billingDisplayPrice = billingDisplayPrice
        self.billingPeriod = billingPeriod
        self.commitmentPrice = commitmentPrice
        self.commitmentPeriod = commitmentPeriod
    }
}

/// The kinds of offers.
public struct WireOfferKind: RawRepresentable, Codable, Sendable, Hashable {
    /// The word on the wire; unknown ones pass.
    public let rawValue: String
    /// Takes any word.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// For new subscribers.
    public static let introductory = WireOfferKind(rawValue: "introductory")
    /// Signed by the developer.
    public static let promotional = WireOfferKind(rawValue: "promotional")
    /// By an offer code.
    public static let code = WireOfferKind(rawValue: "code")
    /// For those who left.
    public static let winBack = WireOfferKind(rawValue: "winBack")
}

/// How an offer is paid.
public struct WirePaymentMode: RawRepresentable, Codable, Sendable, Hashable {
    /// The word on the wire; unknown ones pass.
    public let rawValue: String
    /// Takes any word.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Nothing for a while.
    public static let freeTrial = WirePaymentMode(rawValue: "freeTrial")
    /// Less in each period.
    public static let payAsYouGo = WirePaymentMode(rawValue: "payAsYouGo")
    /// Once for the offer's whole time.
    public static let payUpFront = WirePaymentMode(rawValue: "payUpFront")
}
