import AppStoreCoding
import AppStoreModel
import Foundation
import SignedDataCoding
import TestKit
import Testing

private let truths = AppleData.truths.filter { $0.kind.hasPrefix("receipt-pkcs7") }

@Suite(.enabled(if: AppleSamples.areThere, Comment(rawValue: AppleSamples.comment)))
struct `App receipts say what is known of them` {
    @Test(arguments: truths)
    func `every attribute of a receipt equals the truth`(_ truth: AppleData.Truth) throws {
        let known = try JSONDecoder().decode(JSONValue.self, from: Data(truth.json))
        let signed = try SignedReceipt(decoding: try AppleSamples.decoded(truth.file))
        let receipt = try AppReceipt(decoding: signed)

        #expect(receipt.receiptType?.rawValue == known["env"]?.string)
        #expect(receipt.bundleID.rawValue == known["bundle_id"]?.string)
        #expect(receipt.applicationVersion == known["app_version"]?.string)
        #expect(receipt.originalApplicationVersion == known["orig_version"]?.string)
        #expect(receipt.creationDate == known["created"]?.string.flatMap { Timestamp(rfc3339: $0) })
        #expect(
            receipt.expirationDate == known["expires"]?.string.flatMap { Timestamp(rfc3339: $0) })
        #expect(receipt.appItemID == known["app_item_id"]?.integer)
        #expect(hexadecimal(receipt.device.opaqueValue) == known["attr4_hex"]?.string)
        #expect(hexadecimal(receipt.device.hash) == known["attr5_hex"]?.string)
        #expect(hexadecimal(receipt.device.bundleIDAttribute) == known["attr2_hex"]?.string)
        let digest: OID = known["digest"]?.string == "sha1" ? .sha1 : .sha256
        #expect(signed.digestAlgorithms == [digest])
        #expect(signed.signer.digestAlgorithm == digest)
        #expect(signed.isIndefinite == known["ber_indefinite"]?.bool)
        // Apple signs the content alone; the forged ones were made by a tool that adds attributes.
        #expect((signed.signer.signedAttributes == nil) == !truth.kind.hasSuffix("fakeca"))

        let types = Set(try signed.attributes().map(\.type)).sorted()
        guard case .array(let knownTypes) = known["attr_types"] else {
            Issue.record("the truth has no attribute types")
            return
        }
        #expect(types == knownTypes.compactMap(\.integer))
        guard case .array(let purchases) = known["in_app"] else {
            Issue.record("the truth has no purchases")
            return
        }
        #expect(receipt.inApp.count == purchases.count)
        for (purchase, expected) in zip(receipt.inApp, purchases) { check(purchase, expected) }
    }

    private func check(_ purchase: InAppPurchase, _ known: JSONValue) {
        func date(_ number: String) -> Timestamp? {
            known[number]?.string.flatMap { Timestamp(rfc3339: $0) }
        }
        #expect(purchase.quantity == known["1701"]?.integer)
        #expect(purchase.productID.rawValue == known["1702"]?.string)
        #expect(purchase.transactionID.rawValue == known["1703"]?.string)
        #expect(
            purchase.originalTransactionID.rawValue
                == known["1705"]?.string ?? known["1703"]?.string)
        #expect(purchase.purchaseDate == date("1704"))
        #expect(purchase.originalPurchaseDate == date("1706"))
        #expect(purchase.productType?.rawValue == known["1707"]?.integer)
        #expect(purchase.expiresDate == date("1708"))
        #expect(purchase.inAppItemID == known["1710"]?.integer)
        let lineItem = known["1711"]?.integer.flatMap { $0 == 0 ? nil : String($0) }
        #expect(purchase.webOrderLineItemID?.rawValue == lineItem)
        #expect(purchase.cancellationDate == date("1712"))
        #expect(purchase.isTrialPeriod == known["1713"]?.integer.map { $0 != 0 })
        #expect(purchase.isInIntroOfferPeriod == known["1719"]?.integer.map { $0 != 0 })
        #expect(purchase.promotionalOfferID == known["1721"]?.string)
        guard case .object(let members) = known else { return }
        let others = members.keys.compactMap { Int64($0) }.filter { !knownFields.contains($0) }
        #expect(purchase.otherAttributes.map(\.type).sorted() == others.sorted())
    }

    private let knownFields: Set<Int64> = [
        1701, 1702, 1703, 1704, 1705, 1706, 1707, 1708, 1710, 1711, 1712, 1713, 1719, 1721,
    ]

    private static let genuine = truths.filter { !$0.kind.hasSuffix("fakeca") }

    @Test(arguments: genuine)
    func `a genuine receipt is encoded to the same bytes`(_ truth: AppleData.Truth) throws {
        let signed = try SignedReceipt(decoding: try AppleSamples.decoded(truth.file))
        let receipt = try AppReceipt(decoding: signed)
        let form: SignedReceipt.Form = signed.isIndefinite ? .xcode : .appStore
        var again = receipt
        // Xcode's offsets are not kept, so its old receipts come back in Greenwich time.
        let content = receipt.encodedContent(form)
        if signed.content.contains(subsequence: Array("+0".utf8)) {
            again = try AppReceipt(decodingContent: content[...])
            #expect(again == receipt)
        } else {
            #expect(content == Array(signed.content))
        }
        let encoded = SignedReceipt.encode(
            content: Array(signed.content), certificates: signed.certificates.map { Array($0) },
            digestAlgorithm: signed.digestAlgorithms[0], signer: signed.signer, form: form)
        #expect(encoded == signed.bytes)
    }
}

func hexadecimal(_ bytes: [UInt8]) -> String? {
    bytes.isEmpty
        ? nil
        : bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
}

extension Collection where Element == UInt8 {
    func contains(subsequence: [UInt8]) -> Bool {
        Array(self).firstRange(of: subsequence) != nil
    }
}
