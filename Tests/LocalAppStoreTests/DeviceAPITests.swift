import AppStoreModel
import CryptoPrimitives
import SignedDataCoding
import StoreWire
import Testing

@testable import LocalAppStore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

@Suite struct DeviceAPITests {
    static let pro: ProductID = "com.example.pro.monthly"

    @Test func `A device sees products in its language and its storefront's money`() async throws {
        let store = try LocalStore.forTests()
        _ = try await store.makeAccount(
            AccountRequest(accountID: "li", environment: .sandbox, storefront: "CHN"))
        let session = try await store.launch(
            LaunchRequest(accountID: "li", locale: "zh_CN"), port: .sandbox)
        #expect(session.storefront.id == "143465" && !session.hasReceipt)
        let answer = try await store.products(
            session.deviceID, ProductsRequest(productIDs: [Self.pro, "no.such"]))
        #expect(answer.invalidProductIDs == ["no.such"])
        let product = try #require(answer.products.first)
        #expect(product.displayName == "专业版（月）" && product.displayPrice == "¥9.99")
        #expect(product.currency == "CNY" && product.subscription?.groupLevel == 1)
        #expect(product.subscription?.isEligibleForIntroOffer == true)
        #expect(product.subscription?.introductoryOffer?.paymentMode == .freeTrial)
        let all = try await store.products(session.deviceID, ProductsRequest())
        #expect(all.products.count == 11)
    }

