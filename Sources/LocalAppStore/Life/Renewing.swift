import AppStoreModel
import StoreWire

extension StoreState {
    /// What happens to a subscription when its time comes.
    mutating func wake(_ id: TransactionID) {
        guard let subscription = subscriptions[id], let due = subscription.due, due <= now else {
            return
        }
        switch subscription.state {
        case .active: renewOrEnd(subscription)
        case .grace: endGrace(subscription)
        case .retry: expire(id, .billingError)
        case .expired, .revoked: break
        }
    }

    private mutating func renewOrEnd(_ subscription: Subscription) {
        let id = subscription.id
        if let increase = subscription.increase, increase.needsConsent, !increase.isAgreed,
            subscription.autoRenews
        {
            return expire(id, .noConsentToPriceIncrease)
        }
        guard subscription.autoRenews else {
            return expire(id, subscription.intent ?? .customerCancelled)
        }
        guard let product = catalog.product(subscription.nextProductID), product.isForSale,
            product.subscription != nil
        else { return expire(id, .productUnavailable) }
        guard transactions.count < transactionLimit else { return expire(id, .other) }
        if billingFails(subscription) {
            failToRenew(subscription)
        } else {
            renew(id, from: subscription.expires, nil)
        }
    }

    func billingFails(_ subscription: Subscription) -> Bool {
        subscription.billingFails || accounts[subscription.account]?.billingFails == true
            || catalog.settings.renewalsFail && subscription.environment != .production
    }

    /// Begins the next period of a subscription and of those who share it.
    mutating func renew(
        _ id: TransactionID, from start: Timestamp, _ subtype: NotificationSubtype?
    ) {
        guard let subscription = subscriptions[id],
            let product = catalog.product(subscription.nextProductID),
            let terms = product.subscription, let account = accounts[subscription.account]
        else { return }
        if let increase = subscription.increase, increase.isAgreed {
            change(subscription: id) {
                $0.nextPrice = increase.price
                $0.increase = nil
            }
        }
        let continues =
            subscription.runningLeft > 0 && subscription.nextOffer == nil
            && subscription.productID == subscription.nextProductID
        let offer = continues ? subscription.running : subscription.nextOffer
        let isNewRun =
            start.milliseconds - subscription.expires.milliseconds > rate(account).gapMilliseconds
        change(subscription: id) {
            $0.nextOffer = nil
            if !continues { $0.runningLeft = 0 }
            $0.intent = nil
            $0.billingFails = false
            $0.renewalsSincePurchase += 1
            if isNewRun { $0.recentStart = start }
        }
        let period = addPeriod(id, product, terms, from: start, offer: offer, reason: .renewal)
        guard let transaction = transactions[period] else { return }
        emit(.didRenew, subtype, about: transaction)
        deliverRenewal(transaction)
        renewMembers(of: id, product, terms, subtype)
        let limit = account.environment == .production ? nil : rate(account).renewalLimit
        if let limit, (subscriptions[id]?.renewalsSincePurchase ?? 0) >= limit {
            setAutoRenew(id, false)
        }
    }

    /// Puts a renewal in the queues of the account's devices: StoreKit 1 sees it from the next launch on.
    mutating func deliverRenewal(_ transaction: StoreTransaction) {
        for device in devices.rows where device.account == transaction.account {
            var order = PurchaseOrder(transaction.productID)
            order.token = transaction.token
            payments.append(
                Payment(
                    id: ids.uuid(), device: device.id, account: transaction.account, order: order,
                    date: now, state: .purchased, transaction: transaction.id,
                    launch: device.launches + 1))
        }
        tell(transaction.account, .transactionUpdated) { $0.transaction = transaction.id }
        tell(transaction.account, .statusChanged) { $0.subscription = transaction.originalID }
        note("renewed", transaction)
        strikeRenewal(transaction)
    }

    private mutating func strikeRenewal(_ transaction: StoreTransaction) {
        guard !faults.isEmpty else { return }
        let kinds = faults.strike(.device(transaction.environment), at: now).map(\.kind)
        guard kinds.contains(.secondID) else { return }
        let alias = ids.transactionID(transaction.environment)
        aliases[alias] = transaction.id
        for payment in payments.rows where payment.transaction == transaction.id {
            payments.update(payment.id) { $0.alias = alias }
        }
    }

