import AppStoreModel
import Foundation
import TestKit
import Testing

/// Decodes a file as the object that its name says, and gives it under Apple's names again.
private func again<Value: AppStoreObject>(_ type: Value.Type, _ json: [UInt8]) throws -> JSONValue {
    let value = try JSONDecoder().decode(type, from: Data(json))
    return try JSONDecoder().decode(JSONValue.self, from: try JSONEncoder().encode(value))
}

private let readers: [(String, @Sendable ([UInt8]) throws -> JSONValue)] = [
    ("advancedCommerce", { try JSONDecoder().decode(JSONValue.self, from: Data($0)) }),
    ("appData", { try again(NotificationAppData.self, $0) }),
    ("appTransactionInfoResponse", { try again(AppTransactionInfoResponse.self, $0) }),
    ("appTransactionDoesNotExist", { try again(ServerErrorResponse.self, $0) }),
    ("appTransaction", { try again(AppTransactionPayload.self, $0) }),
    ("decodedRealtimeRequest", { try again(RealtimeRequestPayload.self, $0) }),
    (
        "extendRenewalDateForAllActiveSubscribers",
        { try again(MassExtendRenewalDateResponse.self, $0) }
    ),
    ("extendSubscriptionRenewalDate", { try again(ExtendRenewalDateResponse.self, $0) }),
    ("getAllSubscriptionStatuses", { try again(StatusResponse.self, $0) }),
    ("getDefaultMessage", { try again(RealtimeMessage.self, $0) }),
    ("getImageList", { try again(SignedPayloadBody.self, $0) }),
    ("getMessageList", { try again(SignedPayloadBody.self, $0) }),
    ("getNotificationHistory", { try again(NotificationHistoryResponse.self, $0) }),
    ("getRealtimeUrl", { try again(SignedPayloadBody.self, $0) }),
    ("getRefundHistory", { try again(RefundHistoryResponse.self, $0) }),
    ("getStatusOf", { try again(MassExtendRenewalDateStatusResponse.self, $0) }),
    ("getTestNotificationStatus", { try again(CheckTestNotificationResponse.self, $0) }),
    ("lookupOrderId", { try again(OrderLookupResponse.self, $0) }),
    ("performanceTest", { try again(SignedPayloadBody.self, $0) }),
    ("requestTestNotification", { try again(SendTestNotificationResponse.self, $0) }),
    ("signedRenewalInfo", { try again(RenewalPayload.self, $0) }),
    ("signedTransaction", { try again(TransactionPayload.self, $0) }),
    ("signed", { try again(NotificationPayload.self, $0) }),
    ("transactionHistory", { try again(HistoryResponse.self, $0) }),
    ("transactionInfo", { try again(TransactionInfoResponse.self, $0) }),
    ("", { try again(ServerErrorResponse.self, $0) }),
]

@Suite(.enabled(if: AppleSamples.areThere, Comment(rawValue: AppleSamples.comment)))
struct `Apple's examples` {
    @Test(arguments: AppleData.files(in: "models"))
    func `a message comes back as it was`(_ file: String) throws {
        let json = try AppleSamples.bytes(file)
        let name = file.replacing("models/applemodel_", with: "")
        let reader = try #require(readers.first { name.hasPrefix($0.0) })
        if name.contains("MalformedAppAppleId") {
            // "blue" is no number in any spelling.
            #expect(throws: DecodingError.self) { try reader.1(json) }
        } else {
            let original = try JSONDecoder().decode(JSONValue.self, from: Data(json))
            #expect(try reader.1(json) == original)
        }
    }

    @Test(arguments: AppleData.files(in: "notifications-v1"))
    func `a version 1 notification keeps what it had`(_ file: String) throws {
        let json = Data(try AppleSamples.bytes(file))
        let body = try JSONDecoder().decode(NotificationV1Body.self, from: json)
        #expect(!body.notificationType.rawValue.isEmpty)
        #expect(body.otherFields.keys.filter { $0 != "deprecation" }.isEmpty)
        let receipt = try #require(body.unifiedReceipt)
        let items = try #require(receipt.latestReceiptInfo)
        for item in items {
            #expect(item.transactionID != nil)
            #expect(item.purchaseDate.moment != nil)
            #expect(item.expires != nil)
        }
        let original = try JSONDecoder().decode(JSONValue.self, from: json)
        let written = try JSONDecoder().decode(
            JSONValue.self, from: try JSONEncoder().encode(body))
        #expect(strings(written["auto_renew_status"]) == strings(original["auto_renew_status"]))
        #expect(written["environment"] == original["environment"])
    }

    @Test(arguments: AppleData.files(in: "verifyreceipt"))
    func `a recorded answer keeps what it had`(_ file: String) throws {
        let json = Data(try AppleSamples.bytes(file))
        let answer = try JSONDecoder().decode(VerifyReceiptResponse.self, from: json)
        #expect(answer.receipt != nil)
        #expect(answer.otherFields.isEmpty)
        let original = try JSONDecoder().decode(JSONValue.self, from: json)
        let written = try JSONDecoder().decode(
            JSONValue.self, from: try JSONEncoder().encode(answer))
        for (name, value) in flattened(original) {
            // A list of one and the same object alone are one to a reader.
            let found = flattened(written)[name] ?? flattened(written)[name + ".0"]
            #expect(strings(found) == strings(value), "\(name)")
        }
    }

    /// Every scalar with its path.
    private func flattened(_ value: JSONValue, _ path: String = "") -> [String: JSONValue] {
        var found: [String: JSONValue] = [:]
        switch value {
        case .object(let members):
            for (name, member) in members {
                found.merge(flattened(member, "\(path)/\(name)")) { first, _ in first }
            }
        case .array(let list):
            for (index, element) in list.enumerated() {
                found.merge(flattened(element, "\(path)/\(index)")) { first, _ in first }
            }
        default: found[path] = value
        }
        return found
    }

    /// Scalars as text, since old fixtures have numbers where Apple writes strings.
    private func strings(_ value: JSONValue?) -> String? {
        switch value {
        case .integer(let number): String(number)
        case .bool(let flag): flag ? "true" : "false"
        case .string(let text): text
        default: nil
        }
    }
}
