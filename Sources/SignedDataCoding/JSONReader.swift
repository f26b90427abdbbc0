/// Whether bytes are one value of JSON to the letter (RFC 8259), no deeper than 32 levels.
///
/// Decoders read a little more: Foundation's takes a comma before a closing bracket.
public func isStrictJSON(_ bytes: [UInt8]) -> Bool { (try? JSONText(reading: bytes)) != nil }

/// JSON as it stands, for headers and wrappers: keeps doubled names apart, which decoders hide.
enum JSONText: Sendable, Hashable {
    case null
    case bool(Bool)
    case number(String)
    case string(String)
    case array([JSONText])
    case object([Member])

    struct Member: Sendable, Hashable {
        let name: String
        let value: JSONText
    }

    /// The first member of that name.
    subscript(name: String) -> JSONText? {
        guard case .object(let members) = self else { return nil }
        return members.first { $0.name == name }?.value
    }

    var string: String? {
        guard case .string(let text) = self else { return nil }
        return text
    }

    static let maximumDepth = 32

    /// Reads one value that fills the bytes.
    init(reading bytes: [UInt8], _ range: Range<Int>? = nil) throws(SignedDataError) {
        var reader = JSONReader(bytes: bytes, range: range ?? 0..<bytes.count)
        self = try reader.value(depth: 0)
        reader.skipSpace()
        guard reader.position == reader.end else { throw reader.fault() }
    }
}

/// Steps through JSON (RFC 8259), strictly.
private struct JSONReader {
    let bytes: [UInt8]
    var position: Int
    let end: Int

    init(bytes: [UInt8], range: Range<Int>) {
        self.bytes = bytes
        position = range.lowerBound
        end = range.upperBound
    }

    func fault() -> SignedDataError { SignedDataError(.malformedJSON, at: position) }

    mutating func skipSpace() {
        while position < end {
            switch bytes[position] {
            case 0x20, 0x09, 0x0a, 0x0d: position += 1
            default: return
            }
        }
    }

    /// The next byte that is no space.
    private mutating func peek() throws(SignedDataError) -> UInt8 {
        skipSpace()
        guard position < end else { throw fault() }
        return bytes[position]
    }

    private mutating func take(_ byte: UInt8) throws(SignedDataError) {
        guard try peek() == byte else { throw fault() }
        position += 1
    }

    mutating func value(depth: Int) throws(SignedDataError) -> JSONText {
        guard depth < JSONText.maximumDepth else { throw SignedDataError(.tooDeep, at: position) }
        switch try peek() {
        case UInt8(ascii: "{"): return try object(depth: depth)
        case UInt8(ascii: "["): return try array(depth: depth)
        case UInt8(ascii: "\""): return .string(try string())
        case UInt8(ascii: "t"): return try word("true", .bool(true))
        case UInt8(ascii: "f"): return try word("false", .bool(false))
        case UInt8(ascii: "n"): return try word("null", .null)
        default: return try number()
        }
    }

    private mutating func object(depth: Int) throws(SignedDataError) -> JSONText {
        position += 1
        var members: [JSONText.Member] = []
        if try peek() == UInt8(ascii: "}") {
            position += 1
            return .object(members)
        }
        while true {
            guard try peek() == UInt8(ascii: "\"") else { throw fault() }
            let name = try string()
            try take(UInt8(ascii: ":"))
            members.append(.init(name: name, value: try value(depth: depth + 1)))
            let next = try peek()
            position += 1
            if next == UInt8(ascii: "}") { return .object(members) }
            guard next == UInt8(ascii: ",") else { throw fault() }
        }
    }

    private mutating func array(depth: Int) throws(SignedDataError) -> JSONText {
        position += 1
        var elements: [JSONText] = []
        if try peek() == UInt8(ascii: "]") {
            position += 1
            return .array(elements)
        }
        while true {
            elements.append(try value(depth: depth + 1))
            let next = try peek()
            position += 1
            if next == UInt8(ascii: "]") { return .array(elements) }
            guard next == UInt8(ascii: ",") else { throw fault() }
        }
    }

