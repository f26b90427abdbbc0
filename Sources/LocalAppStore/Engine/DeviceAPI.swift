import AppStoreModel
import StoreWire

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// What an app's StoreKit asks the store: one function for each ``DeviceRoute``.
extension LocalStore {
    func device(_ id: DeviceID) throws(StoreProblem) -> Device {
        catchUp()
        guard let device = state.devices[id] else {
            throw StoreProblem(.deviceNotFound, detail: id.rawValue)
        }
        return device
    }

    func account(of id: DeviceID) throws(StoreProblem) -> Account {
        let device = try device(id)
        guard let account = device.account.flatMap({ state.accounts[$0] }) else {
            throw StoreProblem(.signedOut)
        }
        return account
    }

    func launch(
        _ request: LaunchRequest, port environment: AppStoreEnvironment
    ) throws(StoreProblem) -> DeviceSession {
        try session(DeviceID(try perform(.launch(request, environment)).name))
    }

    func session(_ id: DeviceID) throws(StoreProblem) -> DeviceSession {
        let device = try device(id)
        let account = device.account.flatMap { state.accounts[$0] }
        let isProduction = device.environment == .production
        return DeviceSession(
            deviceID: id, environment: device.environment, bundleID: device.bundleID,
            appAppleID: isProduction ? state.app.appleID : nil, accountID: device.account,
            canMakePayments: account?.canMakePayments ?? true,
            storefront: WireStorefront(
                account.map { state.storefront($0) }
                    ?? Storefront(countryCode: state.catalog.settings.storefront) ?? .usa),
            locale: device.locale, platform: device.platform, appVersion: device.appVersion,
            vendorID: device.vendorID, deviceVerificationID: device.deviceVerificationID,
            hasReceipt: hasReceipt(device), cursor: device.lastSequence, now: state.now,
            verificationFailure: state.errors[SimulatedAPI.verification.rawValue])
    }

    /// An app from the App Store comes with a receipt; in the sandbox it has none before a purchase.
    private func hasReceipt(_ device: Device) -> Bool {
        device.receiptAccount != nil || device.environment == .production && device.account != nil
    }

    func products(
        _ id: DeviceID, _ request: ProductsRequest
    ) throws(StoreProblem) -> ProductsResponse {
        let device = try device(id)
        if let failure = state.errors[SimulatedAPI.loadProducts.rawValue] {
            throw StoreProblem(.notAllowedNow, detail: failure)
        }
        let account = device.account.flatMap { state.accounts[$0] }
        guard let wanted = request.productIDs else {
            return ProductsResponse(
                products: state.catalog.products.filter(\.isForSale).map {
                    wire($0, device, account)
                }, invalidProductIDs: [])
        }
        guard wanted.count <= 1_000 else { throw StoreProblem(.limitReached) }
        let found = state.catalog.products.filter { $0.isForSale && wanted.contains($0.id) }
        return ProductsResponse(
            products: found.map { wire($0, device, account) },
            invalidProductIDs: wanted.filter { id in !found.contains { $0.id == id } })
    }

    func purchase(
        _ id: DeviceID, _ request: PurchaseRequest
    ) async throws(StoreProblem) -> PurchaseResponse {
        let device = try device(id)
        guard request.applicationUsername?.utf8.count ?? 0 <= 255,
            request.requestID?.utf8.count ?? 0 <= 128
        else { throw StoreProblem(.invalidValue, detail: "a text is too long") }
        if let token = request.appAccountToken, !UUIDText.isValid(token.rawValue) {
            throw StoreProblem(.invalidValue, detail: "appAccountToken is no UUID")
        }
        var order = PurchaseOrder(request.productID)
        order.quantity = request.quantity
        order.applicationUsername = request.applicationUsername
        order.token = request.appAccountToken
        order.plan = request.billingPlanType.map { BillingPlanType(rawValue: $0) }
        var setting = PurchaseSetting(device: id)
        setting.requestID = request.requestID
        setting.intentID = request.intentID
        if request.userCancels {
            setting.outcome = .cancel
        } else if request.interrupts {
            setting.outcome = .interrupt
        } else if request.simulatesAskToBuy {
            setting.outcome = .askToBuy
        }
        check(request, device, &order, &setting)
        let payment = try perform(.purchase(order, setting)).name
        if !strike(.answer(device.environment)).isEmpty { await settle() }
        return try response(to: payment)
    }

    func response(to item: String) throws(StoreProblem) -> PurchaseResponse {
        guard let payment = state.payments[item] else { throw StoreProblem(.itemNotFound) }
        let outcome: PurchaseOutcome =
            switch payment.state {
            case .deferred: .pending
            case .failed: payment.failure?.code == "paymentCancelled" ? .cancelled : .failed
            default: .purchased
            }
        return PurchaseResponse(
            outcome: outcome, item: try wire(payment), failure: payment.failure)
    }

    func events(
        _ id: DeviceID, after cursor: Int64, wait: Double
    ) async throws(StoreProblem) -> EventPage {
        _ = try device(id)
        return try await poll(
            wait: wait, { () throws(StoreProblem) in try self.page(id, after: cursor) },
            isEmpty: { $0.events.isEmpty })
    }

