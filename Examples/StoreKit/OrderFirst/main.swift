// Flow C: the order first, with blocks, its faults left in. It finishes whatever the server answers, and
// nothing ties the order to the payment.
//
// OrderFirst [PRODUCT] [down]: buys, and `down` lets the server be away when the order is to be closed.
import StoreKit

final class OrderServer {
    private let isDown = CommandLine.arguments.last == "down"
    private var open: [Int: String] = [:]

    func makeOrder(_ productID: String, done: @escaping (Int) -> Void) {
        let order = open.count + 1
        open[order] = productID
        done(order)
    }

    func close(_ order: Int, transaction: String?, done: @escaping (Bool) -> Void) {
        done(!isDown && transaction != nil && open.removeValue(forKey: order) != nil)
    }
}

typealias BuyBlock = (Result<Int, Error>) -> Void

final class BlockShop: NSObject, SKProductsRequestDelegate, SKPaymentTransactionObserver {
    private let server = OrderServer()
    private var found: (([SKProduct]) -> Void)?
    private var blocks: [String: (order: Int, block: BuyBlock)] = [:]

    override init() {
        super.init()
        SKPaymentQueue.default().add(self)
    }

    /// Called once the store was told.
    var whenFinished: (() -> Void)?

    deinit { SKPaymentQueue.default().remove(self) }

    func buy(_ productID: String, block: @escaping BuyBlock) {
        server.makeOrder(productID) { [weak self] order in
            self?.look(up: productID) { products in
                guard let product = products.first else {
                    return block(.failure(SKError(.storeProductNotAvailable)))
                }
                guard SKPaymentQueue.canMakePayments() else {
                    return block(.failure(SKError(.paymentNotAllowed)))
                }
                self?.blocks[productID] = (order, block)
                SKPaymentQueue.default().add(SKPayment(product: product))
            }
        }
    }

    private func look(up productID: String, _ found: @escaping ([SKProduct]) -> Void) {
        self.found = found
        let request = SKProductsRequest(productIdentifiers: [productID])
        request.delegate = self
        request.start()
    }

    func productsRequest(_ request: SKProductsRequest, didReceive response: SKProductsResponse) {
        let products = response.products
        DispatchQueue.main.async { self.found?(products) }
    }

    func paymentQueue(
        _ queue: SKPaymentQueue, updatedTransactions transactions: [SKPaymentTransaction]
    ) {
        for transaction in transactions {
            switch transaction.transactionState {
            case .purchased, .failed, .restored:
                guard let (order, block) = blocks[transaction.payment.productIdentifier] else {
                    continue
                }
                server.close(order, transaction: transaction.transactionIdentifier) { isPaid in
                    // Whatever the answer: an unfinished one asks for the password at each launch.
                    queue.finishTransaction(transaction)
                    block(
                        isPaid
                            ? .success(order) : .failure(transaction.error ?? SKError(.unknown)))
                }
            default:
                break
            }
        }
    }

    func paymentQueue(
        _ queue: SKPaymentQueue, removedTransactions transactions: [SKPaymentTransaction]
    ) { whenFinished?() }
}

let shop = BlockShop()
shop.buy(CommandLine.arguments.dropFirst().first ?? "com.example.lifetime") { result in
    switch result {
    case .success(let order): print("order \(order) is paid")
    case .failure(let error as SKError) where error.code == .paymentCancelled: print("cancelled")
    case .failure(let error): print("not paid:", error.localizedDescription)
    }
    shop.whenFinished = { exit(0) }
}
dispatchMain()
