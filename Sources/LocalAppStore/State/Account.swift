import AppStoreModel
import StoreWire

/// An Apple account; it buys in one environment only.
struct Account: TableRow {
    let id: AccountID
    let environment: AppStoreEnvironment
    var storefront: String
    var canMakePayments = true
    var asksToBuy = false
    var interruptsPurchases = false
    var billingFails = false
    /// Its own rate; else the environment's.
    var renewalRate: RenewalRate?
    /// The organizer of its family; the organizer names itself.
    var family: AccountID?
    /// Its copy of the app.
    let appTransactionID: String
    let appPurchaseDate: Timestamp
    var originalAppVersion: String
    var originalPlatform: String
    /// Its transactions, oldest first.
    var transactions: [TransactionID] = []
    /// Its subscriptions by their original transactions.
    var subscriptions: [TransactionID] = []
    /// When one of its transactions changed last: what its receipt is as new as.
    var changed: Timestamp
}

/// One app on one device.
struct Device: TableRow {
    let id: DeviceID
    let environment: AppStoreEnvironment
    let bundleID: BundleID
    var account: AccountID?
    var platform: String
    var appVersion: String
    var locale: String
    let vendorID: String
    let deviceVerificationID: String
    /// How often the app's process began.
    var launches = 0
    /// Whose receipt lies on the device; it stays when another account signs in.
    var receiptAccount: AccountID?
    /// When that receipt was fetched last.
    var receiptDate: Timestamp?
    /// What the receipt was asked to look like, in the sandbox.
    var receiptIsExpired = false
    var receiptIsRevoked = false
    var receiptIsVolumePurchase = false
    var events: [DeviceEventRow] = []
    var lastSequence: Int64 = 0
    var intents: [PurchaseIntentItem] = []
    var messages: [StoreMessage] = []
    /// The latest purchases by the name that the app gave the try.
    var requests: [RequestRow] = []

    struct RequestRow: Codable, Sendable {
        let requestID: String
        let item: String
    }

    /// The most events that are kept for a device.
    static let eventLimit = 1_000
    /// The most tries that are remembered.
    static let requestLimit = 200
}

/// An event of a device, with names in place of signed things, which are made when it is read.
struct DeviceEventRow: Codable, Sendable {
    let sequence: Int64
    let kind: DeviceEventKind
    let date: Timestamp
    var item: String?
    var transaction: TransactionID?
    var subscription: TransactionID?
    var productIDs: [ProductID]?
    var intent: PurchaseIntentItem?
    var message: StoreMessage?
    var account: AccountID?
    /// The store sends it a second time.
    var isRepeated = false
}
