public import Foundation

extension Product {
    /// What makes a product a subscription that renews.
    public struct SubscriptionInfo: Hashable, Sendable {
        /// The offer for new subscribers.
        public let introductoryOffer: SubscriptionOffer?
        /// The offers that the app's server may sign.
        public let promotionalOffers: [SubscriptionOffer]
        /// The offers for those who left.
        public let winBackOffers: [SubscriptionOffer]
        /// The group, of which a customer has one subscription at a time.
        public let subscriptionGroupID: String
        /// How long a period is.
        public let subscriptionPeriod: SubscriptionPeriod
        /// The level of service; 1 is the highest.
        public let groupLevel: Int
        /// The group's name for people.
        public let groupDisplayName: String
        /// The ways to pay for a period.
        public let pricingTerms: [PricingTerms]
        /// What a bundle contains; empty for every other product, and the local store sells no bundles.
        public var bundledSubscriptions: [BundledSubscription] { [] }

        /// Whether the customer may have the introductory offer.
        public var isEligibleForIntroOffer: Bool {
            get async { await Self.isEligibleForIntroOffer(for: subscriptionGroupID) }
        }

        /// Whether the customer may have an introductory offer of a group.
        public static func isEligibleForIntroOffer(for groupID: String) async -> Bool {
            await StoreSession.current.isEligibleForIntroOffer(groupID: groupID)
        }

        /// How the customer's subscriptions of the group stand; empty if there never was one.
        public var status: [Status] {
            get async throws { try await Self.status(for: subscriptionGroupID) }
        }

        /// How the customer's subscriptions of a group stand; empty if there never was one.
        public static func status(for groupID: String) async throws -> [Status] {
            try await StoreSession.current.statuses(groupID: groupID)
        }

        /// How the subscription stands to which a transaction belongs.
        public static func status(transactionID: UInt64) async throws -> Status? {
            try await StoreSession.current.status(transactionID: transactionID)
        }
    }
}

extension Product.SubscriptionInfo {
    /// How often a subscription is billed.
    public struct BillingPlanType: RawRepresentable, Hashable, Sendable {
        /// Apple's word in signed transactions.
        public let rawValue: String
        /// Takes any word.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// Monthly bills under a longer commitment.
        public static let monthly = BillingPlanType(rawValue: "MONTHLY")
        /// One bill for each period.
        public static let upFront = BillingPlanType(rawValue: "BILLED_UPFRONT")
    }

    /// How long one is bound, and for how much.
    public struct CommitmentInfo: Hashable, Sendable {
        /// The amount for the whole time.
        public let price: Decimal
        /// The whole time.
        public let period: Product.SubscriptionPeriod
    }

    /// A subscription within a bundle.
    public struct BundledSubscription: Identifiable, Hashable, Sendable {
        /// The product's name.
        public let id: String
        /// The name for people.
        public let displayName: String
        /// The description for people.
        public let description: String
        /// The amount that it would cost by itself.
        public let price: Decimal
        /// The price as people write it.
        public let displayPrice: String
        /// Whether a family may share it.
        public let isFamilyShareable: Bool
        /// Its group.
        public let subscriptionGroupID: String
        /// The group's name for people.
        public let subscriptionGroupDisplayName: String
        /// The level of service; 1 is the highest.
        public let subscriptionGroupLevel: Int
    }

    /// The time between two bills.
    public typealias BillingPeriod = Product.SubscriptionPeriod

    /// One way to pay for a subscription.
    public struct PricingTerms: Hashable, Sendable {
        /// How often it is billed.
        public let billingPlanType: BillingPlanType
        /// The amount of each bill.
        public let billingPrice: Decimal
        /// The amount as people write it.
        public let billingDisplayPrice: String
        /// The time between two bills.
        public let billingPeriod: BillingPeriod
        /// How long one is bound.
        public let commitmentInfo: CommitmentInfo
        /// The offers that come with these terms.
        public let subscriptionOffers: [Product.SubscriptionOffer]

        /// The offers of one kind.
        public subscript(
            offers type: Product.SubscriptionOffer.OfferType
        ) -> [Product.SubscriptionOffer] {
            subscriptionOffers.filter { $0.type == type }
        }
    }
}

/// What makes a product a subscription, by its newer name.
public typealias SubscriptionInfo = Product.SubscriptionInfo
