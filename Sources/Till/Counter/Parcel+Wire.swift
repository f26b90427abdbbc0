import AppStoreModel
import TillAPI

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension Parcel {
    /// The ids that the request names: each once, in the order of time.
    var namedIDs: [TransactionID] {
        var seen: Set<TransactionID> = []
        return transactions.compactMap { named($0) }.filter { seen.insert($0).inserted }
    }

    /// The id by which a receipt knows a transaction: of what was restored, that of the first purchase, also
    /// when the store tells it by itself.
    private func named(_ transaction: StoreTransaction) -> TransactionID? {
        let isFormer =
            isRestore || transaction.state == .restored && transaction.signedForm == nil
        return isFormer ? transaction.rootID : transaction.transactionID
    }

    /// What the device believes each transaction to be.
    var products: [TransactionID: ProductID] {
        var products: [TransactionID: ProductID] = [:]
        for transaction in transactions {
            guard let id = named(transaction) else { continue }
            products[id] = transaction.productID
        }
        return products
    }

    /// The transactions whose proof is among the refused ones, by `newsKey`.
    func refusals(in response: PurchaseResponse) -> [String: Refusal] {
        refusals(by: response.refusedProofs ?? [])
    }

    func refusals(by proofs: [RefusedProof]) -> [String: Refusal] {
        let signed = transactions.filter { $0.signedForm != nil }
        var refusals: [String: Refusal] = [:]
        for proof in proofs {
            let refusal = Refusal(
                reason: proof.code.rawValue, isFinal: proof.mayFinish && !proof.isRetryable,
                detail: proof.detail)
            if proof.proof == "receipt" {
                for transaction in transactions where transaction.signedForm == nil {
                    refusals[transaction.newsKey] = refusal
                }
            } else if let place = Self.place(proof.proof), signed.indices.contains(place) {
                refusals[signed[place].newsKey] = refusal
            }
        }
        return refusals
    }

    /// The number in `signedTransactions[2]`.
    private static func place(_ proof: String) -> Int? {
        let prefix = "signedTransactions["
        guard proof.hasPrefix(prefix), proof.hasSuffix("]") else { return nil }
        return Int(proof.dropFirst(prefix.count).dropLast())
    }
}

extension StoreTransaction {
    /// Whether the server's report is about this transaction.
    ///
    /// A restored one has an id of its own that the receipt need not know; its purchase is meant then.
    func isMeant(by report: TransactionReport) -> Bool {
        if let transactionID, report.transactionID == transactionID { return true }
        guard state == .restored, let rootID else { return false }
        return report.transactionID == rootID || report.originalTransactionID == rootID
    }
}

extension PurchaseRequest {
    /// The same for the same request of the same customer, another for another: FNV-1a with 64 bits over
    /// its JSON.
    func fingerprint(for customerID: String) -> UInt64 {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        for byte in Data(customerID.utf8) + [0] + ((try? encoder.encode(self)) ?? Data()) {
            hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01b3
        }
        return hash
    }
}
