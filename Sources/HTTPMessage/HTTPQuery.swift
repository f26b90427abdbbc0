/// The pairs of a URL's query in order, read and written as HTML forms do
/// (`application/x-www-form-urlencoded`): `+` is a space, the rest is percent-encoded UTF-8.
public struct HTTPQuery: Sendable, Hashable {
    /// One `name=value` pair, decoded.
    public struct Pair: Sendable, Hashable {
        /// The name; it may be repeated.
        public let name: String
        /// The value, empty when there is no `=`.
        public let value: String
    }

    /// All pairs in order.
    public private(set) var all: [Pair] = []

    /// The number of pairs that are read at the most; a longer query is refused.
    public static let pairLimit = 256

    /// Makes an empty query.
    public init() {}

    /// Makes a query of pairs.
    public init(_ pairs: KeyValuePairs<String, String>) {
        for (name, value) in pairs { append(name, value) }
    }

    /// Reads a query without its `?`; `nil` when a percent sign is not followed by two hexadecimal
    /// digits, the bytes are not UTF-8, or there are more pairs than ``pairLimit``.
    public init?(decoding text: some StringProtocol) {
        for part in text.utf8.split(separator: UInt8(ascii: "&")) {
            guard all.count < Self.pairLimit else { return nil }
            let sign = part.firstIndex(of: UInt8(ascii: "="))
            let rest = sign.map { part[part.index(after: $0)...] } ?? part[part.endIndex...]
            guard
                let name = PercentCoding.decoded(
                    part[..<(sign ?? part.endIndex)], plusIsSpace: true),
                let value = PercentCoding.decoded(rest, plusIsSpace: true)
            else { return nil }
            append(name, value)
        }
    }

    /// The first value of `name`.
    public subscript(name: String) -> String? { all.first { $0.name == name }?.value }

    /// Every value of `name` in order.
    public func values(of name: String) -> [String] {
        all.filter { $0.name == name }.map(\.value)
    }

    /// Adds a pair.
    public mutating func append(_ name: String, _ value: String) {
        all.append(Pair(name: name, value: value))
    }

    /// The query as it stands in a URL, without `?`; a space becomes `%20`, which every reader takes.
    public var encoded: String {
        all.map { PercentCoding.encoded($0.name) + "=" + PercentCoding.encoded($0.value) }
            .joined(separator: "&")
    }
}

/// Percent-encoding (RFC 3986 section 2.1) of one path segment or one query component.
public enum PercentCoding {
    /// Encodes everything but unreserved characters, so the result is one segment or component.
    public static func encoded(_ text: String) -> String {
        var bytes: [UInt8] = []
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."),
                UInt8(ascii: "_"), UInt8(ascii: "~"):
                bytes.append(byte)
            default:
                bytes.append(UInt8(ascii: "%"))
                bytes.append(digit(byte >> 4))
                bytes.append(digit(byte & 15))
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Decodes `bytes`; `nil` when an escape is broken or the result is not UTF-8.
    public static func decoded(
        _ bytes: some Sequence<UInt8>, plusIsSpace: Bool = false
    ) -> String? {
        var result: [UInt8] = []
        var iterator = bytes.makeIterator()
        while let byte = iterator.next() {
            switch byte {
            case UInt8(ascii: "%"):
                guard let high = iterator.next().flatMap(value),
                    let low = iterator.next().flatMap(value)
                else { return nil }
                result.append(high << 4 | low)
            case UInt8(ascii: "+") where plusIsSpace: result.append(UInt8(ascii: " "))
            default: result.append(byte)
            }
        }
        // `String(validating:as:)` would need iOS 18, and the SDK stands on this room.
        let text = String(decoding: result, as: UTF8.self)
        return text.utf8.elementsEqual(result) ? text : nil
    }

    private static func digit(_ nibble: UInt8) -> UInt8 {
        nibble < 10 ? UInt8(ascii: "0") + nibble : UInt8(ascii: "A") + nibble - 10
    }

    private static func value(_ digit: UInt8) -> UInt8? {
        switch digit {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}

extension HTTPRequest {
    /// The target's path as it was sent, still percent-encoded: what a server routes by.
    public var path: Substring {
        target.firstIndex(of: "?").map { target[..<$0] } ?? target[...]
    }

    /// The target's query; `nil` when it cannot be decoded.
    public var query: HTTPQuery? {
        guard let mark = target.firstIndex(of: "?") else { return HTTPQuery() }
        return HTTPQuery(decoding: target[target.index(after: mark)...])
    }
}
