import AppStoreModel
import Foundation
import Testing

private func decode<Value: Decodable>(_ type: Value.Type, _ json: String) throws -> Value {
    try JSONDecoder().decode(type, from: Data(json.utf8))
}

private func roundTrip<Value: Codable>(_ value: Value) throws -> Value {
    try JSONDecoder().decode(Value.self, from: try JSONEncoder().encode(value))
}

private let minimal = #""transactionId":"1","bundleId":"a.b","productId":"p""#

struct `What Apple has sent in several forms` {
    @Test func `numbers and strings are read as one`() throws {
        for json in [
            #"{"status":0,"receipt":{"adam_id":1,"app_item_id":2,"download_id":3,"in_app":[{"quantity":"2","purchase_date_ms":"1604851257000","transaction_id":501136461303889853}]}}"#,
            #"{"status":"0","receipt":{"adam_id":"1","app_item_id":"2","download_id":"3","in_app":[{"quantity":2,"purchase_date_ms":1604851257000,"transaction_id":"501136461303889853"}]}}"#,
        ] {
            let answer = try decode(VerifyReceiptResponse.self, json)
            guard case .app(let app) = answer.receipt else {
                Issue.record("no app")
                return
            }
            #expect(answer.status == .valid)
            #expect(app.adamID == 1 && app.appItemID == 2 && app.downloadID == 3)
            #expect(app.inApp?[0].quantity == 2)
            #expect(app.inApp?[0].purchaseDate.moment?.milliseconds == 1_604_851_257_000)
            #expect(app.inApp?[0].transactionID == "501136461303889853")
        }
        #expect(throws: DecodingError.self) {
            try decode(VerifyReceiptResponse.self, #"{"status":"zero"}"#)
        }
        #expect(throws: DecodingError.self) {
            try decode(VerifyReceiptResponse.self, #"{"status":{}}"#)
        }
    }

    @Test func `an object stands for a list of one`() throws {
        let one = try decode(
            VerifyReceiptResponse.self, #"{"status":0,"latest_receipt_info":{"product_id":"p"}}"#)
        let list = try decode(
            VerifyReceiptResponse.self, #"{"status":0,"latest_receipt_info":[{"product_id":"p"}]}"#)
        #expect(one == list)
        #expect(one.latestReceiptInfo?.count == 1)
        #expect(throws: DecodingError.self) {
            try decode(VerifyReceiptResponse.self, #"{"status":0,"latest_receipt_info":"p"}"#)
        }
    }

    @Test(arguments: [
        ("is-retryable", "true", true), ("is_retryable", "true", true), ("is-retryable", "1", true),
        ("is_retryable", "0", false), ("is-retryable", "\"true\"", true),
        ("is_retryable", "\"false\"", false), ("is-retryable", "\"1\"", true),
    ])
    func `the flag of internal errors is read in every spelling`(
        _ name: String, _ value: String, _ expected: Bool
    ) throws {
        let answer = try decode(
            VerifyReceiptResponse.self, "{\"status\":21104,\"\(name)\":\(value)}")
        #expect(answer.isRetryable == expected)
        #expect(answer.remedy == (expected ? .retry : .refuse))
        #expect(answer.otherFields.isEmpty)
    }

    @Test func `an internal error without its flag is tried again`() throws {
        #expect(try decode(VerifyReceiptResponse.self, #"{"status":21199}"#).remedy == .retry)
        #expect(try decode(VerifyReceiptResponse.self, #"{"status":21200}"#).remedy == .retry)
        #expect(VerifyReceiptStatus(rawValue: 21_010).remedy(isRetryable: true) == .refuse)
        #expect(VerifyReceiptStatus.sandboxReceipt.remedy(isRetryable: nil) == .otherEnvironment)
        #expect(VerifyReceiptStatus.wrongSecret.remedy(isRetryable: nil) == .configuration)
    }

    @Test func `fractional and ancient dates are whole milliseconds, rounded down`() throws {
        let payload = try decode(
            TransactionPayload.self,
            "{\(minimal),\"purchaseDate\":1697679936049.7297,\"originalPurchaseDate\":-62135769600000}"
        )
        #expect(payload.purchaseDate?.milliseconds == 1_697_679_936_049)
        #expect(payload.originalPurchaseDate?.milliseconds == -62_135_769_600_000)
        let written = try JSONEncoder().encode(payload)
        #expect(!String(decoding: written, as: UTF8.self).contains("." + "7297"))
        #expect(throws: DecodingError.self) {
            try decode(TransactionPayload.self, "{\(minimal),\"purchaseDate\":1e300}")
        }
        #expect(throws: DecodingError.self) {
            try decode(TransactionPayload.self, "{\(minimal),\"revocationDate\":\"soon\"}")
        }
    }

