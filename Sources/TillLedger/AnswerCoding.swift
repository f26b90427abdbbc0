import AppStoreModel

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension PurchaseAnswer {
    /// Whether sending the same again can bring nothing else.
    var isFinal: Bool {
        absent.isEmpty
            && results.allSatisfy { result in
                switch result.outcome {
                case .granted, .alreadyGranted: true
                case .pending: false
                case .refused(let reason): !reason.isRetryable
                }
            }
    }

    /// The answer as it is kept under an idempotency key; nil when it cannot be written down.
    var stored: String? {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        guard let data = try? encoder.encode(results.map(StoredResult.init)) else { return nil }
        return String(decoding: data, as: UTF8.self)
    }

    /// Reads back a kept answer; nil when it is none.
    init?(stored: String) {
        let decoder = JSONDecoder()
        guard let kept = try? decoder.decode([StoredResult].self, from: Data(stored.utf8)) else {
            return nil
        }
        let results = kept.compactMap(\.result)
        guard results.count == kept.count else { return nil }
        self.init(results: results)
    }
}

/// A result in the form in which it is kept.
private struct StoredResult: Codable {
    let transactionID: TransactionID
    let originalTransactionID: TransactionID
    let productID: ProductID
    let bundleID: BundleID
    let environment: AppStoreEnvironment
    let anchor: String?
    let outcome: String
    let reason: RefusalReason?
    let orderID: OrderID?
    let mayFinish: Bool

    init(_ result: TransactionResult) {
        transactionID = result.transactionID
        originalTransactionID = result.originalTransactionID
        productID = result.productID
        bundleID = result.book.bundleID
        environment = result.book.environment
        anchor = result.book.anchor
        outcome = result.outcome.code
        reason = result.outcome.reason
        orderID = result.orderID
        mayFinish = result.mayFinish
    }

    var result: TransactionResult? {
        let outcomes: [String: TransactionOutcome] = [
            "granted": .granted, "alreadyGranted": .alreadyGranted, "pending": .pending,
        ]
        guard let outcome = reason.map({ .refused($0) }) ?? outcomes[outcome] else { return nil }
        return TransactionResult(
            transactionID: transactionID, originalTransactionID: originalTransactionID,
            productID: productID,
            book: Book(bundleID: bundleID, environment: environment, anchor: anchor),
            outcome: outcome, orderID: orderID, mayFinish: mayFinish)
    }
}
