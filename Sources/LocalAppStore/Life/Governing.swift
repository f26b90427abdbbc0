import AppStoreModel
import StoreWire

/// What a person at the controls does to the store.
extension StoreState {
    mutating func setBack(to date: Timestamp) throws(StoreProblem) {
        guard transactions.count == 0 || date >= now else {
            throw StoreProblem(.notAllowedNow, detail: "the clock goes back only before a purchase")
        }
        now = date
    }

    mutating func makeAccount(_ request: AccountRequest) throws(StoreProblem) -> AccountID {
        guard accounts.count < 10_000 else { throw StoreProblem(.limitReached) }
        let environment = request.environment ?? .sandbox
        guard settings[environment] != nil else {
            throw StoreProblem(.invalidValue, detail: "no environment \(environment)")
        }
        let name = request.accountID ?? AccountID("account\(accounts.count + 1)")
        guard (1...64).contains(name.rawValue.utf8.count) else {
            throw StoreProblem(.invalidValue, detail: "accountId has 1 to 64 bytes")
        }
        guard accounts[name] == nil else {
            throw StoreProblem(.alreadyExists, detail: name.rawValue)
        }
        try check(request)
        addAccount(name, environment, storefront: request.storefront)
        try changeAccount(name, request)
        note("account", account: name, environment: environment)
        return name
    }

    private func check(_ request: AccountRequest) throws(StoreProblem) {
        if let storefront = request.storefront, Storefront(countryCode: storefront) == nil {
            throw StoreProblem(.invalidValue, detail: "no storefront \(storefront)")
        }
        if let rate = request.renewalRate, !rate.isEmpty, RenewalRate(rawValue: rate) == nil {
            throw StoreProblem(
                .invalidValue,
                detail: "no rate \(rate); one of \(RenewalRate.names.joined(separator: ", "))")
        }
    }

    mutating func changeAccount(
        _ name: AccountID, _ request: AccountRequest
    ) throws(StoreProblem) {
        guard let before = accounts[name] else { throw StoreProblem(.accountNotFound) }
        guard request.environment == nil || request.environment == before.environment else {
            throw StoreProblem(.notAllowedNow, detail: "an account stays in its environment")
        }
        try check(request)
        accounts.update(name) { account in
            if let storefront = request.storefront { account.storefront = storefront }
            if let flag = request.canMakePayments { account.canMakePayments = flag }
            if let flag = request.asksToBuy { account.asksToBuy = flag }
            if let flag = request.interruptsPurchases { account.interruptsPurchases = flag }
            if let flag = request.billingFails { account.billingFails = flag }
            if let rate = request.renewalRate {
                account.renewalRate = RenewalRate(rawValue: rate)
            }
        }
        if let storefront = request.storefront, storefront != before.storefront {
            tell(name, .storefrontChanged) { _ in }
        }
        // A repaired payment is charged at once.
        if before.billingFails, request.billingFails == false {
            for id in before.subscriptions
            where subscriptions[id].map({ !fails(beyond: $0) }) == true {
                recover(id)
            }
        }
    }

    /// Forgets an account's purchases, as for a tester; the store's books keep them.
    mutating func clearHistory(_ name: AccountID) throws(StoreProblem) {
        guard let account = accounts[name] else { throw StoreProblem(.accountNotFound) }
        guard account.environment != .production else {
            throw StoreProblem(.notAllowedNow, detail: "only testers' histories are cleared")
        }
        for id in account.subscriptions where subscriptions[id]?.isRunning == true {
            for member in sharing(id) { revokeShared(member) }
            change(subscription: id) {
                $0.state = .expired
                $0.autoRenews = false
                $0.intent = .other
            }
        }
        let now = now
        accounts.update(name) {
            $0.transactions = []
            $0.subscriptions = []
            $0.changed = now
        }
        payments.remove { $0.account == name }
        note("historyCleared", account: name, environment: account.environment)
    }

