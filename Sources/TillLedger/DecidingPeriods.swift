import AppStoreModel

/// Which periods of a subscription are read, where all would be too many: those that decide how it stands
/// and what it gives.
///
/// These are the newest few; of each kind of goods that it ever gave (product and entitlements, as the grants
/// froze them) the newest few; and what came next after each of these, since it may have taken its place. It
/// rests on Apple's periods of one original following upon one another: what begins before the end of
/// another takes its place. Where what was read does not decide, more is read.
public struct DecidingPeriods: Sendable, Hashable {
    /// How many are read at first.
    public static let first = 4
    /// By how much the number grows where that does not decide.
    public static let growth = 4
    /// How many are read for telling what became of a subscription.
    public static let forTelling = 16
    /// Among how many the subscription group is looked for where no deciding period names it.
    public static let groupSearch = 64

    /// How many newest were wanted, of the subscription and of each kind of goods.
    public let count: Int
    /// The periods.
    public var keys: Set<GrantKey>
    /// Those of them that are the newest of the subscription.
    public var newest: Set<GrantKey>
    /// Whether these are all that there are.
    public var isAll: Bool

    /// Names periods.
    public init(count: Int, keys: Set<GrantKey>, newest: Set<GrantKey>, isAll: Bool) {
        self.count = count
        self.keys = keys
        self.newest = newest
        self.isAll = isAll
    }
}

extension SubscriptionFacts {
    /// Whether the periods that were read decide, so that no older one can change an answer.
    public func isDecided(by read: DecidingPeriods) -> Bool {
        if read.isAll { return true }
        guard periods.contains(where: { $0.counts && read.newest.contains($0.key) }) else {
            return false
        }
        // Of each kind of goods one that stands, or all that there ever were.
        var kinds: [Goods: (count: Int, stands: Bool)] = [:]
        for purchase in purchases {
            guard let grant = purchase.grant, !grant.entitlements.isEmpty else { continue }
            let goods = Goods(product: grant.productID, entitlements: grant.entitlements)
            let known = kinds[goods] ?? (0, false)
            kinds[goods] = (known.count + 1, known.stands || purchase.stands)
        }
        return kinds.values.allSatisfy { $0.stands || $0.count < read.count }
    }

    /// Whether a deciding period names the subscription group.
    public var namesGroup: Bool {
        purchases.contains { purchase in
            purchase.observations.contains { $0.fields.subscriptionGroupID != nil }
        }
    }

    private struct Goods: Hashable {
        let product: ProductID
        let entitlements: [EntitlementName]
    }
}