    private func page(_ id: DeviceID, after cursor: Int64) throws(StoreProblem) -> EventPage {
        let device = try device(id)
        var events: [DeviceEvent] = []
        for row in device.events.lazy.filter({ $0.sequence > cursor }).prefix(100) {
            events.append(try wire(row, device))
        }
        return EventPage(events: events, cursor: events.last?.sequence ?? max(cursor, 0))
    }

    func queue(_ id: DeviceID) throws(StoreProblem) -> QueueResponse {
        let device = try device(id)
        var items: [QueueItem] = []
        for payment in state.payments.rows
        where payment.device == id && !payment.isGone && payment.launch <= device.launches
            && payment.account == device.account
        {
            items.append(try wire(payment))
        }
        return QueueResponse(items: items)
    }

    func unfinished(_ id: DeviceID) throws(StoreProblem) -> TransactionsResponse {
        try transactions(of: try account(of: id), for: id) { !$0.isFinished }
    }

    func transactions(
        _ id: DeviceID, product: ProductID?, withFinishedConsumables: Bool
    ) throws(StoreProblem) -> TransactionsResponse {
        try transactions(of: try account(of: id), for: id) {
            (product == nil || $0.productID == product)
                && (!$0.isUsedUp || $0.revocation != nil || withFinishedConsumables)
        }
    }

    private func transactions(
        of account: Account, for device: DeviceID, where isWanted: (StoreTransaction) -> Bool
    ) throws(StoreProblem) -> TransactionsResponse {
        var found: [SignedTransaction] = []
        for id in account.transactions.reversed() {
            guard let row = state.transactions[id], isWanted(row) else { continue }
            found.append(try signedTransaction(row, for: state.devices[device]))
        }
        return TransactionsResponse(transactions: found)
    }

    func entitlements(_ id: DeviceID) throws(StoreProblem) -> TransactionsResponse {
        let account = try account(of: id)
        let current = Set(
            account.subscriptions.compactMap { state.subscriptions[$0] }
                .filter(\.isServed).map(\.current))
        return try transactions(of: account, for: id) { row in
            guard row.revocation == nil else { return false }
            switch row.type {
            case .nonConsumable, .nonRenewing: return true
            case .autoRenewable: return current.contains(row.id)
            default: return false
            }
        }
    }

    func finish(_ id: DeviceID, _ request: FinishRequest) throws(StoreProblem) -> FinishResponse {
        let account = try account(of: id)
        guard (request.itemIDs?.count ?? 0) + (request.transactionIDs?.count ?? 0) <= 1_000 else {
            throw StoreProblem(.limitReached)
        }
        let outcome = try perform(
            .finish(id, account.id, request.itemIDs ?? [], request.transactionIDs ?? []))
        guard case .finished(let items, let transactions) = outcome else {
            return FinishResponse(itemIDs: [], transactionIDs: [])
        }
        return FinishResponse(itemIDs: items, transactionIDs: transactions)
    }

    func restore(
        _ id: DeviceID, _ request: RestoreRequest
    ) throws(StoreProblem) -> RestoreResponse {
        _ = try account(of: id)
        if request.userCancels {
            return RestoreResponse(
                items: [], failure: StoreKitErrorName.failure("paymentCancelled"))
        }
        if let failure = state.errors[SimulatedAPI.appStoreSync.rawValue] {
            return RestoreResponse(items: [], failure: StoreKitErrorName.failure(failure))
        }
        guard case .names(let names) = try perform(.restore(id)) else {
            return RestoreResponse(items: [])
        }
        var items: [QueueItem] = []
        for name in names {
            guard let payment = state.payments[name] else { continue }
            items.append(try wire(payment))
        }
        return RestoreResponse(items: items)
    }

    func receipt(_ id: DeviceID) throws(StoreProblem) -> ReceiptResponse {
        let device = try device(id)
        guard hasReceipt(device), let name = device.receiptAccount ?? device.account,
            let account = state.accounts[name]
        else { return ReceiptResponse() }
        return ReceiptResponse(
            receipt: Data(try signedReceipt(account, device: device)).base64EncodedString())
    }

    func refreshReceipt(
        _ id: DeviceID, _ request: ReceiptRefreshRequest
    ) throws(StoreProblem) -> ReceiptResponse {
        if request.userCancels {
            return ReceiptResponse(failure: StoreKitErrorName.failure("paymentCancelled"))
        }
        try perform(.refreshReceipt(id, request))
        return try receipt(id)
    }

    func subscriptionStatuses(
        _ id: DeviceID, group: SubscriptionGroupID?, transaction: TransactionID?
    ) throws(StoreProblem) -> SubscriptionStatusesResponse {
        let account = try account(of: id)
        if let failure = state.errors[SimulatedAPI.subscriptionStatus.rawValue] {
            throw StoreProblem(.notAllowedNow, detail: failure)
        }
        let original = transaction.flatMap { state.transaction($0)?.originalID }
        var statuses: [WireSubscriptionStatus] = []
        for name in account.subscriptions {
            guard let row = state.subscriptions[name], group == nil || row.groupID == group,
                transaction == nil || row.id == original
            else { continue }
            statuses.append(try status(row, for: state.devices[id]))
        }
        return SubscriptionStatusesResponse(statuses: statuses)
    }

