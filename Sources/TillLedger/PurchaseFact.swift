import AppStoreModel

/// One transaction as one proof shows it: what the rules decide about.
///
/// Made in this room alone, out of verified values.
struct PurchaseFact: Sendable, Hashable {
    /// Where it belongs.
    var book: Book
    /// The id as Apple signed it.
    var signedID: TransactionID
    /// The first transaction of the chain as Apple signed it.
    var signedOriginalID: TransactionID
    var productID: ProductID
    var quantity: Int64
    var purchaseDate: Timestamp?
    var webOrderLineItemID: WebOrderLineItemID?
    var signedAt: Timestamp
    var fields: ObservedFields
    var proof: ProofDigest

    /// The id under which it is recorded.
    ///
    /// Old versions of Xcode sign the id "0" for every purchase; product and time tell those apart.
    var id: TransactionID { signedID == "0" ? substituteID : signedID }

    /// The original under which it is recorded.
    var originalID: TransactionID {
        signedOriginalID == signedID || signedOriginalID == "0" ? id : signedOriginalID
    }

    /// Orders by time, and facts of one time by their proofs, so that it never hangs on arrival.
    static func isOlder(_ left: PurchaseFact, _ right: PurchaseFact) -> Bool {
        if left.signedAt != right.signedAt { return left.signedAt < right.signedAt }
        return left.proof.rawValue.lexicographicallyPrecedes(right.proof.rawValue)
    }

    private var substituteID: TransactionID {
        TransactionID("0/\(productID)/\(purchaseDate?.milliseconds ?? 0)")
    }
}
