import AppStoreModel

extension JSONWriter {
    /// Writes what an app receipt says, under the names of Apple's `verifyReceipt` answer and with its
    /// types: numbers for the app, strings for each purchase.
    mutating func member(_ name: StaticString, _ receipt: AppReceipt) {
        openObject(name)
        optional("receipt_type", receipt.receiptType?.rawValue)
        optional("adam_id", receipt.appItemID)
        optional("app_item_id", receipt.appItemID)
        member("bundle_id", receipt.bundleID.rawValue)
        optional("application_version", receipt.applicationVersion)
        optional("download_id", receipt.downloadID)
        optional("version_external_identifier", receipt.versionExternalIdentifier)
        date(
            "receipt_creation_date", "receipt_creation_date_ms", "receipt_creation_date_pst",
            receipt.creationDate)
        date(
            "original_purchase_date", "original_purchase_date_ms", "original_purchase_date_pst",
            receipt.originalPurchaseDate)
        optional("original_application_version", receipt.originalApplicationVersion)
        date(
            "expiration_date", "expiration_date_ms", "expiration_date_pst", receipt.expirationDate)
        openList("in_app")
        for purchase in receipt.inApp { element(purchase) }
        closeList()
        closeObject()
    }

    private mutating func element(_ purchase: InAppPurchase) {
        openObject()
        optional("quantity", purchase.quantity.map { String($0) })
        member("product_id", purchase.productID.rawValue)
        member("transaction_id", purchase.transactionID.rawValue)
        member("original_transaction_id", purchase.originalTransactionID.rawValue)
        date("purchase_date", "purchase_date_ms", "purchase_date_pst", purchase.purchaseDate)
        date(
            "original_purchase_date", "original_purchase_date_ms", "original_purchase_date_pst",
            purchase.originalPurchaseDate)
        date("expires_date", "expires_date_ms", "expires_date_pst", purchase.expiresDate)
        optional("web_order_line_item_id", purchase.webOrderLineItemID?.rawValue)
        optional("is_trial_period", purchase.isTrialPeriod.map { $0 ? "true" : "false" })
        optional(
            "is_in_intro_offer_period",
            purchase.isInIntroOfferPeriod.map { $0 ? "true" : "false" })
        date(
            "cancellation_date", "cancellation_date_ms", "cancellation_date_pst",
            purchase.cancellationDate)
        optional("promotional_offer_id", purchase.promotionalOfferID)
        closeObject()
    }

    private mutating func optional(_ name: StaticString, _ text: String?) {
        if let text { member(name, text) }
    }

    private mutating func optional(_ name: StaticString, _ number: Int64?) {
        if let number { member(name, number) }
    }

    private mutating func date(
        _ name: StaticString, _ milliseconds: StaticString, _ pacific: StaticString,
        _ moment: Timestamp?
    ) {
        guard let moment else { return }
        member(name, moment.gmtText)
        member(milliseconds, String(moment.milliseconds))
        member(pacific, moment.losAngelesText)
    }
}
