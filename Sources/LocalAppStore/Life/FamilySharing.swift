import AppStoreModel
import StoreWire

extension StoreState {
    /// The other members of an account's family in its environment.
    func relatives(of account: Account) -> [Account] {
        guard let family = account.family else { return [] }
        return accounts.rows.filter {
            $0.family == family && $0.id != account.id && $0.environment == account.environment
        }
    }

    /// The running subscriptions that share this one.
    func sharing(_ id: TransactionID) -> [TransactionID] {
        guard let owner = subscriptions[id].flatMap({ accounts[$0.account] }), owner.family != nil
        else { return [] }
        return relatives(of: owner).flatMap(\.subscriptions).filter {
            subscriptions[$0]?.sharedFrom == id && subscriptions[$0]?.isRunning == true
        }
    }

    /// Gives a non-consumable to the family.
    mutating func shareOnce(_ id: TransactionID) {
        guard let bought = transactions[id], let owner = accounts[bought.account] else { return }
        for member in relatives(of: owner) {
            let has = member.transactions.contains {
                transactions[$0]?.sharedFrom == id && transactions[$0]?.revocation == nil
            }
            if has { continue }
            let name = ids.transactionID(member.environment)
            record(
                shared(bought, name, original: name, member, lineItem: nil, began: now))
            if let transaction = transactions[name] { emit(.oneTimeCharge, about: transaction) }
            tell(member.id, .transactionUpdated) { $0.transaction = name }
        }
    }

    /// Gives a subscription to the family, for the first time or again.
    mutating func shareSubscription(_ id: TransactionID) {
        guard let subscription = subscriptions[id], let owner = accounts[subscription.account],
            let bought = transactions[subscription.current]
        else { return }
        for member in relatives(of: owner) { share(subscription, bought, with: member) }
    }

    private mutating func share(
        _ subscription: Subscription, _ bought: StoreTransaction, with member: Account
    ) {
        let known = member.subscriptions.compactMap { subscriptions[$0] }
            .first { $0.sharedFrom == subscription.id }
        if known?.isRunning == true { return }
        let name = ids.transactionID(member.environment)
        let original = known?.id ?? name
        if known == nil {
            subscriptions.append(
                Subscription(
                    id: name, account: member.id, environment: member.environment,
                    groupID: subscription.groupID, sharedFrom: subscription.id, began: now,
                    current: name, productID: subscription.productID,
                    expires: subscription.expires, renewalChanged: now,
                    nextProductID: subscription.nextProductID,
                    nextPrice: subscription.nextPrice, recentStart: now))
            accounts.update(member.id) { $0.subscriptions.append(name) }
        }
        mirror(bought, name, original: original, member)
        if let transaction = transactions[name] {
            emit(.subscribed, known == nil ? .initialBuy : .resubscribe, about: transaction)
        }
        tell(member.id, .transactionUpdated) { $0.transaction = name }
        noteStatus(original)
    }

    /// Copies a purchaser's period for a member and makes it the member's current one.
    private mutating func mirror(
        _ bought: StoreTransaction, _ name: TransactionID, original: TransactionID,
        _ member: Account
    ) {
        guard let source = subscriptions[bought.originalID] else { return }
        let began = subscriptions[original]?.began ?? now
        let lineItem = ids.lineItemID(member.environment)
        record(
            shared(bought, name, original: original, member, lineItem: lineItem, began: began))
        change(subscription: original) {
            if name != original { $0.periods += 1 }
            $0.current = name
            $0.productID = bought.productID
            $0.expires = source.expires
            $0.state = source.state
            $0.autoRenews = source.autoRenews
            $0.nextProductID = source.nextProductID
            $0.nextPrice = source.nextPrice
            $0.intent = nil
            $0.retryUntil = nil
        }
    }

    private mutating func shared(
        _ bought: StoreTransaction, _ name: TransactionID, original: TransactionID,
        _ member: Account, lineItem: WebOrderLineItemID?, began: Timestamp
    ) -> StoreTransaction {
        let storefront = storefront(member)
        return StoreTransaction(
            id: name, originalID: original, account: member.id, environment: member.environment,
            productID: bought.productID, type: bought.type, groupID: bought.groupID,
            lineItemID: lineItem, quantity: bought.quantity, purchaseDate: bought.purchaseDate,
            originalPurchaseDate: began, expiresDate: bought.expiresDate, price: 0,
            currency: storefront.currency, storefront: storefront.countryCode, token: nil,
            sharedFrom: bought.id, reason: bought.reason, offer: bought.offer,
            orderID: ids.orderID(), revision: 0)
    }

