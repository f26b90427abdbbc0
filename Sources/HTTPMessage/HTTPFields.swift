/// Header fields in the order they were added, found without regard to case (RFC 9110 section 5.1).
///
/// A name or value that HTTP does not allow never gets in, so no field can smuggle another.
public struct HTTPFields: Sendable, Hashable {
    /// One field line.
    public struct Field: Sendable, Hashable {
        /// The name as it was given.
        public let name: String
        /// The value without surrounding white space.
        public let value: String
    }

    /// All field lines in order.
    public private(set) var all: [Field] = []

    /// Makes an empty set of fields.
    public init() {}

    /// Makes fields out of pairs; pairs that HTTP does not allow are left out.
    public init(_ pairs: KeyValuePairs<String, String>) {
        for (name, value) in pairs { append(name, value) }
    }

    /// The first value of `name`; setting replaces every line of that name, `nil` removes them.
    public subscript(name: String) -> String? {
        get { all.first { Self.isSame($0.name, name) }?.value }
        set {
            all.removeAll { Self.isSame($0.name, name) }
            if let newValue { append(name, newValue) }
        }
    }

    /// Every value of `name` in order.
    public func values(of name: String) -> [String] {
        all.filter { Self.isSame($0.name, name) }.map(\.value)
    }

    /// Adds a line and says whether it was allowed: a token for a name (RFC 9110 section 5.6.2), no
    /// control characters but tab in a value (section 5.5).
    @discardableResult
    public mutating func append(_ name: String, _ value: String) -> Bool {
        guard Self.isToken(name), Self.isText(value) else { return false }
        all.append(Field(name: name, value: Self.trimmed(value)))
        return true
    }

    /// Whether `name` is a token as RFC 9110 section 5.6.2 defines one.
    public static func isToken(_ name: String) -> Bool {
        for byte in name.utf8 {
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "-"):
                continue
            case UInt8(ascii: "!"), UInt8(ascii: "#"), UInt8(ascii: "$"), UInt8(ascii: "%"),
                UInt8(ascii: "&"), UInt8(ascii: "'"), UInt8(ascii: "*"), UInt8(ascii: "+"),
                UInt8(ascii: "."), UInt8(ascii: "^"), UInt8(ascii: "_"), UInt8(ascii: "`"),
                UInt8(ascii: "|"), UInt8(ascii: "~"):
                continue
            default: return false
            }
        }
        return !name.isEmpty
    }

    private static func isText(_ value: String) -> Bool {
        for byte in value.utf8 where byte != 0x09 && (byte < 0x20 || byte == 0x7F) { return false }
        return true
    }

    private static func trimmed(_ value: String) -> String {
        let isSpace: (UInt8) -> Bool = { $0 == 0x20 || $0 == 0x09 }
        let bytes = value.utf8
        guard let first = bytes.first, let last = bytes.last, isSpace(first) || isSpace(last) else {
            return value
        }
        let head = bytes.drop(while: isSpace)
        guard let end = head.lastIndex(where: { !isSpace($0) }) else { return "" }
        return String(Substring(head[...end]))
    }

    private static func isSame(_ left: String, _ right: String) -> Bool {
        let (left, right) = (left.utf8, right.utf8)
        guard left.count == right.count else { return false }
        return zip(left, right).allSatisfy { lowered($0) == lowered($1) }
    }

    private static func lowered(_ byte: UInt8) -> UInt8 {
        byte >= UInt8(ascii: "A") && byte <= UInt8(ascii: "Z") ? byte | 0x20 : byte
    }
}

extension HTTPFields: ExpressibleByDictionaryLiteral {
    /// Makes fields out of a literal; pairs that HTTP does not allow are left out.
    public init(dictionaryLiteral elements: (String, String)...) {
        for (name, value) in elements { append(name, value) }
    }
}
