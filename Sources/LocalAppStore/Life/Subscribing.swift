import AppStoreModel
import StoreWire

/// What the first period under an offer or without one comes to.
struct PeriodTerms {
    let expires: Timestamp
    let price: Int64
    let offer: UsedOffer?
}

extension StoreState {
    /// Buys a subscription: begins one, begins one again, or changes the plan of one that runs.
    mutating func subscribe(
        _ account: Account, _ product: Product, _ order: PurchaseOrder
    ) -> TransactionID {
        guard let terms = product.subscription else {
            preconditionFailure("an auto-renewable product without terms")
        }
        let asked = order.offerKind.flatMap { product.offer($0, order.offerID) }
            .map(UsedOffer.init)
        guard let known = ownSubscription(of: account, product) else {
            return begin(account, product, terms, order, asked)
        }
        if !known.isRunning {
            return beginAgain(known, account, product, terms, order, asked)
        }
        if let token = order.boundToken {
            change(subscription: known.id) { $0.token = token }
        }
        if known.state == .retry {
            // A purchase pays what could not be paid.
            change(subscription: known.id) {
                $0.nextProductID = product.id
                $0.nextPrice = product.price
                $0.billingFails = false
                $0.autoRenews = true
            }
            recover(known.id)
            return subscriptions[known.id]?.current ?? known.current
        }
        return changePlan(known, to: product, offer: asked, order: order)
    }

    /// The introductory offer that an account gets by itself.
    func introductoryOffer(_ account: Account, _ product: Product, allowed: Bool?) -> Offer? {
        guard let offer = product.offer(.introductory, nil),
            let group = product.subscription?.groupID
        else { return nil }
        return (allowed ?? isEligibleForIntroductoryOffer(account, group)) ? offer : nil
    }

    /// Whether an account never had an introductory offer of the group and is not subscribed in it.
    func isEligibleForIntroductoryOffer(_ account: Account, _ group: SubscriptionGroupID) -> Bool {
        for id in account.subscriptions {
            guard let subscription = subscriptions[id], subscription.groupID == group else {
                continue
            }
            if !subscription.isFamilyShared, subscription.isRunning { return false }
        }
        for id in account.transactions {
            guard let transaction = transactions[id], transaction.groupID == group else {
                continue
            }
            if transaction.offer?.kind == .introductory { return false }
        }
        return true
    }

    /// What a period costs and when it ends.
    func terms(
        of period: Period, from start: Timestamp, offer: UsedOffer?, regular: Int64,
        _ account: Account
    ) -> PeriodTerms {
        let rate = rate(account)
        guard let offer else {
            return PeriodTerms(
                expires: rate.end(of: period, from: start), price: regular, offer: nil)
        }
        if offer.mode == .payAsYouGo {
            return PeriodTerms(
                expires: rate.end(of: period, from: start), price: offer.price, offer: offer)
        }
        var end = start
        if rate.isCompressed {
            for _ in 0..<offer.count { end = rate.end(of: offer.period, from: end) }
        } else {
            end = offer.wholePeriod.end(from: start)
        }
        return PeriodTerms(
            expires: end, price: offer.mode == .freeTrial ? 0 : offer.price, offer: offer)
    }

    private mutating func begin(
        _ account: Account, _ product: Product, _ terms: SubscriptionTerms, _ order: PurchaseOrder,
        _ asked: UsedOffer?
    ) -> TransactionID {
        let id = ids.transactionID(account.environment)
        let offer =
            asked
            ?? introductoryOffer(account, product, allowed: order.allowsIntroductory)
            .map(UsedOffer.init)
        subscriptions.append(
            Subscription(
                id: id, account: account.id, environment: account.environment,
                groupID: terms.groupID, sharedFrom: nil, began: now, current: id,
                productID: product.id, expires: now, renewalChanged: now,
                nextProductID: product.id, nextPrice: product.price, token: order.boundToken,
                recentStart: now, plan: order.plan))
        accounts.update(account.id) { $0.subscriptions.append(id) }
        addPeriod(id, product, terms, from: now, offer: offer, reason: .purchase, as: id)
        if let transaction = transactions[id] {
            emit(.subscribed, .initialBuy, about: transaction)
        }
        if product.isFamilyShareable { shareSubscription(id) }
        return id
    }

