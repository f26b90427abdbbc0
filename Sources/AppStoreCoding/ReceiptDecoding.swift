public import AppStoreModel
public import SignedDataCoding

extension AppReceipt {
    /// The most purchases that are taken; the largest receipt ever seen has 187.
    public static let maximumPurchases = 50_000

    /// Reads what a receipt says, which says nothing about who wrote it.
    public init(decoding receipt: SignedReceipt) throws(SignedDataError) {
        try self.init(decodingContent: receipt.content)
    }

    /// Reads the list of attributes that a receipt signs; takes time linear in its size.
    ///
    /// Unknown attributes and unknown encodings of harmless ones are kept. A purchase that is no list of
    /// attributes, or of which a date or a name that decides about it cannot be read, has neither name nor
    /// product nor date, and keeps the attributes in it as they came: it counts for nothing, and the others
    /// count.
    public init(decodingContent content: ArraySlice<UInt8>) throws(SignedDataError) {
        var reader = try ReceiptAttributeReader(content)
        let bytes = reader.bytes
        var bundleID: BundleID?
        var creationDate: Timestamp?
        var receipt = AppReceipt(bundleID: "", creationDate: Timestamp(milliseconds: 0))
        while let entry = try reader.next() {
            let value = AttributeValue(bytes: bytes, range: entry.value)
            switch AppAttribute(rawValue: entry.type) {
            case .bundleID:
                bundleID = BundleID(try value.requiredText(entry.type))
                receipt.device.bundleIDAttribute = Array(bytes[entry.value])
            case .creationDate: creationDate = try value.date(entry.type)
            case .opaqueValue: receipt.device.opaqueValue = Array(bytes[entry.value])
            case .hash: receipt.device.hash = Array(bytes[entry.value])
            case .inApp:
                guard receipt.inApp.count < Self.maximumPurchases else {
                    throw SignedDataError(.tooMany, at: entry.value.lowerBound)
                }
                receipt.inApp.append(InAppPurchase(reading: bytes, entry.value))
            case let attribute?:
                if try !receipt.take(attribute, value) { fallthrough }
            case nil:
                receipt.otherAttributes.append(value.opaque(entry))
            }
        }
        guard let bundleID, let creationDate else {
            throw SignedDataError(
                .malformedReceipt, detail: bundleID == nil ? "no bundle id" : "no creation date")
        }
        receipt.bundleID = bundleID
        receipt.creationDate = creationDate
        self = receipt
    }

    /// Takes a harmless attribute; says whether its encoding is the expected one.
    private mutating func take(
        _ attribute: AppAttribute, _ value: AttributeValue
    ) throws(SignedDataError) -> Bool {
        switch attribute {
        case .receiptType:
            receiptType = ReceiptType(rawValue: try value.requiredText(attribute.rawValue))
        case .appItemID: return value.set(&appItemID, value.integer)
        case .applicationVersion: return value.set(&applicationVersion, value.text)
        case .transactionDate: return value.setDate(&transactionDate)
        case .fulfillmentToolVersion: return value.set(&fulfillmentToolVersion, value.integer)
        case .ageRating: return value.set(&ageRating, value.text)
        case .developerID: return value.set(&developerID, value.integer)
        case .downloadID: return value.set(&downloadID, value.integer)
        case .versionExternalIdentifier: return value.set(&versionExternalIdentifier, value.integer)
        case .originalPurchaseDate: return value.setDate(&originalPurchaseDate)
        case .originalApplicationVersion: return value.set(&originalApplicationVersion, value.text)
        case .expirationDate: return value.setDate(&expirationDate)
        case .bundleID, .creationDate, .opaqueValue, .hash, .inApp: return false
        }
        return true
    }
}

extension InAppPurchase {
    /// Reads a purchase, or one that counts for nothing.
    fileprivate init(reading bytes: [UInt8], _ range: Range<Int>) {
        do throws(SignedDataError) {
            try self.init(bytes, range)
        } catch {
            self.init(unreadable: bytes, range)
        }
    }

    /// A purchase that counts for nothing, with the attributes in it; without any where one is none.
    private init(unreadable bytes: [UInt8], _ range: Range<Int>) {
        self.init(productID: "", transactionID: "")
        do throws(SignedDataError) {
            var reader = try ReceiptAttributeReader(bytes, range)
            while let entry = try reader.next() {
                let value = AttributeValue(bytes: bytes, range: entry.value)
                otherAttributes.append(value.opaque(entry))
            }
        } catch { otherAttributes = [] }
    }

    private init(_ bytes: [UInt8], _ range: Range<Int>) throws(SignedDataError) {
        var reader = try ReceiptAttributeReader(bytes, range)
        var purchase = InAppPurchase(productID: "", transactionID: "")
        var original: TransactionID?
        while let entry = try reader.next() {
            let value = AttributeValue(bytes: bytes, range: entry.value)
            switch InAppAttribute(rawValue: entry.type) {
            case .productID: purchase.productID = ProductID(try value.requiredName(entry.type))
            case .transactionID:
                purchase.transactionID = TransactionID(try value.requiredName(entry.type))
            case .originalTransactionID where value.isEmptyText: continue
            case .originalTransactionID:
                original = TransactionID(try value.requiredName(entry.type))
            case let attribute?:
                if try !purchase.take(attribute, value) { fallthrough }
            case nil:
                purchase.otherAttributes.append(value.opaque(entry))
            }
        }
        guard !purchase.productID.rawValue.isEmpty, !purchase.transactionID.rawValue.isEmpty else {
            throw SignedDataError(.malformedReceipt, at: range.lowerBound)
        }
        purchase.originalTransactionID = original ?? purchase.transactionID
        self = purchase
    }

    private mutating func take(
        _ attribute: InAppAttribute, _ value: AttributeValue
    ) throws(SignedDataError) -> Bool {
        switch attribute {
        case .quantity: return value.set(&quantity, value.number)
        case .purchaseDate: purchaseDate = try value.date(attribute.rawValue)
        case .originalPurchaseDate: return value.setDate(&originalPurchaseDate)
        case .productType:
            return value.set(&productType, value.integer.map { InAppProductType(rawValue: $0) })
        case .expiresDate: expiresDate = try value.date(attribute.rawValue)
        case .inAppItemID: return value.set(&inAppItemID, value.integer)
        case .webOrderLineItemID:
            guard let number = value.number else { return false }
            webOrderLineItemID = number == 0 ? nil : WebOrderLineItemID(String(number))
        case .cancellationDate: cancellationDate = try value.date(attribute.rawValue)
        case .isTrialPeriod: return value.set(&isTrialPeriod, value.integer.map { $0 != 0 })
        case .isInIntroOfferPeriod:
            return value.set(&isInIntroOfferPeriod, value.integer.map { $0 != 0 })
        case .promotionalOfferID: return value.set(&promotionalOfferID, value.text)
        case .productID, .transactionID, .originalTransactionID: return false
        }
        return true
    }
}
