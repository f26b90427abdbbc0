import Foundation
import Till

/// The shop's screen over Till: what took a class of callbacks is a call, and every outcome is a case.
struct CoinShopScreen {
    let till: Till

    static func say(_ words: String) {
        print(words)
        fflush(nil)
    }

    func buyTapped(_ productID: ProductID) async {
        switch await till.buy(productID, track: ["screen": .text("coin shop")]) {
        case .granted, .alreadyGranted: Self.say("purchased")
        case .pending: Self.say("waits for approval; it follows by itself")
        case .cancelled: Self.say("cancelled")
        case .refused(let refusal): Self.say("refused: \(refusal.reason)")
        case .failed(let failure) where failure.next == .deliveredLater:
            Self.say("paid; it follows by itself")
        case .failed(let failure): Self.say("not bought: \(failure.code.rawValue)")
        }
    }

    func restoreTapped() async {
        switch await till.restore() {
        case .restored: Self.say("restored")
        case .nothingToRestore: Self.say("nothing was bought before")
        case .expired: Self.say("what was bought before is over")
        case .cancelled: Self.say("cancelled")
        case .refused(let refusal): Self.say("refused: \(refusal.reason)")
        case .failed(let failure): Self.say("not restored: \(failure.code.rawValue)")
        }
    }

    func showWallet() async {
        Self.say("you have \(await till.balance(of: "coins") ?? 0) coins")
        for name in await till.entitlements().active.sorted() { Self.say("you may use \(name)") }
    }
}
