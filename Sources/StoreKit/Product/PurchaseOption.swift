public import Foundation

extension Product {
    /// Something that a purchase shall take into account.
    public struct PurchaseOption: Hashable, Sendable, CustomDebugStringConvertible {
        enum Kind: Hashable, Sendable {
            case appAccountToken(UUID)
            case quantity(Int)
            case simulatesAskToBuy(Bool)
            case storefrontChange(StorefrontQuestion)
            case custom(key: String, CustomValue)
            case promotionalOffer(id: String, SubscriptionOffer.Signature)
            case signedPromotionalOffer(id: String, compactJWS: String)
            case winBackOffer(SubscriptionOffer)
            case introductoryEligibility(compactJWS: String)
            case billingPlan(SubscriptionInfo.BillingPlanType)
        }

        enum CustomValue: Hashable, Sendable {
            case text(String)
            case number(Double)
            case flag(Bool)
            case bytes(Data)
        }

        /// A closure as a member of a set: every one equals every other, since a purchase asks only one.
        struct StorefrontQuestion: Hashable, Sendable {
            let shouldContinue: @Sendable (Storefront) -> Bool
            static func == (left: Self, right: Self) -> Bool { true }
            func hash(into hasher: inout Hasher) {}
        }

        let kind: Kind

        /// Whether a purchase goes on in another storefront.
        func goesOn(in storefront: Storefront) -> Bool {
            guard case .storefrontChange(let question) = kind else { return true }
            return question.shouldContinue(storefront)
        }

        /// The option's name and value.
        public var debugDescription: String { String(describing: kind) }

        /// Ties the purchase to a user of the app.
        public static func appAccountToken(_ token: UUID) -> PurchaseOption {
            PurchaseOption(kind: .appAccountToken(token))
        }

        /// Buys 1 to 10 at once, of what can be bought repeatedly.
        public static func quantity(_ quantity: Int) -> PurchaseOption {
            PurchaseOption(kind: .quantity(quantity))
        }

        /// Makes the sandbox ask somebody else to buy.
        public static func simulatesAskToBuyInSandbox(_ simulateAskToBuy: Bool) -> PurchaseOption {
            PurchaseOption(kind: .simulatesAskToBuy(simulateAskToBuy))
        }

        /// Decides whether to go on when the storefront changes during the purchase.
        public static func onStorefrontChange(
            shouldContinuePurchase: @escaping @Sendable (Storefront) -> Bool
        ) -> PurchaseOption {
            PurchaseOption(
                kind: .storefrontChange(
                    StorefrontQuestion(shouldContinue: shouldContinuePurchase)))
        }

        /// A text of one's own.
        public static func custom(key: String, value: String) -> PurchaseOption {
            PurchaseOption(kind: .custom(key: key, .text(value)))
        }

        /// A number of one's own.
        public static func custom(key: String, value: Double) -> PurchaseOption {
            PurchaseOption(kind: .custom(key: key, .number(value)))
        }

        /// A flag of one's own.
        public static func custom(key: String, value: Bool) -> PurchaseOption {
            PurchaseOption(kind: .custom(key: key, .flag(value)))
        }

        /// Bytes of one's own.
        public static func custom(key: String, value: Data) -> PurchaseOption {
            PurchaseOption(kind: .custom(key: key, .bytes(value)))
        }

        /// Applies a promotional offer that the app's server signed.
        public static func promotionalOffer(
            offerID: String, keyID: String, nonce: UUID, signature: Data, timestamp: Int
        ) -> PurchaseOption {
            promotionalOffer(
                offerID: offerID,
                signature: SubscriptionOffer.Signature(
                    keyID: keyID, nonce: nonce, timestamp: timestamp, signature: signature))
        }

        /// Applies a promotional offer that the app's server signed.
        public static func promotionalOffer(
            offerID: String, signature: SubscriptionOffer.Signature
        ) -> PurchaseOption {
            PurchaseOption(kind: .promotionalOffer(id: offerID, signature))
        }

        /// Applies a promotional offer that the app's server signed as a JWS.
        public static func promotionalOffer(
            _ offerID: String, compactJWS: String
        ) -> [PurchaseOption] {
            [PurchaseOption(kind: .signedPromotionalOffer(id: offerID, compactJWS: compactJWS))]
        }

        /// Applies an offer to come back.
        public static func winBackOffer(_ offer: SubscriptionOffer) -> PurchaseOption {
            PurchaseOption(kind: .winBackOffer(offer))
        }

        /// Overrides who may have the introductory offer, as the app's server signed it.
        public static func introductoryOfferEligibility(compactJWS: String) -> PurchaseOption {
            PurchaseOption(kind: .introductoryEligibility(compactJWS: compactJWS))
        }

        /// Chooses how a period is billed.
        public static func billingPlanType(
            _ type: SubscriptionInfo.BillingPlanType
        ) -> PurchaseOption {
            PurchaseOption(kind: .billingPlan(type))
        }
    }
}
