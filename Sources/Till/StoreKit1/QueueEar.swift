import AppStoreModel
import Foundation
import StoreKit

/// What StoreKit 1's queue says.
enum QueueNews: Sendable {
    case updated([SKPaymentTransaction])
    case removed([SKPaymentTransaction])
    case restoreEnded
    case restoreFailed(StoreFault)
    case revoked([String])
    case promoted(productID: String, quantity: Int)
}

/// Hears the queue for the whole launch and passes everything on in order.
final class QueueEar: NSObject, SKPaymentTransactionObserver, Sendable {
    private let pass: @Sendable (QueueNews) -> Void

    init(pass: @escaping @Sendable (QueueNews) -> Void) { self.pass = pass }

    func paymentQueue(
        _ queue: SKPaymentQueue, updatedTransactions transactions: [SKPaymentTransaction]
    ) {
        pass(.updated(transactions))
    }

    func paymentQueue(
        _ queue: SKPaymentQueue, removedTransactions transactions: [SKPaymentTransaction]
    ) {
        pass(.removed(transactions))
    }

    func paymentQueueRestoreCompletedTransactionsFinished(_ queue: SKPaymentQueue) {
        pass(.restoreEnded)
    }

    func paymentQueue(
        _ queue: SKPaymentQueue, restoreCompletedTransactionsFailedWithError error: any Error
    ) {
        pass(.restoreFailed(StoreFault(original: error)))
    }

    func paymentQueue(
        _ queue: SKPaymentQueue,
        didRevokeEntitlementsForProductIdentifiers productIdentifiers: [String]
    ) {
        pass(.revoked(productIdentifiers))
    }

    /// Never lets StoreKit add the payment itself: it would go without an order.
    func paymentQueue(
        _ queue: SKPaymentQueue, shouldAddStorePayment payment: SKPayment,
        for product: SKProduct
    ) -> Bool {
        pass(.promoted(productID: payment.productIdentifier, quantity: payment.quantity))
        return false
    }
}

/// Hears of promoted purchases alone, for systems whose StoreKit 2 does not tell them (iOS 15.0 to
/// 16.3).
///
/// StoreKit 2 owns the queue: this one looks at no transaction and finishes none.
final class PromotionEar: NSObject, SKPaymentTransactionObserver, Sendable {
    private let pass: @Sendable (PromotedPurchase) -> Void

    init(pass: @escaping @Sendable (PromotedPurchase) -> Void) { self.pass = pass }

    func paymentQueue(
        _ queue: SKPaymentQueue, updatedTransactions transactions: [SKPaymentTransaction]
    ) {}

    func paymentQueue(
        _ queue: SKPaymentQueue, shouldAddStorePayment payment: SKPayment,
        for product: SKProduct
    ) -> Bool {
        pass(
            PromotedPurchase(
                productID: ProductID(payment.productIdentifier), quantity: payment.quantity))
        return false
    }
}
