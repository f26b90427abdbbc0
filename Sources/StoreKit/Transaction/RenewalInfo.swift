public import Foundation

extension Product.SubscriptionInfo {
    /// How a subscription stands; the numbers are those of Apple's server.
    public struct RenewalState: RawRepresentable, Hashable, Sendable {
        /// The App Store's number.
        public let rawValue: Int
        /// Takes any number.
        public init(rawValue: Int) { self.rawValue = rawValue }

        /// Paid.
        public static let subscribed = RenewalState(rawValue: 1)
        /// Over.
        public static let expired = RenewalState(rawValue: 2)
        /// The renewal could not be paid, and service is not owed.
        public static let inBillingRetryPeriod = RenewalState(rawValue: 3)
        /// The renewal could not be paid, and service is owed for a while.
        public static let inGracePeriod = RenewalState(rawValue: 4)
        /// Taken back.
        public static let revoked = RenewalState(rawValue: 5)

        /// The state for people.
        public var localizedDescription: String {
            switch self {
            case .subscribed: "Subscribed"
            case .expired: "Expired"
            case .inBillingRetryPeriod: "In Billing Retry Period"
            case .inGracePeriod: "In Grace Period"
            case .revoked: "Revoked"
            default: "State \(rawValue)"
            }
        }
    }

    /// What the App Store signed about how a subscription will go on.
    public struct RenewalInfo: Hashable, Sendable, CustomDebugStringConvertible {
        /// Why a subscription ended.
        public struct ExpirationReason: RawRepresentable, Hashable, Sendable {
            /// The App Store's number.
            public let rawValue: Int
            /// Takes any number.
            public init(rawValue: Int) { self.rawValue = rawValue }

            /// The customer turned renewal off.
            public static let autoRenewDisabled = ExpirationReason(rawValue: 1)
            /// The renewal could not be paid.
            public static let billingError = ExpirationReason(rawValue: 2)
            /// The customer did not agree to a higher price.
            public static let didNotConsentToPriceIncrease = ExpirationReason(rawValue: 3)
            /// The product was no longer for sale.
            public static let productUnavailable = ExpirationReason(rawValue: 4)
            /// Another reason.
            public static let unknown = ExpirationReason(rawValue: 5)
            /// It left its bundle; Apple has not published its number.
            public static let unbundled = ExpirationReason(rawValue: 6)

            /// The reason for people.
            public var localizedDescription: String {
                switch self {
                case .autoRenewDisabled: "Auto-renew Disabled"
                case .billingError: "Billing Error"
                case .didNotConsentToPriceIncrease: "Did Not Consent to Price Increase"
                case .productUnavailable: "Product Unavailable"
                default: "Unknown"
                }
            }
        }

        /// Whether the customer agreed to a higher price.
        @frozen public enum PriceIncreaseStatus: Hashable, Sendable {
            /// Nobody asked.
            case noIncreasePending
            /// The customer has not answered.
            case pending
            /// The customer agreed, or need not.
            case agreed

            /// The status for people.
            public var localizedDescription: String {
                switch self {
                case .noIncreasePending: "No Increase Pending"
                case .pending: "Pending"
                case .agreed: "Agreed"
                }
            }
        }

        /// The commitment of the next renewal.
        public struct CommitmentInfo: Hashable, Sendable {
            /// The product that will be renewed.
            public let autoRenewPreference: String?
            /// How it will be billed.
            public let renewalBillingPlanType: BillingPlanType?
            /// When it will renew.
            public let renewalDate: Date?
            /// What it will cost.
            public let renewalPrice: Decimal?
            /// Whether it will renew.
            public let willAutoRenew: Bool
        }

        /// The number of the subscription's first purchase.
        public let originalTransactionID: UInt64
        /// The product that runs.
        public let currentProductID: String
        /// Whether it will renew.
        public let willAutoRenew: Bool
        /// The product that will be renewed.
        public let autoRenewPreference: String?
        /// Why it ended.
        public let expirationReason: ExpirationReason?
        /// Whether the customer agreed to a higher price.
        public let priceIncreaseStatus: PriceIncreaseStatus
        /// Whether the App Store still tries to collect a failed payment.
        public let isInBillingRetry: Bool
        /// Until when service is owed though the payment failed.
        public let gracePeriodExpirationDate: Date?
        /// The offer of the next renewal.
        public let offer: Transaction.Offer?
        /// Where it was bought.
        public let environment: AppStore.Environment
        /// When the current run of periods began.
        public let recentSubscriptionStartDate: Date
        /// When it will renew.
        public let renewalDate: Date?
        /// What it will cost.
        public let renewalPrice: Decimal?
        /// The currency of the price.
        public let currency: Locale.Currency?
        /// The offers to come back that the customer may have, best first.
        public let eligibleWinBackOfferIDs: [String]
        /// The number of the customer's copy of the app.
        public let appTransactionID: String
        /// The UUID that the app gave with the purchase.
        public let appAccountToken: UUID?
        /// The commitment of the next renewal.
        public let commitmentInfo: CommitmentInfo?
        /// How the next renewal is billed.
        public let renewalBillingPlanType: BillingPlanType?
        /// What the app's server signed for the next renewal of a generic product.
        public let advancedCommerceInfo: AdvancedCommerceInfo?
        /// The bundle to which it belongs.
        public let bundleProductID: String?
        /// The bundle's group.
        public let bundleSubscriptionGroupID: String?
        /// The first purchase of the bundle.
        public let bundleOriginalTransactionID: String?
        /// Whether it leaves its bundle at the next renewal.
        public let willUnbundle: Bool
        /// Binds the value to the device.
        public let deviceVerification: Data
        /// The one-time number of ``deviceVerification``.
        public let deviceVerificationNonce: UUID
        /// When the App Store signed.
        public let signedDate: Date
        /// The payload as it was signed.
        public let jsonRepresentation: Data

        let signed: SignedText

        /// The JSON.
        public var debugDescription: String { String(decoding: jsonRepresentation, as: UTF8.self) }

        /// Compares everything that was signed.
        public static func == (left: RenewalInfo, right: RenewalInfo) -> Bool {
            left.jsonRepresentation == right.jsonRepresentation
        }

        /// Agrees with `==`.
        public func hash(into hasher: inout Hasher) { hasher.combine(jsonRepresentation) }
    }
}

// The parts by their older names.
extension Product.SubscriptionInfo.RenewalInfo {
    /// Which kind of offer applies to the next renewal.
    public var offerType: Transaction.OfferType? { offer?.type }
    /// Which offer applies to the next renewal.
    public var offerID: String? { offer?.id }
    /// How that offer is paid, in the App Store's word.
    public var offerPaymentModeStringRepresentation: String? { offer?.paymentMode?.rawValue }
    /// How long that offer's period is (ISO 8601).
    public var offerPeriodStringRepresentation: String? { offer?.periodText }
    /// Where it was bought, in the App Store's word.
    public var environmentStringRepresentation: String { environment.rawValue }
    /// The currency's code (ISO 4217).
    public var currencyCode: String? { currency?.identifier.uppercased() }
}

/// How a subscription stands, by its newer name.
public typealias SubscriptionRenewalState = Product.SubscriptionInfo.RenewalState
/// How a subscription will go on, by its newer name.
public typealias SubscriptionRenewalInfo = Product.SubscriptionInfo.RenewalInfo
