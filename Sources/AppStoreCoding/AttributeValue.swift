import AppStoreModel
import SignedDataCoding

/// The bytes inside an attribute, which usually are one more value of DER.
struct AttributeValue {
    let bytes: [UInt8]
    let range: Range<Int>

    /// The content of the one value that fills the attribute.
    private var content: Range<Int>? {
        guard range.count >= 2 else { return nil }
        let length = bytes[range.lowerBound + 1]
        if length < 0x80 {
            let start = range.lowerBound + 2
            return start + Int(length) == range.upperBound ? start..<range.upperBound : nil
        }
        var reader = DERReader(bytes, range)
        guard let element = try? reader.next(), reader.isAtEnd else { return nil }
        return element.content
    }

    private var tag: UInt8? { range.isEmpty ? nil : bytes[range.lowerBound] }

    private var textRange: Range<Int>? {
        switch tag {
        case DERTag.utf8String, DERTag.ia5String, DERTag.printableString, DERTag.visibleString:
            content
        default: nil
        }
    }

    /// Text of any kind that is ASCII or UTF-8.
    var text: String? {
        textRange.flatMap { String(validating: bytes[$0], as: UTF8.self) }
    }

    /// A whole number.
    var integer: Int64? {
        guard tag == DERTag.integer, let content, (1...8).contains(content.count) else {
            return nil
        }
        var value: Int64 = bytes[content.lowerBound] & 0x80 == 0 ? 0 : -1
        for index in content { value = value << 8 | Int64(bytes[index]) }
        return value
    }

    /// A whole number, or the text of one.
    var number: Int64? { integer ?? text.flatMap { Int64($0) } }

    /// A name: text, or a number.
    var name: String? {
        let name = text ?? integer.map { String($0) }
        return name?.isEmpty == true ? nil : name
    }

    /// Fills a field; says whether there was a value of the field's kind.
    func set<Field>(_ field: inout Field?, _ found: Field?) -> Bool {
        guard let found else { return false }
        field = found
        return true
    }

    /// Text that must be there and not empty.
    func requiredText(_ type: Int64) throws(SignedDataError) -> String {
        guard let text, !text.isEmpty else {
            throw SignedDataError(
                .malformedReceipt, at: range.lowerBound, detail: "attribute \(type) is no text")
        }
        return text
    }

    /// A name that must be there.
    func requiredName(_ type: Int64) throws(SignedDataError) -> String {
        guard let name else {
            throw SignedDataError(
                .malformedReceipt, at: range.lowerBound, detail: "attribute \(type) is no name")
        }
        return name
    }

    /// Whether there is a text with nothing in it.
    var isEmptyText: Bool { textRange?.isEmpty == true }

    /// A date; an empty one is none, and any other text is an error.
    func date(_ type: Int64) throws(SignedDataError) -> Timestamp? {
        var date: Timestamp?
        guard setDate(&date) else {
            throw SignedDataError(
                .malformedReceipt, at: range.lowerBound, detail: "attribute \(type) is no date")
        }
        return date
    }

    /// Fills a date that decides nothing, with nothing for an empty one; says whether there was a date or an
    /// empty text.
    func setDate(_ field: inout Timestamp?) -> Bool {
        guard let textRange else { return false }
        guard !textRange.isEmpty else {
            field = nil
            return true
        }
        return set(&field, Timestamp(receiptDate: bytes, textRange))
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
