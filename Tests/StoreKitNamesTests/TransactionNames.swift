import StoreKit

// The names of StoreKit 2 about what was bought, and of the App Store itself.

private final class Anchor {}

private func transaction(_ transaction: Transaction) async throws {
    let numbers: (UInt64, UInt64, String?) = (
        transaction.id, transaction.originalID, transaction.webOrderLineItemID
    )
    let goods: (String, String?, String, Int, Bool, Product.ProductType) = (
        transaction.productID, transaction.subscriptionGroupID, transaction.appBundleID,
        transaction.purchasedQuantity, transaction.isUpgraded, transaction.productType
    )
    let dates: (Date, Date, Date?, Date?, Date) = (
        transaction.purchaseDate, transaction.originalPurchaseDate, transaction.expirationDate,
        transaction.revocationDate, transaction.signedDate
    )
    let token: UUID? = transaction.appAccountToken
    let revocation: (Transaction.RevocationReason?, Transaction.RevocationType?, Decimal?) = (
        transaction.revocationReason, transaction.revocationType, transaction.revocationPercentage
    )
    let ownership: Transaction.OwnershipType = transaction.ownershipType
    let device: (Data, UUID, Data) = (
        transaction.deviceVerification, transaction.deviceVerificationNonce,
        transaction.jsonRepresentation
    )
    let offer: (Transaction.Offer?, Transaction.OfferType?, String?, String?, String?) = (
        transaction.offer, transaction.offerType, transaction.offerID,
        transaction.offerPaymentModeStringRepresentation,
        transaction.offerPeriodStringRepresentation
    )
    let parts: (String?, Transaction.OfferType?, Transaction.Offer.PaymentMode?) = (
        transaction.offer?.id, transaction.offer?.type, transaction.offer?.paymentMode
    )
    let period: Product.SubscriptionPeriod? = transaction.offer?.period
    let place: (AppStore.Environment, Transaction.Reason, Storefront) = (
        transaction.environment, transaction.reason, transaction.storefront
    )
    let words: [String] = [
        transaction.environmentStringRepresentation, transaction.reasonStringRepresentation,
        transaction.storefrontCountryCode, transaction.appTransactionID,
        transaction.debugDescription,
    ]
    let money: (Decimal?, Locale.Currency?, String?) = (
        transaction.price, transaction.currency, transaction.currencyCode
    )
    let newer:
        (
            Transaction.AdvancedCommerceInfo?, Product.SubscriptionInfo.BillingPlanType?,
            Transaction.CommitmentInfo?
        ) = (
            transaction.advancedCommerceInfo, transaction.billingPlanType,
            transaction.commitmentInfo
        )
    let bundle: (String?, String?, String?, String?, UInt64?) = (
        transaction.bundleProductID, transaction.bundleSubscriptionGroupID,
        transaction.bundleTransactionID, transaction.bundleOriginalTransactionID,
        transaction.previousOriginalTransactionID
    )
    await transaction.finish()
    let status: Product.SubscriptionInfo.Status? = await transaction.subscriptionStatus
    use(numbers, goods, dates, token, revocation, ownership, device, offer, parts, period)
    use(place, words, money, newer, bundle, status)
    switch try await transaction.beginRefundRequest(in: Anchor()) {
    case .success, .userCancelled: break
    @unknown default: break
    }
    _ = try await Transaction.beginRefundRequest(for: transaction.id, in: Anchor())
    use([Transaction.RefundRequestError.duplicateRequest, .failed])
}

private func sequences() async {
    let all: [Transaction.Transactions] = [
        Transaction.all, Transaction.all(for: "a"), Transaction.currentEntitlements,
        Transaction.currentEntitlements(for: "a"), Transaction.unfinished, Transaction.updates,
    ]
    for await result in Transaction.updates {
        guard case .verified(let transaction) = result else { continue }
        await transaction.finish()
    }
    var iterator: Transaction.Transactions.AsyncIterator = all[0].makeAsyncIterator()
    let next: VerificationResult<Transaction>? = await iterator.next()
    let latest: VerificationResult<Transaction>? = await Transaction.latest(for: "a")
    let current: VerificationResult<Transaction>? = await Transaction.currentEntitlement(for: "a")
    use(next, latest, current)
}

private let introductoryDiscount: SKProductDiscount.`Type` = .introductory
private let promotionalDiscount: SKProductDiscount.`Type` = .subscription

