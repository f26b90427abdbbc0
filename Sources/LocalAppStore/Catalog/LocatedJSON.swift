/// JSON that knows the line of each of its values, so that a broken file can be told where it is broken.
struct LocatedJSON {
    enum Content {
        case null
        case bool(Bool)
        case number(Double)
        case string(String)
        case array([LocatedJSON])
        case object([String: LocatedJSON])
    }

    let content: Content
    /// The line on which the value begins, from 1.
    let line: Int

    /// The deepest nesting that is read.
    static let depthLimit = 64

    /// Reads a whole text; throws a ``CatalogError`` with the line.
    init(_ bytes: [UInt8]) throws(CatalogError) {
        var reader = JSONReader(bytes: bytes)
        self = try reader.document()
    }

    init(content: Content, line: Int) {
        self.content = content
        self.line = line
    }

    /// What the value is, for messages.
    var kind: String {
        switch content {
        case .null: "null"
        case .bool: "true or false"
        case .number: "a number"
        case .string: "a text"
        case .array: "a list"
        case .object: "an object"
        }
    }
}

private struct JSONReader {
    let bytes: [UInt8]
    var place = 0
    var line = 1

    init(bytes: [UInt8]) {
        self.bytes = bytes
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { place = 3 }
    }

    func broken(_ what: String) -> CatalogError {
        CatalogError(path: "", line: line, reason: what)
    }

    mutating func document() throws(CatalogError) -> LocatedJSON {
        let value = try value(depth: 0)
        skipSpace()
        guard place == bytes.count else { throw broken("text after the end of the JSON value") }
        return value
    }

    mutating func skipSpace() {
        while place < bytes.count {
            switch bytes[place] {
            case 0x0A: line += 1
            case 0x20, 0x09, 0x0D: break
            default: return
            }
            place += 1
        }
    }

    mutating func value(depth: Int) throws(CatalogError) -> LocatedJSON {
        skipSpace()
        guard depth < LocatedJSON.depthLimit else { throw broken("nested too deeply") }
        guard place < bytes.count else { throw broken("the file ends too early") }
        let start = line
        switch bytes[place] {
        case 0x7B: return LocatedJSON(content: .object(try object(depth)), line: start)
        case 0x5B: return LocatedJSON(content: .array(try array(depth)), line: start)
        case 0x22: return LocatedJSON(content: .string(try string()), line: start)
        case 0x74: return try word("true", .bool(true))
        case 0x66: return try word("false", .bool(false))
        case 0x6E: return try word("null", .null)
        default: return LocatedJSON(content: .number(try number()), line: start)
        }
    }

    mutating func word(
        _ word: String, _ content: LocatedJSON.Content
    ) throws(CatalogError) -> LocatedJSON {
        guard bytes[place...].starts(with: word.utf8) else { throw broken("no JSON value") }
        place += word.utf8.count
        return LocatedJSON(content: content, line: line)
    }

    mutating func number() throws(CatalogError) -> Double {
        let start = place
        while place < bytes.count,
            (0x30...0x39).contains(bytes[place])
                || [0x2B, 0x2D, 0x2E, 0x45, 0x65].contains(bytes[place])
        {
            place += 1
        }
        let text = String(decoding: bytes[start..<place], as: UTF8.self)
        guard place > start, bytes[start] != 0x2B, let number = Double(text), number.isFinite else {
            throw broken("no JSON value")
        }
        return number
    }

    mutating func array(_ depth: Int) throws(CatalogError) -> [LocatedJSON] {
        place += 1
        var elements: [LocatedJSON] = []
        skipSpace()
        if peek(0x5D) { return elements }
        while true {
            elements.append(try value(depth: depth + 1))
            skipSpace()
            if peek(0x5D) { return elements }
            guard peek(0x2C) else { throw broken("a comma or ] is missing") }
        }
    }

    mutating func object(_ depth: Int) throws(CatalogError) -> [String: LocatedJSON] {
        place += 1
        var members: [String: LocatedJSON] = [:]
        skipSpace()
        if peek(0x7D) { return members }
        while true {
            skipSpace()
            guard place < bytes.count, bytes[place] == 0x22 else {
                throw broken("a name in quotes is missing")
            }
            let name = try string()
            skipSpace()
            guard peek(0x3A) else { throw broken("a colon is missing") }
            members[name] = try value(depth: depth + 1)
            skipSpace()
            if peek(0x7D) { return members }
            guard peek(0x2C) else { throw broken("a comma or } is missing") }
        }
    }

    mutating func peek(_ byte: UInt8) -> Bool {
        guard place < bytes.count, bytes[place] == byte else { return false }
        place += 1
        return true
    }

    mutating func string() throws(CatalogError) -> String {
        place += 1
        var text: [UInt8] = []
        while place < bytes.count {
            let byte = bytes[place]
            place += 1
            switch byte {
            case 0x22:
                guard let string = String(validating: text, as: UTF8.self) else {
                    throw broken("a text that is not UTF-8")
                }
                return string
            case 0x5C: try escape(into: &text)
            case 0..<0x20: throw broken("a control character or line break in a text")
            default: text.append(byte)
            }
        }
        throw broken("a text does not end")
    }

    mutating func escape(into text: inout [UInt8]) throws(CatalogError) {
        guard place < bytes.count else { throw broken("a text does not end") }
        let byte = bytes[place]
        place += 1
        switch byte {
        case 0x22, 0x5C, 0x2F: text.append(byte)
        case 0x62: text.append(0x08)
        case 0x66: text.append(0x0C)
        case 0x6E: text.append(0x0A)
        case 0x72: text.append(0x0D)
        case 0x74: text.append(0x09)
        case 0x75:
            var scalar = try hexadecimal()
            if (0xD800..<0xDC00).contains(scalar), bytes[place...].starts(with: [0x5C, 0x75]) {
                place += 2
                let low = try hexadecimal()
                guard (0xDC00..<0xE000).contains(low) else { throw broken("half a character") }
                scalar = 0x10000 + (scalar - 0xD800) << 10 + (low - 0xDC00)
            }
            guard let character = Unicode.Scalar(scalar) else { throw broken("half a character") }
            text += Array(String(Character(character)).utf8)
        default: throw broken("an unknown escape in a text")
        }
    }

    mutating func hexadecimal() throws(CatalogError) -> UInt32 {
        guard place + 4 <= bytes.count,
            let value = UInt32(
                String(decoding: bytes[place..<place + 4], as: UTF8.self), radix: 16),
            bytes[place] != 0x2B
        else { throw broken("an unknown escape in a text") }
        place += 4
        return value
    }
}

/// What is wrong with a catalog file, and where.
public struct CatalogError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The place as a path, `subscriptionGroups[0].subscriptions[2].displayPrice`; empty for the whole.
    public let path: String
    /// The line, from 1.
    public let line: Int
    /// What is wrong there.
    public let reason: String

    /// `line 12, products[0].type: …`.
    public var description: String {
        "line \(line)\(path.isEmpty ? "" : ", " + path): \(reason)"
    }
}
