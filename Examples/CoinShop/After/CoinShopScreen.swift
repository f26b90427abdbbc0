import Foundation
import Till

/// The shop's screen over Till: what took a class of callbacks is a call, and every outcome is a case.
struct CoinShopScreen {
    let till: Till
    var say: @Sendable (String) -> Void = {
        print($0)
        fflush(nil)
    }

    func buyTapped(_ productID: ProductID) async {
        switch await till.buy(productID, track: ["screen": .text("coin shop")]) {
        case .granted, .alreadyGranted: say("purchased")
        case .pending: say("waits for approval; it follows by itself")
        case .cancelled: say("cancelled")
        case .refused(let refusal): say("refused: \(refusal.reason)")
        case .failed(let failure) where failure.next == .deliveredLater:
            say("paid; it follows by itself")
        case .failed(let failure): say("not bought: \(failure.code.rawValue)")
        }
    }

    func restoreTapped() async {
        switch await till.restore() {
        case .restored: say("restored")
        case .nothingToRestore: say("nothing was bought before")
        case .expired: say("what was bought before is over")
        case .cancelled: say("cancelled")
        case .refused(let refusal): say("refused: \(refusal.reason)")
        case .failed(let failure): say("not restored: \(failure.code.rawValue)")
        }
    }

    func showWallet() async {
        say("you have \(await till.balance(of: "coins") ?? 0) coins")
        for name in await till.entitlements().active.sorted() { say("you may use \(name)") }
    }
}
