import AppStoreModel
import StoreWire

extension StoreState {
    /// Lets a notification arise about a transaction, with everything as it stands now.
    mutating func emit(
        _ type: NotificationType, _ subtype: NotificationSubtype? = nil,
        about transaction: StoreTransaction, reason: ConsumptionRequestReason? = nil
    ) {
        guard transaction.environment != .xcode else { return }
        let subscription = subscriptions[transaction.originalID]
        let environment = transaction.environment
        note(
            "notification", transaction,
            "\(type.rawValue)\(subtype.map { "/" + $0.rawValue } ?? "")")
        let version = settings[environment]?.notificationVersion ?? 2
        let words: [String?] =
            version == 1
            ? versionOneTypes(type, subtype, transaction).map { $0 } : [nil]
        for word in words {
            let notification = StoreNotification(
                id: ids.uuid(), environment: environment, type: type, subtype: subtype,
                versionOneType: word, date: now, account: transaction.account,
                transaction: payload(transaction), renewal: subscription.map { payload($0) },
                status: subscription?.status, reason: reason)
            send(notification)
        }
    }

    /// Keeps a notification and plans its first attempt, as faults want it.
    mutating func send(_ notification: StoreNotification) {
        var notification = notification
        let occasion = FaultOccasion.notification(notification.type, notification.environment)
        let struck = faults.isEmpty ? [] : faults.strike(occasion, at: now)
        let hasTarget = settings[notification.environment]?.notificationURL != nil
        notification.nextAttempt = hasTarget ? now : nil
        for rule in struck where hasTarget {
            switch rule.kind {
            case .lateNotification:
                notification.nextAttempt = now.advanced(
                    byMilliseconds: Int64(rule.milliseconds ?? 3_600_000))
            case .reorder:
                // One millisecond past whatever arises now, which is then sent first.
                notification.nextAttempt = now.advanced(byMilliseconds: 1)
            case .duplicate: notification.copies += 1
            default: break
            }
        }
        keep(notification)
        for rule in struck where hasTarget {
            if rule.kind == .newUUID { keep(notification.renamed(ids.uuid())) }
        }
    }

    private mutating func keep(_ notification: StoreNotification) {
        notifications.append(notification)
        if notification.nextAttempt != nil { openNotifications.append(notification.id) }
    }

    /// The words of version 1 for what version 2 says in one.
    private func versionOneTypes(
        _ type: NotificationType, _ subtype: NotificationSubtype?, _ transaction: StoreTransaction
    ) -> [String] {
        let isShared = transaction.isFamilyShared
        switch (type, subtype) {
        case (.subscribed, .initialBuy): return isShared ? [] : ["INITIAL_BUY"]
        case (.subscribed, _):
            let before = previousPeriod(of: transaction)?.productID
            return before == transaction.productID
                ? ["DID_CHANGE_RENEWAL_STATUS"]
                : ["INTERACTIVE_RENEWAL", "DID_CHANGE_RENEWAL_STATUS"]
        case (.didRenew, .billingRecovery): return ["DID_RECOVER"]
        case (.didRenew, _): return ["DID_RENEW"]
        case (.didChangeRenewalPreference, .upgrade), (.offerRedeemed, .upgrade):
            return ["DID_CHANGE_RENEWAL_STATUS", "INTERACTIVE_RENEWAL"]
        case (.didChangeRenewalPreference, _), (.offerRedeemed, .downgrade):
            return ["DID_CHANGE_RENEWAL_PREF"]
        case (.didChangeRenewalStatus, _), (.expired, .billingRetry):
            return ["DID_CHANGE_RENEWAL_STATUS"]
        case (.didFailToRenew, _): return ["DID_FAIL_TO_RENEW"]
        case (.priceIncrease, .pending): return ["PRICE_INCREASE_CONSENT"]
        case (.refund, _):
            return transaction.type == .autoRenewable
                ? ["CANCEL", "DID_CHANGE_RENEWAL_STATUS"] : ["REFUND"]
        case (.revoke, _): return ["REVOKE"]
        case (.consumptionRequest, _):
            return transaction.type == .consumable ? ["CONSUMPTION_REQUEST"] : []
        default: return []
        }
    }

    /// The period before this one in its subscription.
    func previousPeriod(of transaction: StoreTransaction) -> StoreTransaction? {
        guard let account = accounts[transaction.account] else { return nil }
        return account.transactions.lazy.reversed()
            .compactMap { self.transactions[$0] }
            .first { $0.originalID == transaction.originalID && $0.id != transaction.id }
    }

    /// Tells every device of an account on which the app is installed.
    mutating func tell(
        _ account: AccountID, _ kind: DeviceEventKind, except: DeviceID? = nil,
        _ fill: (inout DeviceEventRow) -> Void
    ) {
        for device in devices.rows where device.account == account && device.id != except {
            tell(device: device.id, kind, fill)
        }
    }

    /// Tells one device.
    mutating func tell(
        device id: DeviceID, _ kind: DeviceEventKind, _ fill: (inout DeviceEventRow) -> Void
    ) {
        let now = now
        devices.update(id) { device in
            device.lastSequence += 1
            var row = DeviceEventRow(sequence: device.lastSequence, kind: kind, date: now)
            fill(&row)
            device.events.append(row)
            if device.events.count > Device.eventLimit { device.events.removeFirst(100) }
        }
    }
}

extension StoreNotification {
    /// The same under another name.
    func renamed(_ id: String) -> StoreNotification {
        StoreNotification(
            id: id, environment: environment, type: type, subtype: subtype,
            versionOneType: versionOneType, date: date, account: account, transaction: transaction,
            renewal: renewal, status: status, reason: reason, summary: summary,
            nextAttempt: nextAttempt)
    }
}
