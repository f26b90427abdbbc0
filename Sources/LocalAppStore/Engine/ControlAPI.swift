import AppStoreModel
import CryptoPrimitives
import StoreWire

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// What a person, a script or the page asks the store: one function for each ``ControlRoute``.
extension LocalStore {
    func info() throws(StoreProblem) -> StoreInfo {
        catchUp()
        return StoreInfo(
            bundleID: state.app.bundleID, appAppleID: state.app.appleID, appName: state.app.name,
            products: state.catalog.products.map(wire),
            apiKey: APIKeyInfo(
                keyID: keys.keyID, issuerID: keys.issuerID, privateKey: keys.privateKey),
            sharedSecret: keys.sharedSecret,
            rootFingerprint: hexadecimal(SHA256.hash(signer.tokenRoot)),
            rootCertificate: Data(signer.tokenRoot).base64EncodedString(),
            receiptRootFingerprint: hexadecimal(SHA256.hash(signer.receiptRoot)),
            receiptRootCertificate: Data(signer.receiptRoot).base64EncodedString(),
            environments: state.settings.rows.map(wire), clock: clockInfo(), seed: state.seed)
    }

    private func hexadecimal(_ bytes: [UInt8]) -> String {
        bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    private func wire(_ settings: EnvironmentSettings) -> EnvironmentInfo {
        EnvironmentInfo(
            environment: settings.id, notificationURL: settings.notificationURL,
            notificationVersion: settings.notificationVersion,
            renewalRate: settings.renewalRate.rawValue, gracePeriodDays: settings.graceDays,
            graceExcludesTrials: settings.graceExcludesTrials)
    }

    func wire(_ product: Product) -> CatalogProduct {
        let storefront = Storefront(countryCode: state.catalog.settings.storefront) ?? .usa
        return CatalogProduct(
            productID: product.id, type: product.type,
            displayName: product.displayName(state.catalog.settings.locale), price: product.price,
            currency: storefront.currency, isFamilyShareable: product.isFamilyShareable,
            isForSale: product.isForSale, groupID: product.subscription?.groupID,
            groupLevel: product.subscription?.level,
            period: product.subscription?.period.description,
            offers: ((product.subscription?.offers ?? []) + product.codeOffers).map {
                WireOffer($0, currency: storefront.currency)
            })
    }

    // MARK: Catalog

    func catalogInfo() -> CatalogInfo {
        CatalogInfo(
            source: state.catalog.source, products: state.catalog.products.map(wire),
            storefront: state.catalog.settings.storefront, locale: state.catalog.settings.locale)
    }

    func replaceCatalog(
        _ bytes: [UInt8], source: String
    ) throws(StoreProblem) -> CatalogInfo {
        let catalog: Catalog
        do {
            catalog = try Catalog(storekit: bytes, source: source)
        } catch {
            throw StoreProblem(.invalidCatalog, detail: error.description)
        }
        try perform(.replaceCatalog(catalog))
        return catalogInfo()
    }

    func changeProduct(
        _ id: ProductID, _ change: ProductChange
    ) throws(StoreProblem) -> CatalogProduct {
        try perform(.changeProduct(id, change))
        guard let product = state.catalog.product(id) else { throw StoreProblem(.productNotFound) }
        return wire(product)
    }

    func makeCodes(_ request: OfferCodesRequest) throws(StoreProblem) -> OfferCodesResponse {
        guard case .names(let codes) = try perform(.makeCodes(request)) else {
            return OfferCodesResponse(codes: [])
        }
        return OfferCodesResponse(codes: codes)
    }

    func changeEnvironment(
        _ environment: AppStoreEnvironment, _ change: EnvironmentChange
    ) throws(StoreProblem) -> EnvironmentInfo {
        try perform(.changeEnvironment(environment, change))
        guard let settings = state.settings[environment] else { throw StoreProblem(.invalidValue) }
        return wire(settings)
    }

    // MARK: Clock

    func clockInfo() -> ClockInfo {
        ClockInfo(now: state.now, rate: clock.rate, nextEvent: state.nextDue)
    }

    func moveClock(_ change: ClockChange) async throws(StoreProblem) -> ClockInfo {
        catchUp()
        if let rate = change.rate {
            guard (0...StoreClock.rateLimit).contains(rate) else {
                throw StoreProblem(.invalidValue, detail: "rate is from 0 to 10000000")
            }
            clock = StoreClock(base: state.now, wall: wall(), rate: rate)
            try save(.init(at: state.now, clock: clock))
        }
        if let now = change.now {
            guard (Timestamp.zero...StoreClock.last).contains(now) else {
                throw StoreProblem(.invalidValue, detail: "now is from 1970 to 2200")
            }
            if now < state.now {
                // The time of a command is what it is replayed at, so it goes back by itself.
                try perform(.setBack(now))
                clock = StoreClock(base: now, wall: wall(), rate: clock.rate)
                try save(.init(at: now, clock: clock))
            } else {
                try await run(until: now)
            }
        }
        if let length = change.advanceMilliseconds {
            guard length >= 0, length <= 400 * 366 * 86_400_000,
                state.now.advanced(byMilliseconds: length) <= StoreClock.last
            else { throw StoreProblem(.invalidValue, detail: "advance leads past the year 2200") }
            try await run(until: state.now.advanced(byMilliseconds: length))
        }
        if change.toNextEvent == true, let next = state.nextDue { try await run(until: next) }
        return clockInfo()
    }

    // MARK: Accounts and devices

    func accountsInfo() -> AccountsResponse {
        AccountsResponse(accounts: state.accounts.rows.map(wire))
    }

    func accountInfo(_ id: AccountID) throws(StoreProblem) -> AccountInfo {
        guard let account = state.accounts[id] else {
            throw StoreProblem(.accountNotFound, detail: id.rawValue)
        }
        return wire(account)
    }

    private func wire(_ account: Account) -> AccountInfo {
        AccountInfo(
            accountID: account.id, environment: account.environment,
            storefront: WireStorefront(state.storefront(account)),
            canMakePayments: account.canMakePayments, asksToBuy: account.asksToBuy,
            interruptsPurchases: account.interruptsPurchases, billingFails: account.billingFails,
            renewalRate: account.renewalRate?.rawValue, familyOrganizer: account.family,
            devices: state.devices.rows.filter { $0.account == account.id }.map(\.id),
            appTransactionID: TransactionID(account.appTransactionID))
    }

    func makeAccount(_ request: AccountRequest) throws(StoreProblem) -> AccountInfo {
        try accountInfo(AccountID(try perform(.makeAccount(request)).name))
    }

    func changeAccount(
        _ id: AccountID, _ request: AccountRequest
    ) throws(StoreProblem) -> AccountInfo {
        try perform(.changeAccount(id, request))
        return try accountInfo(id)
    }

    func clearHistory(_ id: AccountID) throws(StoreProblem) -> AccountInfo {
        try perform(.clearHistory(id))
        return try accountInfo(id)
    }

    func setFamily(_ request: FamilyRequest) throws(StoreProblem) -> FamilyInfo {
        try perform(.setFamily(request.organizer, request.members))
        return FamilyInfo(
            organizer: request.organizer,
            members: state.accounts.rows.filter {
                $0.family == request.organizer && $0.id != request.organizer
            }.map(\.id))
    }

    func devicesInfo() throws(StoreProblem) -> DevicesResponse {
        var sessions: [DeviceSession] = []
        for device in state.devices.rows { sessions.append(try session(device.id)) }
        return DevicesResponse(devices: sessions)
    }

    func signIn(_ id: DeviceID, _ request: SignInRequest) throws(StoreProblem) -> DeviceSession {
        try perform(.signIn(id, request.accountID))
        return try session(id)
    }

    func promote(_ request: PromoteRequest) throws(StoreProblem) -> PurchaseIntentItem {
        let name = try perform(.promote(request)).name
        return PurchaseIntentItem(
            intentID: name, productID: request.productID, offerID: request.offerID)
    }

    // MARK: Purchases

    func buy(_ request: ControlBuyRequest) async throws(StoreProblem) -> ControlBuyResponse {
        guard state.catalog.product(request.productID) != nil else {
            throw StoreProblem(.productNotFound, detail: request.productID.rawValue)
        }
        let device = try device(for: request)
        var order = PurchaseOrder(request.productID)
        order.quantity = request.quantity
        if let token = request.appAccountToken {
            guard UUIDText.isValid(token.rawValue) else {
                throw StoreProblem(.invalidValue, detail: "appAccountToken is no UUID")
            }
            order.token = token
        }
        order.offerKind = request.offer?.kind.offerType
        order.offerID = request.offer?.offerID
        var setting = PurchaseSetting(device: device)
        setting.outcome = request.outcome ?? .purchase
        setting.failure = request.failure
        setting.isOutside = request.outsideApp
        setting.isTrusted = request.outcome != nil || request.outsideApp
        let payment = try perform(.purchase(order, setting)).name
        // A fault wants the notification to be there before the answer.
        let environment = state.devices[device]?.environment ?? .sandbox
        if !strike(.answer(environment)).isEmpty { await settle() }
        return try boughtByHand(payment)
    }

    private func device(for request: ControlBuyRequest) throws(StoreProblem) -> DeviceID {
        if let id = request.deviceID {
            _ = try device(id)
            return id
        }
        let environment = request.environment ?? .sandbox
        var account = request.accountID
        if account == "default", state.accounts["default"] == nil { account = nil }
        if let account {
            guard let row = state.accounts[account] else {
                throw StoreProblem(.accountNotFound, detail: account.rawValue)
            }
            if let wanted = request.environment, wanted != row.environment {
                throw StoreProblem(
                    .invalidValue, detail: "\(account) belongs to \(row.environment)")
            }
        }
        let owner = account.flatMap { state.accounts[$0] }
        if let known = state.devices.rows.first(where: {
            owner == nil
                ? $0.environment == environment && $0.account?.rawValue.hasPrefix("default") == true
                : $0.account == account
        }) {
            return known.id
        }
        let name = try perform(
            .launch(
                LaunchRequest(environment: owner?.environment ?? environment, accountID: account),
                environment)
        ).name
        return DeviceID(name)
    }

    private func boughtByHand(_ item: String) throws(StoreProblem) -> ControlBuyResponse {
        let answer = try response(to: item)
        guard let payment = state.payments[item] else { throw StoreProblem(.itemNotFound) }
        var receipt: String?
        if answer.outcome == .purchased, let account = state.accounts[payment.account] {
            let bytes = try signedReceipt(account, device: state.devices[payment.device])
            receipt = Data(bytes).base64EncodedString()
        }
        return ControlBuyResponse(
            outcome: answer.outcome, itemID: item, deviceID: payment.device,
            transactionID: answer.item.transactionID,
            originalTransactionID: answer.item.transaction?.originalTransactionID,
            signedTransactionInfo: answer.item.transaction?.signedTransactionInfo,
            signedRenewalInfo: answer.item.transaction?.signedRenewalInfo, receipt: receipt,
            failure: answer.failure)
    }

    func waitingPurchases() -> WaitingPurchasesResponse {
        catchUp()
        return WaitingPurchasesResponse(
            purchases: state.payments.rows.compactMap { payment in
                payment.waits.map { kind in
                    WaitingPurchase(
                        itemID: payment.id, kind: kind, accountID: payment.account,
                        deviceID: payment.device,
                        environment: state.accounts[payment.account]?.environment ?? .sandbox,
                        productID: payment.order.productID, quantity: payment.order.quantity,
                        date: payment.date, lapses: payment.lapses)
                }
            })
    }

    func decide(
        _ item: String, _ decision: WaitingDecision
    ) throws(StoreProblem) -> ControlBuyResponse {
        let before = state.payments.count
        try perform(.decide(item, decision.decision))
        // What was interrupted comes through as a payment of its own.
        let made =
            state.payments.count > before ? state.payments.rows.last?.id ?? item : item
        return try boughtByHand(made)
    }

    // MARK: Transactions and subscriptions

    func transactionsPage(
        account: AccountID?, product: ProductID?, environment: AppStoreEnvironment?,
        before: TransactionID?
    ) throws(StoreProblem) -> TransactionsPage {
        catchUp()
        var rows = state.transactions.rows.filter {
            (account == nil || $0.account == account) && (product == nil || $0.productID == product)
                && (environment == nil || $0.environment == environment)
        }
        let total = rows.count
        if let before {
            guard let place = rows.firstIndex(where: { $0.id == before }) else {
                throw StoreProblem(.transactionNotFound, detail: before.rawValue)
            }
            rows = Array(rows[..<place])
        }
        var records: [TransactionRecord] = []
        for row in rows.suffix(200).reversed() { records.append(try record(row)) }
        return TransactionsPage(transactions: records, total: total)
    }

    func transactionRecord(_ id: TransactionID) throws(StoreProblem) -> TransactionRecord {
        catchUp()
        guard let row = state.transaction(id) else {
            throw StoreProblem(.transactionNotFound, detail: id.rawValue)
        }
        return try record(row)
    }

    private func record(_ row: StoreTransaction) throws(StoreProblem) -> TransactionRecord {
        TransactionRecord(
            transaction: try signedTransaction(row), accountID: row.account,
            environment: row.environment, orderID: row.orderID, quantity: row.quantity,
            price: row.price, currency: row.currency, appAccountToken: row.token,
            webOrderLineItemID: row.lineItemID, offerID: row.offer?.id,
            offerKind: row.offer.map { offer in
                switch offer.kind {
                case .introductory: .introductory
                case .promotional: .promotional
                case .winBack: .winBack
                default: .code
                }
            }, isUpgraded: row.upgraded != nil, isFamilyShared: row.isFamilyShared,
            refund: row.refund)
    }

    func act(
        on id: TransactionID, _ action: TransactionAction
    ) throws(StoreProblem) -> TransactionRecord {
        try perform(.actOnTransaction(id, action))
        return try transactionRecord(id)
    }

    func subscriptionsInfo(
        account: AccountID?, environment: AppStoreEnvironment?
    ) -> SubscriptionsResponse {
        catchUp()
        return SubscriptionsResponse(
            subscriptions: state.subscriptions.rows.filter {
                (account == nil || $0.account == account)
                    && (environment == nil || $0.environment == environment)
            }.map(wire))
    }

    func subscriptionInfo(_ id: TransactionID) throws(StoreProblem) -> SubscriptionInfo {
        catchUp()
        guard let original = state.transaction(id)?.originalID,
            let row = state.subscriptions[original]
        else { throw StoreProblem(.subscriptionNotFound, detail: id.rawValue) }
        return wire(row)
    }

    private func wire(_ row: Subscription) -> SubscriptionInfo {
        let renewal = state.payload(row)
        return SubscriptionInfo(
            originalTransactionID: row.id, accountID: row.account, environment: row.environment,
            groupID: row.groupID, productID: row.productID, status: Int(row.status.rawValue),
            autoRenews: row.autoRenews, autoRenewProductID: row.nextProductID,
            expiresDate: row.expires, renewalDate: renewal.renewalDate,
            gracePeriodExpiresDate: renewal.gracePeriodExpiresDate,
            isInBillingRetry: renewal.isInBillingRetryPeriod == true,
            expirationIntent: renewal.expirationIntent.map { Int($0.rawValue) },
            priceIncreaseStatus: renewal.priceIncreaseStatus.map { Int($0.rawValue) },
            isFamilyShared: row.isFamilyShared, periods: row.periods)
    }

    func act(
        on id: TransactionID, _ action: SubscriptionAction
    ) throws(StoreProblem) -> SubscriptionInfo {
        let original = state.transaction(id)?.originalID ?? id
        try perform(.actOnSubscription(original, action))
        return try subscriptionInfo(original)
    }

    func receipt(of id: AccountID) throws(StoreProblem) -> ReceiptResponse {
        catchUp()
        guard let account = state.accounts[id] else {
            throw StoreProblem(.accountNotFound, detail: id.rawValue)
        }
        let device = state.devices.rows.first { $0.account == id }
        return ReceiptResponse(
            receipt: Data(try signedReceipt(account, device: device)).base64EncodedString())
    }

    // MARK: Notifications, faults, logs

    func notificationsInfo(environment: AppStoreEnvironment?) -> NotificationsResponse {
        catchUp()
        return NotificationsResponse(
            notifications: state.notifications.rows.reversed()
                .filter { environment == nil || $0.environment == environment }
                .prefix(200).map { wire($0) })
    }

    func notificationInfo(_ id: String) throws(StoreProblem) -> NotificationInfo {
        catchUp()
        guard let row = state.notifications[id] else { throw StoreProblem(.notificationNotFound) }
        var info = wire(row)
        info.payload = try body(of: row)
        return info
    }

    private func wire(_ row: StoreNotification) -> NotificationInfo {
        NotificationInfo(
            notificationUUID: row.id, environment: row.environment,
            notificationType: row.versionOneType ?? row.type.rawValue,
            subtype: row.versionOneType == nil ? row.subtype?.rawValue : nil, version: row.version,
            date: row.date, transactionID: row.transaction?.transactionID,
            originalTransactionID: row.transaction?.originalTransactionID, accountID: row.account,
            attempts: row.attempts.map {
                NotificationAttempt(date: $0.date, result: $0.result.rawValue, status: $0.status)
            }, nextAttempt: row.nextAttempt)
    }

    func resend(_ id: String) async throws(StoreProblem) -> NotificationInfo {
        try perform(.resend(id))
        await settle()
        return try notificationInfo(id)
    }

    func sendTest(
        in environment: AppStoreEnvironment
    ) throws(StoreProblem) -> TestNotificationResponse {
        TestNotificationResponse(
            testNotificationToken: try perform(.testNotification(environment)).name)
    }

    func faultsInfo() -> FaultsResponse {
        FaultsResponse(plan: state.faults.plan, struck: state.faults.struck.reversed())
    }

    func setFaults(_ plan: FaultPlan) throws(StoreProblem) -> FaultsResponse {
        try perform(.setFaults(plan))
        return faultsInfo()
    }

    func simulatedErrors() -> SimulatedErrorsInfo {
        SimulatedErrorsInfo(
            errors: state.errors.sorted { $0.key < $1.key }.map {
                SimulatedErrorInfo(api: SimulatedAPI(rawValue: $0.key), code: $0.value)
            })
    }

    func setSimulatedErrors(
        _ info: SimulatedErrorsInfo
    ) throws(StoreProblem) -> SimulatedErrorsInfo {
        guard info.errors.count <= 50 else { throw StoreProblem(.limitReached) }
        try perform(
            .setErrors(
                Dictionary(info.errors.map { ($0.api.rawValue, $0.code) }) { _, last in last }))
        return simulatedErrors()
    }

    func callsPage(after cursor: Int64, wait: Double) async throws(StoreProblem) -> CallsResponse {
        try await poll(
            wait: wait,
            { () throws(StoreProblem) in
                let found = Array(self.calls.lazy.filter { $0.sequence > cursor }.prefix(500))
                return CallsResponse(calls: found, cursor: found.last?.sequence ?? max(0, cursor))
            }, isEmpty: { $0.calls.isEmpty })
    }

    func eventsPage(
        after cursor: Int64, wait: Double
    ) async throws(StoreProblem) -> StoreEventsResponse {
        try await poll(
            wait: wait,
            { () throws(StoreProblem) in
                let found = Array(self.state.log.lazy.filter { $0.sequence > cursor }.prefix(500))
                return StoreEventsResponse(
                    events: found, cursor: found.last?.sequence ?? max(0, cursor))
            }, isEmpty: { $0.events.isEmpty })
    }

    func reset() throws(StoreProblem) -> StoreInfo {
        try perform(.reset)
        return try info()
    }
}
