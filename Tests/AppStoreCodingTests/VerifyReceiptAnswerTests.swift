import AppStoreCoding
import AppStoreModel
import Foundation
import SignedDataCoding
import TestKit
import Testing

private func json(_ bytes: [UInt8]) throws -> JSONValue {
    try JSONDecoder().decode(JSONValue.self, from: Data(bytes))
}

private func list(_ value: JSONValue?) -> [JSONValue] {
    guard case .array(let elements) = value else { return [] }
    return elements
}

private func byTransaction(_ value: JSONValue?) -> [String: JSONValue] {
    Dictionary(
        list(value).map { ($0["transaction_id"]?.string ?? "", $0) },
        uniquingKeysWith: { first, _ in first })
}

@Suite(.enabled(if: AppleSamples.areThere, Comment(rawValue: AppleSamples.comment)))
struct `Apple's recorded answers` {
    /// What Apple's server adds that no receipt has: it knows groups, renewals and newer receipts.
    private static let onlyApplesServerKnows: Set<String> = [
        "subscription_group_identifier", "pending_renewal_info", "latest_receipt", "is_upgraded",
    ]

    private func answer(_ file: String, requestDate: Timestamp) throws -> JSONValue {
        let bytes = try AppleSamples.decoded(file)
        let receipt = try AppReceipt(decoding: try SignedReceipt(decoding: bytes))
        return try json(
            VerifyReceiptResponse(
                receipt: receipt, receiptData: Base64.encode(bytes), requestDate: requestDate
            ).appleJSON())
    }

    /// Equal but for the fields that only Apple's server knows, and those must be among the named ones.
    private func check(_ ours: JSONValue?, _ apples: JSONValue?, _ place: String) {
        guard case .object(let mine) = ours, case .object(let theirs) = apples else {
            #expect(ours == apples, "\(place)")
            return
        }
        let missing = Set(theirs.keys).subtracting(mine.keys)
        #expect(missing.isSubset(of: Self.onlyApplesServerKnows), "\(place) lacks \(missing)")
        #expect(Set(mine.keys).subtracting(theirs.keys).isEmpty, "\(place) has too much")
        for (name, value) in mine
        where ![
            "receipt", "in_app", "latest_receipt_info",
            "latest_receipt",
        ].contains(name) {
            #expect(value == theirs[name], "\(place).\(name)")
        }
    }

    @Test func `the nine periods of 2020 are answered field by field`() throws {
        let apples = try json(AppleSamples.bytes("verifyreceipt/vr_sandbox_2020_rc_9.json"))
        let ours = try answer(
            "receipts/rcpt_sandbox_2020_rc_9.b64",
            requestDate: Timestamp(milliseconds: 1_595_440_486_402))
        check(ours, apples, "answer")
        check(ours["receipt"], apples["receipt"], "receipt")
        // The same purchases in the same order.
        let (mine, theirs) = (list(ours["receipt"]?["in_app"]), list(apples["receipt"]?["in_app"]))
        #expect(mine == theirs)
        #expect(mine.count == 9)
        // Apple listed these oldest first; today it lists the newest first, and promises neither.
        let latest = byTransaction(apples["latest_receipt_info"])
        let ourLatest = byTransaction(ours["latest_receipt_info"])
        #expect(Set(ourLatest.keys) == Set(latest.keys))
        for (transaction, item) in ourLatest { check(item, latest[transaction], transaction) }
    }

    @Test func `the 54 transactions of a version 1 notification are answered field by field`()
        throws
    {
        let body = try json(AppleSamples.bytes("notifications-v1/v1_imdhemy_2020_54.json"))
        let apples = byTransaction(body["unified_receipt"]?["latest_receipt_info"])
        let ours = byTransaction(
            try answer(
                "receipts/rcpt_sandbox_2020_v1notif_54.b64",
                requestDate: Timestamp(milliseconds: 1_606_297_712_000))["latest_receipt_info"])
        #expect(apples.count == 54)
        #expect(Set(ours.keys) == Set(apples.keys))
        for (transaction, item) in ours { check(item, apples[transaction], transaction) }
    }
}

struct `Answers to verifyReceipt` {
    private func receipt(_ type: InAppProductType, _ id: TransactionID = "1") -> AppReceipt {
        var receipt = AppReceipt(
            bundleID: "com.example.app", creationDate: Timestamp(seconds: 1_700_000_000),
            receiptType: .productionSandbox)
        receipt.inApp = [purchase(type, id)]
        return receipt
    }

    private func purchase(
        _ type: InAppProductType, _ id: TransactionID, original: TransactionID? = nil,
        at seconds: Int64 = 1_700_000_000
    ) -> InAppPurchase {
        var purchase = InAppPurchase(
            productID: "p", transactionID: id, originalTransactionID: original)
        purchase.productType = type
        purchase.purchaseDate = Timestamp(seconds: seconds)
        return purchase
    }

