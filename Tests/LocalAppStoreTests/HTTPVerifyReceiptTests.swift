import AppStoreModel
import AppStoreSigning
import AppStoreTrust
import Foundation
import HTTPMessage
import SignedDataCoding
import StoreWire
import TestKit
import Testing

@testable import LocalAppStore

@Suite(.serialized) struct HTTPVerifyReceiptTests {
    private func secret(_ world: HTTPWorld) async throws -> JSONValue {
        .string(world.server.store.keys.sharedSecret)
    }

    private func status(
        _ world: HTTPWorld, _ members: [String: JSONValue],
        in environment: AppStoreEnvironment = .sandbox
    ) async throws -> Int64? {
        try await world.verifyReceipt(members, in: environment)["status"]?.integer
    }

    @Test func `Each status comes for its own reason`() async throws {
        try await HTTPWorld.run { world in
            let coins = try await world.buy("com.example.coins20")
            let receipt = try #require(coins.receipt)
            #expect(try await status(world, ["receipt-data": .string(receipt)]) == 0)
            for method in ["GET", "PUT", "DELETE"] {
                let answer = try await world.send(method, "/verifyReceipt")
                #expect(answer.status == .ok)
                #expect(String(decoding: answer.body, as: UTF8.self) == "{\"status\":21000}")
            }
            for body in ["", "no json", "[]", "7"] {
                let answer = try await world.send("POST", "/verifyReceipt", Data(body.utf8))
                #expect(String(decoding: answer.body, as: UTF8.self) == "{\"status\":21000}")
            }
            #expect(try await status(world, [:]) == 21_002)
            #expect(try await status(world, ["receipt-data": 7]) == 21_002)
            #expect(try await status(world, ["receipt-data": "AAAA"]) == 21_002)
            let lines = JSONValue.string(receipt.prefix(64) + "\n" + receipt.dropFirst(64))
            #expect(try await status(world, ["receipt-data": lines]) == 21_002)
            var bytes = Array(try #require(Data(base64Encoded: receipt)))
            bytes[bytes.count - 1] ^= 1
            let forged = JSONValue.string(Data(bytes).base64EncodedString())
            #expect(try await status(world, ["receipt-data": forged]) == 21_003)
            #expect(
                try await status(world, ["receipt-data": .string(receipt)], in: .production)
                    == 21_007)
            let real = try await world.buy("com.example.coins20", in: .production)
            let genuine = JSONValue.string(try #require(real.receipt))
            #expect(try await status(world, ["receipt-data": genuine], in: .production) == 0)
            #expect(try await status(world, ["receipt-data": genuine]) == 21_008)

            let plan = try await world.buy("com.example.pro.monthly")
            let withPlan = JSONValue.string(try #require(plan.receipt))
            #expect(try await status(world, ["receipt-data": withPlan]) == 21_004)
            #expect(
                try await status(world, ["receipt-data": withPlan, "password": "wrong"]) == 21_004)
            let password = try await secret(world)
            #expect(
                try await status(world, ["receipt-data": withPlan, "password": password]) == 0)
            for number in [21_005, 21_009, 21_010, 21_100, 21_199] {
                try await world.set(
                    FaultRule(
                        kind: .error, on: "/verifyReceipt", times: 1, status: number,
                        isRetryable: number >= 21_100 ? true : nil))
                let answer = try await world.verifyReceipt(["receipt-data": .string(receipt)])
                #expect(answer["status"]?.integer == Int64(number))
                #expect(answer["is-retryable"]?.bool == (number >= 21_100 ? true : nil))
            }
        }
    }

