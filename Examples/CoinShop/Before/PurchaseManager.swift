// The manager class as it goes round in blogs, its faults left in: it finishes a transaction before the
// server has it, ties the payment to nobody, keeps the product of "the" purchase in one variable, and
// takes the first answer of any kind for the end.
import Foundation
import StoreKit

protocol PurchaseManagerDelegate: AnyObject {
    func purchaseManager(_ manager: PurchaseManager, didSay text: String)
    func purchaseManagerDidEnd(_ manager: PurchaseManager)
}

final class PurchaseManager: NSObject {
    static let shared = PurchaseManager()

    weak var delegate: PurchaseManagerDelegate?
    var serverURL = ""
    var customer = ""

    private var productID = ""
    private var request: SKProductsRequest?

    func start() {
        SKPaymentQueue.default().add(self)
    }

    func purchase(_ productID: String) {
        guard SKPaymentQueue.canMakePayments() else {
            return end("please enable in-app purchases first")
        }
        self.productID = productID
        let request = SKProductsRequest(productIdentifiers: [productID])
        request.delegate = self
        request.start()
        self.request = request
    }

    func restore() {
        SKPaymentQueue.default().restoreCompletedTransactions()
    }

    private func say(_ text: String) {
        delegate?.purchaseManager(self, didSay: text)
    }

    private func end(_ text: String) {
        say(text)
        delegate?.purchaseManagerDidEnd(self)
    }

    private func verify() {
        guard let place = Bundle.main.appStoreReceiptURL,
            let receipt = try? Data(contentsOf: place),
            let address = URL(string: serverURL + "/v1/purchases")
        else { return end("no receipt") }
        var request = URLRequest(url: address)
        request.httpMethod = "POST"
        request.setValue("application/json", forHTTPHeaderField: "Content-Type")
        request.setValue("Bearer dev:\(customer)", forHTTPHeaderField: "Authorization")
        request.httpBody = try? JSONSerialization.data(withJSONObject: [
            "receipt": receipt.base64EncodedString()
        ])
        URLSession.shared.dataTask(with: request) { data, _, error in
            DispatchQueue.main.async {
                guard error == nil, data != nil else { return self.end("the network failed") }
                self.end("purchased")
            }
        }.resume()
    }
}

extension PurchaseManager: SKProductsRequestDelegate {
    func productsRequest(_ request: SKProductsRequest, didReceive response: SKProductsResponse) {
        guard let product = response.products.first(where: { $0.productIdentifier == productID })
        else { return end("no such product") }
        SKPaymentQueue.default().add(SKPayment(product: product))
    }

    func request(_ request: SKRequest, didFailWithError error: Error) {
        end("request failed: \(error.localizedDescription)")
    }
}

extension PurchaseManager: SKPaymentTransactionObserver {
    func paymentQueue(
        _ queue: SKPaymentQueue, updatedTransactions transactions: [SKPaymentTransaction]
    ) {
        for transaction in transactions {
            switch transaction.transactionState {
            case .purchasing: say("processing…")
            case .purchased, .restored:
                queue.finishTransaction(transaction)
                verify()
            case .failed:
                queue.finishTransaction(transaction)
                end("purchase failed")
            case .deferred: say("waits for approval")
            @unknown default: break
            }
        }
    }
}
