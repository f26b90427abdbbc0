import AppStoreModel
import StoreWire

extension StoreState {
    /// Ends the wait of a payment.
    mutating func decide(
        _ id: String, _ decision: WaitingDecisionKind
    ) throws(StoreProblem) {
        guard let payment = payments[id] else { throw StoreProblem(.itemNotFound) }
        guard let waits = payment.waits else {
            throw StoreProblem(.notAllowedNow, detail: "the purchase does not wait")
        }
        switch (waits, decision) {
        case (.approval, .approve): approve(payment)
        case (.approval, .decline), (.approval, .lapse): drop(payment)
        case (.resolution, .resolve): resolve(payment)
        case (.resolution, .lapse), (.resolution, .decline):
            payments.update(id) { $0.waits = nil }
        default:
            throw StoreProblem(.notAllowedNow, detail: "it waits for \(waits.rawValue)")
        }
    }

    private mutating func approve(_ payment: Payment) {
        payments.update(payment.id) { $0.waits = nil }
        charge(payment.id, isOutside: false)
        tell(device: payment.device, .itemUpdated) { $0.item = payment.id }
    }

    /// StoreKit 1 hears that it failed; StoreKit 2 hears nothing.
    private mutating func drop(_ payment: Payment) {
        let failure = StoreKitErrorName.failure("paymentCancelled", "The request was declined.")
        payments.update(payment.id) {
            $0.waits = nil
            $0.state = .failed
            $0.failure = failure
        }
        tell(device: payment.device, .itemUpdated) { $0.item = payment.id }
        note("declined", account: payment.account, product: payment.order.productID)
    }

    /// The issue is solved: a new payment for the same product comes through.
    private mutating func resolve(_ payment: Payment) {
        payments.update(payment.id) {
            $0.waits = nil
        }
        let id = ids.uuid()
        let launch = devices[payment.device]?.launches ?? payment.launch
        payments.append(
            Payment(
                id: id, device: payment.device, account: payment.account, order: payment.order,
                date: now, state: .purchasing, launch: min(launch, payment.launch)))
        charge(id, isOutside: true)
    }

    /// Lets go of payments and transactions; what is unknown is passed over.
    mutating func finish(
        device: DeviceID?, account: AccountID, items: [String], transactions names: [TransactionID]
    ) -> (items: [String], transactions: [TransactionID]) {
        var finished: [TransactionID] = []
        var gone: [String] = []
        func owns(_ id: TransactionID) -> StoreTransaction? {
            transaction(id).flatMap { $0.account == account ? $0 : nil }
        }
        var wanted = names.compactMap { name in owns(name).map { (name, $0) } }
        for item in items {
            guard let payment = payments[item], payment.device == device,
                payment.waits != .approval,
                payment.state != .purchasing
            else { continue }
            gone.append(item)
            // Finishing what was restored finishes no purchase.
            if payment.state == .purchased, let id = payment.transaction, let row = owns(id) {
                wanted.append((id, row))
            }
        }
        for (name, row) in wanted {
            if !finished.contains(name) { finished.append(name) }
            change(row.id) {
                $0.isFinished = true
                $0.wasFinished = true
            }
            for payment in payments.rows
            where payment.transaction == row.id && payment.account == account
                && payment.state != .restored
                && (device == nil || payment.device == device || row.type == .consumable)
            {
                gone.append(payment.id)
            }
        }
        // A failed payment that may still come through is kept out of sight until it does.
        let goneSet = Set(gone)
        for id in goneSet where payments[id]?.waits == .resolution {
            payments.update(id) { $0.isGone = true }
        }
        payments.remove { goneSet.contains($0.id) && $0.waits == nil }
        return (gone.reduce(into: []) { if !$0.contains($1) { $0.append($1) } }, finished)
    }

    /// Restores StoreKit 1's way: each earlier purchase comes under a new name of its own.
    mutating func restore(_ device: DeviceID) throws(StoreProblem) -> [String] {
        guard let row = devices[device] else { throw StoreProblem(.deviceNotFound) }
        guard let name = row.account, let account = accounts[name] else {
            throw StoreProblem(.signedOut)
        }
        var restored: [String] = []
        for id in account.transactions {
            guard let transaction = transactions[id], transaction.revocation == nil,
                transaction.isFinished || transaction.isFamilyShared,
                transaction.type == .nonConsumable || transaction.type == .autoRenewable
            else { continue }
            let alias = ids.transactionID(account.environment)
            aliases[alias] = id
            let item = ids.uuid()
            payments.append(
                Payment(
                    id: item, device: device, account: name,
                    order: PurchaseOrder(transaction.productID),
                    date: now, state: .restored, transaction: id, alias: alias,
                    launch: row.launches))
            restored.append(item)
        }
        let now = now
        devices.update(device) {
            $0.receiptAccount = name
            $0.receiptDate = now
        }
        note("restored", account: name, environment: account.environment, "\(restored.count)")
        return restored
    }
}
