import AppStoreModel
import StoreWire

/// Where and how a purchase is made, beside what is bought.
struct PurchaseSetting: Codable, Sendable {
    var device: DeviceID
    var requestID: String?
    /// What the check of the offer's signature found.
    var offerFailure: String?
    /// The nonce or signature that this purchase uses up.
    var nonce: String?
    var outcome = SimulatedOutcome.purchase
    var failure: String?
    /// Bought on the App Store's page, by a code or from a mail: the app did not ask.
    var isOutside = false
    var intentID: String?
    /// The store's own doing needs no signature.
    var isTrusted = false
}

extension StoreState {
    /// Buys, or finds out why not; answers with the payment's name.
    mutating func purchase(
        _ order: PurchaseOrder, _ setting: PurchaseSetting
    ) throws(StoreProblem) -> String {
        guard let device = devices[setting.device] else { throw StoreProblem(.deviceNotFound) }
        if let requestID = setting.requestID,
            let known = device.requests.last(where: { $0.requestID == requestID })
        {
            return known.item
        }
        guard let name = device.account, let account = accounts[name] else {
            throw StoreProblem(.signedOut)
        }
        guard transactions.count < transactionLimit else { throw StoreProblem(.limitReached) }
        if let intent = setting.intentID {
            devices.update(device.id) { $0.intents.removeAll { $0.intentID == intent } }
        }
        let payment = ids.uuid()
        payments.append(
            Payment(
                id: payment, device: device.id, account: name, order: order, date: now,
                state: .purchasing, launch: device.launches))
        if let requestID = setting.requestID {
            devices.update(device.id) {
                $0.requests.append(.init(requestID: requestID, item: payment))
                if $0.requests.count > Device.requestLimit { $0.requests.removeFirst() }
            }
        }
        var setting = setting
        // A signature is good for one try, even for one that fails.
        if let nonce = setting.nonce, !nonces.insert(nonce).inserted {
            setting.offerFailure = "invalidSignature"
        }
        if let failure = refusal(of: order, setting, account) {
            fail(payment, failure)
            return payment
        }
        switch setting.outcome {
        case .interrupt:
            fail(payment, "unknown")
            payments.update(payment) { $0.waits = .resolution }
        case _ where account.interruptsPurchases && !setting.isTrusted:
            fail(payment, "unknown")
            payments.update(payment) { $0.waits = .resolution }
        case .askToBuy: deferPayment(payment)
        case _ where account.asksToBuy && !setting.isTrusted: deferPayment(payment)
        default: charge(payment, isOutside: setting.isOutside)
        }
        return payment
    }

    /// Why a purchase fails before anybody is asked for money, in the order in which the store looks.
    private func refusal(
        of order: PurchaseOrder, _ setting: PurchaseSetting, _ account: Account
    ) -> String? {
        if let failure = errors[SimulatedAPI.purchase.rawValue], !setting.isTrusted {
            return failure
        }
        guard account.canMakePayments else { return "paymentNotAllowed" }
        guard let product = catalog.product(order.productID), product.isForSale else {
            return "storeProductNotAvailable"
        }
        let allowsMany = product.type == .consumable || product.type == .nonRenewing
        guard order.quantity == 1 || allowsMany && (1...10).contains(order.quantity) else {
            return "paymentInvalid"
        }
        if setting.outcome == .cancel { return "paymentCancelled" }
        if setting.outcome == .fail { return setting.failure ?? "unknown" }
        if let failure = setting.offerFailure { return failure }
        if let failure = offerRefusal(of: order, product, account) { return failure }
        if let subscription = ownSubscription(of: account, product), order.offerKind == nil,
            subscription.isServed, subscription.productID == product.id, subscription.autoRenews,
            subscription.nextProductID == product.id
        {
            return "alreadySubscribed"
        }
        return nil
    }

    private func offerRefusal(
        of order: PurchaseOrder, _ product: Product, _ account: Account
    ) -> String? {
        guard let kind = order.offerKind else { return nil }
        guard let offer = product.offer(kind, order.offerID) else {
            return "invalidOfferIdentifier"
        }
        switch kind {
        case .promotional:
            let hasSubscribed = account.subscriptions.contains {
                self.subscriptions[$0]?.isFamilyShared == false
            }
            return hasSubscribed ? nil : "ineligibleForOffer"
        case .winBack:
            guard let subscription = ownSubscription(of: account, product), offer.isEligible else {
                return "ineligibleForOffer"
            }
            return subscription.state == .expired && !subscription.autoRenews
                ? nil : "ineligibleForOffer"
        default: return nil
        }
    }

    /// The account's own subscription in a product's group.
    func ownSubscription(of account: Account, _ product: Product) -> Subscription? {
        guard let group = product.subscription?.groupID else { return nil }
        return account.subscriptions.lazy.compactMap { self.subscriptions[$0] }
            .first { $0.groupID == group && !$0.isFamilyShared }
    }

