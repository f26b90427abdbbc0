import Foundation
import Till

/// Run it against a local store and a server in development mode: TILL_STORE_URL, TILL_SERVER_URL.
@main struct CoinShopWithTill {
    static func main() async throws {
        let environment = ProcessInfo.processInfo.environment
        var configuration = TillConfiguration(
            server: environment["TILL_SERVER_URL"] ?? "http://127.0.0.1:8080")
        configuration.bundleID = "com.example.app"
        configuration.folder = environment["TILL_SHOP_FOLDER"]

        let till = Till(configuration)
        let events = till.events
        let progress = Task {
            for await event in events where !event.isQuiet { print("… \(event.message)") }
        }
        await till.start()
        try await till.login(customerToken: "dev:alice", customerID: "alice")
        await CoinShopScreen(till: till).buyTapped("com.example.coins600")
        progress.cancel()
    }
}
