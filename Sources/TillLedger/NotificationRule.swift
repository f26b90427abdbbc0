public import AppStoreModel

/// What the ledger does with one kind of notification.
///
/// Goods follow from what is signed inside: a refund is the revocation date of its transaction, a renewal
/// is its period. So the kind decides only whether what is inside is taken.
public enum NotificationRule: Sendable, Hashable, CaseIterable {
    /// Its transaction and renewal info are taken like any other proof.
    case observe
    /// So they are, and Apple waits for an answer.
    case observeAndAnswer
    /// It is kept, and changes nothing.
    case keep

    /// For how long Apple waits for an answer about consumption, in milliseconds: 12 hours.
    public static let consumptionDeadline: Int64 = 12 * 3_600_000

    /// The rule of a kind; one that this program does not know is kept, type or subtype.
    public static func rule(
        of type: NotificationType, _ subtype: NotificationSubtype?
    ) -> NotificationRule {
        guard NotificationKind.isKnown(type, subtype) else { return .keep }
        return table[type] ?? .keep
    }

    /// The one table.
    private static let table: [NotificationType: NotificationRule] = [
        .subscribed: .observe,
        .didRenew: .observe,
        .didChangeRenewalPreference: .observe,
        .didChangeRenewalStatus: .observe,
        .offerRedeemed: .observe,
        .didFailToRenew: .observe,
        .gracePeriodExpired: .observe,
        .expired: .observe,
        .priceIncrease: .observe,
        .oneTimeCharge: .observe,
        .refund: .observe,
        .refundDeclined: .observe,
        .refundReversed: .observe,
        .consumptionRequest: .observeAndAnswer,
        .revoke: .observe,
        .renewalExtended: .observe,
        // The failure for one subscription has a transaction, the summary has none.
        .renewalExtension: .observe,
        .metadataUpdate: .observe,
        .migration: .observe,
        .priceChange: .observe,
        .externalPurchaseToken: .keep,
        .rescindConsent: .keep,
        .test: .keep,
    ]
}