    @Test func `Unfinished payments come again at each launch until they are finished`()
        async throws
    {
        let store = try LocalStore.forTests()
        let device = try await store.testDevice()
        let answer = try await store.purchase(
            device, PurchaseRequest(productID: "com.example.coins20"))
        for _ in 0..<3 {
            _ = try await store.launch(LaunchRequest(deviceID: device), port: .production)
            #expect(try await store.queue(device).items.map(\.itemID) == [answer.item.itemID])
            #expect(try await store.unfinished(device).transactions.count == 1)
        }
        let done = try await store.finish(device, FinishRequest(itemIDs: [answer.item.itemID]))
        #expect(done.itemIDs == [answer.item.itemID])
        #expect(done.transactionIDs == [try #require(answer.item.transactionID)])
        #expect(try await store.queue(device).items.isEmpty)
        #expect(
            try await store.transactions(device, product: nil, withFinishedConsumables: false)
                .transactions.isEmpty)
        #expect(
            try await store.transactions(device, product: nil, withFinishedConsumables: true)
                .transactions.count == 1)
    }

    @Test func `A renewal is an event at once and a payment from the next launch on`() async throws
    {
        let store = try LocalStore.forTests()
        let device = try await store.testDevice()
        let bought = try await store.purchase(device, PurchaseRequest(productID: Self.pro))
        _ = try await store.finish(device, FinishRequest(itemIDs: [bought.item.itemID]))
        let cursor = try await store.session(device).cursor
        try await store.advance(days: 8)
        let page = try await store.events(device, after: cursor, wait: 0)
        #expect(page.events.map(\.kind) == [.transactionUpdated, .statusChanged])
        #expect(try await store.queue(device).items.isEmpty)
        _ = try await store.launch(LaunchRequest(deviceID: device), port: .production)
        let item = try #require(try await store.queue(device).items.first)
        #expect(item.state == .purchased && item.originalTransactionID == bought.item.transactionID)
        #expect(try await store.events(device, after: page.cursor, wait: 0).events.isEmpty)
    }

    @Test func `Entitlements are what is owned now and never a consumable`() async throws {
        let store = try LocalStore.forTests()
        let device = try await store.testDevice()
        for product: ProductID in [
            "com.example.coins20", "com.example.lifetime", "com.example.season", Self.pro,
        ] {
            _ = try await store.purchase(device, PurchaseRequest(productID: product))
        }
        func owned() async throws -> Set<ProductID> {
            Set(try await store.entitlements(device).transactions.map(\.productID))
        }
        #expect(try await owned() == ["com.example.lifetime", "com.example.season", Self.pro])
        let statuses = try await store.subscriptionStatuses(device, group: nil, transaction: nil)
        let status = try #require(statuses.statuses.first)
        let changed = try await store.manageSubscription(
            device,
            ManageSubscriptionRequest(
                originalTransactionID: status.originalTransactionID, autoRenew: false))
        #expect(
            try opened(changed.signedRenewalInfo, as: RenewalPayload.self).autoRenewStatus == .off)
        try await store.advance(days: 8)
        #expect(try await owned() == ["com.example.lifetime", "com.example.season"])
    }

    @Test func `A waiting call is answered when something happens`() async throws {
        let store = try LocalStore.forTests()
        let device = try await store.testDevice()
        async let page = store.events(device, after: 0, wait: 30)
        while await store.waiters.isEmpty { await Task.yield() }
        let answer = try await store.buy(
            ControlBuyRequest(productID: Self.pro, accountID: "anna", outsideApp: true))
        let events = try await page.events
        #expect(events.first?.item?.itemID == answer.itemID)
    }

    @Test func `Price consent is asked for by a message and answered once`() async throws {
        let store = try LocalStore.forTests()
        let device = try await store.testDevice()
        let bought = try await store.purchase(device, PurchaseRequest(productID: Self.pro))
        let id = try #require(bought.item.transactionID)
        _ = try await store.act(on: id, SubscriptionAction(action: .increasePrice, price: 29_990))
        #expect(try await store.messages(device).messages.map(\.reason) == [.priceIncreaseConsent])
        let status = try await store.answerPriceConsent(
            device, PriceConsentRequest(originalTransactionID: id, consents: true))
        let renewal: RenewalPayload = try opened(status.signedRenewalInfo)
        #expect(
            renewal.priceIncreaseStatus == .consentedOrNotified && renewal.renewalPrice == 29_990)
        #expect(try await store.messages(device).messages.isEmpty)
        await #expect(throws: StoreProblem.self) {
            try await store.answerPriceConsent(
                device, PriceConsentRequest(originalTransactionID: id, consents: true))
        }
    }

    // MARK: Signed offers

    private func subscriber(_ store: LocalStore) async throws -> DeviceID {
        let device = try await store.testDevice()
        _ = try await store.purchase(
            device, PurchaseRequest(productID: "com.example.basic.monthly"))
        return device
    }

    /// Signs an offer of version 1 for a user, with one part to be changed.
    private func offer(
        _ store: LocalStore, user: String, nonce: String, age: Int64 = 0,
        _ change: (inout PurchaseOffer) -> Void = { _ in }
    ) throws -> PurchaseRequest {
        let keys = store.keys
        let timestamp = StoreWorld.start.milliseconds - age
        let text = [
            "com.example.app", keys.keyID, Self.pro.rawValue, "pro.monthly.half", user, nonce,
            String(timestamp),
        ].joined(separator: "\u{2063}")
        let signature = try PrivateKey(pem: keys.privateKey).sign(
            Array(text.utf8), as: .ecdsa(.sha256))
        var offer = PurchaseOffer(
            kind: .promotional, offerID: "pro.monthly.half", keyID: keys.keyID, nonce: nonce,
            timestamp: timestamp, signature: Base64.encode(signature))
        change(&offer)
        return PurchaseRequest(
            productID: Self.pro, applicationUsername: user.isEmpty ? nil : user, offer: offer)
    }

    @Test func `A signed offer of version 1 is good once, for its user, product and day`()
        async throws
    {
        let store = try LocalStore.forTests()
        let device = try await subscriber(store)
        let nonce = "0a1b2c3d-1111-4222-8333-0123456789ab"
        func code(_ request: PurchaseRequest) async throws -> String? {
            try await store.purchase(device, request).failure?.code
        }
        var other = try offer(store, user: "anna", nonce: "1" + nonce.dropFirst())
        other.applicationUsername = "bob"
        #expect(try await code(other) == "invalidSignature")
        let old = try offer(store, user: "", nonce: "2" + nonce.dropFirst(), age: 90_000_000)
        #expect(try await code(old) == "invalidSignature")
        let unknownKey = try offer(store, user: "", nonce: "3" + nonce.dropFirst()) {
            $0.keyID = "X"
        }
        #expect(try await code(unknownKey) == "invalidSignature")
        let without = try offer(store, user: "", nonce: "4" + nonce.dropFirst()) { $0.nonce = nil }
        #expect(try await code(without) == "missingOfferParams")
        let otherOffer = try offer(store, user: "", nonce: "5" + nonce.dropFirst()) {
            $0.offerID = "pro.monthly.free"
        }
        #expect(try await code(otherOffer) == "invalidSignature")
        let good = try offer(store, user: "anna", nonce: nonce)
        #expect(try await code(good) == nil)
        #expect(try await code(good) == "invalidSignature")
    }

    /// Signs a request of version 2.
    private func token(_ store: LocalStore, _ claims: String) throws -> String {
        let key = try PrivateKey(pem: store.keys.privateKey)
        let header = Array(
            "{\"alg\":\"ES256\",\"kid\":\"\(store.keys.keyID)\",\"typ\":\"JWT\"}".utf8)
        let payload = Array(claims.utf8)
        let input = CompactJWS.signingInput(header: header, payload: payload)
        return CompactJWS(
            header: header, payload: payload, signature: try key.signES256(input)
        ).text
    }

    @Test func `A signed offer of version 2 is checked claim by claim`() async throws {
        let store = try LocalStore.forTests()
        let device = try await subscriber(store)
        var number = 0
        func code(_ changes: [String: String]) async throws -> String? {
            number += 1
            var claims = [
                "iss": "\"\(store.keys.issuerID)\"", "iat": "\(StoreWorld.start.seconds)",
                "aud": "\"promotional-offer\"", "bid": "\"com.example.app\"",
                "nonce": "\"0a1b2c3d-1111-4222-8333-01234567890\(number)\"",
                "productId": "\"\(Self.pro)\"", "offerIdentifier": "\"pro.monthly.half\"",
            ]
            claims.merge(changes) { _, new in new }
            let json = "{" + claims.map { "\"\($0.key)\":\($0.value)" }.joined(separator: ",") + "}"
            let offer = PurchaseOffer(
                kind: .promotional, offerID: "pro.monthly.half", compactJWS: try token(store, json))
            return try await store.purchase(
                device, PurchaseRequest(productID: Self.pro, offer: offer)
            ).failure?.code
        }
        #expect(try await code(["aud": "\"introductory-offer-eligibility\""]) == "invalidSignature")
        #expect(try await code(["bid": "\"com.other\""]) == "invalidSignature")
        #expect(try await code(["iss": "\"someone\""]) == "invalidSignature")
        #expect(try await code(["productId": "\"com.example.coins20\""]) == "invalidSignature")
        #expect(try await code(["transactionId": "\"12345\""]) == "invalidSignature")
        #expect(try await code(["iat": "1"]) == "invalidSignature")
        #expect(try await code([:]) == nil)
    }
}

