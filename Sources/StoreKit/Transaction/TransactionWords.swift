public import Foundation

extension Transaction {
    /// Which kind of offer applied.
    public struct OfferType: RawRepresentable, Hashable, Sendable {
        /// The App Store's number.
        public let rawValue: Int
        /// Takes any number.
        public init(rawValue: Int) { self.rawValue = rawValue }

        /// For new subscribers.
        public static let introductory = OfferType(rawValue: 1)
        /// Signed by the app's server.
        public static let promotional = OfferType(rawValue: 2)
        /// Redeemed with a code.
        public static let code = OfferType(rawValue: 3)
        /// For those who left.
        public static let winBack = OfferType(rawValue: 4)

        /// The kind for people.
        public var localizedDescription: String {
            switch self {
            case .introductory: "Introductory Offer"
            case .promotional: "Promotional Offer"
            case .code: "Offer Code"
            case .winBack: "Win-back Offer"
            default: "Offer \(rawValue)"
            }
        }
    }

    /// Whether the customer bought it or has it through the family.
    public struct OwnershipType: RawRepresentable, Hashable, Sendable {
        /// The App Store's word.
        public let rawValue: String
        /// Takes any word.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// Bought by this customer.
        public static let purchased = OwnershipType(rawValue: "PURCHASED")
        /// Shared by a member of the family.
        public static let familyShared = OwnershipType(rawValue: "FAMILY_SHARED")
        /// Assigned by an organisation.
        public static let assigned = OwnershipType(rawValue: "ASSIGNED")
    }

    /// Bought or renewed.
    public struct Reason: RawRepresentable, Hashable, Sendable {
        /// The App Store's word.
        public let rawValue: String
        /// Takes any word.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The customer bought.
        public static let purchase = Reason(rawValue: "PURCHASE")
        /// The subscription renewed itself.
        public static let renewal = Reason(rawValue: "RENEWAL")
    }

    /// Why the App Store took a purchase back.
    public struct RevocationReason: RawRepresentable, Hashable, Sendable {
        /// The App Store's number.
        public let rawValue: Int
        /// Takes any number.
        public init(rawValue: Int) { self.rawValue = rawValue }

        /// The customer reported trouble with the app.
        public static let developerIssue = RevocationReason(rawValue: 1)
        /// Another reason.
        public static let other = RevocationReason(rawValue: 0)
        /// A bundle took its place; Apple has not published its number.
        public static let upgradedToBundle = RevocationReason(rawValue: 2)

        /// The reason for people.
        public var localizedDescription: String {
            self == .developerIssue ? "Developer Issue" : "Other"
        }
    }

    /// How the App Store took a purchase back.
    public struct RevocationType: RawRepresentable, Hashable, Sendable {
        /// The App Store's word.
        public let rawValue: String
        /// Takes any word.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// All was paid back.
        public static let fullRefund = RevocationType(rawValue: "REFUND_FULL")
        /// A part was paid back.
        public static let proratedRefund = RevocationType(rawValue: "REFUND_PRORATED")
        /// The family no longer shares it.
        public static let familyRevocation = RevocationType(rawValue: "FAMILY_REVOKE")
        /// The organisation took it back.
        public static let assignmentRevocation = RevocationType(rawValue: "ASSIGNMENT_REVOKE")
    }

    /// The offer that applied to a transaction.
    public struct Offer: Hashable, Sendable {
        /// How an offer is paid.
        public struct PaymentMode: RawRepresentable, Hashable, Sendable {
            /// The App Store's word.
            public let rawValue: String
            /// Takes any word.
            public init(rawValue: String) { self.rawValue = rawValue }

            /// Not at all.
            public static let freeTrial = PaymentMode(rawValue: "FREE_TRIAL")
            /// Each period for itself.
            public static let payAsYouGo = PaymentMode(rawValue: "PAY_AS_YOU_GO")
            /// All periods at once.
            public static let payUpFront = PaymentMode(rawValue: "PAY_UP_FRONT")
            /// Once, for what is no subscription.
            public static let oneTime = PaymentMode(rawValue: "ONE_TIME")
        }

        /// The offer's name; an introductory one has none.
        public let id: String?
        /// Which kind.
        public let type: OfferType
        /// How it is paid.
        public let paymentMode: PaymentMode?
        /// How long one period of the offer is.
        public let period: Product.SubscriptionPeriod?

        let periodText: String?
    }

    /// The commitment to which a period belongs.
    public struct CommitmentInfo: Hashable, Sendable {
        /// Which of the periods this is, from 1.
        public let billingPeriodNumber: UInt64
        /// How many periods the commitment has.
        public let totalBillingPeriods: UInt64
        /// When the commitment ends.
        public let expirationDate: Date
        /// The amount for the whole commitment.
        public let price: Decimal
    }

    /// How a request for a refund ended.
    public enum RefundRequestStatus: Hashable, Sendable {
        /// The App Store has it; the decision comes later.
        case success
        /// The customer closed the sheet.
        case userCancelled
    }

    /// Why a refund could not be asked for.
    public enum RefundRequestError: Error, Hashable, Sendable {
        /// It was asked for before.
        case duplicateRequest
        /// The request failed.
        case failed
    }
}

extension Transaction.RefundRequestError: LocalizedError {
    /// The error for people.
    public var errorDescription: String? {
        switch self {
        case .duplicateRequest: "A refund was already requested for this purchase."
        case .failed: "The refund request failed."
        }
    }
}