    @Test func `Subscriptions are told with their renewals, and old periods left out on request`()
        async throws
    {
        try await HTTPWorld.run { world in
            let plan = try await world.buy("com.example.pro.monthly", in: .production)
            let _: ClockInfo = try await world.call(
                ControlRoute.moveClock, body: ClockChange(advanceMilliseconds: 70 * 86_400_000))
            let members: [String: JSONValue] = [
                "receipt-data": .string(try #require(plan.receipt)),
                "password": try await secret(world),
            ]
            let answer = try await world.verifyReceipt(members, in: .production)
            guard case .array(let latest)? = answer["latest_receipt_info"] else {
                Issue.record("no latest_receipt_info")
                return
            }
            #expect(latest.count == 4)
            let dates = latest.compactMap { $0["purchase_date_ms"]?.string }
            #expect(dates == dates.sorted(by: >))
            #expect(latest.allSatisfy { $0["in_app_ownership_type"] == "PURCHASED" })
            #expect(answer["receipt"]?["in_app"]?[0]?["expires_date_pst"]?.string != nil)
            #expect(answer["pending_renewal_info"]?[0]?["auto_renew_status"] == "1")
            #expect(answer["environment"] == "Production")
            let short = try await world.verifyReceipt(
                members.merging(["exclude-old-transactions": true]) { $1 }, in: .production)
            guard case .array(let newest)? = short["latest_receipt_info"] else {
                Issue.record("no latest_receipt_info")
                return
            }
            #expect(newest == [latest[0]])
            // The newest receipt, given back to the store, tells the same.
            let again = try await world.verifyReceipt(
                members.merging(["receipt-data": answer["latest_receipt"] ?? .null]) { $1 },
                in: .production)
            #expect(again["latest_receipt_info"] == answer["latest_receipt_info"])
        }
    }

    @Test func `An iOS 6 receipt is answered flat, and 21006 once its period is over`() async throws
    {
        try await HTTPWorld.run { world in
            let session: DeviceSession = try await world.call(
                DeviceRoute.launch, body: LaunchRequest(), in: .production)
            let bought: PurchaseResponse = try await world.call(
                DeviceRoute.purchase, ["device": session.deviceID.rawValue],
                body: PurchaseRequest(productID: "com.example.basic.weekly"))
            let members: [String: JSONValue] = [
                "receipt-data": .string(try #require(bought.item.transactionReceipt)),
                "password": try await secret(world),
            ]
            let now = try await world.verifyReceipt(members, in: .production)
            #expect(now["status"] == 0)
            #expect(now["receipt"]?["product_id"] == "com.example.basic.weekly")
            #expect(
                now["latest_receipt_info"]?["transaction_id"] == now["receipt"]?["transaction_id"])
            let _: ClockInfo = try await world.call(
                ControlRoute.moveClock, body: ClockChange(advanceMilliseconds: 40 * 86_400_000))
            let later = try await world.verifyReceipt(members, in: .production)
            #expect(later["status"] == 21_006)
            #expect(later["latest_expired_receipt_info"] != nil)
        }
    }

    @Test(.enabled(if: AppleSamples.areThere, Comment(rawValue: AppleSamples.comment)))
    func `Genuine receipts are answered with the records that Apple answered`() async throws {
        try await HTTPWorld.run { world in
            let apples = try JSONDecoder().decode(
                JSONValue.self,
                from: Data(AppleSamples.bytes("verifyreceipt/vr_sandbox_2020_rc_9.json")))
            let ours = try await genuine(world, "receipts/rcpt_sandbox_2020_rc_9.b64")
            #expect(ours["status"] == 0 && ours["environment"] == apples["environment"])
            #expect(ours["receipt"]?["in_app"] == apples["receipt"]?["in_app"])
            #expect(ours["receipt"]?["bundle_id"] == apples["receipt"]?["bundle_id"])

            let body = try JSONDecoder().decode(
                JSONValue.self,
                from: Data(AppleSamples.bytes("notifications-v1/v1_imdhemy_2020_54.json")))
            let many = try await genuine(world, "receipts/rcpt_sandbox_2020_v1notif_54.b64")
            let theirs = records(body["unified_receipt"]?["latest_receipt_info"])
            let mine = records(many["latest_receipt_info"])
            #expect(mine.count == 54 && Set(mine.keys) == Set(theirs.keys))
            for (id, record) in mine {
                for (name, value) in record where theirs[id]?[name] != nil {
                    #expect(value == theirs[id]?[name], "\(id) \(name)")
                }
                let missing = Set(theirs[id]?.keys ?? [:].keys).subtracting(record.keys)
                // Only Apple's server knows these.
                #expect(
                    missing.isSubset(of: ["subscription_group_identifier", "is_upgraded"]),
                    "\(missing)")
            }
        }
    }

    private func records(_ value: JSONValue?) -> [String: [String: JSONValue]] {
        guard case .array(let list)? = value else { return [:] }
        return Dictionary(
            list.compactMap { item in
                guard case .object(let members) = item else { return nil }
                return (members["transaction_id"]?.string ?? "", members)
            }
        ) { first, _ in first }
    }

    private func genuine(_ world: HTTPWorld, _ file: String) async throws -> JSONValue {
        let bytes = try AppleSamples.decoded(file)
        return try await world.verifyReceipt([
            "receipt-data": .string(Base64.encode(bytes)), "password": try await secret(world),
        ])
    }

    @Test func `Till's verifier reads what was bought in every proof that comes over HTTP`()
        async throws
    {
        try await HTTPWorld.run { world in
            let authority = try HTTPWorld.authority.get()
            let verifier = ProofVerifier(
                configuration: try .unsafeAnyApp(
                    extraRoots: [ExtraRoot(name: "store", certificate: authority.root)],
                    legacyCertificates: authority.legacyCertificates))
            for (environment, product, quantity) in [
                (AppStoreEnvironment.sandbox, ProductID("com.example.coins600"), 3),
                (.production, "com.example.pro.yearly", 1),
                (.production, "com.example.lifetime", 1),
                (.sandbox, "com.example.season", 2),
            ] {
                let bought: ControlBuyResponse = try await world.call(
                    ControlRoute.buy,
                    body: ControlBuyRequest(
                        productID: product, environment: environment, quantity: quantity))
                let transaction = try verifier.verifyTransaction(
                    try #require(bought.signedTransactionInfo))
                #expect(transaction.value.transactionID == bought.transactionID)
                #expect(transaction.value.productID == product)
                #expect(transaction.value.quantity == Int64(quantity))
                #expect(transaction.environment == environment)
                let text = try #require(bought.receipt)
                let bytes = try #require(Data(base64Encoded: text))
                let receipt = try verifier.verifyReceipt(Array(bytes))
                #expect(receipt.environment == environment)
                let item = try #require(
                    receipt.value.inApp.first { $0.transactionID == bought.transactionID })
                #expect(item.productID == product && item.quantity == Int64(quantity))
            }
        }
    }
}