/// Sets that Apple can extend, with the words and numbers that it gives them.
let words: [(any RawRepresentable, any Hashable)] = [
    (Transaction.OfferType.introductory, 1), (Transaction.OfferType.promotional, 2),
    (Transaction.OfferType.code, 3), (Transaction.OfferType.winBack, 4),
    (Transaction.OwnershipType.purchased, "PURCHASED"),
    (Transaction.OwnershipType.familyShared, "FAMILY_SHARED"),
    (Transaction.Reason.purchase, "PURCHASE"), (Transaction.Reason.renewal, "RENEWAL"),
    (Transaction.RevocationReason.developerIssue, 1), (Transaction.RevocationReason.other, 0),
    (Transaction.RevocationType.fullRefund, "REFUND_FULL"),
    (Transaction.RevocationType.proratedRefund, "REFUND_PRORATED"),
    (Transaction.RevocationType.familyRevocation, "FAMILY_REVOKE"),
    (Transaction.Offer.PaymentMode.freeTrial, "FREE_TRIAL"),
    (Transaction.Offer.PaymentMode.payAsYouGo, "PAY_AS_YOU_GO"),
    (Transaction.Offer.PaymentMode.payUpFront, "PAY_UP_FRONT"),
    (Transaction.Offer.PaymentMode.oneTime, "ONE_TIME"),
    (Product.ProductType.consumable, "Consumable"),
    (Product.ProductType.nonConsumable, "Non-Consumable"),
    (Product.ProductType.nonRenewable, "Non-Renewing Subscription"),
    (Product.ProductType.autoRenewable, "Auto-Renewable Subscription"),
    (Product.SubscriptionInfo.RenewalState.subscribed, 1),
    (Product.SubscriptionInfo.RenewalState.expired, 2),
    (Product.SubscriptionInfo.RenewalState.inBillingRetryPeriod, 3),
    (Product.SubscriptionInfo.RenewalState.inGracePeriod, 4),
    (Product.SubscriptionInfo.RenewalState.revoked, 5),
    (Product.SubscriptionInfo.RenewalInfo.ExpirationReason.autoRenewDisabled, 1),
    (Product.SubscriptionInfo.RenewalInfo.ExpirationReason.billingError, 2),
    (Product.SubscriptionInfo.RenewalInfo.ExpirationReason.didNotConsentToPriceIncrease, 3),
    (Product.SubscriptionInfo.RenewalInfo.ExpirationReason.productUnavailable, 4),
    (Product.SubscriptionInfo.RenewalInfo.ExpirationReason.unknown, 5),
    (AppStore.Environment.production, "Production"), (AppStore.Environment.sandbox, "Sandbox"),
    (AppStore.Environment.xcode, "Xcode"), (AppStore.Platform.iOS, "iOS"),
    (AppStore.Platform.macOS, "macOS"), (AppStore.Platform.tvOS, "tvOS"),
    (AppStore.Platform.visionOS, "visionOS"),
    (SKPaymentTransactionState.purchasing, 0), (SKPaymentTransactionState.purchased, 1),
    (SKPaymentTransactionState.failed, 2), (SKPaymentTransactionState.restored, 3),
    (SKPaymentTransactionState.deferred, 4), (SKProduct.PeriodUnit.day, UInt(0)),
    (SKProduct.PeriodUnit.week, UInt(1)), (SKProduct.PeriodUnit.month, UInt(2)),
    (SKProduct.PeriodUnit.year, UInt(3)), (SKProductDiscount.PaymentMode.payAsYouGo, UInt(0)),
    (SKProductDiscount.PaymentMode.payUpFront, UInt(1)),
    (SKProductDiscount.PaymentMode.freeTrial, UInt(2)),
    (introductoryDiscount, UInt(0)),
    (promotionalDiscount, UInt(1)),
    (SKProductStorePromotionVisibility.default, 0), (SKProductStorePromotionVisibility.show, 1),
    (SKProductStorePromotionVisibility.hide, 2), (SKDownloadState.waiting, 0),
    (SKDownloadState.active, 1), (SKDownloadState.paused, 2), (SKDownloadState.finished, 3),
    (SKDownloadState.failed, 4), (SKDownloadState.cancelled, 5),
]

private func verification(
    _ transaction: VerificationResult<Transaction>,
    _ renewal: VerificationResult<Product.SubscriptionInfo.RenewalInfo>,
    _ app: VerificationResult<AppTransaction>
) throws {
    let value: Transaction = try transaction.payloadValue
    let unsafe: AppTransaction = app.unsafePayloadValue
    let texts: [String] = [
        transaction.jwsRepresentation, renewal.jwsRepresentation, app.jwsRepresentation,
    ]
    let data: [Data] = [
        transaction.headerData, transaction.payloadData, transaction.signatureData,
        transaction.signedData, renewal.headerData, app.payloadData, renewal.signedData,
        transaction.signature.rawRepresentation, renewal.signature.derRepresentation,
        app.signature.rawRepresentation, transaction.deviceVerification, app.deviceVerification,
    ]
    let rest: (Date, UUID) = (transaction.signedDate, renewal.deviceVerificationNonce)
    if case .unverified(_, let error) = transaction {
        switch error {
        case .revokedCertificate, .invalidCertificateChain, .invalidDeviceVerification,
            .invalidEncoding, .invalidSignature, .missingRequiredProperties:
            use(error.errorDescription, error.localizedDescription)
        @unknown default: break
        }
    }
    use(value, unsafe, texts, data, rest, transaction == transaction)
}

