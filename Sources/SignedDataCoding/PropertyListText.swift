/// The NeXT-style property lists of old transaction receipts: one level of quoted names and texts.
///
/// `{ "name" = "text"; … }`, with white space anywhere, as Apple's servers wrote them until 2013 and
/// devices still send them.
struct PropertyListText: Sendable, Hashable {
    static let maximumBytes = 1 << 20
    static let maximumEntries = 256

    struct Entry: Sendable, Hashable {
        let name: String
        let text: String
    }

    var entries: [Entry] = []

    init(_ entries: [Entry]) { self.entries = entries }

    subscript(name: String) -> String? { entries.first { $0.name == name }?.text }

    init(reading bytes: [UInt8]) throws(SignedDataError) {
        guard bytes.count <= Self.maximumBytes else { throw SignedDataError(.tooLarge) }
        var scanner = Scanner(bytes: bytes)
        try scanner.take(UInt8(ascii: "{"))
        while !scanner.takeIfPresent(UInt8(ascii: "}")) {
            guard entries.count < Self.maximumEntries else {
                throw SignedDataError(.tooMany, at: scanner.position)
            }
            let start = scanner.position
            let name = try scanner.text()
            try scanner.take(UInt8(ascii: "="))
            let text = try scanner.text()
            // The last semicolon before the brace is optional in this format.
            if !scanner.takeIfPresent(UInt8(ascii: ";")) {
                guard scanner.peek == UInt8(ascii: "}") else { throw scanner.fault() }
            }
            guard self[name] == nil else {
                throw SignedDataError(.malformedLegacyReceipt, at: start, detail: "a name twice")
            }
            entries.append(Entry(name: name, text: text))
        }
        guard scanner.peek == nil else {
            throw SignedDataError(.trailingBytes, at: scanner.position)
        }
    }

    /// The list as Apple writes it.
    var encoded: [UInt8] {
        var text = "{\n"
        for entry in entries {
            text += "\t\"\(Self.escaped(entry.name))\" = \"\(Self.escaped(entry.text))\";\n"
        }
        return Array((text + "}").utf8)
    }

    private static func escaped(_ text: String) -> String {
        var escaped = ""
        for scalar in text.unicodeScalars {
            if scalar == "\"" || scalar == "\\" { escaped += "\\" }
            escaped.unicodeScalars.append(scalar)
        }
        return escaped
    }

    private struct Scanner {
        let bytes: [UInt8]
        var position = 0

        init(bytes: [UInt8]) { self.bytes = bytes }

        func fault() -> SignedDataError { SignedDataError(.malformedLegacyReceipt, at: position) }

        private mutating func skipSpace() {
            while position < bytes.count, [0x20, 0x09, 0x0a, 0x0d].contains(bytes[position]) {
                position += 1
            }
        }

        /// The next byte that is no space.
        var peek: UInt8? {
            mutating get {
                skipSpace()
                return position < bytes.count ? bytes[position] : nil
            }
        }

        mutating func take(_ byte: UInt8) throws(SignedDataError) {
            guard peek == byte else { throw fault() }
            position += 1
        }

        mutating func takeIfPresent(_ byte: UInt8) -> Bool {
            guard peek == byte else { return false }
            position += 1
            return true
        }

        /// A quoted text, or a bare word as this format allows for plain ones.
        mutating func text() throws(SignedDataError) -> String {
            guard let first = peek else { throw fault() }
            var found: [UInt8] = []
            if first == UInt8(ascii: "\"") {
                position += 1
                while position < bytes.count, bytes[position] != UInt8(ascii: "\"") {
                    if bytes[position] == UInt8(ascii: "\\") { position += 1 }
                    guard position < bytes.count else { throw fault() }
                    found.append(bytes[position])
                    position += 1
                }
                guard position < bytes.count else { throw fault() }
                position += 1
            } else {
                while position < bytes.count, Self.isPlain(bytes[position]) {
                    found.append(bytes[position])
                    position += 1
                }
                guard !found.isEmpty else { throw fault() }
            }
            guard let text = String(validating: found, as: UTF8.self) else { throw fault() }
            return text
        }

        private static func isPlain(_ byte: UInt8) -> Bool {
            switch byte {
            case 0x30...0x39, 0x41...0x5a, 0x61...0x7a: true
            case UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "/"),
                UInt8(ascii: ":"), UInt8(ascii: "$"):
                true
            default: false
            }
        }
    }
}
