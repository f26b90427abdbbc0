import AppStoreModel
import Foundation
import HTTPMessage
import SignedDataCoding
import Testing
import TillAPI

@testable import TillServer

/// Apple's retired endpoint: its statuses, each beside its neighbour.
@Suite struct VerifyReceiptTests {
    private func ask(
        _ shop: TestShop, _ body: String, at path: String = "/verifyReceipt",
        method: HTTPMethod = .post
    ) async throws -> JSONValue {
        let response = try await shop.send(method, path, Data(body.utf8), as: nil)
        #expect(response.status == .ok)
        return try JSONDecoder().decode(JSONValue.self, from: response.body)
    }

    private func body(_ receipt: String, _ more: String = "") -> String {
        #"{"receipt-data": "\#(receipt)"\#(more)}"#
    }

    @Test func `a genuine receipt is answered in Apple's spelling`() async throws {
        let shop = try TestShop()
        let receipt = try shop.receipt([("1", TestShop.coins)])
        let answer = try await ask(shop, body(receipt))
        #expect(answer["status"] == 0)
        #expect(answer["environment"] == "Sandbox")
        #expect(answer["receipt"]?["bundle_id"] == "com.example.app")
        #expect(answer["receipt"]?["receipt_type"] == "ProductionSandbox")
        #expect(answer["receipt"]?["in_app"]?[0]?["product_id"] == "com.example.coins600")
        #expect(answer["receipt"]?["in_app"]?[0]?["quantity"] == "1")
    }

    @Test func `what is no request and what is no receipt are told apart`() async throws {
        let shop = try TestShop()
        #expect(try await ask(shop, "hello")["status"] == 21_000)
        let receipt = body(try shop.receipt([("1", TestShop.coins)]))
        for method in [HTTPMethod.get, .put, .patch, .delete] {
            #expect(try await ask(shop, receipt, method: method)["status"] == 21_000)
        }
        #expect(try await ask(shop, "{}")["status"] == 21_002)
        #expect(try await ask(shop, #"{"receipt-data": 17}"#)["status"] == 21_002)
        #expect(try await ask(shop, body("hello"))["status"] == 21_002)
        #expect(try await ask(shop, body(try shop.signed("1")))["status"] == 21_002)
    }

    @Test func `a changed receipt and a stranger's are not authentic`() async throws {
        let shop = try TestShop()
        var bytes = try #require(
            Base64.decodeStandard(Array(try shop.receipt([("1", TestShop.coins)]).utf8)))
        bytes[bytes.count - 1] ^= 1
        #expect(try await ask(shop, body(Base64.encode(bytes)))["status"] == 21_003)
        let stranger = try TestShop(authority: .stranger)
        let receipt = try stranger.receipt([("1", TestShop.coins)])
        #expect(try await ask(shop, body(receipt))["status"] == 21_003)
    }

    @Test func `a production receipt at the sandbox address is sent to the other`() async throws {
        let shop = try TestShop()
        let receipt = try shop.receipt([("1", TestShop.coins)]) { $0.receiptType = .production }
        // Signed by the test root, which never speaks for production.
        #expect(try await ask(shop, body(receipt))["status"] == 21_003)
    }

    @Test func `the shared secret is asked for when there are subscriptions`() async throws {
        let shop = try TestShop(app: #", "sharedSecret": "s3cret""#)
        let plain = try shop.receipt([("1", TestShop.coins)])
        #expect(try await ask(shop, body(plain))["status"] == 0)
        let renewing = try shop.receipt([("2", TestShop.monthly)]) {
            $0.inApp[0].productType = .autoRenewable
            $0.inApp[0].expiresDate = TestClock.start.advanced(byMilliseconds: 86_400_000)
            $0.inApp[0].webOrderLineItemID = "9"
        }
        #expect(try await ask(shop, body(renewing))["status"] == 21_004)
        #expect(try await ask(shop, body(renewing, #", "password": "s3cre""#))["status"] == 21_004)
        let answer = try await ask(shop, body(renewing, #", "password": "s3cret""#))
        #expect(answer["status"] == 0)
        #expect(answer["latest_receipt_info"]?[0]?["transaction_id"] == "2")
    }

    @Test func `the latest receipt is told in Apple's form, whichever came`() async throws {
        let shop = try TestShop()
        let renewing = try shop.receipt([("2", TestShop.monthly)]) {
            $0.inApp[0].productType = .autoRenewable
            $0.inApp[0].expiresDate = TestClock.start.advanced(byMilliseconds: 86_400_000)
            $0.inApp[0].webOrderLineItemID = "9"
        }
        let address = "data:application/octet-stream;base64," + renewing
        for form in [renewing, String(renewing.reversed().drop { $0 == "=" }.reversed()), address] {
            let answer = try await ask(shop, body(form))
            #expect(answer["latest_receipt"]?.string == renewing)
        }
    }

    @Test func `old transactions are left out when that is asked for`() async throws {
        let shop = try TestShop()
        let receipt = try shop.receipt([("1", TestShop.monthly), ("2", TestShop.monthly)]) {
            for index in $0.inApp.indices {
                $0.inApp[index].originalTransactionID = "1"
                $0.inApp[index].productType = .autoRenewable
                let start = TestClock.start.advanced(byMilliseconds: Int64(index) * 86_400_000)
                $0.inApp[index].purchaseDate = start
                $0.inApp[index].expiresDate = start.advanced(byMilliseconds: 86_400_000)
                $0.inApp[index].webOrderLineItemID = WebOrderLineItemID("\(index + 1)")
            }
        }
        let all = try await ask(shop, body(receipt))
        #expect(all["latest_receipt_info"]?[1] != nil)
        let newest = try await ask(shop, body(receipt, #", "exclude-old-transactions": true"#))
        #expect(newest["latest_receipt_info"]?[0]?["transaction_id"] == "2")
        #expect(newest["latest_receipt_info"]?[1] == nil)
    }

    @Test func `a test root speaks for its own app alone`() async throws {
        let shop = try TestShop()
        let foreign = try shop.receipt([("1", TestShop.coins)]) {
            $0.bundleID = "com.example.other"
        }
        #expect(try await ask(shop, body(foreign))["status"] == 21_003)
    }

    @Test func `the endpoint can be left out`() async throws {
        let shop = try TestShop(more: #", "verifyReceipt": {"enabled": false}"#)
        let response = try await shop.send(.post, "/verifyReceipt", Data("{}".utf8), as: nil)
        #expect(response.status == .notFound)
    }
}