    private mutating func fail(_ payment: String, _ code: String) {
        let failure: StoreFailure
        if code == "alreadySubscribed" {
            failure = StoreFailure(
                code: code, skErrorCode: 0, storeKitError: "unknown",
                message: "You're currently subscribed to this.")
        } else {
            failure = StoreKitErrorName.failure(code)
        }
        payments.update(payment) {
            $0.state = .failed
            $0.failure = failure
        }
        guard let row = payments[payment] else { return }
        note(
            "failed", account: row.account, environment: accounts[row.account]?.environment,
            product: row.order.productID, code)
    }

    private mutating func deferPayment(_ payment: String) {
        let lapses = now.advanced(byMilliseconds: 24 * 3_600_000)
        payments.update(payment) {
            $0.state = .deferred
            $0.waits = .approval
            $0.lapses = lapses
        }
        schedule.add(.payment(payment), at: lapses)
        guard let row = payments[payment] else { return }
        note(
            "deferred", account: row.account, environment: accounts[row.account]?.environment,
            product: row.order.productID)
    }

    /// Takes the money and gives the transaction.
    mutating func charge(_ id: String, isOutside: Bool) {
        guard let payment = payments[id], let account = accounts[payment.account],
            let product = catalog.product(payment.order.productID)
        else { return }
        let bought =
            product.type == .autoRenewable
            ? subscribe(account, product, payment.order)
            : buyOnce(account, product, payment.order)
        payments.update(id) {
            $0.state = .purchased
            $0.transaction = bought
            $0.failure = nil
            $0.waits = nil
        }
        strikeDevice(id)
        let alias = payments[id]?.alias
        tell(account.id, .transactionUpdated, except: payment.device) { $0.transaction = bought }
        if isOutside { tell(device: payment.device, .itemUpdated) { $0.item = id } }
        let now = now
        devices.update(payment.device) {
            $0.receiptAccount = account.id
            $0.receiptDate = now
        }
        note(
            "purchased", transactions[bought], product: product.id,
            alias.map { "seen as \($0) on the device" })
    }

    /// Lets the device's faults strike a payment that was charged.
    private mutating func strikeDevice(_ id: String) {
        guard !faults.isEmpty, let payment = payments[id], let account = accounts[payment.account],
            let transaction = payment.transaction
        else { return }
        for rule in faults.strike(.device(account.environment), at: now) {
            switch rule.kind {
            case .secondID:
                let alias = ids.transactionID(account.environment)
                aliases[alias] = transaction
                payments.update(id) { $0.alias = alias }
            case .forgetUsername: payments.update(id) { $0.forgetsUsername = true }
            case .repeatEvent:
                for _ in 0..<2 {
                    tell(device: payment.device, .transactionUpdated) {
                        $0.transaction = transaction
                        $0.isRepeated = true
                    }
                }
            case .earlyEvent:
                tell(device: payment.device, .transactionUpdated) { $0.transaction = transaction }
            default: break
            }
        }
    }

    /// Buys what does not renew.
    private mutating func buyOnce(
        _ account: Account, _ product: Product, _ order: PurchaseOrder
    ) -> TransactionID {
        if product.type == .nonConsumable,
            let owned = account.transactions.compactMap({ transactions[$0] }).first(
                where: {
                    $0.productID == product.id && $0.revocation == nil && !$0.isFamilyShared
                })
        {
            // Bought again, it costs nothing and is the same purchase.
            return owned.id
        }
        let offer = order.offerKind.flatMap { product.offer($0, order.offerID) }.map(UsedOffer.init)
        let id = ids.transactionID(account.environment)
        let storefront = storefront(account)
        record(
            StoreTransaction(
                id: id, originalID: id, account: account.id, environment: account.environment,
                productID: product.id, type: product.type, groupID: nil, quantity: order.quantity,
                purchaseDate: now, originalPurchaseDate: now,
                price: (offer?.price ?? product.price) * Int64(order.quantity),
                currency: storefront.currency, storefront: storefront.countryCode,
                token: order.boundToken, reason: .purchase, offer: offer, orderID: ids.orderID(),
                revision: 0))
        if let transaction = transactions[id] { emit(.oneTimeCharge, about: transaction) }
        if product.type == .nonConsumable, product.isFamilyShareable { shareOnce(id) }
        return id
    }

    /// Puts a transaction in the books.
    mutating func record(_ transaction: StoreTransaction) {
        transactions.append(transaction)
        orders[transaction.orderID, default: []].append(transaction.id)
        accounts.update(transaction.account) { $0.transactions.append(transaction.id) }
        change(transaction.id) { _ in }
    }
}
