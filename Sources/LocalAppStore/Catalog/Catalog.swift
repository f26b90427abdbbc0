public import AppStoreModel

/// Everything that the store sells.
public struct Catalog: Sendable, Hashable, Codable {
    /// The file that it came from, or `built-in`.
    public var source: String
    /// The products, in the file's order.
    public var products: [Product]
    /// The subscription groups, in the file's order.
    public var groups: [SubscriptionGroup]
    /// What the file says about how the store behaves.
    public var settings: CatalogSettings
    /// The key for promotional offers that the file carries.
    public var offersKey: OffersKey?

    /// A product by its name.
    public func product(_ id: ProductID) -> Product? { products.first { $0.id == id } }
    /// A subscription group by its name.
    public func group(_ id: SubscriptionGroupID) -> SubscriptionGroup? {
        groups.first { $0.id == id }
    }
}

/// One thing to sell.
public struct Product: Sendable, Hashable, Codable {
    /// Its name.
    public var id: ProductID
    /// Apple's word for the kind.
    public var type: ProductType
    /// The developer's own name for it.
    public var referenceName: String?
    /// In milliunits, in the currency of whichever storefront.
    public var price: Int64
    /// Whether family members may share it.
    public var isFamilyShareable: Bool
    /// Whether it can be bought and renewed.
    public var isForSale: Bool
    /// Its texts.
    public var localizations: [Localization]
    /// What makes it a subscription.
    public var subscription: SubscriptionTerms?
    /// Offer codes for what is no subscription.
    public var codeOffers: [Offer]
    /// Apple's number of the product; 0 when the file has none.
    public var appleID: Int64

    /// Makes a product.
    public init(
        id: ProductID, type: ProductType, referenceName: String? = nil, price: Int64,
        isFamilyShareable: Bool = false, isForSale: Bool = true,
        localizations: [Localization] = [], subscription: SubscriptionTerms? = nil,
        codeOffers: [Offer] = [], appleID: Int64 = 0
    ) {
        self.id = id
        self.type = type
        self.referenceName = referenceName
        self.price = price
        self.isFamilyShareable = isFamilyShareable
        self.isForSale = isForSale
        self.localizations = localizations
        self.subscription = subscription
        self.codeOffers = codeOffers
        self.appleID = appleID
    }

    /// The texts in that language, else in its language without the region, else the first ones.
    public func localization(_ locale: String) -> Localization? {
        let language = locale.prefix { $0 != "_" && $0 != "-" }
        return localizations.first { $0.locale == locale }
            ?? localizations.first { $0.locale.prefix { $0 != "_" && $0 != "-" } == language }
            ?? localizations.first
    }

    /// The name for people; the reference name, else the product's name, where there is no text.
    public func displayName(_ locale: String) -> String {
        let text = localization(locale)?.displayName ?? ""
        return text.isEmpty ? referenceName ?? id.rawValue : text
    }

    /// An offer of one kind by its name.
    func offer(_ kind: OfferType, _ id: String?) -> Offer? {
        let all = (subscription?.offers ?? []) + codeOffers
        return all.first { $0.kind == kind && (kind == .introductory || $0.id == id) }
    }
}

/// The texts of a product in one language.
public struct Localization: Sendable, Hashable, Codable {
    /// As `en_US`.
    public var locale: String
    /// The name for people.
    public var displayName: String
    /// The description for people.
    public var description: String
}

/// What makes a product an auto-renewable subscription.
public struct SubscriptionTerms: Sendable, Hashable, Codable {
    /// Its group.
    public var groupID: SubscriptionGroupID
    /// The level of service; 1 is the highest, equal ones are of the same level.
    public var level: Int
    /// The length of one period.
    public var period: Period
    /// Offers of all four kinds.
    public var offers: [Offer]
    /// The ways to pay; empty for up front alone.
    public var billingPlans: [BillingPlan]
}

/// A way to pay for a period.
public struct BillingPlan: Sendable, Hashable, Codable {
    /// `BILLED_UPFRONT` or `MONTHLY`.
    public var type: BillingPlanType
    /// In milliunits for each bill.
    public var price: Int64
    /// In milliunits for the whole commitment.
    public var commitmentPrice: Int64
}

/// A reduced price for a while.
public struct Offer: Sendable, Hashable, Codable {
    /// Which kind.
    public var kind: OfferType
    /// Its name; none for an introductory offer, the reference name for a code offer.
    public var id: String?
    /// How it is paid.
    public var mode: OfferDiscountType
    /// In milliunits for each of its periods; 0 for a free trial.
    public var price: Int64
    /// The length of one of its periods.
    public var period: Period
    /// How many of them.
    public var periodCount: Int
    /// Of a code offer: who may redeem it, of `new`, `existing` and `expired`; empty for all.
    public var eligibility: [String] = []
    /// Of a code offer: whether the introductory offer comes on top.
    public var isStackable = false
    /// Of a win-back offer: whether the file makes customers eligible.
    public var isEligible = true
}

/// A set of subscriptions of which a customer has one at a time.
public struct SubscriptionGroup: Sendable, Hashable, Codable {
    /// Its name.
    public var id: SubscriptionGroupID
    /// The name for people.
    public var displayName: String
}

/// What a `.storekit` file says about the store's behaviour.
public struct CatalogSettings: Sendable, Hashable, Codable {
    /// The storefront's country.
    public var storefront = "USA"
    /// The language.
    public var locale = "en_US"
    /// The rate of renewals; nothing when the file says nothing.
    public var renewalRate: RenewalRate?
    /// Purchases wait for approval.
    public var asksToBuy = false
    /// Purchases are interrupted.
    public var interruptsPurchases = false
    /// Renewals fail.
    public var renewalsFail = false
    /// Whether there is grace.
    public var hasGracePeriod = false
    /// The calls that fail, by the file's name of the call, with StoreKit's name of the error.
    public var errors: [String: String] = [:]
}

/// The key pair that a file carries for promotional offers.
public struct OffersKey: Sendable, Hashable, Codable {
    /// The name to put in signatures.
    public var id: String
    /// Base64 of the private key (PKCS#8).
    public var privateKey: String
}
