import AppStoreModel
import Foundation

// Signed payloads put into StoreKit 2's values. A payload that lacks what Apple always signs is no value.

extension Transaction {
    init?(_ signed: SignedText) {
        guard let payload = signed.decode(TransactionPayload.self),
            let number = UInt64(payload.transactionID.rawValue),
            let original = UInt64(payload.originalTransactionID.rawValue),
            let bought = payload.purchaseDate, let signedAt = payload.signedDate
        else { return nil }
        id = number
        originalID = original
        webOrderLineItemID = payload.webOrderLineItemID?.rawValue
        productID = payload.productID.rawValue
        subscriptionGroupID = payload.subscriptionGroupIdentifier?.rawValue
        appBundleID = payload.bundleID.rawValue
        purchaseDate = bought.date
        originalPurchaseDate = (payload.originalPurchaseDate ?? bought).date
        expirationDate = payload.expiresDate?.date
        purchasedQuantity = payload.quantity.map(Int.init(clamping:)) ?? 1
        isUpgraded = payload.isUpgraded ?? false
        offer = Offer(
            type: payload.offerType, id: payload.offerIdentifier,
            mode: payload.offerDiscountType, period: payload.offerPeriod)
        revocationDate = payload.revocationDate?.date
        revocationReason = payload.revocationReason.map {
            .init(rawValue: Int(clamping: $0.rawValue))
        }
        revocationType = payload.revocationType.map { .init(rawValue: $0.rawValue) }
        revocationPercentage = payload.revocationPercentage.map { Decimal(milliunits: $0) }
        productType = .init(rawValue: payload.type?.rawValue ?? "")
        appAccountToken = payload.appAccountToken.flatMap { UUID(uuidString: $0.rawValue) }
        environment = .init(rawValue: payload.environment?.rawValue ?? "")
        reason = payload.transactionReason.map { .init(rawValue: $0.rawValue) } ?? .purchase
        let money = payload.currency.map { Locale.Currency($0) }
        storefront = Storefront(
            countryCode: payload.storefront ?? "", id: payload.storefrontID ?? "",
            currency: money)
        price = payload.price.map { Decimal(milliunits: $0) }
        currency = money
        ownershipType =
            payload.inAppOwnershipType.map { .init(rawValue: $0.rawValue) } ?? .purchased
        appTransactionID = payload.appTransactionID ?? ""
        billingPlanType = payload.billingPlanType.map { .init(rawValue: $0.rawValue) }
        commitmentInfo = payload.commitmentInfo.flatMap { CommitmentInfo($0) }
        advancedCommerceInfo = payload.advancedCommerceInfo.map { AdvancedCommerceInfo($0) }
        bundleProductID = payload.otherFields["bundleProductId"]?.string
        bundleSubscriptionGroupID = payload.otherFields["bundleSubscriptionGroupIdentifier"]?.string
        bundleTransactionID = payload.otherFields["bundleTransactionId"]?.string
        bundleOriginalTransactionID = payload.otherFields["bundleOriginalTransactionId"]?.string
        previousOriginalTransactionID = payload.previousOriginalTransactionID.flatMap {
            UInt64($0.rawValue)
        }
        let binding = DeviceBinding(payload.otherFields)
        deviceVerification = binding.verification
        deviceVerificationNonce = binding.nonce
        signedDate = signedAt.date
        jsonRepresentation = signed.payload
        self.signed = signed
    }
}

extension Transaction.Offer {
    init?(
        type: AppStoreModel.OfferType?, id: String?, mode: OfferDiscountType?, period: String?
    ) {
        guard let type else { return nil }
        self.id = id
        self.type = .init(rawValue: Int(clamping: type.rawValue))
        paymentMode = mode.map { .init(rawValue: $0.rawValue) }
        self.period = period.flatMap { Product.SubscriptionPeriod(iso8601: $0) }
        periodText = period
    }
}

extension Transaction.CommitmentInfo {
    init?(_ payload: TransactionCommitment) {
        guard let number = payload.billingPeriodNumber, let total = payload.totalBillingPeriods,
            let end = payload.commitmentExpiresDate
        else { return nil }
        billingPeriodNumber = UInt64(clamping: number)
        totalBillingPeriods = UInt64(clamping: total)
        expirationDate = end.date
        price = Decimal(milliunits: payload.commitmentPrice ?? 0)
    }
}