    mutating func refreshReceipt(
        _ id: DeviceID, _ request: ReceiptRefreshRequest
    ) throws(StoreProblem) {
        guard let device = devices[id] else { throw StoreProblem(.deviceNotFound) }
        guard let account = device.account else { throw StoreProblem(.signedOut) }
        let now = now
        let isTest = device.environment != .production
        devices.update(id) {
            $0.receiptAccount = account
            $0.receiptDate = now
            $0.receiptIsExpired = isTest && request.isExpired == true
            $0.receiptIsRevoked = isTest && request.isRevoked == true
            $0.receiptIsVolumePurchase = isTest && request.isVolumePurchase == true
        }
    }

    mutating func promote(_ request: PromoteRequest) throws(StoreProblem) -> String {
        guard let device = devices[request.deviceID] else { throw StoreProblem(.deviceNotFound) }
        guard let product = catalog.product(request.productID) else {
            throw StoreProblem(.productNotFound)
        }
        if let offer = request.offerID, product.offer(.winBack, offer) == nil {
            throw StoreProblem(.offerNotFound)
        }
        guard device.intents.count < 50 else { throw StoreProblem(.limitReached) }
        let intent = PurchaseIntentItem(
            intentID: ids.uuid(), productID: request.productID, offerID: request.offerID)
        devices.update(device.id) { $0.intents.append(intent) }
        tell(device: device.id, .purchaseIntent) { $0.intent = intent }
        return intent.intentID
    }

    mutating func act(on id: TransactionID, _ action: TransactionAction) throws(StoreProblem) {
        guard let transaction = transaction(id) else { throw StoreProblem(.transactionNotFound) }
        switch action.action {
        case .refund:
            try refund(
                id, reason: RevocationReason(rawValue: Int64(action.reason ?? 0)),
                percentage: action.percentage.map(Int64.init))
        case .requestRefund:
            guard try requestRefund(id, reason: action.requestReason) == .success else {
                throw StoreProblem(.notAllowedNow, detail: "a refund was asked for before")
            }
        case .declineRefund: try declineRefund(id)
        case .reverseRefund: try reverseRefund(id)
        case .askConsumptionAgain: askForConsumption(transaction.id, action.requestReason)
        case .finish:
            _ = finish(
                device: nil, account: transaction.account, items: [],
                transactions: [transaction.id])
            for payment in payments.rows where payment.transaction == transaction.id {
                _ = finish(
                    device: payment.device, account: payment.account, items: [payment.id],
                    transactions: [])
            }
        case .duplicate:
            let alias = ids.transactionID(transaction.environment)
            aliases[alias] = transaction.id
            for payment in payments.rows where payment.transaction == transaction.id {
                payments.update(payment.id) { $0.alias = alias }
            }
            tell(transaction.account, .transactionUpdated) { $0.transaction = alias }
        case .setAppAccountToken:
            guard let token = action.appAccountToken else {
                throw StoreProblem(.invalidValue, detail: "appAccountToken is missing")
            }
            try setToken(transaction.originalID, token)
        default: throw StoreProblem(.invalidValue, detail: "no action \(action.action.rawValue)")
        }
    }

    /// Ties the current and the following transactions of a chain to a user.
    mutating func setToken(_ id: TransactionID, _ token: AppAccountToken) throws(StoreProblem) {
        guard let first = transactions[id] else { throw StoreProblem(.transactionNotFound) }
        if let subscription = subscriptions[id] {
            change(subscription: id) { $0.token = token }
            change(subscription.current) { $0.token = token }
        } else {
            change(first.id) { $0.token = token }
        }
    }

