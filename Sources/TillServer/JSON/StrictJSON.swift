#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Why bytes are not acceptable JSON.
struct JSONFault: Error, Hashable {
    enum Code: String {
        case empty, notUTF8, syntax, tooDeep, repeatedName, nulCharacter, loneSurrogate, notAnObject
        case trailingBytes
    }

    let code: Code
    /// Where in the bytes it was seen.
    let offset: Int

    /// For people; the code is what programs compare.
    var text: String {
        switch code {
        case .empty: "the body is empty"
        case .notUTF8: "the body is not UTF-8"
        case .syntax: "not JSON at byte \(offset)"
        case .tooDeep: "nested too deeply at byte \(offset)"
        case .repeatedName: "a name is repeated at byte \(offset)"
        case .nulCharacter: "a NUL character at byte \(offset)"
        case .loneSurrogate: "half a surrogate pair at byte \(offset)"
        case .notAnObject: "the body is not a JSON object"
        case .trailingBytes: "bytes after the end at byte \(offset)"
        }
    }
}

/// Reads a body, and refuses what other readers understand in different ways: repeated names (some take
/// the first, some the last), NUL, other encodings; and what is nested too deeply.
///
/// Every byte is read once.
struct StrictJSON {
    private let bytes: [UInt8]
    private let depthLimit: Int
    private var place = 0
    private var nodes: [JSONTape.Node] = []
    /// The list or object that is being read, and how much of it was.
    private var (parent, index): (Int32, Int32) = (-1, 0)

    /// Reads one object in strict JSON (RFC 8259), at most `depth` levels deep.
    static func read(_ data: Data, depth: Int) throws(JSONFault) -> JSONTape {
        var reader = StrictJSON(bytes: [UInt8](data), depthLimit: depth)
        try reader.readBody()
        return JSONTape(bytes: reader.bytes, nodes: reader.nodes)
    }

    private init(bytes: [UInt8], depthLimit: Int) {
        self.bytes = bytes
        self.depthLimit = depthLimit
        nodes.reserveCapacity(32)
    }

    private mutating func readBody() throws(JSONFault) {
        // No sender should write a byte order mark (RFC 8259 section 8.1), and programs of Windows do.
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { place = 3 }
        skipSpace()
        guard place < bytes.count else { throw fault(.empty) }
        guard bytes[place] == UInt8(ascii: "{") else {
            throw fault(String(validating: bytes, as: UTF8.self) == nil ? .notUTF8 : .notAnObject)
        }
        try readObject(depth: 1)
        skipSpace()
        guard place == bytes.count else { throw fault(.trailingBytes) }
    }

    private func fault(_ code: JSONFault.Code) -> JSONFault { JSONFault(code: code, offset: place) }

    private mutating func skipSpace() {
        while place < bytes.count {
            switch bytes[place] {
            case 0x20, 0x09, 0x0A, 0x0D: place += 1
            default: return
            }
        }
    }

    private mutating func take(_ character: Unicode.Scalar) throws(JSONFault) {
        guard place < bytes.count, bytes[place] == UInt8(ascii: character) else {
            throw fault(.syntax)
        }
        place += 1
    }

    private mutating func takes(_ character: Unicode.Scalar) -> Bool {
        guard place < bytes.count, bytes[place] == UInt8(ascii: character) else { return false }
        place += 1
        return true
    }

    // MARK: Values

    private mutating func readValue(depth: Int) throws(JSONFault) {
        skipSpace()
        guard place < bytes.count else { throw fault(.syntax) }
        switch bytes[place] {
        case UInt8(ascii: "{"): try readObject(depth: depth + 1)
        case UInt8(ascii: "["): try readArray(depth: depth + 1)
        case UInt8(ascii: "\""): try readString()
        case UInt8(ascii: "t"): try readWord("true", .yes)
        case UInt8(ascii: "f"): try readWord("false", .no)
        case UInt8(ascii: "n"): try readWord("null", .null)
        default: try readNumber()
        }
    }