    mutating func failToRenew(_ subscription: Subscription) {
        guard let account = accounts[subscription.account],
            let settings = settings[subscription.environment],
            let period = catalog.product(subscription.nextProductID)?.subscription?.period
        else { return }
        let rate = rate(account)
        let failed = subscription.expires
        let retryUntil = failed.advanced(byMilliseconds: rate.retryMilliseconds)
        let wasFree = transactions[subscription.current]?.offer?.mode == .freeTrial
        var grace: Timestamp?
        if let days = settings.graceDays, !(settings.graceExcludesTrials && wasFree) {
            let length = rate.graceMilliseconds(days: days, period: period)
            grace = min(failed.advanced(byMilliseconds: length), retryUntil)
        }
        for id in withMembers(subscription.id) {
            change(subscription: id) {
                $0.state = grace.map { .grace(until: $0) } ?? .retry
                $0.retryUntil = retryUntil
                $0.intent = .billingError
            }
            if let current = currentTransaction(id) {
                emit(.didFailToRenew, grace == nil ? nil : .gracePeriod, about: current)
            }
            show(.billingIssue, for: id)
            noteStatus(id)
        }
    }

    private mutating func endGrace(_ subscription: Subscription) {
        for id in withMembers(subscription.id) {
            change(subscription: id) { $0.state = .retry }
            if let current = currentTransaction(id) { emit(.gracePeriodExpired, about: current) }
            noteStatus(id)
        }
    }

    /// Ends a subscription and the access of those who share it.
    mutating func expire(_ id: TransactionID, _ intent: ExpirationIntent) {
        let subtype: NotificationSubtype? =
            switch intent {
            case .customerCancelled: .voluntary
            case .billingError: .billingRetry
            case .noConsentToPriceIncrease: .priceIncrease
            case .productUnavailable: .productNotForSale
            default: nil
            }
        for name in withMembers(id) {
            change(subscription: name) {
                $0.state = .expired
                $0.intent = intent
                $0.autoRenews = false
                $0.retryUntil = nil
            }
            if let current = currentTransaction(name) {
                emit(.expired, subtype, about: current)
                note("expired", current, subtype?.rawValue)
            }
            noteStatus(name)
        }
    }

    /// The store collects what could not be paid.
    mutating func recover(_ id: TransactionID) {
        guard let subscription = subscriptions[id], !subscription.isFamilyShared else { return }
        change(subscription: id) { $0.billingFails = false }
        switch subscription.state {
        case .grace: renew(id, from: subscription.expires, .billingRecovery)
        case .retry: renew(id, from: now, .billingRecovery)
        case .active, .expired, .revoked: break
        }
    }

    /// Turns renewal on or off, as the customer or the store wants it.
    mutating func setAutoRenew(_ id: TransactionID, _ isOn: Bool) {
        guard let subscription = subscriptions[id], subscription.autoRenews != isOn else { return }
        let now = now
        for name in withMembers(id) {
            change(subscription: name) {
                $0.autoRenews = isOn
                $0.renewalChanged = now
            }
        }
        if let current = currentTransaction(id) {
            emit(
                .didChangeRenewalStatus, isOn ? .autoRenewEnabled : .autoRenewDisabled,
                about: current)
        }
        noteStatus(id)
        // Nobody tries to collect for a subscription that its customer does not want.
        switch subscription.state {
        case .grace, .retry: if !isOn { expire(id, .customerCancelled) }
        case .active, .expired, .revoked: break
        }
    }

    func currentTransaction(_ id: TransactionID) -> StoreTransaction? {
        subscriptions[id].flatMap { transactions[$0.current] }
    }

    /// A subscription and those that share it, the purchaser's first.
    func withMembers(_ id: TransactionID) -> [TransactionID] {
        [id] + sharing(id)
    }

    /// Lays a sheet ready on the account's devices.
    mutating func show(_ reason: StoreMessageReason, for id: TransactionID) {
        guard let subscription = subscriptions[id] else { return }
        let message = StoreMessage(
            messageID: ids.uuid(), reason: reason, productID: subscription.productID,
            originalTransactionID: id)
        for device in devices.rows where device.account == subscription.account {
            devices.update(device.id) {
                $0.messages.removeAll { $0.reason == reason && $0.originalTransactionID == id }
                $0.messages.append(message)
                if $0.messages.count > 50 { $0.messages.removeFirst() }
            }
        }
        tell(subscription.account, .message) { $0.message = message }
    }
}