    private mutating func beginAgain(
        _ known: Subscription, _ account: Account, _ product: Product, _ terms: SubscriptionTerms,
        _ order: PurchaseOrder, _ asked: UsedOffer?
    ) -> TransactionID {
        let offer =
            asked
            ?? introductoryOffer(account, product, allowed: order.allowsIntroductory)
            .map(UsedOffer.init)
        let now = now
        let gap = now.milliseconds - known.expires.milliseconds
        let isNewRun = gap > rate(account).gapMilliseconds
        change(subscription: known.id) {
            $0.state = .active
            $0.autoRenews = true
            $0.renewalChanged = now
            $0.intent = nil
            $0.increase = nil
            $0.retryUntil = nil
            $0.beforeRevocation = nil
            $0.running = nil
            $0.runningLeft = 0
            $0.nextOffer = nil
            $0.nextProductID = product.id
            $0.nextPrice = product.price
            $0.token = order.boundToken
            $0.plan = order.plan
            $0.renewalsSincePurchase = 0
            if isNewRun { $0.recentStart = now }
        }
        let id = addPeriod(known.id, product, terms, from: now, offer: offer, reason: .purchase)
        if let transaction = transactions[id] {
            emit(.subscribed, .resubscribe, about: transaction)
        }
        if product.isFamilyShareable { shareSubscription(known.id) }
        return id
    }

    /// Adds a period to a subscription and makes it the current one.
    @discardableResult
    mutating func addPeriod(
        _ id: TransactionID, _ product: Product, _ terms: SubscriptionTerms, from start: Timestamp,
        offer: UsedOffer?, reason: TransactionReason, as name: TransactionID? = nil
    ) -> TransactionID {
        guard let subscription = subscriptions[id], let account = accounts[subscription.account]
        else { preconditionFailure("no subscription \(id)") }
        let transactionID = name ?? ids.transactionID(account.environment)
        let monthly = monthlyPlan(subscription, terms)
        let period = monthly == nil ? terms.period : Period(oneOf: .month)
        let worth = self.terms(
            of: period, from: start, offer: offer,
            regular: monthly?.price ?? subscription.nextPrice, account)
        let storefront = storefront(account)
        record(
            StoreTransaction(
                id: transactionID, originalID: id, account: account.id,
                environment: account.environment, productID: product.id, type: .autoRenewable,
                groupID: terms.groupID, lineItemID: ids.lineItemID(account.environment),
                quantity: 1, purchaseDate: start, originalPurchaseDate: subscription.began,
                expiresDate: worth.expires, price: worth.price, currency: storefront.currency,
                storefront: storefront.countryCode, token: subscription.token,
                sharedFrom: nil, reason: reason, offer: worth.offer, orderID: ids.orderID(),
                revision: 0, plan: monthly?.type,
                commitment: monthly.map { commitment($0, subscription, start, account) }))
        let isContinued = subscription.running != nil && subscription.runningLeft > 0
        change(subscription: id) {
            if name == nil { $0.periods += 1 }
            $0.current = transactionID
            $0.productID = product.id
            $0.expires = worth.expires
            $0.state = .active
            $0.retryUntil = nil
            if let offer = worth.offer {
                $0.running = offer
                $0.runningLeft = isContinued ? $0.runningLeft - 1 : offer.renewals - 1
            } else {
                $0.running = nil
                $0.runningLeft = 0
            }
        }
        return transactionID
    }

    private func monthlyPlan(
        _ subscription: Subscription, _ terms: SubscriptionTerms
    ) -> BillingPlan? {
        guard subscription.plan == .monthly else { return nil }
        return terms.billingPlans.first { $0.type == .monthly }
    }