    private mutating func add(_ kind: JSONTape.Kind, _ range: Range<Int>) {
        nodes.append(
            JSONTape.Node(
                kind: kind, range: range, next: nodes.count + 1, parent: parent, index: index))
        index &+= 1
    }

    /// Opens a list or an object, and tells its place.
    private mutating func open(_ kind: JSONTape.Kind) -> Int {
        let node = nodes.count
        add(kind, place..<place)
        (parent, index) = (Int32(truncatingIfNeeded: node), 0)
        return node
    }

    /// Says that what was opened last but for its members ends here.
    private mutating func end(_ node: Int) {
        nodes[node].next = nodes.count
        (parent, index) = (nodes[node].parent, nodes[node].index &+ 1)
    }

    private mutating func readObject(depth: Int) throws(JSONFault) {
        guard depth <= depthLimit else { throw fault(.tooDeep) }
        let node = open(.object)
        try take("{")
        skipSpace()
        if takes("}") { return end(node) }
        var names = ReadNames()
        repeat {
            skipSpace()
            let start = place
            try readString()
            let name = Self.text(of: bytes[(start + 1)..<(place - 1)])
            guard names.add(name) else { throw fault(.repeatedName) }
            skipSpace()
            try take(":")
            try readValue(depth: depth)
            skipSpace()
        } while takes(",")
        try take("}")
        end(node)
    }

    /// The names of an object that is being read.
    private struct ReadNames {
        /// Up to so many are compared one by one, which costs less than making a set.
        private static let mostListed = 8

        private var listed: [String] = []
        private var others: Set<String> = []

        /// Takes in a name; false when it is there already.
        mutating func add(_ name: String) -> Bool {
            guard !listed.contains(name) else { return false }
            guard listed.count == Self.mostListed else {
                listed.append(name)
                return true
            }
            return others.insert(name).inserted
        }
    }

    private mutating func readArray(depth: Int) throws(JSONFault) {
        guard depth <= depthLimit else { throw fault(.tooDeep) }
        let node = open(.array)
        try take("[")
        skipSpace()
        if takes("]") { return end(node) }
        repeat {
            try readValue(depth: depth)
            skipSpace()
        } while takes(",")
        try take("]")
        end(node)
    }

    private mutating func readWord(
        _ word: StaticString, _ kind: JSONTape.Kind
    ) throws(JSONFault) {
        let letters = word.description.utf8
        guard bytes[place...].starts(with: letters) else { throw fault(.syntax) }
        add(kind, place..<(place + letters.count))
        place += letters.count
    }

    private mutating func readNumber() throws(JSONFault) {
        let start = place
        _ = takes("-")
        if !takes("0") { try readDigits() }
        if takes(".") { try readDigits() }
        if takes("e") || takes("E") {
            if !takes("+") { _ = takes("-") }
            try readDigits()
        }
        add(.number, start..<place)
    }

    private mutating func readDigits() throws(JSONFault) {
        let start = place
        while place < bytes.count, (0x30...0x39).contains(bytes[place]) { place += 1 }
        guard place > start else { throw fault(.syntax) }
    }

    // MARK: Strings

    private mutating func readString() throws(JSONFault) {
        try take("\"")
        let start = place
        var (isASCII, isPlain) = (true, true)
        while true {
            place = Self.endOfPlainLetters(in: bytes, from: place)
            guard place < bytes.count else { throw fault(.syntax) }
            let byte = bytes[place]
            if byte == UInt8(ascii: "\"") { break }
            if byte == UInt8(ascii: "\\") {
                isPlain = false
                try readEscape()
            } else {
                guard byte >= 0x80 else { throw fault(byte == 0 ? .nulCharacter : .syntax) }
                isASCII = false
                place += 1
            }
        }
        if !isASCII {
            guard String(validating: bytes[start..<place], as: UTF8.self) != nil else {
                throw fault(.notUTF8)
            }
        }
        add(isPlain ? .plainText : .escapedText, start..<place)
        place += 1
    }

