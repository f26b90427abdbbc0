// Flow E: the top-up order, its faults left in. The order's number travels as the username, which is gone
// after a relaunch; an empty receipt ends in silence; a deferred transaction is finished too.
//
// TopUp [PRODUCT]: goes through the queue and tops up.
import StoreKit

final class TopUp: NSObject, SKProductsRequestDelegate, SKPaymentTransactionObserver {
    private var orderNumber = ""
    private var balance = 0
    var whenDone: (() -> Void)?

    func launch() {
        SKPaymentQueue.default().add(self)
        paymentQueue(
            SKPaymentQueue.default(), updatedTransactions: SKPaymentQueue.default().transactions)
    }

    func topUp(_ productID: String) {
        orderNumber = UUID().uuidString
        let request = SKProductsRequest(productIdentifiers: [productID])
        request.delegate = self
        request.start()
    }

    func productsRequest(_ request: SKProductsRequest, didReceive response: SKProductsResponse) {
        guard let product = response.products.first else { return }
        let payment = SKMutablePayment(product: product)
        payment.applicationUsername = orderNumber
        SKPaymentQueue.default().add(payment)
    }

    func paymentQueue(
        _ queue: SKPaymentQueue, updatedTransactions transactions: [SKPaymentTransaction]
    ) {
        for transaction in transactions {
            switch transaction.transactionState {
            case .purchased:
                send(transaction)
            case .failed, .restored, .deferred:
                if transaction.transactionState == .deferred { print("finishes what waits") }
                queue.finishTransaction(transaction)
            default:
                break
            }
        }
    }

    private func send(_ transaction: SKPaymentTransaction) {
        guard let place = Bundle.main.appStoreReceiptURL,
            let receipt = try? Data(contentsOf: place), !receipt.isEmpty
        else { return }
        guard let order = transaction.payment.applicationUsername else {
            print("an order is lost")
            whenDone?()
            return
        }
        print(
            "order \(order.prefix(8)) with a receipt of \(receipt.count > 0 ? "some" : "no") bytes")
        balance += transaction.payment.quantity
        SKPaymentQueue.default().finishTransaction(transaction)
        print("balance \(balance)")
    }

    func paymentQueue(
        _ queue: SKPaymentQueue, removedTransactions transactions: [SKPaymentTransaction]
    ) { whenDone?() }
}

let topUp = TopUp()
topUp.whenDone = { exit(0) }
topUp.launch()
topUp.topUp(CommandLine.arguments.dropFirst().first ?? "com.example.coins20")
dispatchMain()
