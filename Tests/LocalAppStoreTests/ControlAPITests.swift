import AppStoreModel
import StoreWire
import Testing

@testable import LocalAppStore

@Suite struct ControlAPITests {
    static let coins: ProductID = "com.example.coins100"

    @Test func `Info tells what a server needs`() async throws {
        let store = try LocalStore.forTests()
        let info = try await store.info()
        #expect(info.bundleID == "com.example.app" && info.appAppleID == 1_234_567_890)
        #expect(info.apiKey.keyID.count == 10 && info.apiKey.privateKey.hasPrefix("-----BEGIN"))
        #expect(UUIDText.isValid(info.apiKey.issuerID) && info.sharedSecret.count == 32)
        #expect(info.rootFingerprint.count == 64 && info.products.count == 11)
        #expect(info.environments.map(\.environment) == [.sandbox, .production, .xcode])
        #expect(
            info.environments.map(\.renewalRate) == ["sandbox5Minutes", "realTime", "realTime"])
    }

    @Test(arguments: [
        (SimulatedOutcome.purchase, PurchaseOutcome.purchased), (.askToBuy, .pending),
        (.interrupt, .failed), (.cancel, .cancelled), (.fail, .failed),
    ])
    func `A purchase by hand ends as it is told to`(
        outcome: SimulatedOutcome, expected: PurchaseOutcome
    ) async throws {
        let store = try LocalStore.forTests()
        let answer = try await store.buy(
            ControlBuyRequest(
                productID: Self.coins, outcome: outcome,
                failure: outcome == .fail ? "cloudServiceRevoked" : nil))
        #expect(answer.outcome == expected)
        #expect((answer.transactionID != nil) == (expected == .purchased))
        #expect((answer.receipt != nil) == (expected == .purchased))
        if outcome == .fail { #expect(answer.failure?.skErrorCode == 8) }
        let waiting = await store.waitingPurchases().purchases
        #expect(
            waiting.map(\.kind)
                == [outcome == .askToBuy ? .approval : outcome == .interrupt ? .resolution : nil]
                .compactMap { $0 })
        guard let item = waiting.first else { return }
        let later = try await store.decide(
            item.itemID, WaitingDecision(decision: item.kind == .approval ? .approve : .resolve))
        #expect(later.outcome == .purchased && later.transactionID != nil)
        #expect((later.itemID == item.itemID) == (item.kind == .approval))
        #expect(await store.waitingPurchases().purchases.isEmpty)
    }

    @Test
    func `A purchase by hand finds its account, environment and device or says what is missing`()
        async throws
    {
        let store = try LocalStore.forTests()
        let real = try await store.buy(
            ControlBuyRequest(productID: Self.coins, environment: .production))
        #expect(
            try await store.transactionRecord(try #require(real.transactionID)).environment
                == .production)
        let test = try await store.buy(ControlBuyRequest(productID: Self.coins))
        let record = try await store.transactionRecord(try #require(test.transactionID))
        #expect(record.environment == .sandbox && record.accountID == "default")
        #expect(
            try await store.buy(ControlBuyRequest(productID: Self.coins)).deviceID == test.deviceID)
        for (request, code) in [
            (ControlBuyRequest(productID: "no.such"), StoreProblemCode.productNotFound),
            (ControlBuyRequest(productID: Self.coins, accountID: "nobody"), .accountNotFound),
            (ControlBuyRequest(productID: Self.coins, deviceID: "none"), .deviceNotFound),
            (
                ControlBuyRequest(
                    productID: Self.coins, accountID: "default", environment: .production),
                .invalidValue
            ),
            (ControlBuyRequest(productID: Self.coins, appAccountToken: "x"), .invalidValue),
        ] {
            do {
                _ = try await store.buy(request)
                Issue.record("\(request) was taken")
            } catch {
                #expect(error.code == code, "\(request)")
            }
        }
    }

    @Test func `The clock is moved, stopped, set back before a purchase and not after`()
        async throws
    {
        let clock = TestClock()
        let store = try LocalStore.forTests(rate: 1, clock: clock)
        clock.pass(milliseconds: 5_000)
        #expect(
            try await store.moveClock(ClockChange(rate: 0)).now
                == StoreWorld.start.advanced(byMilliseconds: 5_000))
        clock.pass(milliseconds: 5_000)
        #expect(
            try await store.moveClock(ClockChange(now: midnight(6, 1, 2025))).now
                == midnight(6, 1, 2025))
        let bought = try await store.buy(
            ControlBuyRequest(productID: "com.example.pro.monthly", environment: .production))
        await #expect(throws: StoreProblem.self) {
            try await store.moveClock(ClockChange(now: midnight(5, 1, 2025)))
        }
        for change in [
            ClockChange(rate: -1), ClockChange(rate: 1e9), ClockChange(advanceMilliseconds: -1),
            ClockChange(now: Timestamp(seconds: 9_000_000_000)),
        ] {
            await #expect(throws: StoreProblem.self) { try await store.moveClock(change) }
        }
        let next = try await store.moveClock(ClockChange(toNextEvent: true))
        #expect(next.now == midnight(6, 8, 2025) && next.nextEvent == midnight(7, 8, 2025))
        let info = try await store.subscriptionInfo(try #require(bought.transactionID))
        #expect(info.periods == 2 && info.status == 1)
    }

    @Test func `Settings that make no sense are refused, each neighbour is taken`() async throws {
        let store = try LocalStore.forTests()
        let good = EnvironmentChange(
            notificationURL: "https://a.test/n", notificationVersion: 1,
            renewalRate: "sandbox1Hour", gracePeriodDays: 28, graceExcludesTrials: true)
        let info = try await store.changeEnvironment(.sandbox, good)
        #expect(info.notificationVersion == 1 && info.gracePeriodDays == 28)
        for bad in [
            EnvironmentChange(notificationURL: "ftp://a.test"),
            EnvironmentChange(notificationVersion: 3),
            EnvironmentChange(renewalRate: "fast"), EnvironmentChange(gracePeriodDays: 7),
        ] {
            await #expect(throws: StoreProblem.self) {
                try await store.changeEnvironment(.sandbox, bad)
            }
        }
        let cleared = try await store.changeEnvironment(
            .sandbox, EnvironmentChange(notificationURL: "", gracePeriodDays: 0))
        #expect(cleared.notificationURL == nil && cleared.gracePeriodDays == nil)
        await #expect(throws: StoreProblem.self) {
            try await store.makeAccount(AccountRequest(accountID: "a", storefront: "XXX"))
        }
        _ = try await store.makeAccount(AccountRequest(accountID: "a", storefront: "JPN"))
        await #expect(throws: StoreProblem.self) {
            try await store.makeAccount(AccountRequest(accountID: "a"))
        }
    }

    @Test func `A new catalog replaces the old one, a broken one changes nothing`() async throws {
        let store = try LocalStore.forTests()
        let text =
            "{\"products\":[{\"productID\":\"p\",\"type\":\"Consumable\",\"displayPrice\":\"1.00\"}]}"
        let info = try await store.replaceCatalog(Array(text.utf8), source: "new.storekit")
        #expect(info.products.map(\.productID) == ["p"] && info.source == "new.storekit")
        do {
            _ = try await store.replaceCatalog(Array("{\"products\":[1]}".utf8), source: "x")
            Issue.record("taken")
        } catch {
            #expect(error.code == .invalidCatalog && error.detail?.contains("line 1") == true)
        }
        #expect(await store.catalogInfo() == info)
        let changed = try await store.changeProduct(
            "p", ProductChange(price: 2_500, isForSale: false))
        #expect(changed.price == 2_500 && !changed.isForSale)
        await #expect(throws: StoreProblem.self) {
            try await store.changeProduct("q", ProductChange(price: 1))
        }
    }

    @Test func `A reset forgets what happened and keeps keys, settings and the clock`() async throws
    {
        let store = try LocalStore.forTests()
        _ = try await store.buy(ControlBuyRequest(productID: Self.coins))
        _ = try await store.changeEnvironment(.sandbox, EnvironmentChange(gracePeriodDays: 3))
        let before = try await store.info()
        let after = try await store.reset()
        #expect(after.apiKey == before.apiKey && after.environments == before.environments)
        #expect(await store.accountsInfo().accounts.isEmpty)
        #expect(
            try await store.transactionsPage(
                account: nil, product: nil, environment: nil, before: nil
            ).total == 0)
    }

    @Test func `The log tells what happened and calls that came in, in order`() async throws {
        let store = try LocalStore.forTests()
        _ = try await store.buy(ControlBuyRequest(productID: Self.coins))
        let page = try await store.eventsPage(after: 0, wait: 0)
        #expect(page.events.map(\.kind) == ["launched", "notification", "purchased"])
        #expect(try await store.eventsPage(after: page.cursor, wait: 0).events.isEmpty)
        await store.noteCall(
            CallRecord(
                sequence: 0, date: .zero, isOutgoing: false, method: "GET", path: "/x", status: 200,
                milliseconds: 1, request: String(repeating: "a", count: 9_000)))
        let calls = try await store.callsPage(after: 0, wait: 0)
        #expect(calls.calls.map(\.sequence) == [1] && calls.calls[0].request?.count == 4_096)
    }

    @Test func `Simulated errors make StoreKit's calls fail by name`() async throws {
        let store = try LocalStore.forTests()
        let device = try await store.testDevice()
        _ = try await store.purchase(device, PurchaseRequest(productID: "com.example.pro.monthly"))
        let errors: [SimulatedErrorInfo] = [
            .init(api: .loadProducts, code: "networkError"),
            .init(api: .appStoreSync, code: "systemError"),
            .init(api: .verification, code: "invalidSignature"),
            .init(api: .subscriptionStatus, code: "unknown"),
        ]
        let set = try await store.setSimulatedErrors(SimulatedErrorsInfo(errors: errors))
        #expect(Set(set.errors) == Set(errors))
        await #expect(throws: StoreProblem.self) {
            try await store.products(device, ProductsRequest())
        }
        #expect(
            try await store.restore(device, RestoreRequest()).failure?.storeKitError
                == "systemError")
        #expect(try await store.session(device).verificationFailure == "invalidSignature")
        _ = try await store.setSimulatedErrors(SimulatedErrorsInfo(errors: []))
        #expect(try await store.products(device, ProductsRequest()).products.count == 11)
    }
}
