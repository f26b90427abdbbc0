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
        bundleID = state.book.bundleID
        groupID = state.groupID
        gracePeriodExpiresAt = state.graceUntil
        autoRenew = state.isAutoRenewing
        autoRenewProductID = state.autoRenewProductID
        willExpireReason = state.endingReason?.word
        offer = state.offer.map { SubscriptionOfferDocument($0) }
        nextOffer = state.nextOffer.map { SubscriptionOfferDocument($0) }
        priceIncrease = state.priceIncrease?.word
    }
}

extension SubscriptionOfferDocument {
    /// The wire's form of an offer.
    init(_ offer: SubscriptionOffer) {
        self.init(type: offer.type.word, identifier: offer.identifier)
    }
}
