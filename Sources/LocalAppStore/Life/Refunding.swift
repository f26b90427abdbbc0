import AppStoreModel
import StoreWire

extension StoreState {
    /// The App Store pays back: all or a part, the current period or an old one.
    mutating func refund(
        _ id: TransactionID, reason: RevocationReason, percentage: Int64?
    ) throws(StoreProblem) {
        guard let transaction = transaction(id) else { throw StoreProblem(.transactionNotFound) }
        guard transaction.revocation == nil else {
            throw StoreProblem(.notAllowedNow, detail: "it was taken back before")
        }
        guard !transaction.isFamilyShared else {
            throw StoreProblem(.notAllowedNow, detail: "a family member paid nothing")
        }
        if let percentage, !(1...100_000).contains(percentage) {
            throw StoreProblem(.invalidValue, detail: "percentage is from 1 to 100000")
        }
        let isProrated = percentage != nil && percentage != 100_000
        let now = now
        change(transaction.id) {
            $0.revocation = Revocation(
                date: now, reason: reason, type: isProrated ? .proratedRefund : .fullRefund,
                percentage: percentage ?? 100_000)
            $0.refund = .refunded
            $0.isFinished = false
        }
        var endsSharing: [TransactionID] = []
        if let subscription = subscriptions[transaction.originalID],
            subscription.current == transaction.id, subscription.isRunning
        {
            endsSharing = sharing(subscription.id)
            change(subscription: subscription.id) {
                $0.beforeRevocation = .init(state: $0.state, autoRenews: $0.autoRenews)
                $0.state = .revoked
                $0.autoRenews = false
            }
        }
        guard let refunded = transactions[transaction.id] else { return }
        emit(.refund, about: refunded)
        note("refunded", refunded, percentage.map { "\($0) thousandths of a percent" })
        for member in endsSharing { revokeShared(member, reason: reason) }
        for copy in transactions.rows
        where copy.sharedFrom == refunded.id && copy.type == .nonConsumable
            && copy.revocation == nil
        {
            revokeForFamily(copy.id, reason)
        }
        tellOfRevocation(refunded)
    }

    private mutating func tellOfRevocation(_ transaction: StoreTransaction) {
        tell(transaction.account, .transactionUpdated) { $0.transaction = transaction.id }
        // StoreKit 1 tells of lost entitlements, and a consumable is none.
        if transaction.type == .nonConsumable || transaction.type == .autoRenewable {
            tell(transaction.account, .revoked) { $0.productIDs = [transaction.productID] }
        }
        if transaction.type == .autoRenewable { noteStatus(transaction.originalID) }
    }

    /// The customer asks for the money back; answers whether the request was taken.
    mutating func requestRefund(
        _ id: TransactionID, reason word: String?
    ) throws(StoreProblem) -> DeviceRefundStatus {
        guard let transaction = transaction(id) else { throw StoreProblem(.transactionNotFound) }
        if let failure = errors[SimulatedAPI.refundRequest.rawValue] {
            return failure == "duplicateRequest" ? .duplicateRequest : .failed
        }
        guard !transaction.isFamilyShared else { return .failed }
        guard transaction.refund == nil || transaction.refund == .declined,
            transaction.revocation == nil
        else { return .duplicateRequest }
        change(transaction.id) { $0.refund = .requested }
        note("refundRequested", transaction, word)
        if let subscription = subscriptions[transaction.originalID],
            subscription.current == transaction.id
        {
            setAutoRenew(subscription.id, false)
        }
        askForConsumption(transaction.id, word)
        if transaction.environment == .production {
            schedule.add(
                .refund(transaction.id), at: now.advanced(byMilliseconds: 48 * 3_600_000))
        } else if word == "REJECT" {
            try declineRefund(transaction.id)
        } else {
            try refund(transaction.id, reason: .other, percentage: nil)
        }
        return .success
    }

    /// Asks the developer what became of the goods.
    mutating func askForConsumption(_ id: TransactionID, _ word: String?) {
        guard let transaction = transactions[id] else { return }
        let reason = word == "REJECT" ? nil : word.map { ConsumptionRequestReason(rawValue: $0) }
        emit(.consumptionRequest, about: transaction, reason: reason ?? .other)
    }

    /// The App Store refuses.
    mutating func declineRefund(_ id: TransactionID) throws(StoreProblem) {
        guard let transaction = transaction(id) else { throw StoreProblem(.transactionNotFound) }
        guard transaction.refund == .requested else {
            throw StoreProblem(.notAllowedNow, detail: "nobody asked for a refund")
        }
        change(transaction.id) { $0.refund = .declined }
        if let declined = transactions[transaction.id] { emit(.refundDeclined, about: declined) }
        note("refundDeclined", transaction)
    }

    /// A refund is undone: what was taken comes back, and the renewal date stays.
    mutating func reverseRefund(_ id: TransactionID) throws(StoreProblem) {
        guard let transaction = transaction(id) else { throw StoreProblem(.transactionNotFound) }
        guard transaction.refund == .refunded, transaction.revocation != nil else {
            throw StoreProblem(.notAllowedNow, detail: "it was not refunded")
        }
        change(transaction.id) {
            $0.revocation = nil
            $0.refund = .reversed
            $0.isFinished = false
        }
        if let subscription = subscriptions[transaction.originalID],
            subscription.current == transaction.id, subscription.state == .revoked,
            let before = subscription.beforeRevocation
        {
            let isOver = subscription.expires <= now
            change(subscription: subscription.id) {
                $0.state = isOver ? .expired : before.state
                $0.autoRenews = isOver ? false : before.autoRenews
                $0.intent = isOver ? .other : nil
                $0.beforeRevocation = nil
            }
            noteStatus(subscription.id)
        }
        guard let returned = transactions[transaction.id] else { return }
        emit(.refundReversed, about: returned)
        note("refundReversed", returned)
        tell(returned.account, .transactionUpdated) { $0.transaction = returned.id }
        guard catalog.product(returned.productID)?.isFamilyShareable == true else { return }
        if returned.type == .nonConsumable { shareOnce(returned.id) }
        if let subscription = subscriptions[returned.originalID], subscription.isServed {
            shareSubscription(subscription.id)
        }
    }
}
