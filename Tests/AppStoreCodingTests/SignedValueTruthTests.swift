import AppStoreCoding
import AppStoreModel
import Foundation
import SignedDataCoding
import TestKit
import Testing

private let truths = AppleData.truths.filter { $0.kind.hasPrefix("jws-") }

@Suite(.enabled(if: AppleSamples.areThere, Comment(rawValue: AppleSamples.comment)))
struct `Signed values say what is known of them` {
    @Test(arguments: truths)
    func `every field of a payload equals the truth`(_ truth: AppleData.Truth) throws {
        let known = try #require(
            try JSONDecoder().decode(JSONValue.self, from: Data(truth.json))["payload"])
        let text = String(decoding: try AppleSamples.bytes(truth.file), as: UTF8.self)
        let jws = try CompactJWS(decoding: text.trimmingCharacters(in: .whitespacesAndNewlines))
        let payload = try SignedPayload(decodingPayload: jws.payload)
        #expect(try wholeMilliseconds(encoded(payload)) == wholeMilliseconds(known))
        let expected = ["transaction", "renewal", "notification", "apptransaction"].first {
            truth.kind.hasPrefix("jws-" + $0)
        }
        if let expected {
            #expect(payload.kind.rawValue.lowercased().hasPrefix(expected))
        }
    }

    /// The payload under Apple's names again.
    private func encoded(_ payload: SignedPayload) throws -> JSONValue {
        let json =
            switch payload {
            case .transaction(let value): try value.encodedJSON()
            case .renewalInfo(let value): try value.encodedJSON()
            case .notification(let value): try value.encodedJSON()
            case .appTransaction(let value): try value.encodedJSON()
            case .realtimeRequest(let value): try value.encodedJSON()
            case .unknown(let value): Array(try JSONEncoder().encode(value))
            }
        return try JSONDecoder().decode(JSONValue.self, from: Data(json))
    }

    /// Xcode's fractions of a millisecond are rounded down, so they are here as well.
    private func wholeMilliseconds(_ value: JSONValue) -> JSONValue {
        switch value {
        case .number(let number): .integer(Int64(number.rounded(.down)))
        case .object(let members): .object(members.mapValues(wholeMilliseconds))
        case .array(let list): .array(list.map(wholeMilliseconds))
        default: value
        }
    }

    @Test(arguments: AppleData.truths.filter { $0.kind == "receipt-ios6" })
    func `every name of an iOS 6 receipt equals the truth`(_ truth: AppleData.Truth) throws {
        let known = try JSONDecoder().decode(JSONValue.self, from: Data(truth.json))
        guard case .object(let info) = known["purchase_info"] else {
            Issue.record("the truth has no purchase info")
            return
        }
        let signed = try LegacyTransactionReceipt(decoding: try AppleSamples.decoded(truth.file))
        #expect(signed.purchaseInfo.mapValues { JSONValue.string($0) } == info)
        let receipt = try LegacyReceipt(decoding: signed)
        #expect(receipt.environment.rawValue == known["env"]?.string)
        #expect(receipt.transactionID.rawValue == info["transaction-id"]?.string)
        #expect(
            receipt.purchaseDate?.milliseconds
                == info["purchase-date-ms"]?.string.flatMap { Int64($0) })
        let signature = try signed.signature()
        #expect(signature.version == 2)
        #expect(signature.signature.count == 128)
        #expect(signature.certificate.starts(with: [0x30, 0x82]))
    }
}
