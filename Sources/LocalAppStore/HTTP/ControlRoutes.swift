import AppStoreModel
import HTTPMessage
import HTTPServer
import StoreWire

extension StoreRoutes {
    /// The control API: what a person, a script or the page says.
    mutating func addControlAPI() {
        addCatalogAndClock()
        addAccounts()
        addPurchases()
        addNotificationsAndFaults()
    }

    private mutating func addCatalogAndClock() {
        let store = store
        answer(ControlRoute.info) { _ in try await store.info() }
        answer(ControlRoute.catalog) { _ in await store.catalogInfo() }
        answer(ControlRoute.replaceCatalog, bodyLimit: Catalog.fileSizeLimit + 1) { call in
            try await store.replaceCatalog(
                Array(call.request.body), source: call.query("name") ?? "uploaded")
        }
        answer(ControlRoute.changeProduct) {
            try await store.changeProduct(ProductID($0.part("product")), $0.body())
        }
        answer(ControlRoute.makeCodes) { try await store.makeCodes($0.body()) }
        answer(ControlRoute.changeEnvironment) {
            try await store.changeEnvironment(
                StoreCall.environment($0.part("environment")), $0.body())
        }
        answer(ControlRoute.clock) { _ in await store.currentClock() }
        answer(ControlRoute.moveClock) { try await store.moveClock($0.body()) }
        answer(ControlRoute.reset) { _ in try await store.reset() }
    }

    private mutating func addAccounts() {
        let store = store
        answer(ControlRoute.accounts) { _ in await store.accountsInfo() }
        answer(ControlRoute.makeAccount) { try await store.makeAccount($0.body()) }
        answer(ControlRoute.changeAccount) {
            try await store.changeAccount(AccountID($0.part("account")), $0.body())
        }
        answer(ControlRoute.clearHistory) {
            try await store.clearHistory(AccountID($0.part("account")))
        }
        answer(ControlRoute.setFamily) { try await store.setFamily($0.body()) }
        answer(ControlRoute.devices) { _ in try await store.devicesInfo() }
        answer(ControlRoute.signIn) { try await store.signIn($0.device, $0.body()) }
        answer(ControlRoute.promote) { try await store.promote($0.body()) }
    }

    private mutating func addPurchases() {
        let store = store
        answer(ControlRoute.buy) { try await store.buy($0.body()) }
        answer(ControlRoute.waiting) { _ in await store.waitingPurchases() }
        answer(ControlRoute.decide) { try await store.decide($0.part("item"), $0.body()) }
        answer(ControlRoute.transactions) {
            try await store.transactionsPage(
                account: $0.query("account"), product: $0.query("product"),
                environment: $0.queriedEnvironment(), before: $0.query("before"))
        }
        answer(ControlRoute.transaction) {
            try await store.transactionRecord(TransactionID($0.part("transaction")))
        }
        answer(ControlRoute.actOnTransaction) {
            let action: TransactionAction = try $0.body()
            return try await store.act(on: TransactionID($0.part("transaction")), action)
        }
        answer(ControlRoute.subscriptions) {
            try await store.subscriptionsInfo(
                account: $0.query("account"), environment: $0.queriedEnvironment())
        }
        answer(ControlRoute.subscription) {
            try await store.subscriptionInfo(TransactionID($0.part("subscription")))
        }
        answer(ControlRoute.actOnSubscription) {
            let action: SubscriptionAction = try $0.body()
            return try await store.act(on: TransactionID($0.part("subscription")), action)
        }
        answer(ControlRoute.receipt) {
            let account: AccountID = try $0.query("account") ?? "default"
            return try await store.receipt(of: account)
        }
    }

    private mutating func addNotificationsAndFaults() {
        let store = store
        answer(ControlRoute.notifications) {
            try await store.notificationsInfo(environment: $0.queriedEnvironment())
        }
        answer(ControlRoute.notification) {
            try await store.notificationInfo($0.part("notification"))
        }
        answer(ControlRoute.resend) { try await store.resend($0.part("notification")) }
        answer(ControlRoute.testNotification) {
            try await store.sendTest(in: $0.queriedEnvironment() ?? $0.environment)
        }
        answer(ControlRoute.faults) { _ in await store.faultsInfo() }
        answer(ControlRoute.setFaults) { try await store.setFaults($0.body()) }
        answer(ControlRoute.simulatedErrors) { _ in await store.simulatedErrors() }
        answer(ControlRoute.setSimulatedErrors) {
            try await store.setSimulatedErrors($0.body())
        }
        answer(ControlRoute.calls) {
            try await store.callsPage(after: $0.cursor(), wait: $0.wait())
        }
        answer(ControlRoute.events) {
            try await store.eventsPage(after: $0.cursor(), wait: $0.wait())
        }
    }
}

extension LocalStore {
    /// The clock as it stands now.
    func currentClock() -> ClockInfo {
        catchUp()
        return clockInfo()
    }
}
