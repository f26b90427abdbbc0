/// The paths of the control API: what a person, a script or the page says to the local store.
///
/// Bodies are JSON. Where a type is named twice, the first goes in and the second comes out; problems are
/// ``StoreProblem`` documents.
public struct ControlRoute: StoreRoute {
    /// The request method.
    public let method: String
    /// The path with its parameters as `:name`.
    public let path: String

    init(_ method: String, _ path: String) {
        self.method = method
        self.path = "/control/v1" + path
    }

    /// What one needs to use the store: ``StoreInfo``.
    public static let info = ControlRoute("GET", "/info")
    /// The catalog: ``CatalogInfo``.
    public static let catalog = ControlRoute("GET", "/catalog")
    /// Takes a `.storekit` file as the body: ``CatalogInfo``.
    public static let replaceCatalog = ControlRoute("PUT", "/catalog")
    /// Changes a product: ``ProductChange``, ``CatalogProduct``.
    public static let changeProduct = ControlRoute("PATCH", "/catalog/:product")
    /// Makes offer codes: ``OfferCodesRequest``, ``OfferCodesResponse``.
    public static let makeCodes = ControlRoute("POST", "/offer-codes")
    /// Changes an environment: ``EnvironmentChange``, ``EnvironmentInfo``.
    public static let changeEnvironment = ControlRoute("PATCH", "/environments/:environment")

    /// The clock: ``ClockInfo``.
    public static let clock = ControlRoute("GET", "/clock")
    /// Moves the clock: ``ClockChange``, ``ClockInfo``.
    public static let moveClock = ControlRoute("POST", "/clock")

    /// The accounts: ``AccountsResponse``.
    public static let accounts = ControlRoute("GET", "/accounts")
    /// Makes an account: ``AccountRequest``, ``AccountInfo``.
    public static let makeAccount = ControlRoute("POST", "/accounts")
    /// Changes an account: ``AccountRequest``, ``AccountInfo``.
    public static let changeAccount = ControlRoute("PATCH", "/accounts/:account")
    /// Clears an account's purchase history, as for a sandbox tester: ``AccountInfo``.
    public static let clearHistory = ControlRoute("DELETE", "/accounts/:account/history")
    /// Sets a family: ``FamilyRequest``, ``FamilyInfo``.
    public static let setFamily = ControlRoute("PUT", "/families")
    /// The devices: ``DevicesResponse``.
    public static let devices = ControlRoute("GET", "/devices")
    /// Signs in or out: ``SignInRequest``, ``DeviceSession``.
    public static let signIn = ControlRoute("POST", "/devices/:device/sign-in")
    /// A tap on a promoted purchase: ``PromoteRequest``, ``PurchaseIntentItem``.
    public static let promote = ControlRoute("POST", "/promoted-purchases")

    /// Buys: ``ControlBuyRequest``, ``ControlBuyResponse``.
    public static let buy = ControlRoute("POST", "/purchases")
    /// The purchases that wait: ``WaitingPurchasesResponse``.
    public static let waiting = ControlRoute("GET", "/waiting-purchases")
    /// Ends a wait: ``WaitingDecision``, ``ControlBuyResponse``.
    public static let decide = ControlRoute("POST", "/waiting-purchases/:item")
    /// Transactions, `?account=&product=&environment=&before=`: ``TransactionsPage``.
    public static let transactions = ControlRoute("GET", "/transactions")
    /// One transaction: ``TransactionRecord``.
    public static let transaction = ControlRoute("GET", "/transactions/:transaction")
    /// Something happens to it: ``TransactionAction``, ``TransactionRecord``.
    public static let actOnTransaction = ControlRoute("POST", "/transactions/:transaction")
    /// The subscriptions, `?account=&environment=`: ``SubscriptionsResponse``.
    public static let subscriptions = ControlRoute("GET", "/subscriptions")
    /// One subscription: ``SubscriptionInfo``.
    public static let subscription = ControlRoute("GET", "/subscriptions/:subscription")
    /// Something happens to it: ``SubscriptionAction``, ``SubscriptionInfo``.
    public static let actOnSubscription = ControlRoute("POST", "/subscriptions/:subscription")
    /// An account's receipt, `?account=`: ``ReceiptResponse``.
    public static let receipt = ControlRoute("GET", "/receipt")

    /// The notifications, `?environment=`: ``NotificationsResponse``.
    public static let notifications = ControlRoute("GET", "/notifications")
    /// One notification with its body: ``NotificationInfo``.
    public static let notification = ControlRoute("GET", "/notifications/:notification")
    /// Sends a notification again, no body: ``NotificationInfo``.
    public static let resend = ControlRoute("POST", "/notifications/:notification/send")
    /// Sends a test notification, `?environment=`, no body: ``TestNotificationResponse``.
    public static let testNotification = ControlRoute("POST", "/test-notification")

    /// The faults: ``FaultsResponse``.
    public static let faults = ControlRoute("GET", "/faults")
    /// Sets the faults: ``FaultPlan``, ``FaultsResponse``.
    public static let setFaults = ControlRoute("PUT", "/faults")
    /// The simulated errors: ``SimulatedErrorsInfo``.
    public static let simulatedErrors = ControlRoute("GET", "/simulated-errors")
    /// Sets the simulated errors: ``SimulatedErrorsInfo`` in and out.
    public static let setSimulatedErrors = ControlRoute("PUT", "/simulated-errors")
    /// The calls, `?after=CURSOR&wait=SECONDS`: ``CallsResponse``.
    public static let calls = ControlRoute("GET", "/calls")
    /// What happened, `?after=CURSOR&wait=SECONDS`: ``StoreEventsResponse``.
    public static let events = ControlRoute("GET", "/events")
    /// Forgets everything but keys and settings; no body, ``StoreInfo``.
    public static let reset = ControlRoute("POST", "/reset")

    /// All of them.
    public static let all: [ControlRoute] = [
        .info, .catalog, .replaceCatalog, .changeProduct, .makeCodes, .changeEnvironment, .clock,
        .moveClock, .accounts, .makeAccount, .changeAccount, .clearHistory, .setFamily, .devices,
        .signIn, .promote, .buy, .waiting, .decide, .transactions, .transaction, .actOnTransaction,
        .subscriptions, .subscription, .actOnSubscription, .receipt, .notifications, .notification,
        .resend, .testNotification, .faults, .setFaults, .simulatedErrors, .setSimulatedErrors,
        .calls, .events, .reset,
    ]
}
