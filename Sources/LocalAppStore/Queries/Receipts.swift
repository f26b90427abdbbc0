import AppStoreModel

extension StoreState {
    /// The content of an account's app receipt.
    ///
    /// Finished consumables are gone from it; everything else stays for ever. It is as new as the last change of
    /// the account's purchases, or as the last time that the device asked for a new one.
    func receipt(_ account: Account, device: Device?) -> AppReceipt {
        let isSandbox = account.environment == .sandbox
        let isProduction = account.environment == .production
        let isVolume = device?.receiptIsVolumePurchase == true
        var receipt = AppReceipt(
            bundleID: app.bundleID, creationDate: max(account.changed, device?.receiptDate ?? .zero)
        )
        receipt.receiptType =
            switch account.environment {
            case .production: .production
            case .xcode: .xcode
            default: isVolume ? .productionVPPSandbox : .productionSandbox
            }
        receipt.appItemID = isProduction ? app.appleID : 0
        receipt.applicationVersion = device?.appVersion ?? app.version
        if !(account.environment == .xcode) {
            receipt.fulfillmentToolVersion = isSandbox ? 1_345_531_957 : 1_345_531_954
            receipt.ageRating = "4+"
            receipt.developerID = isProduction ? app.developerID : 0
            receipt.downloadID = isProduction ? 74_011_462_945_433 : 0
            receipt.versionExternalIdentifier = isProduction ? app.versionExternalIdentifier : 0
            receipt.originalPurchaseDate = account.appPurchaseDate
            receipt.originalApplicationVersion = account.originalAppVersion
        }
        if isProduction { receipt.transactionDate = account.appPurchaseDate }
        if device?.receiptIsExpired == true || isVolume {
            receipt.expirationDate =
                device?.receiptIsExpired == true
                ? receipt.creationDate.advanced(byMilliseconds: -1_000)
                : receipt.creationDate.advanced(byMilliseconds: 365 * 86_400_000)
        }
        if account.environment == .xcode {
            receipt.expirationDate = Timestamp(milliseconds: 64_092_211_200_000)
        }
        receipt.device.opaqueValue = opaqueValue(account)
        receipt.inApp = account.transactions.compactMap { transactions[$0] }
            .filter { !$0.isUsedUp }
            .map { record($0, isRevoked: device?.receiptIsRevoked == true) }
        return receipt
    }

    /// Sixteen bytes that differ from receipt to receipt and not from call to call.
    private func opaqueValue(_ account: Account) -> [UInt8] {
        var source = IDSource(
            seed: seed ^ UInt64(bitPattern: account.changed.milliseconds)
                ^ account.appTransactionID.utf8.reduce(0) { $0 &* 31 &+ UInt64($1) })
        return (0..<2).flatMap { _ in
            let word = source.next()
            return (0..<8).map { UInt8(truncatingIfNeeded: word >> (8 * UInt64($0))) }
        }
    }

    /// One purchase as receipts have it.
    func record(_ row: StoreTransaction, isRevoked: Bool = false) -> InAppPurchase {
        var record = InAppPurchase(
            productID: row.productID, transactionID: row.id, originalTransactionID: row.originalID)
        record.quantity = Int64(row.quantity)
        record.purchaseDate = row.purchaseDate
        record.originalPurchaseDate = row.originalPurchaseDate
        record.expiresDate = row.expiresDate
        record.cancellationDate = row.revocation?.date ?? row.upgraded ?? (isRevoked ? now : nil)
        record.isTrialPeriod = row.offer?.mode == .freeTrial
        if row.type == .autoRenewable {
            record.webOrderLineItemID = row.lineItemID
            record.isInIntroOfferPeriod =
                row.offer?.kind == .introductory && row.offer?.mode != .freeTrial
        }
        if row.offer?.kind == .promotional || row.offer?.kind == .winBack {
            record.promotionalOfferID = row.offer?.id
        }
        record.inAppItemID =
            row.environment == .production ? catalog.product(row.productID)?.appleID ?? 0 : 0
        record.productType =
            switch row.type {
            case .nonConsumable: .nonConsumable
            case .nonRenewing: .nonRenewing
            case .autoRenewable: .autoRenewable
            default: .consumable
            }
        return record
    }

    /// A transaction as an iOS 6 receipt.
    func legacyReceipt(_ row: StoreTransaction, device: Device?) -> LegacyReceipt {
        var receipt = LegacyReceipt(
            environment: row.environment, bundleID: app.bundleID, productID: row.productID,
            transactionID: row.id, originalTransactionID: row.originalID)
        receipt.quantity = Int64(row.quantity)
        receipt.purchaseDate = row.purchaseDate
        receipt.originalPurchaseDate = row.originalPurchaseDate
        receipt.expiresDate = row.expiresDate
        receipt.webOrderLineItemID = row.lineItemID
        receipt.applicationVersion = device?.appVersion ?? app.version
        return receipt
    }
}

extension Timestamp {
    static let zero = Timestamp(milliseconds: 0)
}
