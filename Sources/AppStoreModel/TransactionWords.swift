/// What kind of product was bought.
public struct ProductType: OpenText {
    /// The word that Apple uses.
    public let rawValue: String
    /// Takes any word, known or not.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Used up; may be bought again.
    public static let consumable = Self(rawValue: "Consumable")
    /// Bought once, kept for ever.
    public static let nonConsumable = Self(rawValue: "Non-Consumable")
    /// Runs for a time that the app decides.
    public static let nonRenewing = Self(rawValue: "Non-Renewing Subscription")
    /// Runs until the customer stops it.
    public static let autoRenewable = Self(rawValue: "Auto-Renewable Subscription")
}

/// Whether the customer bought it or has it through the family.
public struct OwnershipType: OpenText {
    /// The word that Apple uses.
    public let rawValue: String
    /// Takes any word, known or not.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Bought by this customer.
    public static let purchased = Self(rawValue: "PURCHASED")
    /// Shared by a member of the family.
    public static let familyShared = Self(rawValue: "FAMILY_SHARED")
    /// Assigned by an organisation.
    public static let assigned = Self(rawValue: "ASSIGNED")
}

/// Which kind of offer applied.
public struct OfferType: OpenNumber {
    /// The number that Apple uses.
    public let rawValue: Int64
    /// Takes any number, known or not.
    public init(rawValue: Int64) { self.rawValue = rawValue }

    /// For new subscribers.
    public static let introductory = Self(rawValue: 1)
    /// Signed by the developer.
    public static let promotional = Self(rawValue: 2)
    /// Redeemed with a code.
    public static let offerCode = Self(rawValue: 3)
    /// For subscribers who left.
    public static let winBack = Self(rawValue: 4)
}

/// How an offer is paid.
public struct OfferDiscountType: OpenText {
    /// The word that Apple uses.
    public let rawValue: String
    /// Takes any word, known or not.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Nothing is paid.
    public static let freeTrial = Self(rawValue: "FREE_TRIAL")
    /// Each period at the offer's price.
    public static let payAsYouGo = Self(rawValue: "PAY_AS_YOU_GO")
    /// Once for the whole offer.
    public static let payUpFront = Self(rawValue: "PAY_UP_FRONT")
    /// Once, for what is no subscription.
    public static let oneTime = Self(rawValue: "ONE_TIME")
}

/// Why Apple took a purchase back.
public struct RevocationReason: OpenNumber {
    /// The number that Apple uses.
    public let rawValue: Int64
    /// Takes any number, known or not.
    public init(rawValue: Int64) { self.rawValue = rawValue }

    /// Another reason.
    public static let other = Self(rawValue: 0)
    /// The customer reported trouble with the app.
    public static let appIssue = Self(rawValue: 1)
}

/// How much of a purchase was taken back.
public struct RevocationType: OpenText {
    /// The word that Apple uses.
    public let rawValue: String
    /// Takes any word, known or not.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// All of it was refunded.
    public static let fullRefund = Self(rawValue: "REFUND_FULL")
    /// A part was refunded.
    public static let proratedRefund = Self(rawValue: "REFUND_PRORATED")
    /// The family member lost access.
    public static let familyRevoke = Self(rawValue: "FAMILY_REVOKE")
}

/// Whether the customer bought or the subscription renewed itself.
public struct TransactionReason: OpenText {
    /// The word that Apple uses.
    public let rawValue: String
    /// Takes any word, known or not.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The customer bought.
    public static let purchase = Self(rawValue: "PURCHASE")
    /// The subscription renewed.
    public static let renewal = Self(rawValue: "RENEWAL")
}

/// How a subscription with a commitment is billed.
public struct BillingPlanType: OpenText {
    /// The word that Apple uses.
    public let rawValue: String
    /// Takes any word, known or not.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// All at once.
    public static let billedUpfront = Self(rawValue: "BILLED_UPFRONT")
    /// Month by month.
    public static let monthly = Self(rawValue: "MONTHLY")
}

/// The platform on which the app was first bought.
public struct PurchasePlatform: OpenText {
    /// The word that Apple uses.
    public let rawValue: String
    /// Takes any word, known or not.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// iPhone, iPad and their kin.
    public static let iOS = Self(rawValue: "iOS")
    /// Mac.
    public static let macOS = Self(rawValue: "macOS")
    /// Apple TV.
    public static let tvOS = Self(rawValue: "tvOS")
    /// Apple Vision.
    public static let visionOS = Self(rawValue: "visionOS")
}
