public import AppStoreModel

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// One thing that a customer may use, and what gave it.
public struct EntitlementDocument: Sendable, Hashable, Codable {
    /// Its name in the server's configuration.
    public var entitlement: String
    /// Whether it holds at the moment of the answer, by the server's clock.
    public var isActive: Bool
    /// When it ends; absent when it does not.
    public var expiresAt: Timestamp?
    /// The product that gives it.
    public var productID: ProductID
    /// The app whose product that is; absent where nobody said.
    public var bundleID: BundleID?
    /// The environment of the purchase behind it.
    public var environment: AppStoreEnvironment
    /// The name of the promotional grant that gives it, where no purchase does; the product is then
    /// `promotion`.
    public var promotionID: String?

    /// Makes a document.
    public init(
        entitlement: String, isActive: Bool, expiresAt: Timestamp? = nil, productID: ProductID,
        bundleID: BundleID? = nil, environment: AppStoreEnvironment, promotionID: String? = nil
    ) {
        self.entitlement = entitlement
        self.isActive = isActive
        self.expiresAt = expiresAt
        self.productID = productID
        self.bundleID = bundleID
        self.environment = environment
        self.promotionID = promotionID
    }

    private enum CodingKeys: String, CodingKey {
        case promotionID = "promotionId"
        case entitlement
        case isActive = "active"
        case expiresAt
        case productID = "productId"
        case bundleID = "bundleId"
        case environment
    }
}

/// One transaction in a customer's history.
public struct TransactionDocument: Sendable, Hashable, Codable {
    /// The transaction.
    public var transactionID: TransactionID
    /// The first transaction of its chain.
    public var originalTransactionID: TransactionID
    /// The app.
    public var bundleID: BundleID
    /// What was bought.
    public var productID: ProductID
    /// Units.
    public var quantity: Int
    /// The environment that signed it.
    public var environment: AppStoreEnvironment
    /// What became of it.
    public var outcome: TransactionOutcome
    /// Why it was refused or waits.
    public var reason: String?
    /// When it was paid.
    public var purchaseDate: Timestamp?
    /// When the paid period ends.
    public var expiresDate: Timestamp?
    /// When the store took it back.
    public var revocationDate: Timestamp?
    /// The order that it paid.
    public var orderID: UUID?
    /// When the server recorded it.
    public var recordedAt: Timestamp?

    /// Makes a document.
    public init(
        transactionID: TransactionID, originalTransactionID: TransactionID, bundleID: BundleID,
        productID: ProductID, quantity: Int, environment: AppStoreEnvironment,
        outcome: TransactionOutcome, reason: String? = nil, purchaseDate: Timestamp? = nil,
        expiresDate: Timestamp? = nil, revocationDate: Timestamp? = nil, orderID: UUID? = nil,
        recordedAt: Timestamp? = nil
    ) {
        self.transactionID = transactionID
        self.originalTransactionID = originalTransactionID
        self.bundleID = bundleID
        self.productID = productID
        self.quantity = quantity
        self.environment = environment
        self.outcome = outcome
        self.reason = reason
        self.purchaseDate = purchaseDate
        self.expiresDate = expiresDate
        self.revocationDate = revocationDate
        self.orderID = orderID
        self.recordedAt = recordedAt
    }

    private enum CodingKeys: String, CodingKey {
        case transactionID = "transactionId"
        case originalTransactionID = "originalTransactionId"
        case bundleID = "bundleId"
        case productID = "productId"
        case quantity
        case environment
        case outcome
        case reason
        case purchaseDate
        case expiresDate
        case revocationDate
        case orderID = "orderId"
        case recordedAt
    }

    /// Encodes the order's id in lower case.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(transactionID, forKey: .transactionID)
        try container.encode(originalTransactionID, forKey: .originalTransactionID)
        try container.encode(bundleID, forKey: .bundleID)
        try container.encode(productID, forKey: .productID)
        try container.encode(quantity, forKey: .quantity)
        try container.encode(environment, forKey: .environment)
        try container.encode(outcome, forKey: .outcome)
        try container.encodeIfPresent(reason, forKey: .reason)
        try container.encodeIfPresent(purchaseDate, forKey: .purchaseDate)
        try container.encodeIfPresent(expiresDate, forKey: .expiresDate)
        try container.encodeIfPresent(revocationDate, forKey: .revocationDate)
        try container.encodeIfPresent(lowercased: orderID, forKey: .orderID)
        try container.encodeIfPresent(recordedAt, forKey: .recordedAt)
    }
}

/// `GET /v1/customers/{id}`: what a customer may use, owns and did.
public struct CustomerDocument: Sendable, Hashable, Codable {
    /// The customer, as the app's own backend names it.
    public var customerID: String
    /// What the purchases give, active and past.
    public var entitlements: [EntitlementDocument]
    /// The subscriptions, those of one group together with the best first.
    public var subscriptions: [SubscriptionDocument]
    /// The wallet: units by currency.
    ///
    /// Production's as soon as something was bought there, else that of the test environments; the two
    /// are never added up.
    public var balances: [String: Int64]
    /// The wallet by environment and currency.
    public var balancesByEnvironment: [String: [String: Int64]]
    /// What refunds could not take, by environment and currency; absent when nothing is owed.
    public var debtsByEnvironment: [String: [String: Int64]]?
    /// The entitlements once more as a JWT that the server signed, to be believed offline (see
    /// ``SignedEntitlements``); absent where the server has no key for it.
    public var signedEntitlements: String?
    /// The history.
    public var transactions: [TransactionDocument]

    /// Makes a document.
    public init(
        customerID: String, entitlements: [EntitlementDocument],
        subscriptions: [SubscriptionDocument] = [], balances: [String: Int64],
        balancesByEnvironment: [String: [String: Int64]],
        debtsByEnvironment: [String: [String: Int64]]? = nil, signedEntitlements: String? = nil,
        transactions: [TransactionDocument]
    ) {
        self.customerID = customerID
        self.entitlements = entitlements
        self.subscriptions = subscriptions
        self.balances = balances
        self.balancesByEnvironment = balancesByEnvironment
        self.debtsByEnvironment = debtsByEnvironment
        self.signedEntitlements = signedEntitlements
        self.transactions = transactions
    }

    private enum CodingKeys: String, CodingKey {
        case customerID = "customerId"
        case entitlements
        case subscriptions
        case balances
        case balancesByEnvironment
        case debtsByEnvironment
        case signedEntitlements
        case transactions
    }

    /// Decodes; a server that tells of no subscriptions has none.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            customerID: try container.decode(String.self, forKey: .customerID),
            entitlements: try container.decode([EntitlementDocument].self, forKey: .entitlements),
            subscriptions: try container.decodeIfPresent(
                [SubscriptionDocument].self, forKey: .subscriptions) ?? [],
            balances: try container.decode([String: Int64].self, forKey: .balances),
            balancesByEnvironment: try container.decode(
                [String: [String: Int64]].self, forKey: .balancesByEnvironment),
            debtsByEnvironment: try container.decodeIfPresent(
                [String: [String: Int64]].self, forKey: .debtsByEnvironment),
            signedEntitlements: try container.decodeIfPresent(
                String.self, forKey: .signedEntitlements),
            transactions: try container.decode([TransactionDocument].self, forKey: .transactions))
    }
}
