import AppStoreCoding
import AppStoreModel
import SignedDataCoding
import Testing

private let created = Timestamp(seconds: 1_700_000_000)

private func utf8(_ text: String, tag: UInt8 = DERTag.utf8String) -> ArraySlice<UInt8> {
    var writer = DERWriter()
    writer.add(tag, Array(text.utf8))
    return writer.bytes[...]
}

private let least: [ReceiptAttribute] = [
    .init(type: 2, value: utf8("com.example.app")),
    .init(type: 12, value: utf8("2023-11-14T22:13:20Z", tag: DERTag.ia5String)),
]

private func decode(_ attributes: [ReceiptAttribute]) throws(SignedDataError) -> AppReceipt {
    try AppReceipt(decodingContent: ReceiptAttribute.encodeList(attributes)[...])
}

private func code(_ attributes: [ReceiptAttribute]) -> SignedDataError.Code? {
    do {
        _ = try decode(attributes)
        return nil
    } catch { return error.code }
}

struct `Receipts and their attributes` {
    @Test func `a receipt without purchases is valid and empty`() throws {
        let receipt = try decode(least)
        #expect(receipt.inApp.isEmpty)
        #expect(receipt.bundleID == "com.example.app")
        #expect(receipt.creationDate == created)
        #expect(receipt.environment == nil)
    }

    @Test func `a receipt without bundle id or date is refused`() {
        #expect(code(Array(least.prefix(1))) == .malformedReceipt)
        #expect(code(Array(least.suffix(1))) == .malformedReceipt)
        #expect(code([.init(type: 2, value: utf8("")), least[1]]) == .malformedReceipt)
    }

    @Test func `what Xcode leaves out falls back`() throws {
        let purchase = ReceiptAttribute.encodeList([
            .init(type: 1702, value: utf8("p")), .init(type: 1703, value: utf8("0")),
        ])
        let receipt = try decode(least + [.init(type: 17, value: purchase[...])])
        #expect(receipt.inApp[0].originalTransactionID == "0")
        #expect(receipt.inApp[0].originalPurchaseDate == nil)
        #expect(receipt.originalApplicationVersion == nil)
    }

    private func purchase(_ attributes: [Int64: [UInt8]]) -> ReceiptAttribute {
        var all: [Int64: [UInt8]] = [
            1_701: [2, 1, 2], 1_702: Array(utf8("p")), 1_703: Array(utf8("1")),
            1_704: Array(utf8("2024-01-02T03:04:05Z")), 1_712: Array(utf8("")),
        ]
        for (type, value) in attributes { all[type] = value }
        let list = all.filter { !$0.value.isEmpty }.map {
            ReceiptAttribute(type: $0.key, value: $0.value[...])
        }
        return .init(type: 17, value: ReceiptAttribute.encodeList(list)[...])
    }

    @Test(
        arguments: [
            (1_702, []), (1_703, []), (1_702, utf8("")), (1_703, utf8("")), (1_703, [1, 1, 255]),
            (1_704, utf8("yesterday")), (1_704, [2, 1, 5]), (1_705, [4, 1, 7]),
            (1_708, utf8("never")), (1_712, utf8("perhaps")), (1_712, [1, 1, 255]),
        ] as [(Int64, ArraySlice<UInt8>)])
    func `a purchase of which something that decides cannot be read counts for nothing, alone`(
        type: Int64, value: ArraySlice<UInt8>
    ) throws {
        let receipt = try decode(
            least + [purchase([type: Array(value)]), purchase([1_703: Array(utf8("2"))])])
        #expect(Set(receipt.inApp.map(\.transactionID)) == ["", "2"])
        let bad = try #require(receipt.inApp.first { $0.transactionID == "" })
        #expect(bad.productID == "" && bad.purchaseDate == nil && bad.cancellationDate == nil)
        #expect(bad.otherAttributes.contains { $0.type == 1_701 })
        let good = try #require(receipt.inApp.first { $0.transactionID == "2" })
        #expect(good.productID == "p" && good.quantity == 2)
    }

    /// A list in which the product and the transaction can be read, and no more.
    private static let brokenAfterNames: ArraySlice<UInt8> = {
        let names = [1_702, 1_703].map { type in
            ReceiptAttribute(type: type, value: [0x0c, 1, 0x31]).encoded
        }
        return [0x31, 31] + names.joined() + [0x30, 1, 2]
    }()

    @Test(
        arguments: [[], [0x31], [0x31, 5, 1, 2, 3], [0x30, 0], brokenAfterNames]
            as [ArraySlice<UInt8>])
    func `a purchase that is no list of attributes counts for nothing, alone`(
        _ value: ArraySlice<UInt8>
    ) throws {
        let receipt = try decode(least + [.init(type: 17, value: value), purchase([:])])
        #expect(Set(receipt.inApp.map(\.transactionID)) == ["", "1"])
        let bad = try #require(receipt.inApp.first { $0.transactionID == "" })
        #expect(bad == InAppPurchase(productID: "", transactionID: ""))
        let written = receipt.encodedContent()
        #expect(try AppReceipt(decodingContent: written[...]) == receipt)
    }

    @Test func `names and numbers are read in the other's form, and texts of any kind`() throws {
        let receipt = try decode(
            least + [
                purchase([
                    1_701: Array(utf8("3")), 1_702: [0x13, 1, 0x71], 1_703: [2, 2, 1, 0],
                    1_704: [0x1a, 20] + Array("2024-01-02T03:04:05Z".utf8),
                    1_705: Array(utf8("")), 1_706: Array(utf8("once")),
                    1_711: Array(utf8("77")),
                ])
            ])
        let found = receipt.inApp[0]
        #expect(found.quantity == 3 && found.productID == "q" && found.transactionID == "256")
        #expect(found.originalTransactionID == "256" && found.webOrderLineItemID == "77")
        #expect(found.purchaseDate == Timestamp(rfc3339: "2024-01-02T03:04:05Z"))
        #expect(found.originalPurchaseDate == nil)
        #expect(found.otherAttributes.contains { $0.type == 1_706 })
    }

