/// One kind of notification that Apple sends: a type with the subtypes that occur with it.
public struct NotificationKind: Sendable, Hashable {
    /// Which of the four parts the notification carries.
    public enum Part: String, Sendable, Hashable {
        /// A purchase.
        case data
        /// The outcome of a mass extension.
        case summary
        /// A purchase outside the App Store.
        case externalPurchaseToken
        /// The app itself.
        case appData
    }

    /// What happened.
    public let type: NotificationType
    /// More exactly; nothing where the type comes without.
    public let subtype: NotificationSubtype?
    /// What it carries.
    public let part: Part

    /// Every kind that Apple documents; other pairs are no valid filter of the notification history.
    public static let all: [NotificationKind] = rows.flatMap { row in
        (row.alone ? [nil] : []).map {
            NotificationKind(type: row.type, subtype: $0, part: row.part)
        }
            + row.subtypes.map { NotificationKind(type: row.type, subtype: $0, part: row.part) }
    }

    /// Whether Apple sends this type with this subtype, or without any.
    public static func isKnown(_ type: NotificationType, _ subtype: NotificationSubtype?) -> Bool {
        all.contains { $0.type == type && $0.subtype == subtype }
    }

    /// Whether Apple sends this type at all, with whatever subtype.
    public static func isKnown(_ type: NotificationType) -> Bool {
        rows.contains { $0.type == type }
    }

    private struct Row {
        let type: NotificationType
        let alone: Bool
        let subtypes: [NotificationSubtype]
        var part = Part.data
    }

    private static let rows: [Row] = [
        Row(type: .subscribed, alone: false, subtypes: [.initialBuy, .resubscribe]),
        Row(type: .didRenew, alone: true, subtypes: [.billingRecovery]),
        Row(type: .didChangeRenewalPreference, alone: true, subtypes: [.upgrade, .downgrade]),
        Row(
            type: .didChangeRenewalStatus, alone: true,
            subtypes: [.autoRenewDisabled, .autoRenewEnabled]),
        Row(type: .offerRedeemed, alone: true, subtypes: [.upgrade, .downgrade]),
        Row(type: .didFailToRenew, alone: true, subtypes: [.gracePeriod]),
        Row(type: .gracePeriodExpired, alone: true, subtypes: []),
        Row(
            type: .expired, alone: true,
            subtypes: [.voluntary, .billingRetry, .priceIncrease, .productNotForSale]),
        Row(type: .priceIncrease, alone: false, subtypes: [.pending, .accepted]),
        Row(type: .oneTimeCharge, alone: true, subtypes: []),
        Row(type: .refund, alone: true, subtypes: []),
        Row(type: .refundDeclined, alone: true, subtypes: []),
        Row(type: .refundReversed, alone: true, subtypes: []),
        Row(type: .consumptionRequest, alone: true, subtypes: []),
        Row(type: .revoke, alone: true, subtypes: []),
        Row(type: .renewalExtended, alone: true, subtypes: []),
        Row(type: .renewalExtension, alone: false, subtypes: [.failure]),
        Row(type: .renewalExtension, alone: false, subtypes: [.summary], part: .summary),
        Row(
            type: .externalPurchaseToken, alone: false,
            subtypes: [.unreported, .created, .activeTokenReminder], part: .externalPurchaseToken),
        Row(type: .rescindConsent, alone: true, subtypes: [], part: .appData),
        Row(type: .metadataUpdate, alone: true, subtypes: []),
        Row(type: .migration, alone: true, subtypes: []),
        Row(type: .priceChange, alone: true, subtypes: []),
        Row(type: .test, alone: true, subtypes: []),
    ]
}