    /// Which month of which year's commitment a period is.
    private func commitment(
        _ plan: BillingPlan, _ subscription: Subscription, _ start: Timestamp, _ account: Account
    ) -> Commitment {
        let before = transactions[subscription.current]?.commitment
        let number = before.map { $0.number % $0.total + 1 } ?? 1
        let expires =
            number == 1
            ? rate(account).end(of: Period(oneOf: .year), from: start) : before?.expires ?? start
        return Commitment(number: number, total: 12, expires: expires, price: plan.commitmentPrice)
    }

    // MARK: Changing the plan

    /// Changes the plan of a subscription that is served, or redeems an offer for it.
    mutating func changePlan(
        _ known: Subscription, to product: Product, offer: UsedOffer?, order: PurchaseOrder?
    ) -> TransactionID {
        guard let terms = product.subscription,
            let current = catalog.product(known.productID), let running = current.subscription
        else { return known.current }
        if product.id == known.productID {
            return keepPlan(known, product, offer)
        }
        let isBetter = terms.level < running.level
        let isAlike = terms.level == running.level && terms.period == running.period
        guard isBetter || isAlike else {
            change(subscription: known.id) {
                $0.nextProductID = product.id
                $0.nextPrice = product.price
                $0.nextOffer = offer
                $0.increase = nil
            }
            turnOnQuietly(known.id)
            if let transaction = transactions[known.current] {
                emit(
                    offer == nil ? .didChangeRenewalPreference : .offerRedeemed, .downgrade,
                    about: transaction)
            }
            noteStatus(known.id)
            return known.current
        }
        return upgrade(known, product, terms, offer, order)
    }

    /// The same plan again: undoes a planned change, turns renewal on, redeems an offer.
    private mutating func keepPlan(
        _ known: Subscription, _ product: Product, _ offer: UsedOffer?
    ) -> TransactionID {
        let undoes = known.nextProductID != product.id
        change(subscription: known.id) {
            if undoes {
                $0.nextProductID = product.id
                $0.nextPrice = product.price
                $0.nextOffer = nil
            }
            if let offer { $0.nextOffer = offer }
        }
        guard let transaction = transactions[known.current] else { return known.current }
        if undoes { emit(.didChangeRenewalPreference, about: transaction) }
        if !known.autoRenews { setAutoRenew(known.id, true) }
        if offer != nil { emit(.offerRedeemed, about: transaction) }
        noteStatus(known.id)
        return known.current
    }

    private mutating func turnOnQuietly(_ id: TransactionID) {
        guard subscriptions[id]?.autoRenews == false else { return }
        setAutoRenew(id, true)
    }

    private mutating func upgrade(
        _ known: Subscription, _ product: Product, _ terms: SubscriptionTerms, _ offer: UsedOffer?,
        _ order: PurchaseOrder?
    ) -> TransactionID {
        let now = now
        change(known.current) {
            $0.upgraded = now
        }
        change(subscription: known.id) {
            $0.nextProductID = product.id
            $0.nextPrice = product.price
            $0.nextOffer = nil
            $0.running = nil
            $0.runningLeft = 0
            $0.increase = nil
            $0.autoRenews = true
            $0.billingFails = false
            $0.intent = nil
            $0.renewalsSincePurchase = 0
            if let token = order?.boundToken { $0.token = token }
        }
        let id = addPeriod(known.id, product, terms, from: now, offer: offer, reason: .purchase)
        if let transaction = transactions[id] {
            emit(
                offer == nil ? .didChangeRenewalPreference : .offerRedeemed, .upgrade,
                about: transaction)
        }
        upgradeMembers(known.id, product, terms)
        noteStatus(known.id)
        return id
    }

    /// Tells the devices that a subscription stands differently.
    mutating func noteStatus(_ id: TransactionID) {
        guard let subscription = subscriptions[id] else { return }
        tell(subscription.account, .statusChanged) { $0.subscription = id }
    }
}
