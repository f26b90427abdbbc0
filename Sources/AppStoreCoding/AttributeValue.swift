import AppStoreModel
import SignedDataCoding

/// The bytes inside an attribute, which usually are one more value of DER.
struct AttributeValue {
    let bytes: [UInt8]
    let range: Range<Int>

    /// The content of a value of that kind which fills the attribute.
    private func content(_ isExpected: (UInt8) -> Bool) -> Range<Int>? {
        guard let tag = bytes[range].first, isExpected(tag) else { return nil }
        var reader = DERReader(bytes, range)
        guard let element = try? reader.next(), reader.isAtEnd else { return nil }
        return element.content
    }

    private var textRange: Range<Int>? {
        content { $0 == DERTag.utf8String || $0 == DERTag.ia5String }
    }

    /// Text of either kind.
    var text: String? {
        textRange.flatMap { String(validating: bytes[$0], as: UTF8.self) }
    }

    /// A whole number.
    var integer: Int64? {
        guard let content = content({ $0 == DERTag.integer }), (1...8).contains(content.count)
        else { return nil }
        var value: Int64 = bytes[content.lowerBound] & 0x80 == 0 ? 0 : -1
        for index in content { value = value << 8 | Int64(bytes[index]) }
        return value
    }

    /// Fills a field; says whether there was a value of the field's kind.
    func set<Field>(_ field: inout Field?, _ found: Field?) -> Bool {
        field = found
        return found != nil
    }

    /// Text that must be there and not empty.
    func requiredText(_ type: Int64) throws(SignedDataError) -> String {
        guard let text, !text.isEmpty else {
            throw SignedDataError(
                .malformedReceipt, at: range.lowerBound, detail: "attribute \(type) is no text")
        }
        return text
    }

    /// A date; an empty one is none, and any other text is an error.
    func date(_ type: Int64) throws(SignedDataError) -> Timestamp? {
        guard let textRange else { throw notADate(type) }
        guard !textRange.isEmpty else { return nil }
        guard let date = Timestamp(rfc3339: bytes[textRange]) else { throw notADate(type) }
        return date
    }

    private func notADate(_ type: Int64) -> SignedDataError {
        SignedDataError(
            .malformedReceipt, at: range.lowerBound, detail: "attribute \(type) is no date")
    }

    /// The attribute as it came, for what has no field.
    func opaque(_ entry: ReceiptAttributeReader.Entry) -> OpaqueAttribute {
        OpaqueAttribute(type: entry.type, version: entry.version, value: copy)
    }

    // Six reserved texts in every purchase are empty: they share one array.
    private static let emptyText: [UInt8] = [DERTag.utf8String, 0]

    private var copy: [UInt8] {
        range.count == 2 && bytes[range].elementsEqual(Self.emptyText)
            ? Self.emptyText : Array(bytes[range])
    }
}
