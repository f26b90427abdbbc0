import AppStoreModel
import StoreWire

/// Why a renewal date cannot be extended, in the codes of Apple's API.
enum ExtensionRefusal: Int64, Error, Sendable {
    case notFound = 4_040_005
    case ineligible = 4_030_004
    case maximumReached = 4_030_005
    case familyShared = 4_030_007
}

extension StoreState {
    /// Extends one subscription; a refusal carries Apple's code.
    mutating func extend(
        _ id: TransactionID, days: Int, isQuiet: Bool = false
    ) throws(ExtensionRefusal) -> Timestamp {
        guard let subscription = subscriptions[id] else { throw .notFound }
        if let refusal = refusalToExtend(subscription) { throw refusal }
        guard let account = accounts[subscription.account] else { throw .notFound }
        let length = rate(account).extensionMilliseconds(days: days)
        let expires = subscription.expires.advanced(byMilliseconds: length)
        let now = now
        change(subscription: id) { $0.extensions.append(now) }
        for name in withMembers(id) {
            guard let current = currentTransaction(name) else { continue }
            change(current.id) { $0.expiresDate = expires }
            change(subscription: name) { $0.expires = expires }
            noteStatus(name)
        }
        if let current = currentTransaction(id) {
            emit(.renewalExtended, about: current)
            note("extended", current, "by \(days) days")
        }
        return expires
    }

    private func refusalToExtend(_ subscription: Subscription) -> ExtensionRefusal? {
        if subscription.isFamilyShared { return .familyShared }
        guard subscription.state == .active, let current = transactions[subscription.current],
            current.offer?.mode != .freeTrial, hasPaidBefore(subscription)
        else { return .ineligible }
        let yearAgo = now.advanced(byMilliseconds: -365 * 86_400_000)
        return subscription.extensions.filter { $0 > yearAgo }.count >= 2 ? .maximumReached : nil
    }

    /// Whether a period was paid before the current one, in whatever plan.
    private func hasPaidBefore(_ subscription: Subscription) -> Bool {
        guard let account = accounts[subscription.account] else { return false }
        return account.transactions.lazy.compactMap { self.transactions[$0] }.contains {
            $0.originalID == subscription.id && $0.id != subscription.current && $0.price > 0
                && $0.revocation == nil
        }
    }

    /// Takes a request to extend all subscribers; the same name again changes nothing.
    mutating func requestMassExtension(
        _ key: MassExtension.Key, product: ProductID, days: Int, reason: ExtendReasonCode,
        storefronts: [String]?
    ) {
        guard massExtensions[key] == nil else { return }
        let due = now.advanced(byMilliseconds: 60_000)
        massExtensions.append(
            MassExtension(
                id: key, productID: product, days: days, reason: reason, storefronts: storefronts,
                due: due))
        schedule.add(.extensions(key), at: due)
    }

    mutating func carryOut(_ key: MassExtension.Key) {
        guard let request = massExtensions[key], request.completed == nil else { return }
        for subscription in subscriptions.rows
        where subscription.environment == key.environment
            && subscription.productID == request.productID && subscription.isRunning
            && !subscription.isFamilyShared
        {
            let storefront = accounts[subscription.account]?.storefront ?? ""
            if let wanted = request.storefronts, !wanted.contains(storefront) { continue }
            do {
                _ = try extend(subscription.id, days: request.days)
                massExtensions.update(key) { $0.succeeded += 1 }
            } catch {
                massExtensions.update(key) { $0.failed += 1 }
                if let current = currentTransaction(subscription.id) {
                    emit(.renewalExtension, .failure, about: current)
                }
            }
        }
        let now = now
        massExtensions.update(key) { $0.completed = now }
        guard let done = massExtensions[key],
            settings[key.environment]?.notificationVersion != 1
        else { return }
        var summary = NotificationSummary()
        summary.requestIdentifier = key.requestID
        summary.environment = key.environment
        summary.appAppleID = key.environment == .production ? app.appleID : nil
        summary.bundleID = app.bundleID
        summary.productID = done.productID
        summary.storefrontCountryCodes = done.storefronts
        summary.succeededCount = done.succeeded
        summary.failedCount = done.failed
        send(
            StoreNotification(
                id: ids.uuid(), environment: key.environment, type: .renewalExtension,
                subtype: .summary, versionOneType: nil, date: now, account: nil, transaction: nil,
                renewal: nil, status: nil, reason: nil, summary: summary))
        note("notification", environment: key.environment, "RENEWAL_EXTENSION/SUMMARY")
    }
}
