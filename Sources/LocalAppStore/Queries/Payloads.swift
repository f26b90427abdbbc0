import AppStoreModel

/// What Apple would sign, made out of the books as they stand now.
extension StoreState {
    /// A transaction, under its own name or another.
    func payload(
        _ row: StoreTransaction, as alias: TransactionID? = nil
    ) -> TransactionPayload {
        var payload = TransactionPayload(
            transactionID: alias ?? row.id, originalTransactionID: row.originalID,
            bundleID: app.bundleID, productID: row.productID)
        // A consumable has no chain: what is first is itself.
        if let alias, row.id == row.originalID, row.type == .consumable {
            payload.originalTransactionID = alias
        }
        payload.webOrderLineItemID = row.lineItemID
        payload.subscriptionGroupIdentifier = row.groupID
        payload.purchaseDate = row.purchaseDate
        payload.originalPurchaseDate = row.originalPurchaseDate
        payload.expiresDate = row.expiresDate
        payload.quantity = Int64(row.quantity)
        payload.type = row.type
        payload.appAccountToken = row.token
        payload.inAppOwnershipType = row.isFamilyShared ? .familyShared : .purchased
        payload.signedDate = now
        payload.revocationDate = row.revocation?.date
        payload.revocationReason = row.revocation?.reason
        payload.revocationType = row.revocation?.type
        payload.revocationPercentage = row.revocation?.percentage
        payload.isUpgraded = row.upgraded == nil ? nil : true
        if let offer = row.offer {
            payload.offerType = offer.kind
            payload.offerIdentifier = offer.id
            payload.offerDiscountType = offer.mode
            payload.offerPeriod = offer.mode == .oneTime ? nil : offer.wholePeriod.description
        }
        payload.environment = row.environment
        payload.storefront = row.storefront
        payload.storefrontID = Storefront(countryCode: row.storefront)?.id
        payload.transactionReason = row.reason
        payload.currency = row.currency
        payload.price = row.price
        payload.appTransactionID = accounts[row.account]?.appTransactionID
        payload.billingPlanType = row.plan
        if let commitment = row.commitment {
            var info = TransactionCommitment()
            info.billingPeriodNumber = Int64(commitment.number)
            info.totalBillingPeriods = Int64(commitment.total)
            info.commitmentExpiresDate = commitment.expires
            info.commitmentPrice = commitment.price
            payload.commitmentInfo = info
        }
        return payload
    }

    /// How a subscription will go on.
    func payload(_ row: Subscription) -> RenewalPayload {
        var payload = RenewalPayload(originalTransactionID: row.id)
        payload.productID = row.productID
        payload.autoRenewProductID = row.nextProductID
        payload.autoRenewStatus = row.autoRenews ? .on : .off
        payload.signedDate = now
        payload.environment = row.environment
        payload.recentSubscriptionStartDate = row.recentStart
        payload.appAccountToken = row.token
        let account = accounts[row.account]
        payload.appTransactionID = account?.appTransactionID
        payload.currency = account.map { storefront($0).currency }
        payload.renewalPrice = renewalPrice(row)
        payload.renewalDate = row.isRunning ? row.expires : nil
        if row.state == .expired { payload.expirationIntent = row.intent }
        switch row.state {
        case .grace(let until):
            payload.isInBillingRetryPeriod = true
            payload.gracePeriodExpiresDate = until
            payload.expirationIntent = .billingError
        case .retry:
            payload.isInBillingRetryPeriod = true
            payload.expirationIntent = .billingError
        case .active: break
        case .expired, .revoked: payload.isInBillingRetryPeriod = false
        }
        if let increase = row.increase {
            payload.priceIncreaseStatus =
                increase.isAgreed ? .consentedOrNotified : .awaitingConsent
        }
        if let offer = nextOffer(row) {
            payload.offerType = offer.kind
            payload.offerIdentifier = offer.id
            payload.offerDiscountType = offer.mode
            payload.offerPeriod = offer.wholePeriod.description
        }
        let offers = winBackOffers(row)
        payload.eligibleWinBackOfferIDs = offers.isEmpty ? nil : offers
        if let commitment = transactions[row.current]?.commitment, row.plan == .monthly {
            var info = RenewalCommitment()
            info.commitmentAutoRenewProductID = row.nextProductID
            info.commitmentAutoRenewStatus = row.autoRenews ? .on : .off
            info.commitmentRenewalBillingPlanType = .monthly
            info.commitmentRenewalDate = commitment.expires
            info.commitmentRenewalPrice = commitment.price
            payload.commitmentInfo = info
            payload.renewalBillingPlanType = .monthly
        }
        return payload
    }

    /// The offer that the next period will have.
    func nextOffer(_ row: Subscription) -> UsedOffer? {
        if let offer = row.nextOffer { return offer }
        guard row.runningLeft > 0, row.productID == row.nextProductID else { return nil }
        return row.running
    }

    private func renewalPrice(_ row: Subscription) -> Int64? {
        guard row.autoRenews else { return nil }
        if let offer = nextOffer(row) { return offer.mode == .freeTrial ? 0 : offer.price }
        if let increase = row.increase, increase.isAgreed { return increase.price }
        return row.nextPrice
    }

    /// The win-back offers that a subscription's customer may have, best first.
    func winBackOffers(_ row: Subscription) -> [String] {
        guard row.state == .expired, !row.autoRenews, !row.isFamilyShared,
            let offers = catalog.product(row.productID)?.subscription?.offers
        else { return [] }
        return offers.filter { $0.kind == .winBack && $0.isEligible }.compactMap(\.id)
    }

    /// An account's copy of the app; bound to a device when a device asks.
    func payload(_ account: Account, device: Device?) -> AppTransactionPayload {
        var payload = AppTransactionPayload(bundleID: app.bundleID)
        payload.receiptType = account.environment
        payload.appAppleID = account.environment == .production ? app.appleID : nil
        payload.applicationVersion = device?.appVersion ?? app.version
        payload.versionExternalIdentifier =
            account.environment == .production ? app.versionExternalIdentifier : nil
        payload.receiptCreationDate = now
        payload.originalPurchaseDate = account.appPurchaseDate
        payload.originalApplicationVersion = account.originalAppVersion
        payload.appTransactionID = account.appTransactionID
        payload.originalPlatform = PurchasePlatform(rawValue: account.originalPlatform)
        if device != nil { payload.requestDate = now }
        return payload
    }
}

extension StoreApp {
    /// Apple's number of the version; made out of the app's own.
    var versionExternalIdentifier: Int64 { 860_000_000 + appleID % 10_000_000 }
}