extension Product.SubscriptionInfo.RenewalInfo {
    init?(_ signed: SignedText) {
        guard let payload = signed.decode(RenewalPayload.self),
            let original = UInt64(payload.originalTransactionID.rawValue),
            let product = payload.productID, let signedAt = payload.signedDate
        else { return nil }
        originalTransactionID = original
        currentProductID = product.rawValue
        willAutoRenew = payload.autoRenewStatus == .on
        autoRenewPreference = payload.autoRenewProductID?.rawValue
        expirationReason = payload.expirationIntent.map {
            .init(rawValue: Int(clamping: $0.rawValue))
        }
        priceIncreaseStatus =
            switch payload.priceIncreaseStatus?.rawValue {
            case 0: .pending
            case 1: .agreed
            default: .noIncreasePending
            }
        isInBillingRetry = payload.isInBillingRetryPeriod ?? false
        gracePeriodExpirationDate = payload.gracePeriodExpiresDate?.date
        offer = Transaction.Offer(
            type: payload.offerType, id: payload.offerIdentifier,
            mode: payload.offerDiscountType, period: payload.offerPeriod)
        environment = .init(rawValue: payload.environment?.rawValue ?? "")
        recentSubscriptionStartDate = (payload.recentSubscriptionStartDate ?? signedAt).date
        renewalDate = payload.renewalDate?.date
        renewalPrice = payload.renewalPrice.map { Decimal(milliunits: $0) }
        currency = payload.currency.map { Locale.Currency($0) }
        eligibleWinBackOfferIDs = payload.eligibleWinBackOfferIDs ?? []
        appTransactionID = payload.appTransactionID ?? ""
        appAccountToken = payload.appAccountToken.flatMap { UUID(uuidString: $0.rawValue) }
        commitmentInfo = payload.commitmentInfo.map { CommitmentInfo($0) }
        advancedCommerceInfo = payload.advancedCommerceInfo.map { AdvancedCommerceInfo($0) }
        bundleProductID = payload.otherFields["bundleProductId"]?.string
        bundleSubscriptionGroupID = payload.otherFields["bundleSubscriptionGroupIdentifier"]?.string
        bundleOriginalTransactionID = payload.otherFields["bundleOriginalTransactionId"]?.string
        willUnbundle = payload.otherFields["willUnbundle"]?.bool ?? false
        renewalBillingPlanType = payload.renewalBillingPlanType.map {
            .init(rawValue: $0.rawValue)
        }
        let binding = DeviceBinding(payload.otherFields)
        deviceVerification = binding.verification
        deviceVerificationNonce = binding.nonce
        signedDate = signedAt.date
        jsonRepresentation = signed.payload
        self.signed = signed
    }
}

extension Product.SubscriptionInfo.RenewalInfo.CommitmentInfo {
    init(_ payload: RenewalCommitment) {
        autoRenewPreference = payload.commitmentAutoRenewProductID?.rawValue
        renewalBillingPlanType = payload.commitmentRenewalBillingPlanType.map {
            .init(rawValue: $0.rawValue)
        }
        renewalDate = payload.commitmentRenewalDate?.date
        renewalPrice = payload.commitmentRenewalPrice.map { Decimal(milliunits: $0) }
        willAutoRenew = payload.commitmentAutoRenewStatus == .on
    }
}

extension AppTransaction {
    init?(_ signed: SignedText) {
        guard let payload = signed.decode(AppTransactionPayload.self),
            let signedAt = payload.receiptCreationDate
        else { return nil }
        appID = payload.appAppleID.flatMap { $0 > 0 ? UInt64($0) : nil }
        appVersion = payload.applicationVersion ?? ""
        appVersionID = payload.versionExternalIdentifier.flatMap { $0 > 0 ? UInt64($0) : nil }
        bundleID = payload.bundleID.rawValue
        environment = .init(rawValue: payload.receiptType?.rawValue ?? "")
        originalAppVersion = payload.originalApplicationVersion ?? ""
        originalPurchaseDate = (payload.originalPurchaseDate ?? signedAt).date
        originalPlatform = .init(rawValue: payload.originalPlatform?.rawValue ?? "")
        preorderDate = payload.preorderDate?.date
        appTransactionID = payload.appTransactionID ?? ""
        revocationDate =
            payload.otherFields["revocationDate"]?.integer.map {
                Date(timeIntervalSince1970: Double($0) / 1_000)
            }
        storeType =
            payload.otherFields["storeType"]?.string.map { .init(rawValue: $0) }
            ?? .consumer
        deviceVerification =
            payload.deviceVerification.flatMap { Data(base64Encoded: $0) } ?? Data()
        deviceVerificationNonce =
            payload.deviceVerificationNonce.flatMap { UUID(uuidString: $0) } ?? .zero
        signedDate = signedAt.date
        jsonRepresentation = signed.payload
        self.signed = signed
    }
}

/// How a payload is bound to a device.
struct DeviceBinding {
    let verification: Data
    let nonce: UUID

    init(_ fields: [String: JSONValue]) {
        verification =
            fields["deviceVerification"]?.string.flatMap { Data(base64Encoded: $0) } ?? Data()
        nonce = fields["deviceVerificationNonce"]?.string.flatMap { UUID(uuidString: $0) } ?? .zero
    }
}

extension UUID {
    /// All bits zero: stands for none.
    static let zero = UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
}
