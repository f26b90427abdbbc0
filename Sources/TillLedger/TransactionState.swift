public import AppStoreModel

/// What all observations of one purchase add up to, whatever order they came in.
///
/// For each field the newest that has it wins, by the time at which Apple signed. Whether the purchase
/// stands is said by the newest observation alone: a refund is reversed by its absence in a later one.
public struct TransactionState: Sendable, Hashable {
    /// The fields, merged.
    public private(set) var fields: ObservedFields
    /// When Apple signed the newest of them.
    public let signedAt: Timestamp

    /// Merges; nil when there is nothing to merge.
    public init?(_ observations: some Sequence<Observation>) {
        let sorted = observations.sorted(by: Self.isOlder)
        guard let newest = sorted.last else { return nil }
        signedAt = newest.signedAt
        fields = newest.fields
        for older in sorted.dropLast().reversed() { fields.fillGaps(from: older.fields) }
        // A receipt writes a cancellation date on a period that an upgrade replaced; that is no refund.
        let isReplaced = fields.isUpgraded == true && newest.fields.source != .transaction
        fields.revocationDate = isReplaced ? nil : newest.fields.revocationDate
        fields.revocationReason = isReplaced ? nil : newest.fields.revocationReason
    }

    /// Whether Apple took it back.
    public var isRevoked: Bool { fields.revocationDate != nil }
    /// Whether a better product of its group replaced it.
    public var isUpgraded: Bool { fields.isUpgraded == true }

    /// A total order, so that the outcome does not hang on the order of arrival: by time, then
    /// the revoked one last, then by what they say.
    private static func isOlder(_ left: Observation, _ right: Observation) -> Bool {
        if left.signedAt != right.signedAt { return left.signedAt < right.signedAt }
        let isLeftRevoked = left.fields.revocationDate != nil
        if isLeftRevoked != (right.fields.revocationDate != nil) { return !isLeftRevoked }
        return left.fields.sortingText < right.fields.sortingText
    }
}

extension ObservedFields {
    /// Takes over what an older observation knew and this one does not say.
    fileprivate mutating func fillGaps(from older: ObservedFields) {
        originalPurchaseDate = originalPurchaseDate ?? older.originalPurchaseDate
        expiresDate = expiresDate ?? older.expiresDate
        isUpgraded = isUpgraded ?? older.isUpgraded
        productType = productType ?? older.productType
        ownership = ownership ?? older.ownership
        appAccountToken = appAccountToken ?? older.appAccountToken
        subscriptionGroupID = subscriptionGroupID ?? older.subscriptionGroupID
        transactionReason = transactionReason ?? older.transactionReason
        offerType = offerType ?? older.offerType
        offerIdentifier = offerIdentifier ?? older.offerIdentifier
        price = price ?? older.price
        currency = currency ?? older.currency
        storefront = storefront ?? older.storefront
    }

    /// Every field in one text, to break ties of time.
    var sortingText: String {
        let parts: [String?] = [
            source.rawValue,
            originalPurchaseDate.map { String($0.milliseconds) },
            expiresDate.map { String($0.milliseconds) },
            revocationDate.map { String($0.milliseconds) },
            revocationReason.map { String($0.rawValue) },
            isUpgraded.map { String($0) },
            productType?.rawValue, ownership?.rawValue, appAccountToken?.rawValue,
            subscriptionGroupID?.rawValue, transactionReason?.rawValue,
            offerType.map { String($0.rawValue) }, offerIdentifier,
            price.map { String($0) }, currency, storefront,
        ]
        return parts.map { $0 ?? "-" }.joined(separator: "|")
    }
}
