import AppStoreModel
import StoreWire

extension StoreState {
    /// The developer raises the price for one subscriber; a lower price applies by itself.
    mutating func increasePrice(
        _ id: TransactionID, to price: Int64, needsConsent: Bool?
    ) throws(StoreProblem) {
        guard let subscription = subscriptions[id] else {
            throw StoreProblem(.subscriptionNotFound)
        }
        guard subscription.isRunning, !subscription.isFamilyShared else {
            throw StoreProblem(.notAllowedNow, detail: "it does not run, or is shared")
        }
        guard (0...1_000_000_000_000).contains(price) else { throw StoreProblem(.invalidValue) }
        guard price > subscription.nextPrice else {
            change(subscription: id) {
                $0.nextPrice = price
                $0.increase = nil
            }
            return
        }
        let needsConsent = needsConsent ?? asksForConsent(subscription, price)
        let now = now
        change(subscription: id) {
            $0.increase = .init(price: price, needsConsent: needsConsent, isAgreed: !needsConsent)
            $0.lastIncrease = now
        }
        guard let current = currentTransaction(id) else { return }
        emit(.priceIncrease, needsConsent ? .pending : .accepted, about: current)
        note("priceIncrease", current, "\(price) milliunits\(needsConsent ? ", with consent" : "")")
        if needsConsent { show(.priceIncreaseConsent, for: id) }
        noteStatus(id)
    }

    /// Apple's rule: one increase a year, by half and by 5 (50 for a year) at the most, needs no consent.
    private func asksForConsent(_ subscription: Subscription, _ price: Int64) -> Bool {
        let old = subscription.nextPrice
        let isAnnual =
            catalog.product(subscription.nextProductID)?.subscription?.period.months == 12
        if let last = subscription.lastIncrease, now < last.addingMonths(12) { return true }
        return price - old > old / 2 || price - old > (isAnnual ? 50_000 : 5_000)
    }

    /// The customer's answer.
    mutating func answerPriceIncrease(_ id: TransactionID, agrees: Bool) throws(StoreProblem) {
        guard let subscription = subscriptions[id] else {
            throw StoreProblem(.subscriptionNotFound)
        }
        guard let increase = subscription.increase, increase.needsConsent, !increase.isAgreed else {
            throw StoreProblem(.notAllowedNow, detail: "no price increase waits for an answer")
        }
        for device in devices.rows where device.account == subscription.account {
            devices.update(device.id) {
                $0.messages.removeAll {
                    $0.reason == .priceIncreaseConsent && $0.originalTransactionID == id
                }
            }
        }
        guard agrees else {
            // Nothing changes now: without consent the subscription ends with its period.
            note("priceDeclined", currentTransaction(id))
            return
        }
        change(subscription: id) { $0.increase?.isAgreed = true }
        if let current = currentTransaction(id) { emit(.priceIncrease, .accepted, about: current) }
        noteStatus(id)
    }
}
