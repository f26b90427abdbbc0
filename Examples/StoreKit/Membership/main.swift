// Flow B: the subscription manager, a singleton with its faults left in. Before it buys it finishes what
// stands in the queue, paid or not; one product and one restore flag serve the whole app; without a
// receipt it says nothing.
//
// Membership [PRODUCT]: buys and then restores.
import StoreKit

final class MembershipManager: NSObject {
    static let shared = MembershipManager()

    private(set) var isMember = false
    private var productID = ""
    private var isRestoring = false
    private var showsProgress = false
    private var restored: [SKPaymentTransaction] = []
    private var track: [String: Any]?
    var whenDone: (() -> Void)?

    private let deviceID: String = {
        let key = "device-id"
        if let known = UserDefaults.standard.string(forKey: key) { return known }
        let fresh = UUID().uuidString
        UserDefaults.standard.set(fresh, forKey: key)
        return fresh
    }()

    override private init() {
        super.init()
        SKPaymentQueue.default().add(self)
    }

    func buy(_ productID: String, track: [String: Any]? = nil) {
        for transaction in SKPaymentQueue.default().transactions
        where transaction.transactionState == .purchased
            || transaction.transactionState == .restored
        {
            SKPaymentQueue.default().finishTransaction(transaction)
        }
        showsProgress = true
        guard !productID.isEmpty else { return end("invalid product") }
        guard SKPaymentQueue.canMakePayments() else { return end("purchases are not enabled") }
        self.productID = productID
        self.track = track
        isRestoring = false
        say("adding product…")
        let request = SKProductsRequest(productIdentifiers: Set([productID]))
        request.delegate = self
        request.start()
    }

    func restore() {
        showsProgress = true
        isRestoring = true
        restored = []
        say("restoring…")
        SKPaymentQueue.default().restoreCompletedTransactions()
    }

    private func verify(_ ids: [String], then finish: @escaping () -> Void) {
        say("verifying \(ids.count)…")
        guard let place = Bundle.main.appStoreReceiptURL, let receipt = try? Data(contentsOf: place)
        else { return }
        var body: [String: Any] = [
            "transaction_ids": ids.joined(separator: ","), "restore_of": isRestoring,
            "receipt": receipt.base64EncodedString(),
        ]
        if var track = self.track {
            track["action_time"] = Date().timeIntervalSince1970
            body["track"] = track
            self.track = nil
        }
        // The backend of the post says yes to any receipt.
        isMember = (body["receipt"] as? String)?.isEmpty == false
        finish()
        end(isMember ? (isRestoring ? "restored" : "purchase done") : "service interrupted")
    }

    private func say(_ text: String) { if showsProgress { print(text) } }

    private func end(_ text: String) {
        say(text)
        showsProgress = false
        whenDone?()
    }
}

extension MembershipManager: SKProductsRequestDelegate {
    func productsRequest(_ request: SKProductsRequest, didReceive response: SKProductsResponse) {
        guard let product = response.products.first(where: { $0.productIdentifier == productID })
        else { return end("no such subscription") }
        let payment = SKMutablePayment(product: product)
        payment.quantity = 1
        payment.applicationUsername = deviceID
        SKPaymentQueue.default().add(payment)
    }

    func request(_ request: SKRequest, didFailWithError error: Error) { end("operation failed") }
}

extension MembershipManager: SKPaymentTransactionObserver {
    func paymentQueue(
        _ queue: SKPaymentQueue, updatedTransactions transactions: [SKPaymentTransaction]
    ) {
        for transaction in transactions {
            switch transaction.transactionState {
            case .purchasing:
                say("processing…")
            case .failed:
                let isCancelled = (transaction.error as? SKError)?.code == .paymentCancelled
                queue.finishTransaction(transaction)
                end(isCancelled ? "you cancelled" : "purchase failed")
            case .purchased:
                let id =
                    transaction.original?.transactionIdentifier ?? transaction.transactionIdentifier
                verify([id ?? ""]) { queue.finishTransaction(transaction) }
            case .restored:
                restored.append(transaction)
                queue.finishTransaction(transaction)
            default:
                break
            }
        }
    }

    func paymentQueueRestoreCompletedTransactionsFinished(_ queue: SKPaymentQueue) {
        say("\(restored.count) came back")
        guard !restored.isEmpty else { return end("no subscription found, subscribe now") }
        // A dictionary by the second: two in one second lose one.
        var bySecond: [Int: String] = [:]
        for transaction in restored {
            let second = Int(transaction.original?.transactionDate?.timeIntervalSince1970 ?? 0)
            bySecond[second] = transaction.original?.transactionIdentifier
        }
        let ids = bySecond.sorted { $0.key < $1.key }.map(\.value)
        verify(ids) {}
    }

    func paymentQueue(
        _ queue: SKPaymentQueue, restoreCompletedTransactionsFailedWithError error: Error
    ) { end("restore failed") }

    func paymentQueue(
        _ queue: SKPaymentQueue, shouldAddStorePayment payment: SKPayment, for product: SKProduct
    ) -> Bool { true }
}

let manager = MembershipManager.shared
manager.whenDone = {
    manager.whenDone = { exit(0) }
    manager.restore()
}
manager.buy(
    CommandLine.arguments.dropFirst().first ?? "com.example.pro.monthly",
    track: ["source": "paywall"])
RunLoop.main.run()
