public import AppStoreModel

/// `POST /v1/customers/{id}/spend`: what to take out of the customer's wallet.
public struct SpendDocument: Sendable, Hashable, Codable {
    /// The app; may be left out where the server serves one app alone.
    public var bundleID: BundleID?
    /// The environment whose wallet pays; the app's first one when it is left out.
    public var environment: AppStoreEnvironment?
    /// The currency, as the configuration names it.
    public var currency: String
    /// How much, above zero.
    public var amount: Int64
    /// The caller's name for this spend: the same name never spends twice.
    ///
    /// An `Idempotency-Key` serves as the name where it is left out.
    public var spendID: String?
    /// What it is for; kept, and shown in the statement.
    public var reason: String?

    /// Makes a request.
    public init(
        bundleID: BundleID? = nil, environment: AppStoreEnvironment? = nil, currency: String,
        amount: Int64, spendID: String? = nil, reason: String? = nil
    ) {
        self.bundleID = bundleID
        self.environment = environment
        self.currency = currency
        self.amount = amount
        self.spendID = spendID
        self.reason = reason
    }

    private enum CodingKeys: String, CodingKey {
        case bundleID = "bundleId"
        case environment
        case currency
        case amount
        case spendID = "spendId"
        case reason
    }

    /// Decodes and checks every field.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        bundleID = try container.identifier(BundleID.self, at: .bundleID)
        environment = try container.decodeIfPresent(
            AppStoreEnvironment.self, forKey: .environment)
        currency = try container.name(at: .currency)
        amount = try container.amount(at: .amount)
        spendID = try container.optionalName(at: .spendID)
        reason = try container.optionalName(at: .reason)
    }
}

/// `POST /v1/customers/{id}/credits`: what a backend gives without a purchase.
public struct CreditDocument: Sendable, Hashable, Codable {
    /// The app; may be left out where the server serves one app alone.
    public var bundleID: BundleID?
    /// The environment whose wallet gets it; the app's first one when it is left out.
    public var environment: AppStoreEnvironment?
    /// The currency, as the configuration names it.
    public var currency: String
    /// How much, above zero.
    public var amount: Int64
    /// The backend's name for this credit: the same name never gives twice.
    ///
    /// An `Idempotency-Key` serves as the name where it is left out.
    public var creditID: String?
    /// Why; kept, and shown in the statement.
    public var reason: String

    /// Makes a request.
    public init(
        bundleID: BundleID? = nil, environment: AppStoreEnvironment? = nil, currency: String,
        amount: Int64, creditID: String? = nil, reason: String
    ) {
        self.bundleID = bundleID
        self.environment = environment
        self.currency = currency
        self.amount = amount
        self.creditID = creditID
        self.reason = reason
    }

    private enum CodingKeys: String, CodingKey {
        case bundleID = "bundleId"
        case environment
        case currency
        case amount
        case creditID = "creditId"
        case reason
    }

    /// Decodes and checks every field.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        bundleID = try container.identifier(BundleID.self, at: .bundleID)
        environment = try container.decodeIfPresent(
            AppStoreEnvironment.self, forKey: .environment)
        currency = try container.name(at: .currency)
        amount = try container.amount(at: .amount)
        creditID = try container.optionalName(at: .creditID)
        reason = try container.name(at: .reason)
    }
}

/// The answer to a spend or a credit.
public struct MovementDocument: Sendable, Hashable, Codable {
    /// The movement's name.
    public var id: String
    /// The currency.
    public var currency: String
    /// What was added to the wallet; below zero what was taken.
    public var amount: Int64
    /// What is in the wallet now.
    public var balance: Int64
    /// The environment of the wallet.
    public var environment: AppStoreEnvironment
    /// When it was recorded first, by the server's clock.
    public var at: Timestamp

    /// Makes an answer.
    public init(
        id: String, currency: String, amount: Int64, balance: Int64,
        environment: AppStoreEnvironment, at: Timestamp
    ) {
        self.id = id
        self.currency = currency
        self.amount = amount
        self.balance = balance
        self.environment = environment
        self.at = at
    }
}

/// `POST /v1/customers/{id}/promotions`: what a backend lets a customer use without a purchase.
public struct PromotionRequest: Sendable, Hashable, Codable {
    /// The app; may be left out where the server serves one app alone.
    public var bundleID: BundleID?
    /// The environment in which it holds; the app's first one when it is left out.
    public var environment: AppStoreEnvironment?
    /// What the customer may use.
    public var entitlement: String
    /// When it ends, by the server's clock; left out when it does not.
    public var endsAt: Timestamp?
    /// The backend's name for the grant: the same name never grants twice.
    ///
    /// An `Idempotency-Key` serves as the name where it is left out.
    public var promotionID: String?
    /// Why.
    public var reason: String