private func app(_ app: AppTransaction) async throws {
    let results: [VerificationResult<AppTransaction>] = [
        try await AppTransaction.shared, try await AppTransaction.refresh(),
    ]
    let numbers: (UInt64?, UInt64?) = (app.appID, app.appVersionID)
    let texts: [String] = [
        app.appVersion, app.bundleID, app.originalAppVersion, app.appTransactionID,
        app.originalPlatformStringRepresentation,
    ]
    let dates: (Date, Date?, Date, Date?) = (
        app.originalPurchaseDate, app.preorderDate, app.signedDate, app.revocationDate
    )
    let place: (AppStore.Environment, AppStore.Platform, AppTransaction.StoreType) = (
        app.environment, app.originalPlatform, app.storeType
    )
    let device: (Data, UUID, Data) = (
        app.deviceVerification, app.deviceVerificationNonce, app.jsonRepresentation
    )
    use(results, numbers, texts, dates, place, device)
}

@MainActor private func store(_ anchor: Anchor) async throws {
    let facts: (Bool, UUID?, Int?) = (
        AppStore.canMakePayments, AppStore.deviceVerificationID, await AppStore.ageRatingCode
    )
    try await AppStore.sync()
    try await AppStore.showManageSubscriptions(in: anchor)
    try await AppStore.showManageSubscriptions(in: anchor, subscriptionGroupID: "g")
    try await AppStore.presentOfferCodeRedeemSheet(in: anchor)
    try await AppStore.presentOfferCodeRedeemSheet(from: anchor)
    let result: VerificationResult<Transaction> =
        try await AppStore.presentOfferCodeRedeemSheet(from: anchor, options: [])
    AppStore.requestReview(in: anchor)
    SKStoreReviewController.requestReview(in: anchor)
    let storefront: Storefront? = await Storefront.current
    for await change in Storefront.updates { use(change == storefront, change.id, change.currency) }
    for await message in Message.messages {
        let reasons: [Message.Reason] = [
            .generic, .priceIncreaseConsent, .billingIssue, .winBackOffer,
        ]
        if reasons.contains(message.reason) { try message.display(in: anchor) }
    }
    for await intent in PurchaseIntent.intents {
        let parts: (Product, Product.SubscriptionOffer?, String) = (
            intent.product, intent.offer, intent.id
        )
        use(parts)
    }
    use(facts, result)
}

@MainActor private func outside(_ anchor: Anchor) async throws {
    if await ExternalPurchase.canPresent {
        switch try await ExternalPurchase.presentNoticeSheet() {
        case .continuedWithExternalPurchaseToken(let token): use(token as String)
        case .cancelled: break
        @unknown default: break
        }
    }
    let urls: [URL]? = await ExternalPurchaseLink.eligibleURLs
    if await ExternalPurchaseLink.canOpen, let url = urls?.first {
        try await ExternalPurchaseLink.open()
        try await ExternalPurchaseLink.open(url: url)
    }
    if await ExternalPurchaseCustomLink.isEligible {
        let token: String? = try await ExternalPurchaseCustomLink.token(for: "ACQUISITION")?.value
        let notice = try await ExternalPurchaseCustomLink.showNotice(type: .browser)
        use(token, notice == .continued)
    }
    if await ExternalLinkAccount.canOpen { try await ExternalLinkAccount.open() }
    try await PaymentMethodBinding(id: "x").bind()
    let product = try await AdvancedCommerceProduct(id: "a")
    use(product.id, product.type, product.allTransactions, product.currentEntitlements)
    use(await product.latestTransaction)
    _ = try await product.purchase(compactJWS: "a.b.c", confirmIn: anchor)
    _ = try await product.purchase(
        compactJWS: "a.b.c", options: [.onStorefrontChange { _ in true }])
}

private func errors(_ error: Error) {
    switch error {
    case StoreKitError.networkError(let cause): use(cause as URLError)
    case StoreKitError.systemError(let cause): use(cause as Error)
    case StoreKitError.unknown, StoreKitError.userCancelled, StoreKitError.notEntitled,
        StoreKitError.notAvailableInStorefront, StoreKitError.unsupported:
        break
    case let error as InvalidRequestError: use(error.code as Int64, error.message as String)
    case let error as Product.PurchaseError:
        switch error {
        case .invalidQuantity, .productUnavailable, .purchaseNotAllowed, .ineligibleForOffer,
            .invalidOfferIdentifier, .invalidOfferPrice, .invalidOfferSignature,
            .missingOfferParameters:
            use(error.errorDescription)
        @unknown default: break
        }
    default: break
    }
}
