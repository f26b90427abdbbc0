import AppStoreModel
import TillAPI

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// `POST /v1/offers/signatures`: asks the server to sign a promotional offer for one payment.
struct OfferSignatureRequest: Sendable, Hashable, Codable {
    var bundleID: BundleID?
    var productID: ProductID
    var offerID: String
    /// The order that the payment will carry; it is part of what is signed.
    var orderID: OrderID

    enum CodingKeys: String, CodingKey {
        case bundleID = "bundleId"
        case productID = "productId"
        case offerID = "offerId"
        case orderID = "orderId"
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encodeIfPresent(bundleID, forKey: .bundleID)
        try container.encode(productID, forKey: .productID)
        try container.encode(offerID, forKey: .offerID)
        try container.encode(orderID.description, forKey: .orderID)
    }
}

/// What the server signed, in the pieces that StoreKit wants.
struct OfferSignatureDocument: Sendable, Hashable, Codable {
    var keyID: String
    /// A UUID in lower case.
    var nonce: String
    /// Milliseconds since 1970.
    var timestamp: Int64
    /// The DER signature in base64.
    var signature: String

    enum CodingKeys: String, CodingKey {
        case keyID = "keyId"
        case nonce
        case timestamp
        case signature
    }
}

enum OfferWire {
    static let path = "/v1/offers/signatures"
}
