public import Foundation

/// How far a payment in the queue has come.
public enum SKPaymentTransactionState: Int, Sendable {
    /// The App Store is working on it.
    case purchasing = 0
    /// Paid; the app owes the goods.
    case purchased = 1
    /// Cancelled or failed.
    case failed = 2
    /// An earlier purchase came back.
    case restored = 3
    /// Somebody else has to approve it.
    case deferred = 4
}

/// A payment in the queue.
open class SKPaymentTransaction: NSObject, @unchecked Sendable {
    /// What is known of the payment at one moment.
    struct Progress: Sendable {
        var state = SKPaymentTransactionState.purchasing
        var error: SKErrorBox?
        var date: Date?
        var identifier: String?
        var receipt: Data?
    }

    // `progress` is guarded by its lock; the others never change. That is the proof for `@unchecked`.
    private let progress: Guarded<Progress>
    private let agreedPayment: SKPayment
    private let originalTransaction: SKPaymentTransaction?

    /// Makes a transaction of an empty payment, for subclasses in tests.
    public override init() {
        progress = Guarded(Progress())
        agreedPayment = SKPayment()
        originalTransaction = nil
        super.init()
    }

    init(payment: SKPayment, progress: Progress, original: SKPaymentTransaction? = nil) {
        self.progress = Guarded(progress)
        agreedPayment = payment
        originalTransaction = original
        super.init()
    }

    /// Why it failed; only in the state `failed`.
    open var error: (any Error)? { progress.value.error?.error }
    /// The earlier purchase that was restored.
    open var original: SKPaymentTransaction? { originalTransaction }
    /// The payment that began it.
    open var payment: SKPayment { agreedPayment }
    /// When it was bought or restored.
    open var transactionDate: Date? { progress.value.date }
    /// The transaction's number at the App Store, once it was bought or restored.
    open var transactionIdentifier: String? { progress.value.identifier }
    /// How far it has come.
    open var transactionState: SKPaymentTransactionState { progress.value.state }
    /// The receipt of this purchase alone in the form of iOS 6.
    open var transactionReceipt: Data? { progress.value.receipt }
    /// Hosted content, which the local store has none of.
    open var downloads: [SKDownload] { [] }

    func update(_ change: (inout Progress) -> Void) { progress.withLock(change) }
}

/// An error on its way through value types that are `Sendable`.
struct SKErrorBox: Sendable {
    let error: any Error

    init(_ error: any Error) { self.error = error }
}
