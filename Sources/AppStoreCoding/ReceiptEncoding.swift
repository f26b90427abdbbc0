public import AppStoreModel
public import SignedDataCoding

extension AppReceipt {
    /// The list of attributes in the form of the App Store or of Xcode, ready to be signed.
    ///
    /// A genuine receipt that was decoded is encoded to the very same bytes. Attributes without a
    /// value are left out, but for those that Apple writes empty or as 0.
    public func encodedContent(_ form: SignedReceipt.Form = .appStore) -> [UInt8] {
        var members = AttributeList(form: form)
        members.addText(AppAttribute.receiptType, receiptType?.rawValue)
        members.addInteger(AppAttribute.appItemID, appItemID)
        if device.bundleIDAttribute.isEmpty {
            members.addText(AppAttribute.bundleID, bundleID.rawValue)
        } else {
            members.add(AppAttribute.bundleID.rawValue, device.bundleIDAttribute)
        }
        members.addText(AppAttribute.applicationVersion, applicationVersion)
        if !device.opaqueValue.isEmpty {
            members.add(
                AppAttribute.opaqueValue.rawValue, device.opaqueValue,
                version: form == .appStore ? 2 : 1)
        }
        if !device.hash.isEmpty { members.add(AppAttribute.hash.rawValue, device.hash) }
        members.addDate(AppAttribute.transactionDate, transactionDate, isAlwaysThere: true)
        members.addInteger(AppAttribute.fulfillmentToolVersion, fulfillmentToolVersion)
        members.addText(
            AppAttribute.ageRating, ageRating, tag: DERTag.ia5String)
        members.addInteger(AppAttribute.developerID, developerID)
        members.addDate(AppAttribute.creationDate, creationDate)
        members.addInteger(AppAttribute.downloadID, downloadID)
        members.addInteger(AppAttribute.versionExternalIdentifier, versionExternalIdentifier)
        members.addDate(AppAttribute.originalPurchaseDate, originalPurchaseDate)
        members.addText(AppAttribute.originalApplicationVersion, originalApplicationVersion)
        members.addDate(AppAttribute.expirationDate, expirationDate)
        for purchase in inApp {
            members.add(AppAttribute.inApp.rawValue, purchase.encodedContent(form))
        }
        members.add(otherAttributes)
        return members.encoded
    }
}

extension InAppPurchase {
    fileprivate func encodedContent(_ form: SignedReceipt.Form) -> [UInt8] {
        var members = AttributeList(form: form)
        guard !transactionID.rawValue.isEmpty else {
            // One that counts for nothing has its attributes as they came, and no others.
            members.add(otherAttributes)
            return members.encoded
        }
        let isAppStore = form == .appStore
        members.addInteger(InAppAttribute.quantity, quantity)
        members.addText(InAppAttribute.productID, productID.rawValue)
        members.addText(InAppAttribute.transactionID, transactionID.rawValue)
        members.addDate(InAppAttribute.purchaseDate, purchaseDate)
        members.addDate(InAppAttribute.expiresDate, expiresDate, isAlwaysThere: isAppStore)
        members.addFlag(InAppAttribute.isInIntroOfferPeriod, isInIntroOfferPeriod)
        if isAppStore {
            members.addText(InAppAttribute.originalTransactionID, originalTransactionID.rawValue)
            members.addDate(InAppAttribute.originalPurchaseDate, originalPurchaseDate)
            members.addInteger(InAppAttribute.productType, productType?.rawValue)
            members.addInteger(InAppAttribute.inAppItemID, inAppItemID)
            members.addInteger(
                InAppAttribute.webOrderLineItemID,
                webOrderLineItemID.map { Int64($0.rawValue) ?? 0 } ?? 0)
            members.addDate(InAppAttribute.cancellationDate, cancellationDate, isAlwaysThere: true)
            members.addFlag(InAppAttribute.isTrialPeriod, isTrialPeriod)
        }
        if let promotionalOfferID {
            members.addText(InAppAttribute.promotionalOfferID, promotionalOfferID)
        }
        members.add(otherAttributes)
        return members.encoded
    }
}

/// Attributes on their way into a receipt.
private struct AttributeList {
    let form: SignedReceipt.Form
    var members: [ReceiptAttribute] = []

    mutating func add(_ type: Int64, _ value: [UInt8], version: Int64 = 1) {
        members.append(ReceiptAttribute(type: type, version: version, value: value[...]))
    }

    mutating func add(_ others: [OpaqueAttribute]) {
        for other in others { add(other.type, other.value, version: other.version) }
    }

    mutating func addText(
        _ attribute: some RawRepresentable<Int64>, _ text: String?,
        tag: UInt8 = DERTag.utf8String
    ) {
        guard let text else { return }
        var writer = DERWriter()
        writer.add(tag, Array(text.utf8))
        add(attribute.rawValue, writer.bytes)
    }

    mutating func addInteger(_ attribute: some RawRepresentable<Int64>, _ number: Int64?) {
        guard let number else { return }
        var writer = DERWriter()
        writer.add(integer: number)
        add(attribute.rawValue, writer.bytes)
    }

    mutating func addFlag(_ attribute: some RawRepresentable<Int64>, _ flag: Bool?) {
        addInteger(attribute, flag.map { $0 ? 1 : 0 })
    }

    /// A date; an empty text for none where Apple writes one.
    mutating func addDate(
        _ attribute: some RawRepresentable<Int64>, _ date: Timestamp?, isAlwaysThere: Bool = false
    ) {
        guard date != nil || isAlwaysThere else { return }
        addText(attribute, date?.rfc3339 ?? "", tag: DERTag.ia5String)
    }

    /// The App Store orders by the rule of DER, Xcode by number.
    var encoded: [UInt8] {
        guard form == .xcode else { return ReceiptAttribute.encodeList(members) }
        var writer = DERWriter()
        writer.add(DERTag.set, members.sorted { $0.type < $1.type }.flatMap(\.encoded))
        return writer.bytes
    }
}
