import AppStoreModel
import AppStoreTrust
import Foundation
import HTTPMessage
import HTTPServer
import LedgerMemory
import TestKit
import Testing
import TillAPI
import TillLedger

@testable import TillServer

/// `POST /v1/apps/{app}/notifications`: what is believed, what is answered, and what comes of it.
@Suite struct NotificationTests {
    static let start = TestClock.start

    static func payload(
        _ type: NotificationType, _ subtype: NotificationSubtype? = nil, uuid: String = "u-1",
        change: (inout NotificationPayload) -> Void = { _ in }
    ) -> NotificationPayload {
        var payload = NotificationPayload(type, subtype, notificationUUID: uuid)
        payload.version = "2.0"
        payload.signedDate = start
        var data = NotificationData()
        data.bundleID = TestShop.bundleID
        data.environment = .sandbox
        payload.data = data
        change(&payload)
        return payload
    }

    static func month(
        _ id: TransactionID = "10", order: UUID? = nil,
        change: (inout TransactionPayload) -> Void = { _ in }
    ) -> TransactionPayload {
        TestShop.transaction(id, TestShop.monthly, order: order, type: .autoRenewable) {
            $0.originalTransactionID = "10"
            $0.webOrderLineItemID = "900"
            $0.expiresDate = start.advanced(byMilliseconds: 30 * 86_400_000)
            $0.subscriptionGroupIdentifier = "7"
            change(&$0)
        }
    }

    static func renewal(change: (inout RenewalPayload) -> Void = { _ in }) -> RenewalPayload {
        var renewal = RenewalPayload(originalTransactionID: "10")
        renewal.productID = TestShop.monthly
        renewal.autoRenewProductID = TestShop.monthly
        renewal.autoRenewStatus = .on
        renewal.environment = .sandbox
        renewal.signedDate = start
        change(&renewal)
        return renewal
    }

    /// The answer to a body, and what it says where it is a success.
    private func tell(
        _ shop: TestShop, _ signed: String, app: BundleID = TestShop.bundleID
    ) async throws -> (status: Int, answer: NotificationResponse?, code: ProblemKind?) {
        let body = try JSONEncoder().encode(["signedPayload": signed])
        let response = try await shop.send(
            .post, "\(APIWire.apps)/\(app)/notifications", body, as: nil)
        #expect(!(300..<400).contains(response.status.rawValue))
        return (
            response.status.rawValue,
            try? JSONDecoder().decode(NotificationResponse.self, from: response.body),
            response.status.isSuccess ? nil : try shop.problem(response).code.kind
        )
    }

    @Test func `a first purchase and its renewal info reach the customer of the order`()
        async throws
    {
        let shop = try TestShop()
        let order = try await shop.openOrder(TestShop.monthly, by: "anna")
        let signed = try shop.authority.sign(
            Self.payload(.subscribed, .initialBuy), Self.month(order: order.orderID),
            Self.renewal())
        let first = try await tell(shop, signed)
        #expect(first.status == 200 && first.answer?.effect == "granted")
        let second = try await tell(shop, signed)
        #expect(second.status == 200 && second.answer?.isRepeated == true)
        let anna = try await shop.customer("anna")
        #expect(anna.entitlements.map(\.isActive) == [true])
        let subscription = try #require(anna.subscriptions.first)
        #expect(subscription.originalTransactionID == "10" && subscription.status == "active")
        #expect(subscription.autoRenew == true && subscription.groupID == "7")
        #expect(subscription.environment == .sandbox && subscription.willExpireReason == nil)
        // N10: the app comes later, and may let go.
        let later = try await shop.purchase(
            PurchaseRequest(
                signedTransactions: [
                    try shop.authority.sign(Self.month(order: order.orderID))
                ]), by: "anna")
        #expect(later.results.map(\.outcome) == [.alreadyGranted])
        #expect(later.results.map(\.mayFinish) == [true])
        #expect(shop.logged.contains { $0.contains(#""effect":"granted""#) })
    }

