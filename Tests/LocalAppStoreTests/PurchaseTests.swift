import AppStoreModel
import StoreWire
import Testing

@testable import LocalAppStore

@Suite struct PurchaseTests {
    static let coins: ProductID = "com.example.coins100"
    static let lifetime: ProductID = "com.example.lifetime"
    static let basic: ProductID = "com.example.basic.monthly"

    @Test func `A consumable is bought again and again, each time for its quantity's price`() throws
    {
        var world = StoreWorld()
        let device = try world.device()
        let one = try world.buy(Self.coins, on: device, quantity: 3)
        let two = try world.buy(Self.coins, on: device)
        let first = try #require(one.transaction.flatMap { world.state.transactions[$0] })
        #expect(first.quantity == 3 && first.price == 11_970 && first.originalID == first.id)
        #expect(one.transaction != two.transaction)
        #expect(world.told() == ["ONE_TIME_CHARGE", "ONE_TIME_CHARGE"])
        #expect(world.state.notifications.rows[0].renewal == nil)
        #expect(world.state.notifications.rows[0].status == nil)
    }

    @Test(
        arguments: [
            ("com.example.coins100", 0, "paymentInvalid"),
            ("com.example.coins100", 11, "paymentInvalid"),
            ("com.example.lifetime", 2, "paymentInvalid"),
            ("com.example.basic.monthly", 2, "paymentInvalid"),
            ("com.example.nothing", 1, "storeProductNotAvailable"),
        ] as [(ProductID, Int, String)])
    func `A wrong quantity or product fails before anybody pays`(
        product: ProductID, quantity: Int, code: String
    ) throws {
        var world = StoreWorld()
        let payment = try world.buy(product, on: try world.device(), quantity: quantity)
        #expect(payment.state == .failed && payment.failure?.code == code)
        #expect(world.state.transactions.count == 0 && world.told().isEmpty)
    }

    @Test func `Ten pieces are allowed, of a season pass too`() throws {
        var world = StoreWorld()
        let device = try world.device()
        #expect(try world.buy(Self.coins, on: device, quantity: 10).state == .purchased)
        #expect(try world.buy("com.example.season", on: device, quantity: 2).state == .purchased)
    }

    @Test func `A non-consumable is bought once, and again for nothing`() throws {
        var world = StoreWorld()
        let device = try world.device()
        let first = try world.bought(Self.lifetime, on: device)
        let again = try world.bought(Self.lifetime, on: device)
        #expect(first.id == again.id)
        #expect(world.told() == ["ONE_TIME_CHARGE"])
        try world.act(.refund, on: first.id)
        let anew = try world.bought(Self.lifetime, on: device)
        #expect(anew.id != first.id)
    }

    @Test func `A subscriber is told so, and turning renewal on again costs nothing`() throws {
        var world = StoreWorld()
        let device = try world.device()
        let first = try world.bought(Self.basic, on: device)
        let again = try world.buy(Self.basic, on: device)
        #expect(again.failure?.code == "alreadySubscribed" && again.failure?.skErrorCode == 0)
        try world.act(.turnOff, on: first.id)
        _ = world.told()
        let third = try world.buy(Self.basic, on: device)
        #expect(third.transaction == first.id)
        #expect(world.told() == ["DID_CHANGE_RENEWAL_STATUS/AUTO_RENEW_ENABLED"])
        #expect(world.state.transactions.count == 1)
    }

