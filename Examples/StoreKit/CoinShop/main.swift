// Flow A: the coin shop, a view controller of a blog post with its faults left in. It finishes before the
// server knows, observes only while its screen is shown, chooses the environment itself, and ties the
// payment to nobody.
//
// CoinShop [PRODUCT] [down]: buys, and `down` lets the server be away when the receipt is sent.
import StoreKit

/// The backend of the post: believes any receipt that is not empty.
final class CoinServer {
    private(set) var coins = 0
    private let isDown = CommandLine.arguments.last == "down"

    func post(receipt: String, isSandbox: Bool, productID: String, done: (Bool) -> Void) {
        guard !isDown, !receipt.isEmpty else { return done(false) }
        coins += Int(productID.drop { !$0.isNumber }) ?? 0
        done(true)
    }
}

final class CoinShopController: NSObject, SKProductsRequestDelegate, SKPaymentTransactionObserver {
    private let server = CoinServer()
    private var request: SKProductsRequest?
    private var wantedID = ""
    var whenDone: (() -> Void)?

    func viewWillAppear() { SKPaymentQueue.default().add(self) }
    func viewDidDisappear() { SKPaymentQueue.default().remove(self) }

    func tapped(_ productID: String) {
        guard SKPaymentQueue.canMakePayments() else {
            print("please enable in-app purchases first")
            whenDone?()
            return
        }
        wantedID = productID
        let request = SKProductsRequest(productIdentifiers: [productID])
        request.delegate = self
        request.start()
        self.request = request
    }

    func productsRequest(_ request: SKProductsRequest, didReceive response: SKProductsResponse) {
        guard !response.products.isEmpty else {
            print("no such product")
            whenDone?()
            return
        }
        var wanted: SKProduct?
        for product in response.products {
            print(product.localizedTitle, product.localizedDescription, product.price)
            if product.productIdentifier == wantedID { wanted = product }
        }
        if let wanted { SKPaymentQueue.default().add(SKPayment(product: wanted)) }
    }

    func request(_ request: SKRequest, didFailWithError error: Error) {
        print("request failed:", error.localizedDescription)
        whenDone?()
    }

    func paymentQueue(
        _ queue: SKPaymentQueue, updatedTransactions transactions: [SKPaymentTransaction]
    ) {
        for transaction in transactions {
            switch transaction.transactionState {
            case .purchasing:
                print("purchasing")
            case .purchased:
                SKPaymentQueue.default().finishTransaction(transaction)
                deliver(transaction)
            case .failed:
                print("failed:", transaction.error?.localizedDescription ?? "")
                SKPaymentQueue.default().finishTransaction(transaction)
            case .restored:
                SKPaymentQueue.default().finishTransaction(transaction)
            case .deferred:
                print("waiting for approval")
            @unknown default:
                break
            }
        }
    }

    func paymentQueue(
        _ queue: SKPaymentQueue, removedTransactions transactions: [SKPaymentTransaction]
    ) {
        // The store was told; the screen may go.
        whenDone?()
    }

    private func deliver(_ transaction: SKPaymentTransaction) {
        guard let place = Bundle.main.appStoreReceiptURL, let data = try? Data(contentsOf: place)
        else {
            print("no receipt")
            return
        }
        let receipt = data.base64EncodedString(options: [
            .lineLength64Characters, .endLineWithLineFeed,
        ])
        let isSandbox = place.lastPathComponent == "sandboxReceipt"
        server.post(
            receipt: receipt, isSandbox: isSandbox,
            productID: transaction.payment.productIdentifier
        ) { isGood in
            print(isGood ? "coins: \(server.coins)" : "the server did not answer")
        }
    }
}

let shop = CoinShopController()
shop.viewWillAppear()
shop.whenDone = {
    shop.viewDidDisappear()
    exit(0)
}
shop.tapped(CommandLine.arguments.dropFirst().first ?? "com.example.coins600")
dispatchMain()
