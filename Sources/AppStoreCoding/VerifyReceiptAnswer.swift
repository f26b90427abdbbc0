public import AppStoreModel
public import SignedDataCoding

extension VerifyReceiptResponse {
    /// Apple's answer for an app receipt, as far as the receipt itself can tell it.
    ///
    /// What only Apple's server knows is left out: subscription groups, ownership, offer codes,
    /// account tokens, cancellation reasons, newer receipts, and how subscriptions will go on. A caller
    /// that has verified the receipt may add what it knows.
    public init(
        receipt: AppReceipt, receiptData: String, requestDate: Timestamp,
        excludeOldTransactions: Bool = false
    ) {
        self.init(status: .valid)
        environment = receipt.environment
        self.receipt = .app(VerifyReceiptApp(receipt, requestDate: requestDate))
        guard receipt.inApp.contains(where: \.isAutoRenewable) else { return }
        latestReceipt = receiptData
        let newestFirst = receipt.inApp.enumerated().sorted { left, right in
            let (later, earlier) = (left.element.purchaseDate, right.element.purchaseDate)
            guard later != earlier else { return left.offset < right.offset }
            // What has no date comes last.
            guard let later, let earlier else { return later != nil }
            return later > earlier
        }
        var seen: Set<TransactionID> = []
        latestReceiptInfo = newestFirst.compactMap { _, purchase in
            let isNewest = seen.insert(purchase.originalTransactionID).inserted
            if excludeOldTransactions, purchase.isAutoRenewable, !isNewest { return nil }
            return VerifyReceiptItem(purchase)
        }
    }

    /// Apple's answer for a transaction receipt of iOS 6: valid, or expired at that moment.
    public init(legacyReceipt receipt: LegacyReceipt, receiptData: String, requestDate: Timestamp) {
        let isExpired = receipt.expiresDate.map { $0 <= requestDate } ?? false
        self.init(status: isExpired ? .expired : .valid)
        environment = receipt.environment
        let item = VerifyReceiptItem(legacy: receipt)
        self.receipt = .transaction(item)
        guard receipt.expiresDate != nil else { return }
        if isExpired {
            latestExpiredReceiptInfo = [item]
        } else {
            latestReceipt = receiptData
            latestReceiptInfo = [item]
        }
    }

    /// The status for a genuine receipt of an environment at an endpoint of another, or of the same.
    public static func status(
        for environment: AppStoreEnvironment?, at endpoint: AppStoreEnvironment
    ) -> VerifyReceiptStatus {
        switch (environment, endpoint) {
        case (.sandbox, .production): .sandboxReceipt
        case (.production, .sandbox): .productionReceipt
        case (.production, .production), (.sandbox, .sandbox): .valid
        // Apple's endpoints know neither Xcode's receipts nor those without a type.
        default: environment == endpoint ? .valid : .notAuthentic
        }
    }

    /// The status for bytes that could not be read as a receipt.
    public static func status(for _: SignedDataError) -> VerifyReceiptStatus { .malformed }

    /// The answer as JSON in Apple's order of names.
    public func appleJSON() throws(SignedDataError) -> [UInt8] {
        let value = try JSONCoding.decode(JSONValue.self, try encodedJSON(), limit: .max)
        return AppleJSON.encode(value)
    }
}

extension InAppPurchase {
    /// Whether it is a period of an auto-renewable subscription; Xcode does not say, but by its expiry.
    var isAutoRenewable: Bool {
        if let productType { return productType == .autoRenewable }
        return webOrderLineItemID != nil || expiresDate != nil
    }
}

extension VerifyReceiptApp {
    /// What a receipt says of the app and its purchases.
    public init(_ receipt: AppReceipt, requestDate: Timestamp) {
        self.init()
        receiptType = receipt.receiptType
        adamID = receipt.appItemID
        appItemID = receipt.appItemID
        bundleID = receipt.bundleID
        applicationVersion = receipt.applicationVersion
        downloadID = receipt.downloadID
        versionExternalIdentifier = receipt.versionExternalIdentifier
        receiptCreationDate = DateTriplet(receipt.creationDate)
        self.requestDate = DateTriplet(requestDate)
        originalPurchaseDate = DateTriplet(receipt.originalPurchaseDate)
        originalApplicationVersion = receipt.originalApplicationVersion
        expirationDate = DateTriplet(receipt.expirationDate)
        inApp = receipt.inApp.map { VerifyReceiptItem($0) }
    }
}

extension VerifyReceiptItem {
    /// What a receipt says of one purchase.
    public init(_ purchase: InAppPurchase) {
        self.init()
        quantity = purchase.quantity
        productID = purchase.productID
        transactionID = purchase.transactionID
        originalTransactionID = purchase.originalTransactionID
        purchaseDate = DateTriplet(purchase.purchaseDate)
        originalPurchaseDate = DateTriplet(purchase.originalPurchaseDate)
        expiresDate = DateTriplet(purchase.expiresDate)
        webOrderLineItemID = purchase.webOrderLineItemID
        isTrialPeriod = purchase.isTrialPeriod
        isInIntroOfferPeriod = purchase.isInIntroOfferPeriod
        cancellationDate = DateTriplet(purchase.cancellationDate)
        promotionalOfferID = purchase.promotionalOfferID
    }

    /// What a transaction receipt of iOS 6 says, under the names of the answer.
    public init(legacy receipt: LegacyReceipt) {
        self.init()
        let info = receipt.purchaseInfo
        for (name, text) in info {
            otherFields[String(name.map { $0 == "-" ? "_" : $0 })] = .string(text)
        }
        let known: [(String, (inout VerifyReceiptItem, String) -> Void)] = [
            ("bid", { $0.bundleID = BundleID($1) }),
            ("product_id", { $0.productID = ProductID($1) }),
            ("transaction_id", { $0.transactionID = TransactionID($1) }),
            ("original_transaction_id", { $0.originalTransactionID = TransactionID($1) }),
            ("quantity", { $0.quantity = Int64($1) }),
            ("bvrs", { $0.applicationVersion = $1 }),
            ("item_id", { $0.itemID = $1 }),
            ("app_item_id", { $0.appItemID = $1 }),
            ("version_external_identifier", { $0.versionExternalIdentifier = $1 }),
            ("unique_identifier", { $0.uniqueIdentifier = $1 }),
            ("unique_vendor_identifier", { $0.uniqueVendorIdentifier = $1 }),
            ("web_order_line_item_id", { $0.webOrderLineItemID = WebOrderLineItemID($1) }),
            ("purchase_date", { $0.purchaseDate.text = $1 }),
            ("purchase_date_ms", { $0.purchaseDate.milliseconds = $1 }),
            ("purchase_date_pst", { $0.purchaseDate.pacific = $1 }),
            ("original_purchase_date", { $0.originalPurchaseDate.text = $1 }),
            ("original_purchase_date_ms", { $0.originalPurchaseDate.milliseconds = $1 }),
            ("original_purchase_date_pst", { $0.originalPurchaseDate.pacific = $1 }),
            ("expires_date", { $0.expiresDate.text = $1 }),
            ("expires_date_formatted", { $0.expiresDateFormatted = $1 }),
            ("expires_date_formatted_pst", { $0.expiresDateFormattedPST = $1 }),
            ("is_trial_period", { $0.isTrialPeriod = $1 == "true" }),
            ("is_in_intro_offer_period", { $0.isInIntroOfferPeriod = $1 == "true" }),
        ]
        for (name, set) in known {
            guard let text = otherFields.removeValue(forKey: name)?.string else { continue }
            set(&self, text)
        }
    }
}
