public import Foundation

/// The payments of the app on their way to the App Store and back.
///
/// Observers and the delegate are called on the main queue; the program has to serve it, by `RunLoop.main`,
/// `dispatchMain()` or an asynchronous `main`.
open class SKPaymentQueue: NSObject, @unchecked Sendable {
    // It has no state of its own, which is the proof for `@unchecked`.
    static let shared = SKPaymentQueue()

    /// Makes a queue that shares everything with the default one, for subclasses in tests.
    public override init() { super.init() }

    /// The app's queue.
    open class func `default`() -> Self {
        guard let queue = shared as? Self else {
            preconditionFailure("a subclass of SKPaymentQueue has no default queue")
        }
        return queue
    }

    /// Whether the customer may pay on this device.
    open class func canMakePayments() -> Bool { AppStore.canMakePayments }

    /// What decides for the queue; not retained.
    open weak var delegate: (any SKPaymentQueueDelegate)? {
        get { StoreSession.current.payments.delegate }
        set { StoreSession.current.payments.delegate = newValue }
    }

    /// The payments that are not finished.
    open var transactions: [SKPaymentTransaction] { StoreSession.current.payments.transactions }

    /// Those who hear of payments.
    open var transactionObservers: [any SKPaymentTransactionObserver] {
        StoreSession.current.payments.observers
    }

    /// The customer's storefront.
    open var storefront: SKStorefront? { StoreSession.current.originalStorefront }

    /// Asks the App Store to sell; the answer comes to the observers.
    ///
    /// A payment without a product or with a quantity below 1 stops the program, as Apple's exception does.
    open func add(_ payment: SKPayment) {
        precondition(!payment.productIdentifier.isEmpty, "a payment needs a product identifier")
        precondition(payment.quantity >= 1, "a payment's quantity is at least 1")
        let session = StoreSession.current
        session.payments.add(payment, session)
    }

    /// Begins to tell an observer, which is not retained.
    ///
    /// The first observer of a launch is told of every payment that is not finished.
    open func add(_ observer: any SKPaymentTransactionObserver) {
        let session = StoreSession.current
        session.payments.add(observer, session)
    }

    /// Stops telling an observer.
    open func remove(_ observer: any SKPaymentTransactionObserver) {
        StoreSession.current.payments.remove(observer)
    }

    /// Brings back what the customer bought before: each as a transaction in the state `restored`.
    open func restoreCompletedTransactions() {
        restoreCompletedTransactions(withApplicationUsername: nil)
    }

    /// Brings back what the customer bought before, with a hint whose account it is.
    open func restoreCompletedTransactions(withApplicationUsername username: String?) {
        let session = StoreSession.current
        session.payments.restore(username: username, session)
    }

    /// Takes a transaction out of the queue; one that is still `purchasing` stops the program.
    open func finishTransaction(_ transaction: SKPaymentTransaction) {
        precondition(
            transaction.transactionState != .purchasing,
            "a transaction in the state purchasing cannot be finished")
        let session = StoreSession.current
        session.payments.finish(transaction, session)
    }

    /// Shows a price consent that was put off.
    open func showPriceConsentIfNeeded() {
        let session = StoreSession.current
        Task { await session.showPutOffPriceConsents() }
    }

    /// Asks for an offer code; what it buys comes to the observers.
    open func presentCodeRedemptionSheet() {
        let session = StoreSession.current
        Task { try? await session.redeemOfferCode() }
    }

    /// Begins downloads, of which the local store has none.
    open func start(_ downloads: [SKDownload]) {}
    /// Stops downloads for a while.
    open func pause(_ downloads: [SKDownload]) {}
    /// Goes on with downloads.
    open func resume(_ downloads: [SKDownload]) {}
    /// Gives up downloads.
    open func cancel(_ downloads: [SKDownload]) {}
}