    private mutating func word(
        _ word: StaticString, _ value: JSONText
    ) throws(SignedDataError) -> JSONText {
        let text = Array("\(word)".utf8)
        guard position + text.count <= end,
            bytes[position..<position + text.count].elementsEqual(text)
        else { throw fault() }
        position += text.count
        return value
    }

    private mutating func digits() throws(SignedDataError) {
        let start = position
        while position < end, (0x30...0x39).contains(bytes[position]) { position += 1 }
        guard position > start else { throw fault() }
    }

    private mutating func number() throws(SignedDataError) -> JSONText {
        let start = position
        if bytes[position] == UInt8(ascii: "-") { position += 1 }
        let first = position
        try digits()
        if bytes[first] == 0x30, position > first + 1 { throw fault() }
        if position < end, bytes[position] == UInt8(ascii: ".") {
            position += 1
            try digits()
        }
        if position < end, bytes[position] | 0x20 == UInt8(ascii: "e") {
            position += 1
            if position < end, bytes[position] == 0x2b || bytes[position] == 0x2d { position += 1 }
            try digits()
        }
        return .number(String(decoding: bytes[start..<position], as: UTF8.self))
    }

    private mutating func string() throws(SignedDataError) -> String {
        position += 1
        let start = position
        while position < end {
            let byte = bytes[position]
            if byte == UInt8(ascii: "\"") {
                let text = try utf8(bytes[start..<position])
                position += 1
                return text
            }
            if byte == UInt8(ascii: "\\") { return try escapedString(from: start) }
            guard byte >= 0x20 else { throw fault() }
            position += 1
        }
        throw fault()
    }

    private func utf8(_ slice: ArraySlice<UInt8>) throws(SignedDataError) -> String {
        guard let text = String(validating: slice, as: UTF8.self) else { throw fault() }
        return text
    }

    private mutating func escapedString(from start: Int) throws(SignedDataError) -> String {
        var text = Array(bytes[start..<position])
        while position < end {
            let byte = bytes[position]
            position += 1
            switch byte {
            case UInt8(ascii: "\""): return try utf8(text[...])
            case UInt8(ascii: "\\"): try escape(into: &text)
            case ..<0x20: throw fault()
            default: text.append(byte)
            }
        }
        throw fault()
    }

    private mutating func escape(into text: inout [UInt8]) throws(SignedDataError) {
        guard position < end else { throw fault() }
        let byte = bytes[position]
        position += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): text.append(byte)
        case UInt8(ascii: "b"): text.append(0x08)
        case UInt8(ascii: "f"): text.append(0x0c)
        case UInt8(ascii: "n"): text.append(0x0a)
        case UInt8(ascii: "r"): text.append(0x0d)
        case UInt8(ascii: "t"): text.append(0x09)
        case UInt8(ascii: "u"):
            var scalar = try hexadecimal()
            if scalar >> 10 == 0x36 {
                guard position + 2 <= end, bytes[position] == UInt8(ascii: "\\"),
                    bytes[position + 1] == UInt8(ascii: "u")
                else { throw fault() }
                position += 2
                let low = try hexadecimal()
                guard low >> 10 == 0x37 else { throw fault() }
                scalar = 0x10000 + (scalar & 0x3ff) << 10 + low & 0x3ff
            }
            guard let valid = Unicode.Scalar(scalar) else { throw fault() }
            text.append(contentsOf: String(Character(valid)).utf8)
        default: throw fault()
        }
    }

    private mutating func hexadecimal() throws(SignedDataError) -> UInt32 {
        guard position + 4 <= end else { throw fault() }
        var value: UInt32 = 0
        for index in position..<position + 4 {
            guard let digit = Hexadecimal.value(bytes[index]) else { throw fault() }
            value = value << 4 | UInt32(digit)
        }
        position += 4
        return value
    }
}

/// Hexadecimal digits.
enum Hexadecimal {
    static func value(_ byte: UInt8) -> UInt8? {
        switch byte {
        case 0x30...0x39: byte - 0x30
        case 0x41...0x46: byte - 0x41 + 10
        case 0x61...0x66: byte - 0x61 + 10
        default: nil
        }
    }
}