    func status(
        _ row: Subscription, for device: Device?
    ) throws(StoreProblem) -> WireSubscriptionStatus {
        guard let current = state.transactions[row.current] else {
            throw StoreProblem(.internalFault, detail: "no transaction \(row.current)")
        }
        let transaction = try signedTransaction(current, for: device)
        return WireSubscriptionStatus(
            groupID: row.groupID, originalTransactionID: row.id, status: Int(row.status.rawValue),
            transaction: transaction, signedRenewalInfo: transaction.signedRenewalInfo ?? "")
    }

    func introEligibility(
        _ id: DeviceID, group: SubscriptionGroupID
    ) throws(StoreProblem) -> IntroEligibilityResponse {
        let account = try account(of: id)
        return IntroEligibilityResponse(
            groupID: group, isEligible: state.isEligibleForIntroductoryOffer(account, group))
    }

    func appTransaction(_ id: DeviceID) throws(StoreProblem) -> AppTransactionResponse {
        let account = try account(of: id)
        if let failure = state.errors[SimulatedAPI.appTransaction.rawValue] {
            throw StoreProblem(.notAllowedNow, detail: failure)
        }
        let device = try device(id)
        var payload = state.payload(account, device: device)
        let binding = DeviceProof(device, seed: state.seed, name: account.appTransactionID)
        payload.deviceVerification = binding.digest
        payload.deviceVerificationNonce = binding.nonce
        return AppTransactionResponse(signedAppTransactionInfo: try signed(payload))
    }

    func redeemCode(
        _ id: DeviceID, _ request: OfferCodeRequest
    ) throws(StoreProblem) -> PurchaseResponse {
        _ = try device(id)
        if let failure = state.errors[SimulatedAPI.offerCodeRedeem.rawValue] {
            throw StoreProblem(.notAllowedNow, detail: failure)
        }
        let payment = try perform(.redeem(request.code, id, request.appAccountToken)).name
        return try response(to: payment)
    }

    func intents(_ id: DeviceID) throws(StoreProblem) -> PurchaseIntentsResponse {
        PurchaseIntentsResponse(intents: try device(id).intents)
    }

    func dropIntent(_ id: DeviceID, _ intent: String) throws(StoreProblem) {
        try perform(.dropIntent(id, intent))
    }

    func requestRefund(
        _ id: DeviceID, _ request: DeviceRefundRequest
    ) throws(StoreProblem) -> DeviceRefundResponse {
        let account = try account(of: id)
        guard let row = state.transaction(request.transactionID), row.account == account.id else {
            throw StoreProblem(.transactionNotFound)
        }
        if request.userCancels { return DeviceRefundResponse(status: .userCancelled) }
        let outcome = try perform(.requestRefund(row.id, request.reason))
        guard case .refundStatus(let status) = outcome else {
            return DeviceRefundResponse(status: .failed)
        }
        return DeviceRefundResponse(status: status)
    }

    func answerPriceConsent(
        _ id: DeviceID, _ request: PriceConsentRequest
    ) throws(StoreProblem) -> WireSubscriptionStatus {
        let row = try ownSubscription(id, request.originalTransactionID)
        try perform(
            .actOnSubscription(
                row.id, SubscriptionAction(action: request.consents ? .consent : .declinePrice)))
        return try status(try ownSubscription(id, row.id), for: state.devices[id])
    }

    func manageSubscription(
        _ id: DeviceID, _ request: ManageSubscriptionRequest
    ) throws(StoreProblem) -> WireSubscriptionStatus {
        let row = try ownSubscription(id, request.originalTransactionID)
        if let failure = state.errors[SimulatedAPI.manageSubscriptions.rawValue] {
            throw StoreProblem(.notAllowedNow, detail: failure)
        }
        if let product = request.productID {
            try perform(
                .actOnSubscription(row.id, SubscriptionAction(action: .change, productID: product)))
        }
        if let isOn = request.autoRenew {
            try perform(
                .actOnSubscription(row.id, SubscriptionAction(action: isOn ? .turnOn : .turnOff)))
        }
        return try status(try ownSubscription(id, row.id), for: state.devices[id])
    }

    private func ownSubscription(
        _ id: DeviceID, _ transaction: TransactionID
    ) throws(StoreProblem) -> Subscription {
        let account = try account(of: id)
        guard let original = state.transaction(transaction)?.originalID,
            let row = state.subscriptions[original], row.account == account.id
        else { throw StoreProblem(.subscriptionNotFound, detail: transaction.rawValue) }
        return row
    }

    func messages(_ id: DeviceID) throws(StoreProblem) -> StoreMessagesResponse {
        StoreMessagesResponse(messages: try device(id).messages)
    }

    func showMessage(_ id: DeviceID, _ message: String) throws(StoreProblem) {
        try perform(.dropMessage(id, message))
    }
}