    @Test func `grace, failure and end are told in the customer's document`() async throws {
        let shop = try TestShop()
        let order = try await shop.openOrder(TestShop.monthly, by: "anna")
        let transaction = Self.month(order: order.orderID)
        let end = try #require(transaction.expiresDate)
        let failed = Self.renewal {
            $0.isInBillingRetryPeriod = true
            $0.gracePeriodExpiresDate = end.advanced(byMilliseconds: 16 * 86_400_000)
            $0.priceIncreaseStatus = .awaitingConsent
            $0.autoRenewProductID = "com.example.other"
            $0.offerType = .promotional
            $0.offerIdentifier = "half"
            $0.signedDate = end
        }
        _ = try await tell(
            shop,
            try shop.authority.sign(
                Self.payload(.didFailToRenew, .gracePeriod), transaction, failed))
        shop.clock.advance(seconds: 31 * 86_400)
        let grace = try #require(try await shop.customer("anna").subscriptions.first)
        #expect(grace.status == "inGracePeriod" && grace.willExpireReason == "billingError")
        #expect(grace.gracePeriodExpiresAt == failed.gracePeriodExpiresDate)
        #expect(grace.priceIncrease == "awaitingConsent")
        #expect(grace.autoRenewProductID == "com.example.other")
        #expect(
            grace.nextOffer == SubscriptionOfferDocument(type: "promotional", identifier: "half"))
        #expect(try await shop.customer("anna").entitlements.map(\.isActive) == [true])
        shop.clock.advance(seconds: 16 * 86_400)
        #expect(try await shop.customer("anna").subscriptions.first?.status == "inBillingRetry")
        #expect(try await shop.customer("anna").entitlements.map(\.isActive) == [false])
    }

    /// N12: what is inside is verified too, and must belong to what is around it.
    @Test func `a part that is forged, of another app or of another subscription is refused`()
        async throws
    {
        let shop = try TestShop()
        let outer = Self.payload(.subscribed, .initialBuy)
        func signed(
            _ transaction: String?, _ renewal: String? = nil
        ) throws -> String {
            var payload = outer
            payload.data?.signedTransactionInfo = transaction
            payload.data?.signedRenewalInfo = renewal
            return try shop.authority.sign(payload)
        }
        let genuine = try shop.authority.sign(Self.month())
        let cases: [(String, ProblemKind)] = [
            (try signed(TestAuthority.stranger.sign(Self.month())), .untrustedRoot),
            (try signed(String(genuine.dropLast(8)) + "AAAAAAAA"), .wrongSignature),
            (try signed(shop.authority.sign(Self.month { $0.bundleID = "com.other" })), .wrongApp),
            (
                try signed(shop.authority.sign(Self.month { $0.environment = .production })),
                .environmentNotAdmitted
            ),
            (
                try signed(
                    genuine,
                    shop.authority.sign(Self.renewal { $0.originalTransactionID = "11" })),
                .mismatchedParts
            ),
            (try signed("x.y.z"), .unreadable),
            // A transaction is no notification, nor is a renewal info.
            (genuine, .wrongKind),
            (try shop.authority.sign(Self.renewal()), .wrongKind),
        ]
        for (text, code) in cases {
            let answer = try await tell(shop, text)
            #expect(answer.status == 422 && answer.code == code, "\(code)")
        }
        #expect(try await shop.store.notifications(after: nil, limit: 10).isEmpty)
        // What is missing is not wrong: no renewal info, no transaction.
        #expect(try await tell(shop, try signed(genuine)).status == 200)
        #expect(shop.logged.count { $0.contains("notificationRefused") } == cases.count)
    }

    @Test func `a copy with a cut signature takes nobody's name`() async throws {
        let shop = try TestShop()
        let order = try await shop.openOrder(TestShop.coins, by: "anna")
        let transaction = TestShop.transaction("1", order: order.orderID)
        let signed = try shop.authority.sign(Self.payload(.oneTimeCharge), transaction)
        #expect(try await tell(shop, String(signed.dropLast(20))).status == 422)
        let genuine = try await tell(shop, signed)
        #expect(genuine.answer?.effect == "granted" && genuine.answer?.isRepeated == false)
    }

    /// N04: 5xx where sending it again helps, and never 3xx.
    @Test func `each kind of trouble has its answer`() async throws {
        let store = MemoryLedgerStore()
        let shop = try TestShop(store: store)
        let test = try shop.authority.sign(Self.payload(.test))
        #expect(try await tell(shop, test, app: "com.nobody").status == 422)
        #expect(try await tell(shop, test, app: "com.nobody").code == .unknownApp)
        #expect(try await tell(shop, "nonsense").code == .unreadable)
        #expect(
            try await tell(shop, try TestAuthority.stranger.sign(Self.payload(.test))).code
                == .untrustedRoot)
        let path = "\(APIWire.apps)/\(TestShop.bundleID)/notifications"
        for (body, status) in [
            ("", 400), ("[]", 400), ("{}", 400), (#"{"signedPayload": 1}"#, 400),
            (#"{"signedPayload": "a", "signedPayload": "b"}"#, 400),
        ] {
            let response = try await shop.send(.post, path, Data(body.utf8), as: nil)
            #expect(response.status.rawValue == status, "\(body)")
        }
        #expect(try await shop.send(.get, path, as: nil).status.rawValue == 405)
        // A token of a caller is not looked at: Apple sends none, and nobody else is asked for one.
        #expect(try await tell(shop, test).status == 200)
        await store.close()
        let down = try await tell(shop, try shop.authority.sign(Self.payload(.test, uuid: "u-2")))
        #expect(down.status == 503 && down.code == .storageUnavailable)
    }

    @Test func `kinds and keys that nobody knows are kept and acknowledged`() async throws {
        let shop = try TestShop()
        var future = Self.payload("FUTURE_X", "Y", uuid: "f")
        future.otherFields = ["newThing": ["deep": [1, 2, 3]]]
        future.data?.otherFields = ["billingPlanType": "Z"]
        let summary = Self.payload(.renewalExtension, .summary, uuid: "s") {
            var summary = NotificationSummary()
            summary.bundleID = TestShop.bundleID
            summary.environment = .sandbox
            summary.requestIdentifier = "r"
            $0.data = nil
            $0.summary = summary
        }
        let token = Self.payload(.externalPurchaseToken, .unreported, uuid: "t") {
            var token = ExternalPurchaseToken()
            token.externalPurchaseID = "SANDBOX_1"
            token.bundleID = TestShop.bundleID
            $0.data = nil
            $0.externalPurchaseToken = token
        }
        let consent = Self.payload(.rescindConsent, uuid: "c") {
            var app = NotificationAppData()
            app.bundleID = TestShop.bundleID
            app.environment = .sandbox
            $0.data = nil
            $0.appData = app
        }
        for payload in [future, summary, token, consent, Self.payload(.test, uuid: "x")] {
            let answer = try await tell(shop, try shop.authority.sign(payload))
            #expect(answer.status == 200 && answer.answer?.effect == "kept", "\(payload)")
        }
        let kept = try await shop.store.notifications(after: nil, limit: 10)
        #expect(kept.count == 5)
        for row in kept {
            let proof = try #require(try await shop.store.proof(row.notification.proof))
            // It can be verified again.
            let again = try ProofVerifier(configuration: try shop.configuration.trust())
                .verifyNotification(String(decoding: proof.bytes, as: UTF8.self))
            #expect(
                again.notification.value.notificationUUID == row.notification.id.rawValue)
        }
    }

    @Test func `a body of nearly a mebibyte is read`() async throws {
        let shop = try TestShop()
        var payload = Self.payload(.test)
        payload.otherFields = ["padding": .string(String(repeating: "x", count: 700_000))]
        let signed = try shop.authority.sign(payload)
        #expect(signed.utf8.count > 900_000)
        #expect(try await tell(shop, signed).status == 200)
    }

    // MARK: Version 1

    private func hint(
        _ shop: TestShop, _ members: [String: JSONValue], app: BundleID = TestShop.bundleID
    ) async throws -> (status: Int, answer: NotificationResponse?, code: ProblemKind?) {
        let body = try JSONEncoder().encode(JSONValue.object(members))
        let response = try await shop.send(
            .post, "\(APIWire.apps)/\(app)/notifications", body, as: nil)
        return (
            response.status.rawValue,
            try? JSONDecoder().decode(NotificationResponse.self, from: response.body),
            response.status.isSuccess ? nil : try shop.problem(response).code.kind
        )
    }

    /// N14: the password is all that says who sent it, and the receipt all that proves something.
    @Test func `a notification of version 1 is a hint, and the receipt in it a proof`()
        async throws
    {
        let shop = try TestShop(app: #", "sharedSecret": "hush""#)
        let order = try await shop.openOrder(TestShop.pro, by: "anna")
        let receipt = try shop.receipt([("1", TestShop.pro)])
        var body: [String: JSONValue] = [
            "notification_type": "REFUND", "environment": "Sandbox", "password": "hush",
            "bid": .string(TestShop.bundleID.rawValue),
            "cancellation_date_ms": "1700000000000",
            "unified_receipt": ["latest_receipt": .string(receipt), "status": 0],
        ]
        #expect(try await hint(shop, body).answer?.effect == "hint")
        #expect(try await hint(shop, body).answer?.isRepeated == true)
        // The receipt is recorded, and what the body alone says changes nothing.
        let bought = try await shop.purchase(
            PurchaseRequest(receipt: receipt, orderID: order.orderID), by: "anna")
        #expect(bought.results.map(\.outcome) == [.granted])
        #expect(try await hint(shop, body).status == 200)
        #expect(try await shop.customer("anna").entitlements.map(\.isActive) == [true])
        let row = try #require(try await shop.store.notifications(after: nil, limit: 2).first)
        let kept = try #require(try await shop.store.proof(row.notification.proof))
        #expect(kept.kind == .hint)
        #expect(!String(decoding: kept.bytes, as: UTF8.self).contains("hush"))
        #expect(row.notification.signedAt == nil)

        for wrong in ["hush ", "", "HUSH"] {
            body["password"] = .string(wrong)
            #expect(try await hint(shop, body).code == .wrongSharedSecret)
        }
        body["password"] = nil
        #expect(try await hint(shop, body).status == 403)
        body["password"] = "hush"
        body["bid"] = "com.other"
        #expect(try await hint(shop, body).code == .wrongApp)
        // Without a secret in the configuration nobody can be told from a stranger.
        body["bid"] = nil
        #expect(try await hint(try TestShop(), body).code == .wrongSharedSecret)
    }

    @Test(arguments: AppleSamples.names(in: "notifications-v1"))
    func `every known body of version 1 is taken`(name: String) async throws {
        let file = try AppleSamples.bytes("notifications-v1/\(name)")
        let body = try JSONDecoder().decode(JSONValue.self, from: Data(file))
        guard case .object(var members) = body else {
            Issue.record("no object")
            return
        }
        members["bid"] = .string(TestShop.bundleID.rawValue)
        members["password"] = "hush"
        let shop = try TestShop(app: #", "sharedSecret": "hush""#)
        let answer = try await hint(shop, members)
        let isSandbox = members["environment"] == "Sandbox"
        #expect(answer.status == 200, "\(String(describing: answer.code))")
        #expect(answer.answer?.effect == (isSandbox ? "hint" : "environmentNotAdmitted"))
    }
}
