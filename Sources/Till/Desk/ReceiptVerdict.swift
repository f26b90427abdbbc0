import AppStoreModel

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// What `verifyReceipt` answered, as far as a device has to know it.
struct ReceiptVerdict: Decodable, Sendable {
    var status: Int
    var environment: String?
    var isRetryable: Bool?
    var receipt: Receipt?
    var latest: [Purchase]?

    struct Receipt: Decodable, Sendable {
        var bundleID: String?
        var applicationVersion: String?
        var purchases: [Purchase]?
        /// When Apple was asked, by Apple's clock.
        var asked: String?

        enum CodingKeys: String, CodingKey {
            case asked = "request_date_ms"
            case bundleID = "bundle_id"
            case applicationVersion = "application_version"
            case purchases = "in_app"
        }
    }

    struct Purchase: Decodable, Sendable {
        var productID: ProductID
        var transactionID: TransactionID
        var originalTransactionID: TransactionID?
        var purchased: Timestamp?
        var expires: Timestamp?
        var cancelled: Timestamp?

        enum CodingKeys: String, CodingKey {
            case productID = "product_id"
            case transactionID = "transaction_id"
            case originalTransactionID = "original_transaction_id"
            case purchased = "purchase_date_ms"
            case expires = "expires_date_ms"
            case cancelled = "cancellation_date_ms"
        }

        init(from decoder: any Decoder) throws {
            let fields = try decoder.container(keyedBy: CodingKeys.self)
            productID = try fields.decode(ProductID.self, forKey: .productID)
            transactionID = try fields.decode(TransactionID.self, forKey: .transactionID)
            originalTransactionID = try fields.decodeIfPresent(
                TransactionID.self, forKey: .originalTransactionID)
            func time(_ key: CodingKeys) -> Timestamp? {
                if let text = try? fields.decode(String.self, forKey: key) {
                    return Int64(text).map { Timestamp(milliseconds: $0) }
                }
                return try? fields.decode(Timestamp.self, forKey: key)
            }
            purchased = time(.purchased)
            expires = time(.expires)
            cancelled = time(.cancelled)
        }
    }

    enum CodingKeys: String, CodingKey {
        case status
        case environment
        case isRetryable = "is-retryable"
        case receipt
        case latest = "latest_receipt_info"
    }

    init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        status = try fields.decode(Int.self, forKey: .status)
        environment = try? fields.decode(String.self, forKey: .environment)
        // Apple has sent `true` and `1`.
        isRetryable =
            (try? fields.decode(Bool.self, forKey: .isRetryable))
            ?? (try? fields.decode(Int.self, forKey: .isRetryable)).map { $0 == 1 }
        receipt = try? fields.decode(Receipt.self, forKey: .receipt)
        latest = try? fields.decode([Purchase].self, forKey: .latest)
    }

    /// Every purchase, each once.
    var purchases: [Purchase] {
        var seen: Set<TransactionID> = []
        return ((latest ?? []) + (receipt?.purchases ?? [])).filter {
            seen.insert($0.transactionID).inserted
        }
    }

    var serverTime: Timestamp? {
        receipt?.asked.flatMap { Int64($0) }.map { Timestamp(milliseconds: $0) }
    }

    /// Apple's trouble, which passes (Apple's table of `verifyReceipt` status codes).
    var isTrouble: Bool {
        switch status {
        case 21002, 21005, 21009: true
        case 21100...21199: isRetryable ?? true
        default: false
        }
    }

    /// Whether the receipt is worth nothing for good.
    var isForged: Bool { status == 21003 || status == 21010 }
}
