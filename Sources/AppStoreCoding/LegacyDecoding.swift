public import AppStoreModel
public import SignedDataCoding

extension LegacyReceipt {
    /// Reads what a transaction receipt of iOS 6 says, which says nothing about who wrote it.
    ///
    /// The environment stands outside the signed part: it may say less than production, never more.
    public init(decoding receipt: LegacyTransactionReceipt) throws(SignedDataError) {
        let info = receipt.purchaseInfo
        guard let bundleID = info["bid"], let productID = info["product-id"],
            let transactionID = info["transaction-id"],
            ![bundleID, productID, transactionID].contains("")
        else {
            throw SignedDataError(
                .malformedLegacyReceipt, detail: "no bid, product-id or transaction-id")
        }
        self.init(
            environment: AppStoreEnvironment(rawValue: receipt.environment ?? "Production"),
            bundleID: BundleID(bundleID), productID: ProductID(productID),
            transactionID: TransactionID(transactionID),
            originalTransactionID: info["original-transaction-id"].map { TransactionID($0) },
            purchaseInfo: info)
        quantity = info["quantity"].flatMap { Int64($0) }
        purchaseDate = try Self.date(info, "purchase-date-ms", "purchase-date")
        // What decides nothing costs nobody a purchase.
        originalPurchaseDate = try? Self.date(
            info, "original-purchase-date-ms", "original-purchase-date")
        expiresDate = try Self.date(info, "expires-date", "expires-date-formatted")
        webOrderLineItemID = info["web-order-line-item-id"].flatMap {
            $0 == "0" || $0.isEmpty ? nil : WebOrderLineItemID($0)
        }
        applicationVersion = info["bvrs"]
    }

    /// A date from its milliseconds, else from its text; an unreadable one is an error.
    private static func date(
        _ info: [String: String], _ milliseconds: String, _ text: String
    ) throws(SignedDataError) -> Timestamp? {
        guard let found = info[milliseconds] ?? info[text], !found.isEmpty else { return nil }
        if let number = Int64(found) { return Timestamp(milliseconds: number) }
        if let date = Timestamp(appleText: found) { return date }
        throw SignedDataError(.malformedLegacyReceipt, detail: "\(text) is no date")
    }
}
