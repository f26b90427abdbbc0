public import AppStoreModel

/// What became of one purchase, as far as Apple asks when a customer wants the money back.
public struct DeliveryRecord: Sendable, Hashable {
    /// Whether it was handed out.
    public let isDelivered: Bool
    /// How much of it is used, in thousandths of a per cent; nil where nothing tells.
    ///
    /// Of a subscription's period there is none: Apple counts its time by itself, and refuses whoever tells more.
    public let consumedShare: Int64?
    /// Whether it is a period of a subscription.
    public let isPeriod: Bool

    /// Makes a record.
    public init(isDelivered: Bool, consumedShare: Int64?, isPeriod: Bool = false) {
        self.isDelivered = isDelivered
        self.consumedShare = isPeriod ? nil : consumedShare
        self.isPeriod = isPeriod
    }
}

extension Ledger {
    /// What became of a transaction, by the records of delivery and spending.
    ///
    /// Units of a currency are alike, so the last ones bought count as spent last: of a purchase is used what
    /// the wallet holds too little to give back.
    public func delivery(
        of id: TransactionID, in book: Book
    ) async throws(LedgerError) -> DeliveryRecord {
        var query = FactQuery()
        var keys = BookQuery()
        keys.transactions = [id]
        keys.includesBalances = true
        query.books[book] = keys
        let facts = try await store.facts(query).books[book] ?? BookFacts()
        guard let key = facts.transactions[id]?.grantKey, let grant = facts.grants[key] else {
            return DeliveryRecord(
                isDelivered: false, consumedShare: nil,
                isPeriod: facts.transactions[id]?.grantKey.isPeriod ?? false)
        }
        // One purchase was asked about, so these are the balances of one customer, under each of their names.
        let wallet = facts.balances.values.reduce(into: [WalletCurrency: Int64]()) {
            sum, balances in
            sum.merge(balances, uniquingKeysWith: +)
        }
        let shares = grant.credits.compactMap { currency, amount -> Int64? in
            guard amount > 0 else { return nil }
            let left = min(max(wallet[currency] ?? 0, 0), amount)
            // Thousandths of a per cent, far from overflow: amounts are at most 10^12 times 10^4.
            return Int64(Double(amount - left) / Double(amount) * 100_000)
        }
        return DeliveryRecord(
            isDelivered: true, consumedShare: shares.max(), isPeriod: key.isPeriod)
    }
}