    @Test func `unknown words, numbers and names survive`() throws {
        let json = """
            {\(minimal),"type":"Rental","offerType":99,"billingPlanType":"WEEKLY",
            "environment":"Mars","new":{"a":[1,2.5,null,true,"x"]}}
            """
        let payload = try decode(TransactionPayload.self, json)
        #expect(payload.type?.rawValue == "Rental")
        #expect(payload.offerType == 99)
        #expect(payload.billingPlanType == "WEEKLY")
        #expect(payload.environment?.isKnown == false)
        #expect(payload.otherFields == ["new": ["a": [1, .number(2.5), .null, true, "x"]]])
        #expect(try roundTrip(payload) == payload)
    }

    @Test func `a notification of an unknown kind is read`() throws {
        let payload = try decode(
            NotificationPayload.self,
            #"{"notificationType":"FUTURE_X","subtype":"Y","notificationUUID":"u","later":{"a":1}}"#
        )
        #expect(payload.notificationType == "FUTURE_X")
        #expect(payload.data == nil)
        #expect(payload.otherFields["later"]?["a"] == 1)
        #expect(!NotificationKind.isKnown(payload.notificationType, payload.subtype))
        #expect(throws: DecodingError.self) {
            try decode(NotificationPayload.self, #"{"notificationType":"TEST"}"#)
        }
    }

    @Test(arguments: [49_000_000, 2_999_900_000, Int64.max])
    func `prices are wider than 32 bits`(_ price: Int64) throws {
        let payload = try decode(TransactionPayload.self, "{\(minimal),\"price\":\(price)}")
        #expect(payload.price == price)
        #expect(try decode(TransactionPayload.self, "{\(minimal)}").price == nil)
        let wider = try decode(
            TransactionPayload.self, "{\(minimal),\"price\":9223372036854775808}")
        #expect(wider.price == nil && wider.otherFields["price"] != nil)
    }

    @Test func `an original transaction that is left out is the transaction itself`() throws {
        #expect(try decode(TransactionPayload.self, "{\(minimal)}").originalTransactionID == "1")
        #expect(throws: DecodingError.self) {
            try decode(TransactionPayload.self, #"{"bundleId":"a.b","productId":"p"}"#)
        }
        #expect(throws: DecodingError.self) {
            try decode(
                TransactionPayload.self, #"{"transactionId":null,"bundleId":"a","productId":"p"}"#)
        }
    }

    @Test(arguments: [
        ("Production", AppStoreEnvironment.production), ("PROD", .production),
        ("ProductionVPP", .production), ("Sandbox", .sandbox), ("ProductionSandbox", .sandbox),
        ("ProductionVPPSandbox", .sandbox), ("Xcode", .xcode), ("LocalTesting", .localTesting),
    ])
    func `every spelling of an environment ends in one`(
        _ spelling: String, _ expected: AppStoreEnvironment
    ) throws {
        #expect(AppStoreEnvironment(rawValue: spelling) == expected)
        #expect(ReceiptType(rawValue: spelling).environment == expected)
        #expect(try decode([AppStoreEnvironment].self, "[\"\(spelling)\"]") == [expected])
        #expect(expected.isKnown)
    }

    @Test(arguments: ["Productions", "ProductionX", "Sandbox ", "", "production2"])
    func `what is no environment is none of the four`(_ spelling: String) {
        #expect(!AppStoreEnvironment(rawValue: spelling).isKnown)
    }

    @Test func `version 1 writes PROD and true`() throws {
        var body = NotificationV1Body(.didRenew)
        body.environment = .production
        body.autoRenewStatus = true
        let json = try decode(
            JSONValue.self, String(decoding: try JSONEncoder().encode(body), as: UTF8.self))
        #expect(
            json == [
                "notification_type": "DID_RENEW", "environment": "PROD",
                "auto_renew_status": "true",
            ])
        #expect(try roundTrip(body) == body)
    }
}

