/// The answer to a retention request: exactly one of four.
public struct RealtimeResponse: AppStoreObject {
    /// Show a message.
    public var message: RealtimeMessage?
    /// Offer another product.
    public var alternateProduct: RealtimeAlternateProduct?
    /// Make an offer.
    public var promotionalOffer: RealtimePromotionalOffer?
    /// Advanced Commerce data.
    public var advancedCommerceInfo: JSONValue?
    /// Names that this program does not know.
    public var otherFields: [String: JSONValue] = [:]

    /// An empty one; set what is known.
    public init() {}
    /// An empty one, to be filled by a pass.
    public init(unfilled: ()) {}

    /// Reads or writes every field.
    public mutating func fields(_ pass: inout FieldPass) throws {
        try pass("message", &message)
        try pass("alternateProduct", &alternateProduct)
        try pass("promotionalOffer", &promotionalOffer)
        try pass("advancedCommerceInfo", &advancedCommerceInfo)
    }
}

/// Names a message to show.
public struct RealtimeMessage: AppStoreObject {
    /// A UUID.
    public var messageIdentifier: String?
    /// Names that this program does not know.
    public var otherFields: [String: JSONValue] = [:]

    /// An empty one; set what is known.
    public init() {}
    /// An empty one, to be filled by a pass.
    public init(unfilled: ()) {}

    /// Reads or writes every field.
    public mutating func fields(_ pass: inout FieldPass) throws {
        try pass("messageIdentifier", &messageIdentifier)
    }
}

/// Names another product to offer.
public struct RealtimeAlternateProduct: AppStoreObject {
    /// A UUID.
    public var messageIdentifier: String?
    /// The product.
    public var productID: ProductID?
    /// How it is billed.
    public var billingPlanType: BillingPlanType?
    /// Names that this program does not know.
    public var otherFields: [String: JSONValue] = [:]

    /// An empty one; set what is known.
    public init() {}
    /// An empty one, to be filled by a pass.
    public init(unfilled: ()) {}

    /// Reads or writes every field.
    public mutating func fields(_ pass: inout FieldPass) throws {
        try pass("messageIdentifier", &messageIdentifier)
        try pass("productId", &productID)
        try pass("billingPlanType", &billingPlanType)
    }
}

/// Makes a promotional offer.
public struct RealtimePromotionalOffer: AppStoreObject {
    /// A UUID.
    public var messageIdentifier: String?
    /// The offer as JWS.
    public var promotionalOfferSignatureV2: String?
    /// The offer in the older form.
    public var promotionalOfferSignatureV1: JSONValue?
    /// Names that this program does not know.
    public var otherFields: [String: JSONValue] = [:]

    /// An empty one; set what is known.
    public init() {}
    /// An empty one, to be filled by a pass.
    public init(unfilled: ()) {}

    /// Reads or writes every field.
    public mutating func fields(_ pass: inout FieldPass) throws {
        try pass("messageIdentifier", &messageIdentifier)
        try pass("promotionalOfferSignatureV2", &promotionalOfferSignatureV2)
        try pass("promotionalOfferSignatureV1", &promotionalOfferSignatureV1)
    }
}
