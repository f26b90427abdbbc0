// One launch of the app with the manager class: `CoinShopBefore [open | buy PRODUCT]`.
import Foundation
import StoreKit

final class Screen: PurchaseManagerDelegate {
    func purchaseManager(_ manager: PurchaseManager, didSay text: String) { print("… \(text)") }
    func purchaseManagerDidEnd(_ manager: PurchaseManager) { exit(0) }
}

let screen = Screen()
let words = Array(CommandLine.arguments.dropFirst())
let environment = ProcessInfo.processInfo.environment
let manager = PurchaseManager.shared
manager.serverURL = environment["TILL_SERVER_URL"] ?? "http://127.0.0.1:8080"
manager.customer = environment["TILL_SHOP_CUSTOMER"] ?? "alice"
manager.delegate = screen
manager.start()
if words.first == "open" {
    // Nothing tells the manager that nothing is left; the person looks at the screen for a moment.
    DispatchQueue.main.asyncAfter(deadline: .now() + 1) { exit(0) }
} else {
    manager.purchase(words.count > 1 ? words[1] : "com.example.coins600")
}
dispatchMain()