    private let now = Timestamp(milliseconds: 1_700_000_001_234)

    @Test func `without subscriptions there is no latest receipt`() {
        for type in [InAppProductType.consumable, .nonConsumable, .nonRenewing] {
            let answer = VerifyReceiptResponse(
                receipt: receipt(type), receiptData: "AA==", requestDate: now)
            #expect(answer.latestReceipt == nil)
            #expect(answer.latestReceiptInfo == nil)
        }
        let answer = VerifyReceiptResponse(
            receipt: receipt(.autoRenewable), receiptData: "AA==", requestDate: now)
        #expect(answer.latestReceipt == "AA==")
        #expect(answer.latestReceiptInfo?.count == 1)
    }

    @Test func `old transactions of a subscription are left out on request`() {
        var receipt = receipt(.autoRenewable)
        receipt.inApp.append(purchase(.autoRenewable, "3", original: "1", at: 1_700_000_300))
        receipt.inApp.append(purchase(.autoRenewable, "2", original: "1", at: 1_700_000_200))
        receipt.inApp.append(purchase(.nonConsumable, "4", at: 1_600_000_000))
        func ids(excluding: Bool) -> [TransactionID?]? {
            VerifyReceiptResponse(
                receipt: receipt, receiptData: "", requestDate: now,
                excludeOldTransactions: excluding
            ).latestReceiptInfo?.map(\.transactionID)
        }
        #expect(ids(excluding: false) == ["3", "2", "1", "4"])
        #expect(ids(excluding: true) == ["3", "4"])
    }

    @Test func `the newest comes first, and what has no date last`() {
        let days: [Int64?] = [3, nil, 1, nil, 4, 1, 5, nil, 9, 2, 6]
        var receipt = receipt(.autoRenewable)
        receipt.inApp = days.enumerated().map { place, day in
            var period = purchase(.autoRenewable, TransactionID("\(place)"))
            period.purchaseDate = day.map { Timestamp(seconds: $0 * 86_400) }
            return period
        }
        let answer = VerifyReceiptResponse(
            receipt: receipt, receiptData: "", requestDate: now)
        let order = answer.latestReceiptInfo?.compactMap { $0.transactionID?.rawValue }
        #expect(order == ["8", "10", "6", "4", "0", "9", "2", "5", "1", "3", "7"])
    }

    @Test func `names come in Apple's order`() throws {
        let bytes = try VerifyReceiptResponse(
            receipt: receipt(.autoRenewable), receiptData: "A\"", requestDate: now
        ).appleJSON()
        let text = String(decoding: bytes, as: UTF8.self)
        let names = [
            "\"status\"", "\"environment\"", "\"receipt_type\"", "\"in_app\"",
            "\"quantity\"", "\"product_id\"",
        ]
        let places = names.compactMap { text.firstRange(of: $0)?.lowerBound }
        #expect(places == places.sorted())
        #expect(text.contains(#""latest_receipt":"A\"""#))
        #expect(text.contains(#""request_date_ms":"1700000001234""#))
    }

    @Test func `the status tells the other environment`() {
        let table: [(AppStoreEnvironment?, AppStoreEnvironment, VerifyReceiptStatus)] = [
            (.sandbox, .production, .sandboxReceipt), (.production, .sandbox, .productionReceipt),
            (.production, .production, .valid), (.sandbox, .sandbox, .valid),
            (.xcode, .production, .notAuthentic), (nil, .sandbox, .notAuthentic),
        ]
        for (environment, endpoint, status) in table {
            #expect(VerifyReceiptResponse.status(for: environment, at: endpoint) == status)
        }
    }

    @Test func `an iOS 6 subscription is valid until it ends, then expired`() throws {
        var legacy = LegacyReceipt(
            environment: .sandbox, bundleID: "a.b", productID: "p", transactionID: "1",
            purchaseInfo: ["bid": "a.b", "product-id": "p", "expires-date": "1700000002000"])
        legacy.expiresDate = Timestamp(milliseconds: 1_700_000_002_000)
        let valid = VerifyReceiptResponse(
            legacyReceipt: legacy, receiptData: "AA==", requestDate: now)
        #expect(valid.status == .valid)
        #expect(valid.latestReceipt == "AA==")
        let object = try json(valid.appleJSON())
        #expect(object["latest_receipt_info"]?["product_id"] == "p")
        #expect(object["receipt"]?["expires_date"] == "1700000002000")
        let expired = VerifyReceiptResponse(
            legacyReceipt: legacy, receiptData: "AA==",
            requestDate: Timestamp(seconds: 1_700_000_003))
        #expect(expired.status == .expired)
        #expect(expired.isValid)
        #expect(expired.latestExpiredReceiptInfo?.first?.productID == "p")
    }
}