    @Test func `unknown attributes and encodings are kept, not refused`() throws {
        let odd: [ReceiptAttribute] = [
            .init(type: 9_999, value: [1, 2, 3]), .init(type: 77, version: 3, value: []),
            .init(type: 15, value: utf8("not a number")), .init(type: 3, value: [0xff]),
            .init(type: 19, value: [2, 1, 7]), .init(type: 8, value: [2, 1, 7]),
            .init(type: 18, value: utf8("once")), .init(type: 21, value: [0x18, 1, 0x32]),
        ]
        let receipt = try decode(least + odd)
        #expect(Set(receipt.otherAttributes.map(\.type)) == [9_999, 77, 15, 3, 19, 8, 18, 21])
        #expect(receipt.transactionDate == nil && receipt.originalPurchaseDate == nil)
        #expect(receipt.expirationDate == nil)
        #expect(receipt.otherAttributes.first { $0.type == 77 }?.version == 3)
        #expect(receipt.downloadID == nil)
        #expect(receipt.applicationVersion == nil)
        #expect(receipt.originalApplicationVersion == nil)
    }

    @Test func `an empty cancellation date is none and with a broken one nothing counts`() throws {
        func receipt(_ date: String) throws(SignedDataError) -> AppReceipt {
            let purchase = ReceiptAttribute.encodeList([
                .init(type: 1702, value: utf8("p")), .init(type: 1703, value: utf8("1")),
                .init(type: 1712, value: utf8(date, tag: DERTag.ia5String)),
            ])
            return try decode(least + [.init(type: 17, value: purchase[...])])
        }
        #expect(try receipt("").inApp[0].cancellationDate == nil)
        #expect(try receipt("2023-11-14T22:13:20Z").inApp[0].cancellationDate == created)
        let broken = try receipt("yesterday")
        #expect(broken.inApp.map(\.transactionID) == [""])
        // It is written as it came, and read to the same again.
        let written = broken.encodedContent()
        #expect(try AppReceipt(decodingContent: written[...]) == broken)
    }

    @Test func `a web order line item of 0 is none`() throws {
        func lineItem(_ number: UInt8) throws -> WebOrderLineItemID? {
            let purchase = ReceiptAttribute.encodeList([
                .init(type: 1702, value: utf8("p")), .init(type: 1703, value: utf8("1")),
                .init(type: 1711, value: [2, 1, number]),
            ])
            return try decode(least + [.init(type: 17, value: purchase[...])]).inApp[0]
                .webOrderLineItemID
        }
        #expect(try lineItem(0) == nil)
        #expect(try lineItem(7) == "7")
    }

    @Test(arguments: SignedReceipt.Form.allCases)
    func `every field survives a round trip`(_ form: SignedReceipt.Form) throws {
        var receipt = AppReceipt(
            bundleID: "com.example.app", creationDate: created, receiptType: .productionVPP)
        receipt.appItemID = 690_661_663
        receipt.applicationVersion = "1.2.3"
        receipt.transactionDate = created
        receipt.fulfillmentToolVersion = 1_345_531_954
        receipt.ageRating = "4+"
        receipt.developerID = 5
        receipt.downloadID = 74_011_462_945_433
        receipt.versionExternalIdentifier = 0
        receipt.originalPurchaseDate = created
        receipt.originalApplicationVersion = "1.0"
        receipt.expirationDate = Timestamp(rfc3339: "4001-01-01T00:00:00Z")
        receipt.device = DeviceBinding(
            opaqueValue: [1, 2], bundleIDAttribute: Array(utf8("com.example.app")), hash: [3, 4])
        receipt.otherAttributes = [OpaqueAttribute(type: 25, version: 1, value: [2, 1, 3])]
        var purchase = InAppPurchase(productID: "p", transactionID: "2", originalTransactionID: "2")
        purchase.quantity = 3
        purchase.purchaseDate = created
        purchase.expiresDate = created
        purchase.isInIntroOfferPeriod = true
        purchase.promotionalOfferID = "o"
        if form == .appStore {
            purchase.originalTransactionID = "1"
            purchase.originalPurchaseDate = created
            purchase.productType = .autoRenewable
            purchase.inAppItemID = 0
            purchase.webOrderLineItemID = "340000558053130"
            purchase.cancellationDate = created
            purchase.isTrialPeriod = false
        }
        receipt.inApp = [purchase]
        #expect(try AppReceipt(decodingContent: receipt.encodedContent(form)[...]) == receipt)
    }

    @Test func `the claimed transaction is found among many, never the first or last`() throws {
        var receipt = AppReceipt(bundleID: "a", creationDate: created)
        receipt.inApp = (1...60).map {
            InAppPurchase(productID: ProductID("p\($0)"), transactionID: TransactionID("\($0)"))
        }
        #expect(receipt.purchases(of: "31").map(\.productID) == ["p31"])
        #expect(receipt.purchases(of: "61").isEmpty)
    }

    @Test func `ten thousand purchases are read, and more than the limit refused`() throws {
        func content(_ count: Int) -> [UInt8] {
            var receipt = AppReceipt(bundleID: "a", creationDate: created)
            receipt.inApp = (0..<count).map {
                InAppPurchase(productID: "p", transactionID: TransactionID("\($0)"))
            }
            return receipt.encodedContent()
        }
        #expect(try AppReceipt(decodingContent: content(10_000)[...]).inApp.count == 10_000)
    }
}
