#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// A product as the store sells it to this person.
public struct TillProduct: Sendable, Hashable, Identifiable {
    /// Its name in the catalog.
    public var id: ProductID
    /// What kind of thing it is; StoreKit 1 does not say it for what is no subscription.
    public var kind: ProductType?
    /// The name for people.
    public var displayName: String
    /// The description for people.
    public var description: String
    /// The price in the storefront's currency.
    public var price: Decimal
    /// The currency by ISO 4217.
    public var currencyCode: String?
    /// The price for people.
    public var displayPrice: String
    /// Whether family members may share it.
    public var isFamilyShareable: Bool
    /// For auto-renewable subscriptions alone.
    public var subscription: SubscriptionTerms?

    /// Makes a product.
    public init(
        id: ProductID, kind: ProductType? = nil, displayName: String, description: String = "",
        price: Decimal, currencyCode: String? = nil, displayPrice: String,
        isFamilyShareable: Bool = false, subscription: SubscriptionTerms? = nil
    ) {
        self.id = id
        self.kind = kind
        self.displayName = displayName
        self.description = description
        self.price = price
        self.currencyCode = currencyCode
        self.displayPrice = displayPrice
        self.isFamilyShareable = isFamilyShareable
        self.subscription = subscription
    }
}

/// What makes a product a subscription.
public struct SubscriptionTerms: Sendable, Hashable {
    /// The group of which a person holds one at a time.
    public var groupID: SubscriptionGroupID?
    /// How long each payment lasts.
    public var period: BillingPeriod
    /// The offer for those who never had one in the group.
    public var introductoryOffer: OfferTerms?
    /// The offers that the app's server may sign.
    public var promotionalOffers: [OfferTerms]
    /// The offers for those who left; the store says who may have them (iOS 18).
    public var winBackOffers: [OfferTerms]

    /// Makes terms.
    public init(
        groupID: SubscriptionGroupID?, period: BillingPeriod, introductoryOffer: OfferTerms? = nil,
        promotionalOffers: [OfferTerms] = [], winBackOffers: [OfferTerms] = []
    ) {
        self.groupID = groupID
        self.period = period
        self.introductoryOffer = introductoryOffer
        self.promotionalOffers = promotionalOffers
        self.winBackOffers = winBackOffers
    }
}

/// A stretch of calendar time.
public struct BillingPeriod: Sendable, Hashable {
    /// The units of which it counts some.
    public enum Unit: String, Sendable, Hashable {
        /// Days.
        case day
        /// Weeks.
        case week
        /// Months.
        case month
        /// Years.
        case year
    }

    /// The unit.
    public var unit: Unit
    /// How many of them.
    public var count: Int

    /// Makes a period; seven days are one week, since the store says both.
    public init(unit: Unit, count: Int) {
        let isWeeks = unit == .day && count > 0 && count % 7 == 0
        self.unit = isWeeks ? .week : unit
        self.count = isWeeks ? count / 7 : count
    }
}

/// A reduced price for a while.
public struct OfferTerms: Sendable, Hashable {
    /// How it is paid.
    public enum PaymentMode: String, Sendable, Hashable {
        /// Nothing for a while.
        case freeTrial
        /// Less in each period.
        case payAsYouGo
        /// Once for the offer's whole time.
        case payUpFront
    }

    /// Its name; none for an introductory offer.
    public var id: String?
    /// How it is paid.
    public var paymentMode: PaymentMode
    /// The price of one period of the offer.
    public var price: Decimal
    /// The price for people.
    public var displayPrice: String
    /// The length of one period of the offer.
    public var period: BillingPeriod
    /// How many such periods.
    public var periodCount: Int

    /// Makes an offer.
    public init(
        id: String? = nil, paymentMode: PaymentMode, price: Decimal, displayPrice: String,
        period: BillingPeriod, periodCount: Int
    ) {
        self.id = id
        self.paymentMode = paymentMode
        self.price = price
        self.displayPrice = displayPrice
        self.period = period
        self.periodCount = periodCount
    }
}

/// Whether a person may have the introductory offer of a subscription.
public enum IntroductoryOfferEligibility: String, Sendable, Hashable {
    /// The store or the server's history says so.
    case eligible
    /// The offer was used, or there is none.
    case ineligible
    /// Neither the store nor the server can say; show the regular price.
    case unknown
}

/// An offer to buy with.
public enum PurchaseOffer: Sendable, Hashable {
    /// A promotional offer by its identifier; the server signs it for this one purchase.
    case promotional(id: String)
    /// The introductory offer of the product, for somebody whom the server allows it whatever the store
    /// thinks; with StoreKit 2.
    ///
    /// Without this the store itself gives it to whom it thinks fit.
    case introductory
    /// An offer to come back, by its identifier; with StoreKit 2 from iOS 18 on.
    case winBack(id: String)
}
