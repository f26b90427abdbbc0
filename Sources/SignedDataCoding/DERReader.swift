/// One value of BER or DER: where it stands in the bytes.
public struct DERElement: Sendable, Hashable {
    /// The identifier octet; tags of more than one octet are refused.
    public let tag: UInt8
    /// From the identifier octet to the end, the end marker of an indefinite length included.
    public let whole: Range<Int>
    /// The content alone.
    public let content: Range<Int>

    /// Whether it holds other values.
    public var isConstructed: Bool { tag & 0x20 != 0 }
}

/// The identifier octets that App Store data uses.
public enum DERTag {
    /// INTEGER.
    public static let integer: UInt8 = 0x02
    /// OCTET STRING.
    public static let octetString: UInt8 = 0x04
    /// OCTET STRING in segments, which BER allows.
    public static let constructedOctetString: UInt8 = 0x24
    /// NULL.
    public static let null: UInt8 = 0x05
    /// OBJECT IDENTIFIER.
    public static let objectIdentifier: UInt8 = 0x06
    /// UTF8String.
    public static let utf8String: UInt8 = 0x0c
    /// PrintableString.
    public static let printableString: UInt8 = 0x13
    /// VisibleString.
    public static let visibleString: UInt8 = 0x1a
    /// IA5String.
    public static let ia5String: UInt8 = 0x16
    /// SEQUENCE.
    public static let sequence: UInt8 = 0x30
    /// SET.
    public static let set: UInt8 = 0x31
    /// The name of a signer by its key, the primitive context tag 0.
    static let keyIdentifier: UInt8 = 0x80
    /// The constructed context tag of that number.
    public static func context(_ number: UInt8) -> UInt8 { 0xa0 | number }
}

/// Steps over BER or DER in place; copies nothing and stays within the range that it was given.
public struct DERReader: Sendable {
    /// Which rules apply.
    public enum Rules: Sendable {
        /// Indefinite and padded lengths are allowed, as Xcode writes the former.
        case basic
        /// One encoding for each value (X.690 section 10).
        case distinguished
    }

    /// How deep values of indefinite length may be nested.
    public static let maximumDepth = 32

    /// All the bytes, of which the reader sees a part.
    public let bytes: [UInt8]
    /// Where the next value begins.
    public private(set) var position: Int
    /// Where the reader's part ends.
    public let end: Int
    /// Which rules apply.
    public let rules: Rules

    /// Reads a part of bytes, or all of them.
    public init(_ bytes: [UInt8], _ range: Range<Int>? = nil, rules: Rules = .basic) {
        self.bytes = bytes
        position = max(0, range?.lowerBound ?? 0)
        end = min(bytes.count, range?.upperBound ?? bytes.count)
        self.rules = rules
    }

    /// Whether nothing is left.
    @inlinable public var isAtEnd: Bool { position >= end }

    /// The identifier octet of the next value.
    public var nextTag: UInt8? { position < end ? bytes[position] : nil }

    /// The next value, over which the reader steps.
    @inline(__always)
    public mutating func next() throws(SignedDataError) -> DERElement {
        let element = try Self.element(in: bytes, at: position, end: end, rules: rules, depth: 0)
        position = element.whole.upperBound
        return element
    }

    /// The next value, which must have that tag.
    @inline(__always)
    public mutating func next(_ tag: UInt8) throws(SignedDataError) -> DERElement {
        let start = position
        let element = try next()
        guard element.tag == tag else { throw SignedDataError(.malformedDER, at: start) }
        return element
    }

    /// The next value if it has that tag; else nothing, and the reader stays.
    public mutating func nextIfPresent(_ tag: UInt8) throws(SignedDataError) -> DERElement? {
        guard position < end, bytes[position] == tag else { return nil }
        return try next()
    }

    /// A reader of what an element holds.
    public func inside(_ element: DERElement) -> DERReader {
        DERReader(bytes, element.content, rules: rules)
    }

    /// Refuses anything that is left.
    public func finish() throws(SignedDataError) {
        guard isAtEnd else { throw SignedDataError(.trailingBytes, at: position) }
    }

    /// The bytes of a range.
    public func slice(_ range: Range<Int>) -> ArraySlice<UInt8> { bytes[range] }

