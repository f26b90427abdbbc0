import AppStoreModel
import TillAPI
import TillLedger

extension SubscriptionDocument {
    /// The wire's form of a subscription.
    init(_ state: SubscriptionState) {
        self.init(
            originalTransactionID: state.originalID, productID: state.productID,
            status: state.standing.rawValue, expiresAt: state.expiresAt,
            isFamilyShared: state.isFamilyShared, environment: state.book.environment)
        groupID = state.groupID
        gracePeriodExpiresAt = state.graceUntil
        autoRenew = state.isAutoRenewing
        autoRenewProductID = state.autoRenewProductID
        willExpireReason = state.endingReason.map { Self.word(for: $0) }
        offer = state.offer.map { SubscriptionOfferDocument($0) }
        nextOffer = state.nextOffer.map { SubscriptionOfferDocument($0) }
        priceIncrease = state.priceIncrease.map {
            $0 == .awaitingConsent ? "awaitingConsent" : "accepted"
        }
    }

    private static func word(for reason: ExpirationIntent) -> String {
        switch reason {
        case .customerCancelled: "customerCancelled"
        case .billingError: "billingError"
        case .noConsentToPriceIncrease: "noConsentToPriceIncrease"
        case .productUnavailable: "productUnavailable"
        default: "other"
        }
    }
}

extension SubscriptionOfferDocument {
    /// The wire's form of an offer.
    init(_ offer: SubscriptionOffer) {
        let words: [OfferType: String] = [
            .introductory: "introductory", .promotional: "promotional", .offerCode: "offerCode",
            .winBack: "winBack",
        ]
        self.init(
            type: words[offer.type] ?? offer.type.description, identifier: offer.identifier)
    }
}
