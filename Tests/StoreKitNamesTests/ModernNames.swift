import StoreKit

// Every name of StoreKit 2 with the type that Apple gives it, as code in the Swift 5 mode uses it.

/// What an app may declare in the place of UIKit's.
private final class UIWindowScene {}

private func products(_ product: Product, _ scene: UIWindowScene) async throws {
    let found: [Product] = try await Product.products(for: ["a"])
    let same: [Product] = try await Product.products(for: Set(["a"]))
    let texts: [String] = [
        product.id, product.displayName, product.description, product.displayPrice,
        product.debugDescription, product.type.localizedDescription,
    ]
    let price: Decimal = product.price
    let flags: (Bool, Data) = (product.isFamilyShareable, product.jsonRepresentation)
    let style: Decimal.FormatStyle.Currency = product.priceFormatStyle
    let words: [String] = [
        price.formatted(style), product.subscriptionPeriodUnitFormatStyle.format(.day),
    ]
    let latest: VerificationResult<Transaction>? = await product.latestTransaction
    let current: VerificationResult<Transaction>? = await product.currentEntitlement
    let all: Transaction.Transactions = product.currentEntitlements
    let kinds: [Product.ProductType] = [
        .consumable, .nonConsumable, .nonRenewable, .autoRenewable, .subscriptionBundle,
        .subscriptionSuite,
    ]
    switch try await product.purchase(options: options(product)) {
    case .success(let result):
        let signed: VerificationResult<Transaction> = result
        use(signed)
    case .userCancelled, .pending: break
    @unknown default: break
    }
    _ = try await product.purchase()
    _ = try await product.purchase(confirmIn: scene)
    _ = try await product.purchase(confirmIn: scene, options: [.quantity(1)])
    use(found == same, texts, flags, words, latest, current, all, kinds, Set([product]))
}

private func options(_ product: Product) -> Set<Product.PurchaseOption> {
    var options: Set<Product.PurchaseOption> = [
        .appAccountToken(UUID()), .quantity(2), .simulatesAskToBuyInSandbox(true),
        .onStorefrontChange { storefront in storefront.countryCode == "USA" },
        .custom(key: "a", value: "text"), .custom(key: "b", value: 1.5),
        .custom(key: "c", value: true), .custom(key: "d", value: Data()),
        .promotionalOffer(
            offerID: "o", keyID: "k", nonce: UUID(), signature: Data(), timestamp: 1),
        .promotionalOffer(
            offerID: "o",
            signature: Product.SubscriptionOffer.Signature(
                keyID: "k", nonce: UUID(), timestamp: 1, signature: Data())),
        .introductoryOfferEligibility(compactJWS: "a.b.c"), .billingPlanType(.monthly),
    ]
    if let offer = product.subscription?.winBackOffers.first {
        options.insert(.winBackOffer(offer))
    }
    options.formUnion(Product.PurchaseOption.promotionalOffer("o", compactJWS: "a.b.c"))
    return options
}

private func promotion() async throws {
    var order: [Product.PromotionInfo] = try await Product.PromotionInfo.currentOrder
    order[0].visibility = .hidden
    try await order[0].update()
    try await Product.PromotionInfo.updateProductOrder(byID: ["a"])
    try await Product.PromotionInfo.updateProductVisibility(.visible, for: order[0].productID)
    try await Product.PromotionInfo.updateAll(order)
    use(order.map(\.id), Product.PromotionInfo.Visibility.appStoreConnectDefault)
}