    @Test func `Only a UUID of the app reaches the signed data`() throws {
        let uuid = "5B0F2A9C-1111-4222-8333-0123456789AB"
        for (username, token, expected) in [
            (uuid, nil, uuid.lowercased()), ("user42", nil, nil),
            ("user42", AppAccountToken(uuid), uuid.lowercased()),
            (uuid + "0", nil, nil), (nil, nil, nil),
        ] as [(String?, AppAccountToken?, String?)] {
            var world = StoreWorld()
            let device = try world.device()
            var order = PurchaseOrder(Self.coins)
            order.applicationUsername = username
            order.token = token
            let name = try world.state.apply(.purchase(order, PurchaseSetting(device: device))).name
            let row = try #require(
                world.state.payments[name]?.transaction.flatMap { world.state.transactions[$0] })
            #expect(world.state.payload(row).appAccountToken?.rawValue == expected)
        }
    }

    @Test func `The same try again buys nothing more, another one does`() throws {
        var world = StoreWorld()
        let device = try world.device()
        var setting = PurchaseSetting(device: device)
        setting.requestID = "try-1"
        let order = PurchaseOrder(Self.coins)
        let one = try world.state.apply(.purchase(order, setting)).name
        let again = try world.state.apply(.purchase(order, setting)).name
        setting.requestID = "try-2"
        let two = try world.state.apply(.purchase(order, setting)).name
        #expect(one == again && one != two && world.state.transactions.count == 2)
    }

    @Test func `A restriction, a cancelled sheet and a given error fail as StoreKit says it`()
        throws
    {
        var world = StoreWorld()
        let device = try world.device()
        let cancelled = try world.buy(Self.coins, on: device, outcome: .cancel)
        #expect(cancelled.failure?.skErrorCode == 2)
        _ = try world.state.apply(.setErrors(["Purchase": "networkError"]))
        let broken = try world.buy(Self.coins, on: device)
        #expect(broken.failure?.storeKitError == "networkError")
        _ = try world.state.apply(.setErrors([:]))
        _ = try world.state.apply(.changeAccount("anna", AccountRequest(canMakePayments: false)))
        let restricted = try world.buy(Self.coins, on: device)
        #expect(restricted.failure?.skErrorCode == 4)
        #expect(restricted.failure?.purchaseError == "purchaseNotAllowed")
        _ = try world.state.apply(.changeAccount("anna", AccountRequest(canMakePayments: true)))
        #expect(try world.buy(Self.coins, on: device).state == .purchased)
    }

    @Test func `Asking to buy waits for approval, is declined, or lapses after a day`() throws {
        var world = StoreWorld()
        let device = try world.device()
        _ = try world.state.apply(.changeAccount("anna", AccountRequest(asksToBuy: true)))
        let approved = try world.buy(Self.coins, on: device)
        let declined = try world.buy(Self.coins, on: device)
        let lapsed = try world.buy(Self.coins, on: device)
        #expect(approved.state == .deferred && world.told().isEmpty)
        #expect(throws: StoreProblem.self) {
            try world.state.apply(.decide(approved.id, .resolve))
        }
        _ = try world.state.apply(.decide(approved.id, .approve))
        _ = try world.state.apply(.decide(declined.id, .decline))
        #expect(world.told() == ["ONE_TIME_CHARGE"])
        #expect(world.state.payments[approved.id]?.state == .purchased)
        #expect(world.state.payments[declined.id]?.state == .failed)
        world.pass(days: 2)
        #expect(world.state.payments[lapsed.id]?.state == .failed)
        #expect(throws: StoreProblem.self) {
            try world.state.apply(.decide(approved.id, .approve))
        }
        let items = world.state.devices[device]?.events.compactMap(\.item)
        #expect(items == [approved.id, declined.id, lapsed.id])
    }

    @Test
    func `What was interrupted fails and comes through as a payment of its own, finished or not`()
        throws
    {
        for isFinished in [false, true] {
            var world = StoreWorld()
            let device = try world.device()
            let failed = try world.buy(Self.coins, on: device, outcome: .interrupt)
            #expect(failed.state == .failed && failed.waits == .resolution)
            if isFinished {
                _ = try world.state.apply(.finish(device, "anna", [failed.id], []))
            }
            _ = try world.state.apply(.decide(failed.id, .resolve))
            let later = try #require(world.state.payments.rows.last)
            #expect(later.id != failed.id && later.state == .purchased)
            #expect(later.order.productID == Self.coins)
            #expect(world.told() == ["ONE_TIME_CHARGE"])
        }
    }

    @Test func `Finished consumables leave the receipt, everything else stays`() throws {
        var world = StoreWorld()
        let device = try world.device()
        let coins = try world.bought(Self.coins, on: device)
        let lifetime = try world.bought(Self.lifetime, on: device)
        let season = try world.bought("com.example.season", on: device)
        let basic = try world.bought(Self.basic, on: device)
        func inReceipt() throws -> Set<TransactionID> {
            let account = try #require(world.state.accounts["anna"])
            return Set(world.state.receipt(account, device: nil).inApp.map(\.transactionID))
        }
        #expect(try inReceipt() == [coins.id, lifetime.id, season.id, basic.id])
        _ = try world.state.apply(
            .finish(device, "anna", [], [coins.id, lifetime.id, season.id, basic.id]))
        #expect(try inReceipt() == [lifetime.id, season.id, basic.id])
    }

    @Test func `A stranger cannot finish what is not theirs`() throws {
        var world = StoreWorld()
        let coins = try world.bought(Self.coins, on: try world.device("anna"))
        let other = try world.device("bob")
        let outcome = try world.state.apply(.finish(other, "bob", [], [coins.id]))
        guard case .finished(_, let finished) = outcome else {
            Issue.record("no answer")
            return
        }
        #expect(finished.isEmpty && world.state.transactions[coins.id]?.isFinished == false)
    }

    @Test func `Restoring gives new names to old purchases and buys nothing`() throws {
        var world = StoreWorld()
        let device = try world.device()
        let lifetime = try world.bought(Self.lifetime, on: device)
        let coins = try world.bought(Self.coins, on: device)
        let basic = try world.bought(Self.basic, on: device)
        world.pass(to: 1, 10)
        let unfinished = try world.bought("com.example.season", on: device)
        let ids = try #require(world.state.accounts["anna"]).transactions
        _ = try world.state.apply(
            .finish(device, "anna", [], ids.filter { $0 != unfinished.id }))
        let other = try world.device("anna")
        let told = world.state.notifications.count
        var seen: Set<TransactionID> = []
        for _ in 0..<3 {
            guard case .names(let names) = try world.state.apply(.restore(other)) else { return }
            let items = names.compactMap { world.state.payments[$0] }
            #expect(items.map(\.state) == [.restored, .restored, .restored])
            #expect(
                Set(
                    items.compactMap(\.transaction).compactMap {
                        world.state.transactions[$0]?.originalID
                    })
                    == [lifetime.id, basic.id])
            seen.formUnion(items.compactMap(\.alias))
        }
        #expect(seen.count == 9 && !seen.contains(coins.id))
        #expect(world.state.notifications.count == told)
        #expect(world.state.transactions.count == ids.count)
        for alias in seen { #expect(world.state.transaction(alias) != nil) }
    }

    @Test func `A promoted purchase waits on the device until it is bought or dropped`() throws {
        var world = StoreWorld()
        let device = try world.device()
        for _ in 0..<2 {
            _ = try world.state.apply(
                .promote(PromoteRequest(deviceID: device, productID: Self.coins)))
        }
        let intents = try #require(world.state.devices[device]?.intents)
        #expect(intents.count == 2)
        var setting = PurchaseSetting(device: device)
        setting.intentID = intents[0].intentID
        _ = try world.state.apply(.purchase(PurchaseOrder(Self.coins), setting))
        #expect(world.state.devices[device]?.intents == [intents[1]])
        _ = try world.state.apply(.dropIntent(device, intents[1].intentID))
        #expect(world.state.devices[device]?.intents.isEmpty == true)
    }

    @Test func `An account stays in its environment, and so do its transactions`() throws {
        var world = StoreWorld()
        let production = try world.device("anna", .production)
        let sandbox = try world.device("tim", .sandbox)
        #expect(throws: StoreProblem.self) { try world.state.apply(.signIn(sandbox, "anna")) }
        let real = try world.bought(Self.coins, on: production)
        let test = try world.bought(Self.coins, on: sandbox)
        #expect(world.state.transaction(real.id, in: .production) != nil)
        #expect(world.state.transaction(real.id, in: .sandbox) == nil)
        #expect(world.state.transaction(test.id, in: .sandbox) != nil)
        #expect(world.state.transaction(test.id, in: .production) == nil)
    }

    @Test
    func `Switching the account leaves the old account's receipt on the device until a refresh`()
        throws
    {
        var world = StoreWorld()
        let device = try world.device("anna")
        _ = try world.device("bob")
        _ = try world.bought(Self.coins, on: device)
        _ = try world.state.apply(.signIn(device, "bob"))
        #expect(world.state.devices[device]?.receiptAccount == "anna")
        _ = try world.state.apply(.refreshReceipt(device, ReceiptRefreshRequest()))
        #expect(world.state.devices[device]?.receiptAccount == "bob")
    }
}