    /// The members' next period.
    mutating func renewMembers(
        of id: TransactionID, _ product: Product, _ terms: SubscriptionTerms,
        _ subtype: NotificationSubtype?
    ) {
        guard let bought = currentTransaction(id) else { return }
        for name in sharing(id) {
            guard let member = subscriptions[name].flatMap({ accounts[$0.account] }) else {
                continue
            }
            guard product.isFamilyShareable else {
                revokeShared(name)
                continue
            }
            let period = ids.transactionID(member.environment)
            mirror(bought, period, original: name, member)
            guard let transaction = transactions[period] else { continue }
            emit(.didRenew, subtype, about: transaction)
            deliverRenewal(transaction)
        }
    }

    /// The members follow an upgrade; from a plan that is not shared they lose access.
    mutating func upgradeMembers(
        _ id: TransactionID, _ product: Product, _ terms: SubscriptionTerms
    ) {
        guard let bought = currentTransaction(id) else { return }
        let now = now
        for name in sharing(id) {
            guard let subscription = subscriptions[name],
                let member = accounts[subscription.account]
            else { continue }
            guard product.isFamilyShareable else {
                revokeShared(name)
                continue
            }
            change(subscription.current) { $0.upgraded = now }
            let period = ids.transactionID(member.environment)
            mirror(bought, period, original: name, member)
            tell(member.id, .transactionUpdated) { $0.transaction = period }
            noteStatus(name)
        }
        if product.isFamilyShareable { shareSubscription(id) }
    }

    /// A member loses a shared subscription.
    mutating func revokeShared(_ id: TransactionID, reason: RevocationReason = .other) {
        guard let subscription = subscriptions[id], subscription.isRunning else { return }
        change(subscription: id) {
            $0.beforeRevocation = .init(state: $0.state, autoRenews: $0.autoRenews)
            $0.state = .revoked
            $0.autoRenews = false
        }
        revokeForFamily(subscription.current, reason)
        noteStatus(id)
    }

    /// Takes a shared transaction back.
    mutating func revokeForFamily(_ id: TransactionID, _ reason: RevocationReason) {
        let now = now
        change(id) {
            $0.revocation = Revocation(
                date: now, reason: reason, type: .familyRevoke, percentage: nil)
            $0.isFinished = false
        }
        guard let transaction = transactions[id] else { return }
        emit(.revoke, about: transaction)
        note("revoked", transaction)
        tell(transaction.account, .transactionUpdated) { $0.transaction = id }
        tell(transaction.account, .revoked) { $0.productIDs = [transaction.productID] }
    }

    /// Everything that a member has from an account, or from anybody, is lost.
    mutating func stopSharing(from owner: AccountID?, to member: AccountID) {
        guard let account = accounts[member] else { return }
        for id in account.subscriptions {
            guard let source = subscriptions[id]?.sharedFrom,
                owner == nil || subscriptions[source]?.account == owner
            else { continue }
            revokeShared(id)
        }
        for id in account.transactions {
            guard let transaction = transactions[id], transaction.type == .nonConsumable,
                transaction.revocation == nil, let source = transaction.sharedFrom,
                owner == nil || transactions[source]?.account == owner
            else { continue }
            revokeForFamily(id, .other)
        }
    }

    /// Makes, changes or ends a family.
    mutating func setFamily(_ organizer: AccountID, _ members: [AccountID]) throws(StoreProblem) {
        guard let head = accounts[organizer] else { throw StoreProblem(.accountNotFound) }
        guard members.count <= 5, Set(members).count == members.count, !members.contains(organizer)
        else {
            throw StoreProblem(.invalidValue, detail: "a family has five other members at most")
        }
        for name in members {
            guard let member = accounts[name] else {
                throw StoreProblem(.accountNotFound, detail: name.rawValue)
            }
            guard member.environment == head.environment else {
                throw StoreProblem(.invalidValue, detail: "\(name) is in another environment")
            }
            guard member.family == nil || member.family == organizer else {
                throw StoreProblem(.notAllowedNow, detail: "\(name) is in another family")
            }
        }
        let before = accounts.rows.filter { $0.family == organizer }.map(\.id)
        let after = members.isEmpty ? [] : [organizer] + members
        for name in before where !after.contains(name) {
            stopSharing(from: nil, to: name)
            for other in before where other != name { stopSharing(from: name, to: other) }
            accounts.update(name) { $0.family = nil }
        }
        for name in after { accounts.update(name) { $0.family = organizer } }
        for name in after { shareEverything(of: name) }
        note("family", account: organizer, environment: head.environment)
    }

    private mutating func shareEverything(of name: AccountID) {
        guard let account = accounts[name] else { return }
        for id in account.subscriptions {
            guard let subscription = subscriptions[id], !subscription.isFamilyShared,
                subscription.isServed,
                catalog.product(subscription.productID)?.isFamilyShareable == true
            else { continue }
            shareSubscription(id)
        }
        for id in account.transactions {
            guard let transaction = transactions[id], transaction.type == .nonConsumable,
                !transaction.isFamilyShared, transaction.revocation == nil,
                catalog.product(transaction.productID)?.isFamilyShareable == true
            else { continue }
            shareOnce(id)
        }
    }
}
