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
            change(row.id) { $0.isFinished = true }
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

    /// Redeems a code; answers with the payment's name.
    mutating func redeem(
        _ text: String, device: DeviceID, token: AppAccountToken?
    ) throws(StoreProblem) -> String {
        guard let row = devices[device] else { throw StoreProblem(.deviceNotFound) }
        guard let name = row.account, let account = accounts[name] else {
            throw StoreProblem(.signedOut)
        }
        guard let code = codes[text] else {
            throw StoreProblem(.offerNotFound, detail: "no such code")
        }
        guard code.usesLeft > 0 else {
            throw StoreProblem(.notAllowedNow, detail: "the code was used")
        }
        let hasHad = codes.rows.contains {
            $0.offerID == code.offerID && $0.productID == code.productID
                && $0.redeemers.contains(name)
        }
        guard !hasHad else {
            throw StoreProblem(.notAllowedNow, detail: "one code for a customer and an offer")
        }
        guard let product = catalog.product(code.productID),
            let offer = product.offer(.offerCode, code.offerID)
        else { throw StoreProblem(.offerNotFound) }
        let standing: String =
            switch ownSubscription(of: account, product) {
            case nil: "new"
            case .some(let known): known.isRunning ? "existing" : "expired"
            }
        guard offer.eligibility.isEmpty || offer.eligibility.contains(standing) else {
            throw StoreProblem(.notAllowedNow, detail: "the offer is not for \(standing) customers")
        }
        if let known = ownSubscription(of: account, product), known.isRunning,
            let level = product.subscription?.level,
            let now = catalog.product(known.productID)?.subscription?.level, level > now
        {
            throw StoreProblem(.notAllowedNow, detail: "a code does not downgrade")
        }
        codes.update(text) {
            $0.usesLeft -= 1
            $0.redeemers.append(name)
        }
        var order = PurchaseOrder(product.id)
        order.offerKind = .offerCode
        order.offerID = code.offerID
        order.token = token
        var setting = PurchaseSetting(device: device)
        setting.isOutside = true
        setting.isTrusted = true
        return try purchase(order, setting)
    }

    /// Makes codes for an offer.
    mutating func makeCodes(
        product id: ProductID, offer name: String, custom: String?, count: Int
    ) throws(StoreProblem) -> [String] {
        guard let product = catalog.product(id) else { throw StoreProblem(.productNotFound) }
        guard product.offer(.offerCode, name) != nil else { throw StoreProblem(.offerNotFound) }
        guard (1...1_000).contains(count) else {
            throw StoreProblem(.invalidValue, detail: "count is from 1 to 1000")
        }
        if let custom {
            guard (1...64).contains(custom.utf8.count) else { throw StoreProblem(.invalidValue) }
            guard codes[custom] == nil else { throw StoreProblem(.alreadyExists, detail: custom) }
            codes.append(OfferCode(id: custom, productID: id, offerID: name, usesLeft: count))
            return [custom]
        }
        return (0..<count).map { _ in
            let code = ids.code()
            codes.append(OfferCode(id: code, productID: id, offerID: name, usesLeft: 1))
            return code
        }
    }

    /// A device begins a process, for the first time or again; answers with its name.
    mutating func launch(
        _ request: LaunchRequest, environment: AppStoreEnvironment
    ) throws(StoreProblem) -> DeviceID {
        if let id = request.deviceID, let known = devices[id] {
            guard request.environment == nil || request.environment == known.environment else {
                throw StoreProblem(.notAllowedNow, detail: "a device stays in its environment")
            }
            if let account = request.accountID { try signIn(id, account) }
            devices.update(id) {
                $0.launches += 1
                if let version = request.appVersion { $0.appVersion = version }
                if let locale = request.locale { $0.locale = locale }
            }
            return id
        }
        let environment = request.environment ?? environment
        guard settings[environment] != nil else {
            throw StoreProblem(.invalidValue, detail: "no environment \(environment)")
        }
        if let bundleID = request.bundleID, bundleID != app.bundleID {
            throw StoreProblem(.invalidValue, detail: "the store sells for \(app.bundleID) alone")
        }
        if let vendor = request.vendorID, !UUIDText.isValid(vendor) {
            throw StoreProblem(.invalidValue, detail: "vendorId is no UUID")
        }
        guard devices.count < 10_000 else { throw StoreProblem(.limitReached) }
        let account: AccountID
        if let wanted = request.accountID {
            guard let known = accounts[wanted] else { throw StoreProblem(.accountNotFound) }
            guard known.environment == environment else {
                throw StoreProblem(
                    .invalidValue, detail: "\(wanted) belongs to \(known.environment)")
            }
            account = wanted
        } else {
            account = defaultAccount(environment)
        }
        let id = request.deviceID ?? DeviceID(ids.uuid())
        guard (1...128).contains(id.rawValue.utf8.count) else { throw StoreProblem(.invalidValue) }
        devices.append(
            Device(
                id: id, environment: environment, bundleID: app.bundleID, account: account,
                platform: request.platform ?? "iOS", appVersion: request.appVersion ?? app.version,
                locale: request.locale ?? catalog.settings.locale,
                vendorID: request.vendorID ?? ids.uuid().uppercased(),
                deviceVerificationID: ids.uuid(), launches: 1))
        note("launched", account: account, environment: environment, id.rawValue)
        return id
    }

    /// The account that is there from the start; made when it is first wanted.
    mutating func defaultAccount(_ environment: AppStoreEnvironment) -> AccountID {
        let name: AccountID =
            environment == .sandbox
            ? "default" : AccountID("default-\(environment.rawValue.lowercased())")
        if accounts[name] == nil { addAccount(name, environment, storefront: nil) }
        return name
    }

    mutating func addAccount(
        _ name: AccountID, _ environment: AppStoreEnvironment, storefront: String?
    ) {
        let bought =
            environment == .sandbox ? Timestamp(milliseconds: 1_375_340_400_000) : now
        accounts.append(
            Account(
                id: name, environment: environment,
                storefront: storefront ?? catalog.settings.storefront,
                asksToBuy: environment != .production && catalog.settings.asksToBuy,
                interruptsPurchases: environment != .production
                    && catalog.settings.interruptsPurchases,
                appTransactionID: ids.appTransactionID(), appPurchaseDate: bought,
                originalAppVersion: environment == .sandbox ? "1.0" : app.version,
                originalPlatform: "iOS", changed: now))
    }

    /// Signs an account in on a device, or out.
    mutating func signIn(_ id: DeviceID, _ name: AccountID?) throws(StoreProblem) {
        guard let device = devices[id] else { throw StoreProblem(.deviceNotFound) }
        if let name {
            guard let account = accounts[name] else { throw StoreProblem(.accountNotFound) }
            guard account.environment == device.environment else {
                throw StoreProblem(
                    .notAllowedNow, detail: "\(name) belongs to \(account.environment)")
            }
        }
        guard device.account != name else { return }
        devices.update(id) { $0.account = name }
        tell(device: id, .accountChanged) { $0.account = name }
        if device.account.flatMap({ accounts[$0]?.storefront })
            != name.flatMap({ accounts[$0]?.storefront })
        {
            tell(device: id, .storefrontChanged) { _ in }
        }
    }
}