    /// Makes a request.
    public init(
        bundleID: BundleID? = nil, environment: AppStoreEnvironment? = nil, entitlement: String,
        endsAt: Timestamp? = nil, promotionID: String? = nil, reason: String
    ) {
        self.bundleID = bundleID
        self.environment = environment
        self.entitlement = entitlement
        self.endsAt = endsAt
        self.promotionID = promotionID
        self.reason = reason
    }

    private enum CodingKeys: String, CodingKey {
        case bundleID = "bundleId"
        case environment
        case entitlement
        case endsAt
        case promotionID = "promotionId"
        case reason
    }

    /// Decodes and checks every field.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        bundleID = try container.identifier(BundleID.self, at: .bundleID)
        environment = try container.decodeIfPresent(
            AppStoreEnvironment.self, forKey: .environment)
        entitlement = try container.name(at: .entitlement)
        endsAt = try container.decodeIfPresent(Timestamp.self, forKey: .endsAt)
        promotionID = try container.optionalName(at: .promotionID)
        reason = try container.name(at: .reason)
    }
}

/// A promotional grant as the server tells it.
public struct PromotionDocument: Sendable, Hashable, Codable {
    /// The grant's name.
    public var promotionID: String
    /// What it lets the customer use.
    public var entitlement: String
    /// The environment in which it holds.
    public var environment: AppStoreEnvironment
    /// When it began.
    public var at: Timestamp
    /// When it ends or ended; absent when it does not.
    public var endsAt: Timestamp?
    /// Why.
    public var reason: String

    /// Makes a document.
    public init(
        promotionID: String, entitlement: String, environment: AppStoreEnvironment,
        at: Timestamp, endsAt: Timestamp? = nil, reason: String
    ) {
        self.promotionID = promotionID
        self.entitlement = entitlement
        self.environment = environment
        self.at = at
        self.endsAt = endsAt
        self.reason = reason
    }

    private enum CodingKeys: String, CodingKey {
        case promotionID = "promotionId"
        case entitlement
        case environment
        case at
        case endsAt
        case reason
    }
}

/// `GET /v1/customers/{id}/wallet`: the wallet entry by entry, newest first.
public struct StatementDocument: Sendable, Hashable, Codable {
    /// The entries of this page.
    public var entries: [StatementLine]
    /// Send it as `after` for the next page; absent on the last one.
    public var next: String?

    /// Makes a page.
    public init(entries: [StatementLine], next: String? = nil) {
        self.entries = entries
        self.next = next
    }
}

/// One movement in a wallet.
public struct StatementLine: Sendable, Hashable, Codable {
    /// The app.
    public var bundleID: BundleID
    /// The environment of the wallet.
    public var environment: AppStoreEnvironment
    /// The currency.
    public var currency: String
    /// What was added; below zero what was taken.
    public var amount: Int64
    /// What a refund could not take, where wallets stay above zero; below zero what is owed no more.
    public var debt: Int64?
    /// The account on the other side: `sales`, `refunds`, `spent` or `promotions`.
    public var account: String
    /// The movement's name, or the purchase behind it.
    public var cause: String
    /// What it was for.
    public var reason: String?
    /// When, by the server's clock.
    public var at: Timestamp

    /// Makes a line.
    public init(
        bundleID: BundleID, environment: AppStoreEnvironment, currency: String, amount: Int64,
        debt: Int64? = nil, account: String, cause: String, reason: String? = nil, at: Timestamp
    ) {
        self.bundleID = bundleID
        self.environment = environment
        self.currency = currency
        self.amount = amount
        self.debt = debt
        self.account = account
        self.cause = cause
        self.reason = reason
        self.at = at
    }

    private enum CodingKeys: String, CodingKey {
        case bundleID = "bundleId"
        case environment
        case currency
        case amount
        case debt
        case account
        case cause
        case reason
        case at
    }
}

extension KeyedDecodingContainer {
    /// A name of 1 to 255 bytes without control characters.
    fileprivate func name(at key: Key) throws -> String {
        let name = try decode(String.self, forKey: key)
        try require(FieldCheck.isIdentifier(name), at: key, "1 to 255 bytes, no controls")
        return name
    }

    fileprivate func optionalName(at key: Key) throws -> String? {
        try decodeIfPresent(String.self, forKey: key) == nil ? nil : name(at: key)
    }

    /// An amount above zero, far from overflow.
    fileprivate func amount(at key: Key) throws -> Int64 {
        let amount = try decode(Int64.self, forKey: key)
        try require(
            (1...APILimits.amount).contains(amount), at: key,
            "an amount is 1 to \(APILimits.amount)")
        return amount
    }
}