private func subscription(_ info: Product.SubscriptionInfo) async throws {
    let introductory: Product.SubscriptionOffer? = info.introductoryOffer
    let offers: [Product.SubscriptionOffer] = info.promotionalOffers + info.winBackOffers
    let group: (String, Int, String) = (
        info.subscriptionGroupID, info.groupLevel, info.groupDisplayName
    )
    let period: Product.SubscriptionPeriod = info.subscriptionPeriod
    let eligible: [Bool] = [
        await info.isEligibleForIntroOffer,
        await Product.SubscriptionInfo.isEligibleForIntroOffer(for: "g"),
    ]
    let statuses: [Product.SubscriptionInfo.Status] =
        try await info.status + Product.SubscriptionInfo.status(for: "g")
    let one: SubscriptionStatus? = try await Product.SubscriptionInfo.status(transactionID: 1)
    let terms: [Product.SubscriptionInfo.PricingTerms] = info.pricingTerms
    for term in terms {
        let bill: (Product.SubscriptionInfo.BillingPlanType, Decimal, String) = (
            term.billingPlanType, term.billingPrice, term.billingDisplayPrice
        )
        let length: Product.SubscriptionInfo.BillingPeriod = term.billingPeriod
        let bound: (Decimal, Product.SubscriptionPeriod) = (
            term.commitmentInfo.price, term.commitmentInfo.period
        )
        use(bill, length, bound, term.subscriptionOffers, term[offers: .introductory])
    }
    use(info.bundledSubscriptions.map(\.subscriptionGroupLevel))
    for offer in offers {
        let kind: Product.SubscriptionOffer.OfferType = offer.type
        let mode: Product.SubscriptionOffer.PaymentMode = offer.paymentMode
        let facts: (String?, Decimal, String, Product.SubscriptionPeriod, Int) = (
            offer.id, offer.price, offer.displayPrice, offer.period, offer.periodCount
        )
        use(kind == .promotional || kind == .winBack, facts)
        use(mode == .payAsYouGo || mode == .payUpFront || mode == .freeTrial)
    }
    let usual: [Product.SubscriptionPeriod] = [
        .weekly, .monthly, .yearly, .everyThreeDays, .everyTwoWeeks, .everyTwoMonths,
        .everyThreeMonths, .everySixMonths,
    ]
    switch period.unit {
    case .day, .week, .month, .year: break
    @unknown default: break
    }
    let range: Range<Date> = period.dateRange(referenceDate: Date())
    let parts = DateComponents(subscriptionPeriod: period)
    let word: String = period.unit.localizedDescription + period.unit.formatted()
    use(introductory, group, eligible, statuses, one, usual, range, parts, word, period.value)
    use(Product.SubscriptionPeriod.Unit.day < .week)
}

private func statuses(_ status: Product.SubscriptionInfo.Status) async {
    let state: Product.SubscriptionInfo.RenewalState = status.state
    let known: [SubscriptionRenewalState] = [
        .subscribed, .expired, .inBillingRetryPeriod, .inGracePeriod, .revoked,
    ]
    let parts: (VerificationResult<Transaction>, VerificationResult<SubscriptionRenewalInfo>) = (
        status.transaction, status.renewalInfo
    )
    for await update in Product.SubscriptionInfo.Status.updates {
        let one: Product.SubscriptionInfo.Status = update
        use(one)
    }
    for await (groupID, all) in SubscriptionStatus.all {
        let pair: (String, [SubscriptionStatus]) = (groupID, all)
        use(pair)
    }
    use(state.localizedDescription, known, parts)
}

private func renewal(_ info: Product.SubscriptionInfo.RenewalInfo) {
    let numbers: (UInt64, String, Bool, String?) = (
        info.originalTransactionID, info.currentProductID, info.willAutoRenew,
        info.autoRenewPreference
    )
    let reasons: [Product.SubscriptionInfo.RenewalInfo.ExpirationReason?] = [
        info.expirationReason, .autoRenewDisabled, .billingError, .didNotConsentToPriceIncrease,
        .productUnavailable, .unknown, .unbundled,
    ]
    switch info.priceIncreaseStatus {
    case .noIncreasePending, .pending, .agreed: break
    }
    let retry: (Bool, Date?) = (info.isInBillingRetry, info.gracePeriodExpirationDate)
    let offer: (Transaction.Offer?, Transaction.OfferType?, String?, String?, String?) = (
        info.offer, info.offerType, info.offerID, info.offerPaymentModeStringRepresentation,
        info.offerPeriodStringRepresentation
    )
    let place: (AppStore.Environment, String) = (
        info.environment, info.environmentStringRepresentation
    )
    let dates: (Date, Date?, Date) = (
        info.recentSubscriptionStartDate, info.renewalDate, info.signedDate
    )
    let money: (Decimal?, Locale.Currency?, String?) = (
        info.renewalPrice, info.currency, info.currencyCode
    )
    let winBack: [String] = info.eligibleWinBackOfferIDs
    let owner: (String, UUID?) = (info.appTransactionID, info.appAccountToken)
    let newer:
        (
            Product.SubscriptionInfo.RenewalInfo.AdvancedCommerceInfo?,
            Product.SubscriptionInfo.RenewalInfo.CommitmentInfo?,
            Product.SubscriptionInfo.BillingPlanType?
        ) = (info.advancedCommerceInfo, info.commitmentInfo, info.renewalBillingPlanType)
    let bundle: (String?, String?, String?, Bool) = (
        info.bundleProductID, info.bundleSubscriptionGroupID, info.bundleOriginalTransactionID,
        info.willUnbundle
    )
    let device: (Data, UUID, Data) = (
        info.deviceVerification, info.deviceVerificationNonce, info.jsonRepresentation
    )
    use(numbers, reasons, retry, offer, place, dates, money, winBack, owner, newer, bundle, device)
}
