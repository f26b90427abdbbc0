public import AppStoreModel

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// `POST /v1/orders`: what the customer is about to pay for.
public struct OrderRequest: Sendable, Hashable, Codable {
    /// The app; may be left out where the server serves one app alone.
    public var bundleID: BundleID?
    /// The product.
    public var productID: ProductID
    /// Units, 1 to 10; 1 when it is left out.
    public var quantity: Int
    /// The price that the app shows for all units together, in thousandths of the currency's unit as
    /// Apple signs it; another one is flagged.
    public var price: Int64?
    /// ISO 4217; another one is flagged.
    public var currency: String?
    /// The environment in which the app buys; a payment of another does not pay for the order.
    public var environment: AppStoreEnvironment?

    /// Makes a request.
    public init(
        bundleID: BundleID? = nil, productID: ProductID, quantity: Int = 1, price: Int64? = nil,
        currency: String? = nil, environment: AppStoreEnvironment? = nil
    ) {
        self.bundleID = bundleID
        self.productID = productID
        self.quantity = quantity
        self.price = price
        self.currency = currency
        self.environment = environment
    }

    private enum CodingKeys: String, CodingKey {
        case bundleID = "bundleId"
        case productID = "productId"
        case quantity
        case price
        case currency
        case environment
    }

    /// Decodes and checks every field.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        bundleID = try container.identifier(BundleID.self, at: .bundleID)
        guard let product = try container.identifier(ProductID.self, at: .productID) else {
            throw DecodingError.keyNotFound(
                CodingKeys.productID,
                .init(codingPath: decoder.codingPath, debugDescription: "required"))
        }
        productID = product
        quantity = try container.decodeIfPresent(Int.self, forKey: .quantity) ?? 1
        try container.require(
            (1...APILimits.quantity).contains(quantity), at: .quantity,
            "an order has 1 to \(APILimits.quantity) units")
        price = try container.decodeIfPresent(Int64.self, forKey: .price)
        try container.require((price ?? 0) >= 0, at: .price, "a price is not below zero")
        currency = try container.decodeIfPresent(String.self, forKey: .currency)?.uppercased()
        try container.require(
            currency?.utf8.allSatisfy { (0x41...0x5A).contains($0) } ?? true
                && currency?.utf8.count ?? 3 == 3, at: .currency, "ISO 4217: three letters")
        environment = try container.decodeIfPresent(
            AppStoreEnvironment.self, forKey: .environment)
    }
}

/// How far an order has come; an unknown one survives.
public struct OrderStatus: RawRepresentable, Sendable, Hashable, Codable {
    /// The wire's word.
    public let rawValue: String
    /// Takes any word.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Waits for its payment.
    public static let open = OrderStatus(rawValue: "open")
    /// The payment waits for somebody's approval.
    public static let deferred = OrderStatus(rawValue: "deferred")
    /// Paid and not yet handed out.
    public static let paid = OrderStatus(rawValue: "paid")
    /// Paid and handed out.
    public static let fulfilled = OrderStatus(rawValue: "fulfilled")
    /// Handed out and taken back.
    public static let refunded = OrderStatus(rawValue: "refunded")
    /// No payment came in time; a late one still counts.
    public static let expired = OrderStatus(rawValue: "expired")
}

/// An order as the server tells it.
public struct OrderDocument: Sendable, Hashable, Codable {
    /// The order's id: the UUID that the payment carries as its `appAccountToken`.
    public var orderID: UUID
    /// How far it has come.
    public var status: OrderStatus
    /// The app.
    public var bundleID: BundleID?
    /// The product.
    public var productID: ProductID
    /// Units.
    public var quantity: Int
    /// When it stops waiting for a payment.
    public var expiresAt: Timestamp
    /// When it was opened.
    public var createdAt: Timestamp?
    /// The transaction that paid it.
    public var transactionID: TransactionID?
    /// What did not fit: `productMismatch`, `quantityMismatch`, `environmentMismatch`, `priceMismatch`,
    /// `paidTwice`; absent when everything did.
    public var flags: [String]?

    /// Makes a document.
    public init(
        orderID: UUID, status: OrderStatus, bundleID: BundleID? = nil, productID: ProductID,
        quantity: Int, expiresAt: Timestamp, createdAt: Timestamp? = nil,
        transactionID: TransactionID? = nil, flags: [String]? = nil
    ) {
        self.orderID = orderID
        self.status = status
        self.bundleID = bundleID
        self.productID = productID
        self.quantity = quantity
        self.expiresAt = expiresAt
        self.createdAt = createdAt
        self.transactionID = transactionID
        self.flags = flags
    }

    private enum CodingKeys: String, CodingKey {
        case orderID = "orderId"
        case status
        case bundleID = "bundleId"
        case productID = "productId"
        case quantity
        case expiresAt
        case createdAt
        case transactionID = "transactionId"
        case flags
    }

    /// Encodes the id in lower case.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(lowercased: orderID, forKey: .orderID)
        try container.encode(status, forKey: .status)
        try container.encodeIfPresent(bundleID, forKey: .bundleID)
        try container.encode(productID, forKey: .productID)
        try container.encode(quantity, forKey: .quantity)
        try container.encode(expiresAt, forKey: .expiresAt)
        try container.encodeIfPresent(createdAt, forKey: .createdAt)
        try container.encodeIfPresent(transactionID, forKey: .transactionID)
        try container.encodeIfPresent(flags, forKey: .flags)
    }
}

/// An order that looks as if somebody paid and got nothing.
public struct LostOrderDocument: Sendable, Hashable, Codable {
    /// The order.
    public var order: OrderDocument
    /// Whose it is.
    public var customerID: String
    /// Why it looks so.
    ///
    /// `paidNotFulfilled`: paid, and nothing handed out. `unclaimedPayment`: not paid, while a payment for
    /// that product of about that time is claimed by nobody.
    public var suspicion: String
    /// The payment.
    public var transactionID: TransactionID
    /// The payment's environment.
    public var environment: AppStoreEnvironment

    /// Makes a document.
    public init(
        order: OrderDocument, customerID: String, suspicion: String,
        transactionID: TransactionID, environment: AppStoreEnvironment
    ) {
        self.order = order
        self.customerID = customerID
        self.suspicion = suspicion
        self.transactionID = transactionID
        self.environment = environment
    }

    private enum CodingKeys: String, CodingKey {
        case order
        case customerID = "customerId"
        case suspicion
        case transactionID = "transactionId"
        case environment
    }
}

/// `GET /v1/apps/{app}/orders/suspects`.
public struct LostOrderList: Sendable, Hashable, Codable {
    /// The newest first.
    public var suspects: [LostOrderDocument]

    /// Makes a list.
    public init(suspects: [LostOrderDocument]) { self.suspects = suspects }
}
