import AppStoreModel

/// The books' rows as `verifyReceipt` and version 1 notifications spell them.
extension StoreState {
    /// An element of `latest_receipt_info`.
    func latestReceiptInfo(_ row: StoreTransaction) -> VerifyReceiptItem {
        let record = record(row)
        var item = VerifyReceiptItem()
        item.quantity = record.quantity
        item.productID = row.productID
        item.transactionID = row.id
        item.originalTransactionID = row.originalID
        item.purchaseDate = DateTriplet(row.purchaseDate)
        item.originalPurchaseDate = DateTriplet(row.originalPurchaseDate)
        item.expiresDate = DateTriplet(row.expiresDate)
        item.webOrderLineItemID = row.lineItemID
        item.isTrialPeriod = record.isTrialPeriod ?? false
        item.isInIntroOfferPeriod = record.isInIntroOfferPeriod
        item.cancellationDate = DateTriplet(record.cancellationDate)
        item.cancellationReason = row.revocation.map(\.reason) ?? (row.upgraded.map { _ in .other })
        item.promotionalOfferID = record.promotionalOfferID
        if row.offer?.kind == .offerCode { item.offerCodeRefName = row.offer?.id }
        item.inAppOwnershipType = row.isFamilyShared ? .familyShared : .purchased
        item.subscriptionGroupIdentifier = row.groupID
        item.isUpgraded = row.upgraded == nil ? nil : true
        item.appAccountToken = row.token
        return item
    }

    /// An element of `pending_renewal_info`; nothing for what the customer turned off in grace.
    func pendingRenewalInfo(_ row: Subscription) -> PendingRenewal {
        let payload = payload(row)
        var item = PendingRenewal()
        item.autoRenewProductID = row.nextProductID
        item.autoRenewStatus = payload.autoRenewStatus
        item.expirationIntent = payload.expirationIntent
        item.gracePeriodExpiresDate = DateTriplet(payload.gracePeriodExpiresDate)
        item.isInBillingRetryPeriod = payload.isInBillingRetryPeriod
        item.originalTransactionID = row.id
        item.productID = row.productID
        if row.increase?.needsConsent == true {
            item.priceConsentStatus = payload.priceIncreaseStatus
        }
        item.priceIncreaseStatus = payload.priceIncreaseStatus
        if payload.offerType == .offerCode { item.offerCodeRefName = payload.offerIdentifier }
        if payload.offerType == .promotional || payload.offerType == .winBack {
            item.promotionalOfferID = payload.offerIdentifier
        }
        return item
    }
}