@Suite struct WireTests {
    @Test func `Apple's names stand in JSON and what has a usual value may be left out`() throws {
        let request = try JSONDecoder().decode(
            PurchaseRequest.self, from: Data("{\"productId\":\"p\"}".utf8))
        #expect(request == PurchaseRequest(productID: "p"))
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        let json = String(decoding: try encoder.encode(LaunchRequest(vendorID: "v")), as: UTF8.self)
        #expect(json == "{\"vendorId\":\"v\"}")
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode(PurchaseRequest.self, from: Data("{\"quantity\":1}".utf8))
        }
    }

    @Test func `Every route has a path of its own, and parameters are encoded`() {
        let device = DeviceRoute.all.map { $0.method + $0.path }
        let control = ControlRoute.all.map { $0.method + $0.path }
        #expect(Set(device).count == device.count && Set(control).count == control.count)
        #expect(
            DeviceRoute.events.path(["device": "a/b ü"]) == "/device/v1/a%2Fb%20%C3%BC/events")
        #expect(DeviceRoute.launch.path([:]) == "/device/v1/launch")
    }

    @Test func `A problem carries its status and line`() {
        let problem = StoreProblem(.signedOut)
        #expect(problem.status == 409 && !problem.title.isEmpty)
        #expect(StoreProblemCode(rawValue: "new").status == 500)
    }
}
