/// How a subscription stands.
public struct SubscriptionStatus: OpenNumber {
    /// The number that Apple uses.
    public let rawValue: Int64
    /// Takes any number, known or not.
    public init(rawValue: Int64) { self.rawValue = rawValue }

    /// It runs.
    public static let active = Self(rawValue: 1)
    /// It ended.
    public static let expired = Self(rawValue: 2)
    /// Billing failed; Apple tries again, without service.
    public static let billingRetry = Self(rawValue: 3)
    /// Billing failed; Apple tries again, and service goes on.
    public static let billingGracePeriod = Self(rawValue: 4)
    /// Apple took it back.
    public static let revoked = Self(rawValue: 5)
}

/// Whether a subscription will renew.
public struct AutoRenewStatus: OpenNumber {
    /// The number that Apple uses.
    public let rawValue: Int64
    /// Takes any number, known or not.
    public init(rawValue: Int64) { self.rawValue = rawValue }

    /// It will end.
    public static let off = Self(rawValue: 0)
    /// It will renew.
    public static let on = Self(rawValue: 1)
}

/// Why a subscription ended.
public struct ExpirationIntent: OpenNumber {
    /// The number that Apple uses.
    public let rawValue: Int64
    /// Takes any number, known or not.
    public init(rawValue: Int64) { self.rawValue = rawValue }

    /// The customer turned renewal off.
    public static let customerCancelled = Self(rawValue: 1)
    /// The payment failed.
    public static let billingError = Self(rawValue: 2)
    /// The customer did not consent to a higher price.
    public static let noConsentToPriceIncrease = Self(rawValue: 3)
    /// The product was not for sale.
    public static let productUnavailable = Self(rawValue: 4)
    /// Another reason.
    public static let other = Self(rawValue: 5)
}

/// Whether the customer answered a price increase.
public struct PriceIncreaseStatus: OpenNumber {
    /// The number that Apple uses.
    public let rawValue: Int64
    /// Takes any number, known or not.
    public init(rawValue: Int64) { self.rawValue = rawValue }

    /// Not yet.
    public static let awaitingConsent = Self(rawValue: 0)
    /// Consented, or was told where no consent is needed.
    public static let consentedOrNotified = Self(rawValue: 1)
}
