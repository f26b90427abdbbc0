/// One attribute of a receipt: a number, a version, and bytes whose meaning the number tells.
public struct ReceiptAttribute: Sendable, Hashable {
    /// Apple's number of the attribute.
    public let type: Int64
    /// 1 everywhere but for attribute 4, where Apple writes 2.
    public let version: Int64
    /// The bytes inside the OCTET STRING.
    public let value: ArraySlice<UInt8>

    /// Takes the three parts.
    public init(type: Int64, version: Int64 = 1, value: ArraySlice<UInt8>) {
        self.type = type
        self.version = version
        self.value = value
    }

    /// Reads a SET of attributes, as a receipt and each purchase in it are.
    public static func decodeList(
        _ content: ArraySlice<UInt8>
    ) throws(SignedDataError) -> [ReceiptAttribute] {
        var reader = try ReceiptAttributeReader(content)
        var list: [ReceiptAttribute] = []
        while let next = try reader.next() {
            list.append(
                ReceiptAttribute(
                    type: next.type, version: next.version, value: reader.bytes[next.value]))
        }
        return list
    }

    /// Writes a SET of attributes in Apple's order, that of DER: by the encoded bytes.
    public static func encodeList(_ list: [ReceiptAttribute]) -> [UInt8] {
        var writer = DERWriter()
        writer.addSet(of: list.map(\.encoded))
        return writer.bytes
    }

    /// The attribute as a SEQUENCE.
    public var encoded: [UInt8] {
        var writer = DERWriter()
        writer.add(DERTag.sequence) {
            $0.add(integer: type)
            $0.add(integer: version)
            $0.add(DERTag.octetString, value)
        }
        return writer.bytes
    }
}

/// Steps through a SET of attributes without copying anything: a receipt may hold 200,000 of them.
public struct ReceiptAttributeReader: Sendable {
    /// An attribute whose value is a range of the reader's bytes.
    public struct Entry: Sendable {
        /// Apple's number of the attribute.
        public let type: Int64
        /// The attribute's version.
        public let version: Int64
        /// Where the value stands.
        public let value: Range<Int>
    }

    /// All the bytes, of which the reader sees a part.
    public let bytes: [UInt8]
    private var members: DERReader

    /// Reads a SET that fills the slice.
    public init(_ content: ArraySlice<UInt8>) throws(SignedDataError) {
        // A copy, unless the slice is an entire array: indices then begin at 0.
        try self.init(Array(content), 0..<content.count)
    }

    /// Reads a SET that fills a range of bytes.
    public init(_ bytes: [UInt8], _ range: Range<Int>) throws(SignedDataError) {
        var outer = DERReader(bytes, range)
        guard outer.nextTag == DERTag.set else {
            throw SignedDataError(.malformedReceipt, at: range.lowerBound)
        }
        members = outer.inside(try outer.next())
        try outer.finish()
        self.bytes = bytes
    }

    /// The next attribute, or nothing at the end.
    @inline(__always)
    public mutating func next() throws(SignedDataError) -> Entry? {
        guard !members.isAtEnd else { return nil }
        let content = try members.next(DERTag.sequence).content
        let type = try number(at: content.lowerBound, end: content.upperBound)
        let version = try number(at: type.end, end: content.upperBound)
        let value = try DERReader.element(
            in: bytes, at: version.end, end: content.upperBound, rules: .basic, depth: 0)
        guard value.tag == DERTag.octetString, value.whole.upperBound == content.upperBound else {
            throw SignedDataError(.malformedDER, at: version.end)
        }
        return Entry(type: type.value, version: version.value, value: value.content)
    }

    /// A whole number and where it ends; walked here without a reader of its own, which would have to
    /// hold the bytes once more for each of 200,000 attributes.
    @inline(__always)
    private func number(
        at start: Int, end: Int
    ) throws(SignedDataError) -> (value: Int64, end: Int) {
        let element = try DERReader.element(
            in: bytes, at: start, end: end, rules: .basic, depth: 0)
        return (try members.integer(element), element.whole.upperBound)
    }
}