    mutating func act(on id: TransactionID, _ action: SubscriptionAction) throws(StoreProblem) {
        guard let subscription = subscriptions[id] else {
            throw StoreProblem(.subscriptionNotFound)
        }
        guard !subscription.isFamilyShared || action.action == .stopSharing else {
            throw StoreProblem(.notAllowedNow, detail: "it follows the purchaser's subscription")
        }
        switch action.action {
        case .renewNow:
            try renewNow(subscription)
        case .expireNow:
            guard subscription.isRunning else { throw StoreProblem(.notAllowedNow) }
            endPeriodNow(subscription)
        case .turnOff: setAutoRenew(id, false)
        case .turnOn:
            guard subscription.isRunning else { throw StoreProblem(.notAllowedNow) }
            setAutoRenew(id, true)
        case .setBilling:
            let fails = action.fails ?? true
            change(subscription: id) { $0.billingFails = fails }
            // The account's own way of paying, or the catalog, may still let it fail.
            if !fails, subscriptions[id].map({ !billingFails($0) }) == true { recover(id) }
        case .recover:
            guard subscription.isRunning, subscription.state != .active else {
                throw StoreProblem(.notAllowedNow, detail: "nothing is unpaid")
            }
            guard !fails(beyond: subscription) else {
                throw StoreProblem(.notAllowedNow, detail: Self.billingIsSetToFail)
            }
            recover(id)
        case .change, .undoChange: try changePlan(subscription, action)
        case .increasePrice:
            guard let price = action.price else {
                throw StoreProblem(.invalidValue, detail: "price is missing")
            }
            try increasePrice(id, to: price, needsConsent: action.needsConsent)
        case .consent: try answerPriceIncrease(id, agrees: true)
        case .declinePrice: try answerPriceIncrease(id, agrees: false)
        case .extend:
            guard let days = action.days, (1...90).contains(days) else {
                throw StoreProblem(.invalidValue, detail: "days is from 1 to 90")
            }
            do {
                _ = try extend(id, days: days)
            } catch {
                throw StoreProblem(.notAllowedNow, detail: "Apple's code \(error.rawValue)")
            }
        case .stopSharing:
            for member in subscription.isFamilyShared ? [id] : sharing(id) { revokeShared(member) }
        default: throw StoreProblem(.invalidValue, detail: "no action \(action.action.rawValue)")
        }
    }

    private static let billingIsSetToFail =
        "billing is set to fail, for the account or for the catalog"

    /// Whether billing fails for another reason than what was set for the subscription itself.
    private func fails(beyond subscription: Subscription) -> Bool {
        var subscription = subscription
        subscription.billingFails = false
        return billingFails(subscription)
    }

    /// The end of the period comes now, with everything that happens at it: a charge that is set to fail
    /// fails, and what is not to renew does not.
    private mutating func renewNow(_ subscription: Subscription) throws(StoreProblem) {
        guard subscription.isServed else { throw StoreProblem(.notAllowedNow) }
        let id = subscription.id
        guard subscription.state == .active else {
            guard !billingFails(subscription) else {
                throw StoreProblem(.notAllowedNow, detail: "billing is set to fail")
            }
            return renew(id, from: now, .billingRecovery)
        }
        guard subscription.autoRenews else {
            throw StoreProblem(.notAllowedNow, detail: "renewal is turned off")
        }
        if let increase = subscription.increase, increase.needsConsent, !increase.isAgreed {
            throw StoreProblem(.notAllowedNow, detail: "the new price waits for consent")
        }
        guard !billingFails(subscription) else {
            endPeriods(subscription)
            return subscriptions[id].map { failToRenew($0) } ?? ()
        }
        guard let product = catalog.product(subscription.nextProductID), product.isForSale,
            product.subscription != nil
        else {
            throw StoreProblem(
                .notAllowedNow, detail: "\(subscription.nextProductID) is not for sale")
        }
        renew(id, from: now, nil)
    }

    private mutating func endPeriodNow(_ subscription: Subscription) {
        endPeriods(subscription)
        expire(subscription.id, .customerCancelled)
    }

    /// Moves the end of the current period, the family's too, to now.
    private mutating func endPeriods(_ subscription: Subscription) {
        let now = now
        for name in withMembers(subscription.id) {
            guard let current = currentTransaction(name) else { continue }
            change(current.id) { $0.expiresDate = now }
            change(subscription: name) { $0.expires = now }
        }
    }

    private mutating func changePlan(
        _ subscription: Subscription, _ action: SubscriptionAction
    ) throws(StoreProblem) {
        let wanted =
            action.action == .undoChange ? subscription.productID : action.productID
        guard let wanted, let product = catalog.product(wanted) else {
            throw StoreProblem(.productNotFound)
        }
        guard product.subscription?.groupID == subscription.groupID else {
            throw StoreProblem(.invalidValue, detail: "\(wanted) is in another group")
        }
        guard subscription.isServed else { throw StoreProblem(.notAllowedNow) }
        var offer: UsedOffer?
        if let name = action.offerID {
            guard let found = product.offer(.promotional, name) ?? product.offer(.offerCode, name)
            else { throw StoreProblem(.offerNotFound) }
            offer = UsedOffer(found)
        }
        let before = subscription.current
        let current = changePlan(subscription, to: product, offer: offer, order: nil)
        guard current != before, let transaction = transactions[current] else { return }
        tell(subscription.account, .transactionUpdated) { $0.transaction = current }
        note("upgraded", transaction)
    }