    /// Where the first byte stands that is a quote, a backslash, a control character or no ASCII.
    ///
    /// Proofs are long and plain, so eight bytes are looked at together while none of them is any of it.
    private static func endOfPlainLetters(in bytes: [UInt8], from start: Int) -> Int {
        bytes.withUnsafeBytes { bytes in
            var place = start
            while place + 8 <= bytes.count {
                let word = bytes.loadUnaligned(fromByteOffset: place, as: UInt64.self)
                let quotes = (word ^ 0x2222_2222_2222_2222) &- 0x0101_0101_0101_0101
                let escapes = (word ^ 0x5C5C_5C5C_5C5C_5C5C) &- 0x0101_0101_0101_0101
                let controls = word &- 0x2020_2020_2020_2020
                // A borrow out of a lower byte can only show a byte too many, and that one is looked at below.
                guard (quotes | escapes | controls | word) & 0x8080_8080_8080_8080 == 0 else {
                    break
                }
                place += 8
            }
            while place < bytes.count {
                let byte = bytes[place]
                guard byte >= 0x20, byte < 0x80, byte != 0x22, byte != 0x5C else { break }
                place += 1
            }
            return place
        }
    }

    private mutating func readEscape() throws(JSONFault) {
        place += 1
        guard place < bytes.count else { throw fault(.syntax) }
        let letter = bytes[place]
        guard letter == UInt8(ascii: "u") else {
            guard "\"\\/bfnrt".utf8.contains(letter) else { throw fault(.syntax) }
            place += 1
            return
        }
        place += 1
        let unit = try readUnit()
        if unit == 0 { throw fault(.nulCharacter) }
        if (0xDC00...0xDFFF).contains(unit) { throw fault(.loneSurrogate) }
        guard (0xD800...0xDBFF).contains(unit) else { return }
        guard takes("\\"), takes("u"), (0xDC00...0xDFFF).contains(try readUnit()) else {
            throw fault(.loneSurrogate)
        }
    }

    private mutating func readUnit() throws(JSONFault) -> UInt16 {
        guard place + 4 <= bytes.count else { throw fault(.syntax) }
        var unit: UInt16 = 0
        for byte in bytes[place..<(place + 4)] {
            guard let digit = Self.hexDigit(byte) else { throw fault(.syntax) }
            unit = unit << 4 | digit
        }
        place += 4
        return unit
    }

    private static func hexDigit(_ byte: UInt8) -> UInt16? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt16(byte - UInt8(ascii: "0"))
        case UInt8(ascii: "a")...UInt8(ascii: "f"): UInt16(byte - UInt8(ascii: "a") + 10)
        case UInt8(ascii: "A")...UInt8(ascii: "F"): UInt16(byte - UInt8(ascii: "A") + 10)
        default: nil
        }
    }

    /// The text that an already checked string stands for, so that `"a"` and `"\u0061"` are one name.
    static func text(of raw: ArraySlice<UInt8>) -> String {
        guard raw.contains(UInt8(ascii: "\\")) else { return String(decoding: raw, as: UTF8.self) }
        var units: [UInt16] = []
        var rest = raw[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "\\"), let letter = rest.popFirst() else {
                let run = [byte] + rest.prefix { $0 != UInt8(ascii: "\\") }
                rest = rest.dropFirst(run.count - 1)
                units += String(decoding: run, as: UTF8.self).utf16
                continue
            }
            switch letter {
            case UInt8(ascii: "u"):
                units.append(rest.prefix(4).reduce(0) { $0 << 4 | (hexDigit($1) ?? 0) })
                rest = rest.dropFirst(4)
            case UInt8(ascii: "b"): units.append(0x08)
            case UInt8(ascii: "f"): units.append(0x0C)
            case UInt8(ascii: "n"): units.append(0x0A)
            case UInt8(ascii: "r"): units.append(0x0D)
            case UInt8(ascii: "t"): units.append(0x09)
            default: units.append(UInt16(letter))
            }
        }
        return String(decoding: units, as: UTF16.self)
    }
}
