/// Whose a product is that this device's Apple account holds.
public enum ProductOwner: Sendable, Hashable {
    /// The customer's who is logged in.
    case you
    /// Another customer's of this app, who is never named: to sell it once more to one Apple account
    /// would pay for the other's.
    case anotherCustomer
    /// Nobody's: the Apple account does not hold it, or nobody has shown it yet.
    case nobody
    /// Nobody can say now; the failure tells why.
    case unknown(TillFailure)
}

/// What a page that sells shows of one product.
public struct ProductOnSale: Sendable, Hashable {
    /// The product with its regular price.
    public var product: TillProduct
    /// Whether this person may have the introductory offer.
    public var eligibility: IntroductoryOfferEligibility
    /// The introductory offer to show; none unless the person may have it.
    public var introductoryOffer: OfferTerms? {
        eligibility == .eligible ? product.subscription?.introductoryOffer : nil
    }

    /// Makes a value.
    public init(product: TillProduct, eligibility: IntroductoryOfferEligibility) {
        self.product = product
        self.eligibility = eligibility
    }
}