    mutating func changeEnvironment(
        _ environment: AppStoreEnvironment, _ change: EnvironmentChange
    ) throws(StoreProblem) {
        guard settings[environment] != nil else {
            throw StoreProblem(.invalidValue, detail: "no environment \(environment)")
        }
        if let days = change.gracePeriodDays, ![0, 3, 16, 28].contains(days) {
            throw StoreProblem(.invalidValue, detail: "gracePeriodDays is 3, 16, 28 or 0")
        }
        if let version = change.notificationVersion, ![1, 2].contains(version) {
            throw StoreProblem(.invalidValue, detail: "notificationVersion is 1 or 2")
        }
        var rate: RenewalRate?
        if let name = change.renewalRate {
            guard let known = RenewalRate(rawValue: name) else {
                throw StoreProblem(
                    .invalidValue,
                    detail: "no rate \(name); one of \(RenewalRate.names.joined(separator: ", "))")
            }
            rate = known
        }
        if let url = change.notificationURL, !url.isEmpty,
            !(url.hasPrefix("http://") || url.hasPrefix("https://")) || url.utf8.count > 2_048
        {
            throw StoreProblem(.invalidValue, detail: "notificationUrl is no http URL")
        }
        settings.update(environment) {
            if let url = change.notificationURL { $0.notificationURL = url.isEmpty ? nil : url }
            if let version = change.notificationVersion { $0.notificationVersion = version }
            if let rate { $0.renewalRate = rate }
            if let days = change.gracePeriodDays { $0.graceDays = days == 0 ? nil : days }
            if let flag = change.graceExcludesTrials { $0.graceExcludesTrials = flag }
        }
    }

    mutating func changeProduct(
        _ id: ProductID, _ change: ProductChange
    ) throws(StoreProblem) {
        guard let place = catalog.products.firstIndex(where: { $0.id == id }) else {
            throw StoreProblem(.productNotFound)
        }
        if let price = change.price {
            guard (0...1_000_000_000_000).contains(price) else { throw StoreProblem(.invalidValue) }
            catalog.products[place].price = price
        }
        if let flag = change.isForSale { catalog.products[place].isForSale = flag }
    }

    mutating func replaceCatalog(_ catalog: Catalog) {
        self.catalog = catalog
        errors = catalog.settings.errors
        note("catalog", nil, catalog.source)
    }

    /// Sends a test notification; answers with its token.
    mutating func sendTest(_ environment: AppStoreEnvironment) throws(StoreProblem) -> String {
        guard settings[environment]?.notificationURL != nil else {
            throw StoreProblem(.notAllowedNow, detail: "no notification URL is set")
        }
        let id = ids.uuid()
        var notification = StoreNotification(
            id: id, environment: environment, type: .test, subtype: nil, versionOneType: nil,
            date: now, account: nil, transaction: nil, renewal: nil, status: nil, reason: nil)
        let token = "\(ids.uuid())_\(now.milliseconds)"
        notification.testToken = token
        send(notification)
        return token
    }

    /// Sends a notification once more, now.
    mutating func resend(_ id: String) throws(StoreProblem) {
        guard let notification = notifications[id] else {
            throw StoreProblem(.notificationNotFound)
        }
        guard settings[notification.environment]?.notificationURL != nil else {
            throw StoreProblem(.notAllowedNow, detail: "no notification URL is set")
        }
        let now = now
        notifications.update(id) { $0.nextAttempt = now }
        if !openNotifications.contains(id) { openNotifications.append(id) }
    }

    /// Forgets all that happened; keys, catalog, settings and the clock stay.
    mutating func reset() {
        var fresh = StoreState(seed: seed, now: now, app: app, catalog: catalog)
        fresh.settings = settings
        fresh.ids = ids
        fresh.lastLogged = lastLogged
        self = fresh
    }
}
