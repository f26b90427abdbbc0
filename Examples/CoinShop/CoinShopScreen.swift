import Till

/// The same screen over Till: what took a class of callbacks is one call.
struct CoinShopScreen {
    let till: Till
    var say: @Sendable (String) -> Void = { print($0) }

    func buyTapped(_ productID: ProductID) async {
        switch await till.buy(productID, track: ["screen": .text("coin shop")]) {
        case .granted(let delivery), .alreadyGranted(let delivery):
            say("purchased; you have \(delivery.balances["coins"] ?? 0) coins")
        case .pending: say("waits for approval; the coins follow by themselves")
        case .cancelled: say("cancelled")
        case .refused(let refusal): say("refused: \(refusal.reason)")
        case .failed(let failure) where failure.next == .deliveredLater:
            say("paid; the coins follow by themselves")
        case .failed(let failure): say("not bought: \(failure.code.rawValue)")
        }
    }
}
