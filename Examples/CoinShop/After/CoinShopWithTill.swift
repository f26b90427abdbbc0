import Foundation
import Till

/// `CoinShopWithTill [open | buy PRODUCT | restore]`: one launch of the app, against a local store and a
/// server in development mode.
///
/// Opened without a wish it stays until it is ended.
///
/// `TILL_STORE_URL` and `TILL_SERVER_URL` say where they are, `TILL_SHOP_CUSTOMER` who is logged in,
/// `TILL_SHOP_FOLDER` where the app keeps what it keeps, and `TILL_SHOP_STOREKIT=1` asks for StoreKit 1.
@main struct CoinShopWithTill {
    static func main() async throws {
        let environment = ProcessInfo.processInfo.environment
        let words = Array(CommandLine.arguments.dropFirst())
        var configuration = TillConfiguration(
            server: environment["TILL_SERVER_URL"] ?? "http://127.0.0.1:8080")
        configuration.bundleID = "com.example.app"
        configuration.folder = environment["TILL_SHOP_FOLDER"]
        configuration.storeKit = environment["TILL_SHOP_STOREKIT"] == "1" ? .original : .automatic

        configuration.onEvent = { event in
            if !event.isQuiet { CoinShopScreen.say("… \(event.message)") }
        }

        let till = Till(configuration)
        let screen = CoinShopScreen(till: till)
        let customer = environment["TILL_SHOP_CUSTOMER"] ?? "alice"
        await till.start()
        try await till.login(customerToken: "dev:\(customer)", customerID: customer)

        switch words.first ?? "buy" {
        case "buy":
            await screen.buyTapped(ProductID(words.dropFirst().first ?? "com.example.coins600"))
        case "restore": await screen.restoreTapped()
        default:
            // What an earlier launch left behind is delivered without being asked for.
            let news = till.events
            await till.refresh()
            await screen.showWallet()
            for await event in news where event.kind == .customerChanged {
                await screen.showWallet()
            }
        }
        await screen.showWallet()
    }
}
