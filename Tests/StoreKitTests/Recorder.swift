import Foundation
import StoreKit

/// An observer that writes down what it hears, in the order in which it hears it.
final class Recorder: NSObject, SKPaymentTransactionObserver, @unchecked Sendable {
    enum Heard: Equatable, Sendable {
        case updated(SKPaymentTransactionState, String, id: String?)
        case removed(String)
        case restored
        case restoreFailed(Int)
        case revoked([String])
        case storefront
        case promoted(String)
    }

    /// Transactions as they were told, in order.
    private(set) var transactions: [SKPaymentTransaction] = []
    let heard: AsyncStream<Heard>
    private let continuation: AsyncStream<Heard>.Continuation
    private let acceptsPromoted: Bool
    private let finishes: Bool
    private let leavesAtOnce: Bool

    // Everything is written on the main queue, and read there or after an element of the stream.
    init(acceptsPromoted: Bool = true, finishes: Bool = false, leavesAtOnce: Bool = false) {
        self.leavesAtOnce = leavesAtOnce
        (heard, continuation) = AsyncStream.makeStream(of: Heard.self)
        self.acceptsPromoted = acceptsPromoted
        self.finishes = finishes
    }

    func paymentQueue(
        _ queue: SKPaymentQueue, updatedTransactions transactions: [SKPaymentTransaction]
    ) {
        dispatchPrecondition(condition: .onQueue(.main))
        if leavesAtOnce { queue.remove(self) }
        for transaction in transactions {
            self.transactions.append(transaction)
            continuation.yield(
                .updated(
                    transaction.transactionState, transaction.payment.productIdentifier,
                    id: transaction.transactionIdentifier))
            if finishes, transaction.transactionState != .purchasing {
                queue.finishTransaction(transaction)
            }
        }
    }

    func paymentQueue(
        _ queue: SKPaymentQueue, removedTransactions transactions: [SKPaymentTransaction]
    ) {
        for transaction in transactions {
            continuation.yield(.removed(transaction.payment.productIdentifier))
        }
    }

    func paymentQueue(
        _ queue: SKPaymentQueue, restoreCompletedTransactionsFailedWithError error: any Error
    ) {
        continuation.yield(.restoreFailed((error as NSError).code))
    }

    func paymentQueueRestoreCompletedTransactionsFinished(_ queue: SKPaymentQueue) {
        continuation.yield(.restored)
    }

    func paymentQueue(
        _ queue: SKPaymentQueue, shouldAddStorePayment payment: SKPayment, for product: SKProduct
    ) -> Bool {
        continuation.yield(.promoted(product.localizedTitle))
        return acceptsPromoted
    }

    func paymentQueueDidChangeStorefront(_ queue: SKPaymentQueue) {
        continuation.yield(.storefront)
    }

    func paymentQueue(
        _ queue: SKPaymentQueue,
        didRevokeEntitlementsForProductIdentifiers productIdentifiers: [String]
    ) {
        continuation.yield(.revoked(productIdentifiers))
    }

    /// Listens until something is heard; what came before it is passed over.
    func wait(for wanted: (Heard) -> Bool) async -> Heard? {
        for await element in heard where wanted(element) { return element }
        return nil
    }

    /// Waits for a state of any transaction and gives the latest one.
    @discardableResult
    func wait(for state: SKPaymentTransactionState) async -> SKPaymentTransaction? {
        _ = await wait { if case .updated(state, _, _) = $0 { true } else { false } }
        return await MainActor.run {
            transactions.last { $0.transactionState == state }
        }
    }

    /// The next things heard, as many as asked for.
    func next(_ count: Int) async -> [Heard] {
        var elements: [Heard] = []
        for await element in heard {
            elements.append(element)
            if elements.count == count { break }
        }
        return elements
    }
}

/// Waits until everything that was put on the main queue before has run.
func settleMainQueue() async {
    await withCheckedContinuation { continuation in
        DispatchQueue.main.async { continuation.resume() }
    }
}

/// A delegate of a request that hands the answers to a task.
final class Answers: NSObject, SKProductsRequestDelegate, @unchecked Sendable {
    enum Answer: Sendable {
        case products([SKProduct], unknown: [String])
        case finished
        case failed(any Error)
    }

    let all: AsyncStream<Answer>
    private let continuation: AsyncStream<Answer>.Continuation

    // Nothing changes after the initializer.
    override init() {
        (all, continuation) = AsyncStream.makeStream(of: Answer.self)
    }

    func productsRequest(_ request: SKProductsRequest, didReceive response: SKProductsResponse) {
        continuation.yield(
            .products(response.products, unknown: response.invalidProductIdentifiers))
    }

    func requestDidFinish(_ request: SKRequest) {
        continuation.yield(.finished)
        continuation.finish()
    }

    func request(_ request: SKRequest, didFailWithError error: any Error) {
        continuation.yield(.failed(error))
        continuation.finish()
    }

    func collected() async -> [Answer] {
        var list: [Answer] = []
        for await answer in all { list.append(answer) }
        return list
    }
}
