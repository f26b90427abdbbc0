/// The paths of the device API: what an app's StoreKit says to the local store.
///
/// Bodies are JSON. `:device` is the name that ``launch`` answered with. Where a type is named twice, the
/// first goes in and the second comes out; problems are ``StoreProblem`` documents.
public struct DeviceRoute: StoreRoute {
    /// The request method.
    public let method: String
    /// The path with its parameters as `:name`.
    public let path: String

    init(_ method: String, _ path: String) {
        self.method = method
        self.path = "/device/v1" + path
    }

    /// Registers a device or begins its next process: ``LaunchRequest``, ``DeviceSession``.
    ///
    /// Unfinished payments are in the queue again, without the usernames that StoreKit 1 forgets.
    public static let launch = DeviceRoute("POST", "/launch")
    /// How the device stands: ``DeviceSession``.
    public static let session = DeviceRoute("GET", "/:device/session")
    /// Products: ``ProductsRequest``, ``ProductsResponse``.
    public static let products = DeviceRoute("POST", "/:device/products")
    /// Buys: ``PurchaseRequest``, ``PurchaseResponse``.
    public static let purchase = DeviceRoute("POST", "/:device/purchases")
    /// Events: `?after=CURSOR&wait=SECONDS` (0 to 30), ``EventPage``; empty when the wait is over.
    public static let events = DeviceRoute("GET", "/:device/events")
    /// The queue's unfinished payments, waiting and failed ones too: ``QueueResponse``.
    public static let queue = DeviceRoute("GET", "/:device/queue")
    /// The account's unfinished transactions, StoreKit 2's `unfinished`: ``TransactionsResponse``.
    public static let unfinished = DeviceRoute("GET", "/:device/unfinished")
    /// Finishes: ``FinishRequest``, ``FinishResponse``.
    public static let finish = DeviceRoute("POST", "/:device/finish")
    /// Restores StoreKit 1's way: ``RestoreRequest``, ``RestoreResponse``.
    public static let restore = DeviceRoute("POST", "/:device/restore")
    /// The receipt file as it lies there: ``ReceiptResponse``.
    public static let receipt = DeviceRoute("GET", "/:device/receipt")
    /// Makes a new receipt file: ``ReceiptRefreshRequest``, ``ReceiptResponse``.
    public static let refreshReceipt = DeviceRoute("POST", "/:device/receipt/refresh")
    /// All transactions, `?productId=` for one product's, `?consumables=true` for finished ones too.
    ///
    /// Answers a ``TransactionsResponse``, newest first.
    public static let transactions = DeviceRoute("GET", "/:device/transactions")
    /// The latest transaction of each product that is owned now: ``TransactionsResponse``.
    public static let entitlements = DeviceRoute("GET", "/:device/entitlements")
    /// Statuses, `?groupId=` or `?transactionId=` for some: ``SubscriptionStatusesResponse``.
    public static let subscriptions = DeviceRoute("GET", "/:device/subscriptions")
    /// Whether `?groupId=` has an introductory offer for the account: ``IntroEligibilityResponse``.
    public static let introEligibility = DeviceRoute("GET", "/:device/intro-eligibility")
    /// The app's own purchase: ``AppTransactionResponse``.
    public static let appTransaction = DeviceRoute("GET", "/:device/app-transaction")
    /// Redeems an offer code: ``OfferCodeRequest``, ``PurchaseResponse``.
    public static let redeemCode = DeviceRoute("POST", "/:device/offer-codes")
    /// The promoted purchases that wait: ``PurchaseIntentsResponse``.
    public static let intents = DeviceRoute("GET", "/:device/purchase-intents")
    /// Drops a promoted purchase; no body, answers 204.
    public static let dropIntent = DeviceRoute("DELETE", "/:device/purchase-intents/:intent")
    /// Asks for a refund: ``DeviceRefundRequest``, ``DeviceRefundResponse``.
    public static let requestRefund = DeviceRoute("POST", "/:device/refund-requests")
    /// Answers a price increase: ``PriceConsentRequest``, ``WireSubscriptionStatus``.
    public static let priceConsent = DeviceRoute("POST", "/:device/price-consent")
    /// The subscriptions sheet: ``ManageSubscriptionRequest``, ``WireSubscriptionStatus``.
    public static let manageSubscription = DeviceRoute("POST", "/:device/manage-subscription")
    /// The sheets that wait to be shown: ``StoreMessagesResponse``.
    public static let messages = DeviceRoute("GET", "/:device/messages")
    /// Marks a sheet as shown; no body, answers 204.
    public static let showMessage = DeviceRoute("DELETE", "/:device/messages/:message")

    /// All of them.
    public static let all: [DeviceRoute] = [
        .launch, .session, .products, .purchase, .events, .queue, .unfinished, .finish, .restore,
        .receipt, .refreshReceipt, .transactions, .entitlements, .subscriptions, .introEligibility,
        .appTransaction, .redeemCode, .intents, .dropIntent, .requestRefund, .priceConsent,
        .manageSubscription, .messages, .showMessage,
    ]
}