struct `Tables of facts` {
    @Test func `the kinds of notifications are each there once`() {
        #expect(Set(NotificationKind.all).count == NotificationKind.all.count)
        #expect(NotificationKind.isKnown(.subscribed, .initialBuy))
        #expect(!NotificationKind.isKnown(.subscribed, nil))
        #expect(NotificationKind.isKnown(.test, nil))
        #expect(!NotificationKind.isKnown(.test, .upgrade))
        #expect(NotificationKind.isKnown(.renewalExtension, .summary))
        #expect(NotificationKind.isKnown(.subscribed))
        #expect(!NotificationKind.isKnown("FUTURE_X"))
    }

    @Test func `error codes know their HTTP status and whether trying again can help`() {
        #expect(ServerErrorCode.known.count == Set(ServerErrorCode.known).count)
        for code in ServerErrorCode.known {
            #expect([400, 403, 404, 409, 429, 500].contains(code.httpStatus))
        }
        #expect(ServerErrorCode.transactionIDNotFound.httpStatus == 404)
        #expect(ServerErrorCode.transactionIDNotFound.message == "Transaction id not found.")
        #expect(!ServerErrorCode.transactionIDNotFound.isRetryable)
        #expect(ServerErrorCode(rawValue: 4_040_002).isRetryable)
        #expect(ServerErrorCode.rateLimitExceeded.isRetryable)
        #expect(ServerErrorCode(rawValue: 4_999_999).message == nil)
    }

    @Test func `statuses are each there once`() {
        #expect(
            Set(VerifyReceiptStatus.table.map(\.status)).count == VerifyReceiptStatus.table.count)
    }
}

struct `What a moment can be` {
    private static let furthest = Timestamp.greatestMagnitude

    @Test(arguments: [Int64.max, .min, furthest + 1, -furthest - 1])
    func `what no moment can be is refused where it is read, and bounded where it is made`(
        _ milliseconds: Int64
    ) throws {
        for value in ["\(milliseconds)", "\"\(milliseconds)\""] {
            #expect(throws: DecodingError.self) {
                try decode(TransactionPayload.self, "{\(minimal),\"expiresDate\":\(value)}")
            }
        }
        #expect(throws: DecodingError.self) { try decode(Timestamp.self, "\(milliseconds)") }
        let bounded = Timestamp(milliseconds: milliseconds)
        #expect(bounded.milliseconds.magnitude == UInt64(Self.furthest))
        #expect(bounded.seconds.magnitude == UInt64(Self.furthest / 1_000))
        #expect(Timestamp(seconds: milliseconds) == bounded)
    }

    @Test func `the furthest moments are read, and nothing lies beyond them`() throws {
        let latest = try decode(Timestamp.self, "\(Self.furthest)")
        #expect(latest.advanced(byMilliseconds: .max) == latest)
        #expect(latest.advanced(byMilliseconds: 1) == latest)
        #expect(latest.advanced(byMilliseconds: -1) < latest)
        let first = try decode(Timestamp.self, "-\(Self.furthest)")
        #expect(first.advanced(byMilliseconds: .min) == first)
    }

    @Test(arguments: ["0x10", "1e3", "nan", "inf", "+5", " 5", "5 ", "1.2.3", "-", "."])
    func `a text that is no plain number is no moment`(_ text: String) {
        #expect(throws: DecodingError.self) {
            try decode(TransactionPayload.self, "{\(minimal),\"purchaseDate\":\"\(text)\"}")
        }
        #expect(Timestamp(appleText: text) == nil)
    }
}

struct `What Apple may change` {
    @Test(arguments: [
        "price", "currency", "offerType", "offerIdentifier", "revocationReason", "storefront",
        "commitmentInfo", "originalPurchaseDate", "appAccountToken",
    ])
    func `a field that decides nothing about goods costs nobody a purchase`(_ name: String) throws {
        for value in ["[1]", #"{"a":[true]}"#] where !(name == "commitmentInfo" && value != "[1]") {
            let payload = try decode(TransactionPayload.self, "{\(minimal),\"\(name)\":\(value)}")
            #expect(payload.transactionID == "1")
            #expect(payload.otherFields[name] == (try decode(JSONValue.self, value)))
            #expect(try roundTrip(payload) == payload)
        }
    }