    @inline(__always)
    static func element(
        in bytes: [UInt8], at start: Int, end: Int, rules: Rules, depth: Int
    ) throws(SignedDataError) -> DERElement {
        guard start &+ 2 <= end else { throw SignedDataError(.truncatedDER, at: start) }
        let tag = bytes[start]
        guard tag & 0x1f != 0x1f, tag != 0 else { throw SignedDataError(.malformedDER, at: start) }
        let first = bytes[start &+ 1]
        if first < 0x80 {
            let content = start &+ 2
            guard Int(first) <= end &- content else {
                throw SignedDataError(.truncatedDER, at: start)
            }
            let stop = content &+ Int(first)
            return DERElement(tag: tag, whole: start..<stop, content: content..<stop)
        }
        return try longElement(in: bytes, at: start, end: end, rules: rules, depth: depth)
    }

    private static func longElement(
        in bytes: [UInt8], at start: Int, end: Int, rules: Rules, depth: Int
    ) throws(SignedDataError) -> DERElement {
        let tag = bytes[start]
        let count = Int(bytes[start + 1] & 0x7f)
        guard count > 0 else {
            return try indefiniteElement(in: bytes, at: start, end: end, rules: rules, depth: depth)
        }
        // Four octets of length reach 4 GB, which is past every limit.
        guard count <= 4 else { throw SignedDataError(.malformedDER, at: start) }
        let content = start + 2 + count
        guard content <= end else { throw SignedDataError(.truncatedDER, at: start) }
        var length = 0
        for index in start + 2..<content { length = length << 8 | Int(bytes[index]) }
        if rules == .distinguished, length < 0x80 || bytes[start + 2] == 0 {
            throw SignedDataError(.malformedDER, at: start)
        }
        guard length <= end - content else { throw SignedDataError(.truncatedDER, at: start) }
        return DERElement(
            tag: tag, whole: start..<content + length, content: content..<content + length)
    }

    private static func indefiniteElement(
        in bytes: [UInt8], at start: Int, end: Int, rules: Rules, depth: Int
    ) throws(SignedDataError) -> DERElement {
        guard rules == .basic, bytes[start] & 0x20 != 0 else {
            throw SignedDataError(.malformedDER, at: start)
        }
        guard depth < maximumDepth else { throw SignedDataError(.tooDeep, at: start) }
        var position = start + 2
        while true {
            guard position + 2 <= end else { throw SignedDataError(.truncatedDER, at: start) }
            if bytes[position] == 0 {
                guard bytes[position + 1] == 0 else {
                    throw SignedDataError(.malformedDER, at: position)
                }
                return DERElement(
                    tag: bytes[start], whole: start..<position + 2, content: start + 2..<position)
            }
            position = try element(
                in: bytes, at: position, end: end, rules: rules, depth: depth + 1
            ).whole.upperBound
        }
    }
}

extension DERReader {
    /// The whole number in an element, which must fit in 64 bits.
    @inline(__always)
    public func integer(_ element: DERElement) throws(SignedDataError) -> Int64 {
        guard element.tag == DERTag.integer, (1...8).contains(element.content.count) else {
            throw SignedDataError(.malformedDER, at: element.whole.lowerBound)
        }
        var value: Int64 = bytes[element.content.lowerBound] & 0x80 == 0 ? 0 : -1
        for index in element.content { value = value << 8 | Int64(bytes[index]) }
        return value
    }

    /// The identifier in an element.
    public func objectIdentifier(_ element: DERElement) throws(SignedDataError) -> OID {
        guard element.tag == DERTag.objectIdentifier, !element.content.isEmpty,
            bytes[element.content.upperBound - 1] & 0x80 == 0
        else { throw SignedDataError(.malformedDER, at: element.whole.lowerBound) }
        return OID(bytes: bytes[element.content])
    }

    /// Adds the bytes of an OCTET STRING, whatever segments BER cut it into.
    public func joinOctets(
        _ element: DERElement, into joined: inout [UInt8], depth: Int = 0
    ) throws(SignedDataError) {
        switch element.tag {
        case DERTag.octetString:
            joined.append(contentsOf: bytes[element.content])
        case DERTag.constructedOctetString where rules == .basic:
            guard depth < Self.maximumDepth else {
                throw SignedDataError(.tooDeep, at: element.whole.lowerBound)
            }
            var segments = inside(element)
            while !segments.isAtEnd {
                try joinOctets(try segments.next(), into: &joined, depth: depth + 1)
            }
        default:
            throw SignedDataError(.malformedDER, at: element.whole.lowerBound)
        }
    }
}
