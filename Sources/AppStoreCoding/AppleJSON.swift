import AppStoreModel

/// Writes `verifyReceipt` answers with their names in Apple's order, which people know by heart.
enum AppleJSON {
    /// The order of names in Apple's answers; others follow by alphabet.
    private static let order: [String] = [
        "status", "environment", "receipt", "latest_receipt_info", "latest_expired_receipt_info",
        "latest_receipt", "pending_renewal_info", "is-retryable",
        "receipt_type", "adam_id", "app_item_id", "bundle_id", "application_version",
        "download_id", "version_external_identifier", "receipt_creation_date",
        "receipt_creation_date_ms", "receipt_creation_date_pst", "request_date",
        "request_date_ms", "request_date_pst",
        "quantity", "product_id", "transaction_id", "original_transaction_id",
        "purchase_date", "purchase_date_ms", "purchase_date_pst",
        "original_purchase_date", "original_purchase_date_ms", "original_purchase_date_pst",
        "original_application_version", "preorder_date", "preorder_date_ms", "preorder_date_pst",
        "expiration_date", "expiration_date_ms", "expiration_date_pst",
        "expires_date", "expires_date_ms", "expires_date_pst", "expires_date_formatted",
        "expires_date_formatted_pst", "web_order_line_item_id", "is_trial_period",
        "is_in_intro_offer_period", "cancellation_date", "cancellation_date_ms",
        "cancellation_date_pst", "cancellation_reason", "in_app",
    ]

    private static let places = Dictionary(
        order.enumerated().map { ($1, $0) }, uniquingKeysWith: { first, _ in first })

    static func encode(_ value: JSONValue) -> [UInt8] {
        var bytes: [UInt8] = []
        value.append(to: &bytes) { (place($0), $0) < (place($1), $1) }
        return bytes
    }

    private static func place(_ name: String) -> Int { places[name] ?? order.count }
}
