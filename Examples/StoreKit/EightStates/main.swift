// Flow D: eight states told to a delegate, its faults left in. The environment is compiled in, retries are
// left as an exercise, and the local check believes any 0.
//
// EightStates [PRODUCT]: buys; in a store whose environment is not the compiled one it never delivers.
import StoreKit

enum PurchaseState: String {
    case noPermission, addPaymentFailed, purchasing, purchased, failed, cancelled, restored,
        deferred
}

protocol PurchaseToolDelegate: AnyObject {
    func purchaseTool(_ tool: PurchaseTool, changedTo state: PurchaseState, product: String)
    func purchaseTool(_ tool: PurchaseTool, accepts productID: String) -> Bool
}

extension PurchaseToolDelegate {
    func purchaseTool(_ tool: PurchaseTool, accepts productID: String) -> Bool { true }
}

let isSandboxBuild = true

final class PurchaseTool: NSObject, SKPaymentTransactionObserver {
    weak var delegate: PurchaseToolDelegate?

    func start() { SKPaymentQueue.default().add(self) }

    func pay(for productID: String) {
        guard SKPaymentQueue.canMakePayments() else { return tell(.noPermission, productID) }
        guard delegate?.purchaseTool(self, accepts: productID) ?? true else {
            return tell(.addPaymentFailed, productID)
        }
        let payment = SKMutablePayment()
        payment.productIdentifier = productID
        payment.quantity = 1
        SKPaymentQueue.default().add(payment)
    }

    func paymentQueue(
        _ queue: SKPaymentQueue, updatedTransactions transactions: [SKPaymentTransaction]
    ) {
        transactions.forEach { transaction in
            let productID = transaction.payment.productIdentifier
            switch transaction.transactionState {
            case .purchasing:
                tell(.purchasing, productID)
            case .purchased:
                let status = status(of: transaction)
                guard status == 0 else {
                    // Trying again is the exercise.
                    print("status \(status)")
                    exit(1)
                }
                queue.finishTransaction(transaction)
                tell(.purchased, productID)
            case .failed:
                queue.finishTransaction(transaction)
                let error = transaction.error as NSError?
                let isCancelled = error?.code == SKError.paymentCancelled.rawValue
                tell(isCancelled ? .cancelled : .failed, productID)
            case .restored:
                queue.finishTransaction(transaction)
                tell(.restored, productID)
            case .deferred:
                tell(.deferred, productID)
            @unknown default:
                break
            }
        }
    }

    func paymentQueue(
        _ queue: SKPaymentQueue, removedTransactions transactions: [SKPaymentTransaction]
    ) { exit(0) }

    /// Apple's answer as the post reads it: any 0 is good.
    private func status(of transaction: SKPaymentTransaction) -> Int {
        guard let place = Bundle.main.appStoreReceiptURL,
            FileManager.default.fileExists(atPath: place.path)
        else { return 21_002 }
        let isSandbox = place.lastPathComponent == "sandboxReceipt"
        return isSandbox == isSandboxBuild ? 0 : 21_007
    }

    private func tell(_ state: PurchaseState, _ productID: String) {
        delegate?.purchaseTool(self, changedTo: state, product: productID)
    }
}

final class Screen: PurchaseToolDelegate {
    func purchaseTool(_ tool: PurchaseTool, changedTo state: PurchaseState, product: String) {
        print(product, state.rawValue)
        if [.noPermission, .addPaymentFailed].contains(state) { exit(0) }
    }
}

let screen = Screen()
let tool = PurchaseTool()
tool.delegate = screen
tool.start()
tool.pay(for: CommandLine.arguments.dropFirst().first ?? "com.example.coins100")
RunLoop.main.run()