    @Test(arguments: [
        "purchaseDate", "expiresDate", "signedDate", "revocationDate", "quantity", "isUpgraded",
        "environment", "webOrderLineItemId",
    ])
    func `a field that decides about goods and cannot be read is an error`(_ name: String) {
        #expect(throws: DecodingError.self) {
            try decode(TransactionPayload.self, "{\(minimal),\"\(name)\":[1]}")
        }
    }

    @Test(arguments: [
        "purchaseDate", "expiresDate", "revocationDate", "quantity", "isUpgraded", "price",
    ])
    func `an empty text is the absence of a number or a date`(_ name: String) throws {
        let payload = try decode(TransactionPayload.self, "{\(minimal),\"\(name)\":\"\"}")
        #expect(payload == (try decode(TransactionPayload.self, "{\(minimal)}")))
    }

    @Test(arguments: ["1e400", "-1e400", #""\ud800""#, #"[1e400,{"a":1e999}]"#])
    func `an unknown field that nothing can hold costs nobody a purchase`(_ value: String) throws {
        let payload = try decode(TransactionPayload.self, "{\(minimal),\"later\":\(value)}")
        #expect(payload.transactionID == "1" && payload.otherFields["later"] != nil)
        let written = try roundTrip(payload)
        #expect(written.transactionID == "1")
    }

    @Test func `a number that does not fit is told with its field`() {
        for name in ["transactionId", "bundleId", "environment"] {
            var fields = ["transactionId": "1", "bundleId": "2", "productId": "3"]
            fields[name] = "1.5"
            let text = fields.map { "\"\($0.key)\":\($0.value)" }.joined(separator: ",")
            do {
                _ = try decode(TransactionPayload.self, "{\(text)}")
                Issue.record("\(name) was taken")
            } catch DecodingError.dataCorrupted(let context) {
                #expect(context.codingPath.map(\.stringValue) == [name])
            } catch { Issue.record("\(error)") }
        }
    }

    @Test func `a notification's part of an unknown kind still tells the app`() throws {
        let notification = try decode(
            NotificationPayload.self,
            #"{"notificationType":"FUTURE","notificationUUID":"u","bundleInfo":{"bundleId":"a.b","environment":"Sandbox","appAppleId":7}}"#
        )
        #expect(notification.bundleID == "a.b")
        #expect(notification.environment == .sandbox)
        #expect(notification.appAppleID == 7)
    }

    @Test func `a date is read from whichever of its three forms can be`() throws {
        let item = try decode(
            VerifyReceiptItem.self,
            #"{"purchase_date_ms":"","purchase_date":"2020-11-08 16:00:57 Etc/GMT","cancellation_date":"","cancellation_date_ms":"","quantity":{}}"#
        )
        #expect(item.purchaseDate.moment?.milliseconds == 1_604_851_257_000)
        #expect(item.cancellationDate.moment == nil)
        #expect(item.quantity == nil && item.otherFields["quantity"] == .object([:]))
    }
}

struct `Names` {
    @Test func `are compared by their bytes`() {
        let (composed, decomposed) = ("caf\u{e9}", "cafe\u{301}")
        #expect(composed == decomposed, "Swift takes them for one")
        #expect(ProductID(composed) != ProductID(decomposed))
        #expect(Set([ProductID(composed), ProductID(decomposed)]).count == 2)
        #expect(
            (ProductID(composed) < ProductID(decomposed))
                != (ProductID(decomposed) < ProductID(composed)))
        // Two spellings of the same length, too.
        #expect(ProductID("\u{212b}a") != ProductID("A\u{30a}a"))
        #expect(ProductID("same") == ProductID("same"))
        // One that Swift takes for a semicolon, and one for the letter K.
        for (ascii, other) in [("a;", "a\u{37e}"), ("Kx", "\u{212a}x")] {
            #expect(ascii == other && !ascii.isSameBytes(as: other))
            #expect(!other.isSameBytes(as: ascii))
            #expect(ascii.precedesInBytes(other) != other.precedesInBytes(ascii))
        }
    }
}
