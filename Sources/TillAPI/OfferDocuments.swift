public import AppStoreModel

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// What an offer's signature says; an unknown one survives.
public struct OfferSignatureKind: RawRepresentable, Sendable, Hashable, Codable {
    /// The wire's word.
    public let rawValue: String
    /// Takes any word.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// A promotional offer for one payment.
    public static let promotional = OfferSignatureKind(rawValue: "promotional")
    /// Whether the customer may have the introductory offer, whatever the store thinks.
    public static let introductoryEligibility = OfferSignatureKind(
        rawValue: "introductoryEligibility")
}

/// `POST /v1/offers/signatures`: asks the server to sign an offer for one payment.
public struct OfferSignatureRequest: Sendable, Hashable, Codable {
    /// The app; may be left out where the server serves one app alone.
    public var bundleID: BundleID?
    /// What is to be signed; a promotional offer when it is left out.
    public var kind: OfferSignatureKind
    /// The subscription.
    public var productID: ProductID
    /// The promotional offer.
    public var offerID: String?
    /// The order that the payment will carry; the old form signs it.
    public var orderID: UUID?
    /// A transaction of the customer, or the id of its copy of the app; the JWS forms name it.
    public var transactionID: TransactionID?
    /// What a backend decides about the introductory offer; the server's history decides without it.
    public var allowsIntroductoryOffer: Bool?

    /// Makes a request.
    public init(
        bundleID: BundleID? = nil, kind: OfferSignatureKind = .promotional, productID: ProductID,
        offerID: String? = nil, orderID: UUID? = nil, transactionID: TransactionID? = nil,
        allowsIntroductoryOffer: Bool? = nil
    ) {
        self.bundleID = bundleID
        self.kind = kind
        self.productID = productID
        self.offerID = offerID
        self.orderID = orderID
        self.transactionID = transactionID
        self.allowsIntroductoryOffer = allowsIntroductoryOffer
    }

    private enum CodingKeys: String, CodingKey {
        case bundleID = "bundleId"
        case kind
        case productID = "productId"
        case offerID = "offerId"
        case orderID = "orderId"
        case transactionID = "transactionId"
        case allowsIntroductoryOffer = "allowIntroductoryOffer"
    }

    /// Decodes and checks every field, and whether the kind has what it needs.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        bundleID = try container.identifier(BundleID.self, at: .bundleID)
        kind = try container.decodeIfPresent(OfferSignatureKind.self, forKey: .kind) ?? .promotional
        guard let product = try container.identifier(ProductID.self, at: .productID) else {
            throw DecodingError.keyNotFound(
                CodingKeys.productID,
                .init(codingPath: decoder.codingPath, debugDescription: "required"))
        }
        productID = product
        offerID = try container.decodeIfPresent(String.self, forKey: .offerID)
        orderID = try container.uuid(at: .orderID)
        transactionID = try container.identifier(TransactionID.self, at: .transactionID)
        allowsIntroductoryOffer = try container.decodeIfPresent(
            Bool.self, forKey: .allowsIntroductoryOffer)
        switch kind {
        case .promotional:
            try container.require(
                offerID.map(FieldCheck.isIdentifier) == true, at: .offerID,
                "a promotional offer has a name of 1 to \(APILimits.identifierBytes) bytes")
        case .introductoryEligibility:
            try container.require(
                transactionID != nil, at: .transactionID,
                "required: a transaction of the customer, or its appTransactionId")
        default:
            try container.require(
                false, at: .kind, "expected promotional or introductoryEligibility")
        }
    }

    /// Encodes the order's id in lower case.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encodeIfPresent(bundleID, forKey: .bundleID)
        try container.encode(kind, forKey: .kind)
        try container.encode(productID, forKey: .productID)
        try container.encodeIfPresent(offerID, forKey: .offerID)
        try container.encodeIfPresent(lowercased: orderID, forKey: .orderID)
        try container.encodeIfPresent(transactionID, forKey: .transactionID)
        try container.encodeIfPresent(allowsIntroductoryOffer, forKey: .allowsIntroductoryOffer)
    }
}

/// What the server signed, in the pieces that StoreKit wants; good for one attempt to buy, a day long.
public struct OfferSignatureDocument: Sendable, Hashable, Codable {
    /// The name of the key that signed.
    public var keyID: String
    /// A UUID in lower case.
    public var nonce: String
    /// Milliseconds since 1970.
    public var timestamp: Int64
    /// The old form, for `SKPaymentDiscount` and `promotionalOffer(offerID:signature:)`: DER in base64.
    public var signature: String?
    /// The new form, for `compactJWS:` of StoreKit 2; absent where the server knows no issuer id.
    public var compactJWS: String?
    /// What was signed about the introductory offer; absent for every other kind.
    public var allowsIntroductoryOffer: Bool?

    /// Makes a document.
    public init(
        keyID: String, nonce: String, timestamp: Int64, signature: String? = nil,
        compactJWS: String? = nil, allowsIntroductoryOffer: Bool? = nil
    ) {
        self.keyID = keyID
        self.nonce = nonce
        self.timestamp = timestamp
        self.signature = signature
        self.compactJWS = compactJWS
        self.allowsIntroductoryOffer = allowsIntroductoryOffer
    }

    private enum CodingKeys: String, CodingKey {
        case keyID = "keyId"
        case nonce
        case timestamp
        case signature
        case compactJWS = "compactJws"
        case allowsIntroductoryOffer = "allowIntroductoryOffer"
    }
}
