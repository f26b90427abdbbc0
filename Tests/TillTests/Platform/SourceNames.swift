import Foundation

/// The names in Swift sources: those that they declare, and those that come from elsewhere.
struct SourceNames {
    private var declared: Set<String> = []
    private var uses: [String: Set<String>] = [:]

    /// Names that no source read so far declares, and the files that use them.
    var foreign: [String: Set<String>] {
        uses.filter { name, _ in
            !declared.contains(name) && !Self.language.contains(name) && !name.hasPrefix("_")
        }
    }

    /// The highest iOS version of an `@available` or `#available`; 0 without one.
    static func newestGuard(in text: String) -> Double {
        text.matches(of: /[@#]available\(iOS ([0-9.]+)/).compactMap { Double($0.output.1) }.max()
            ?? 0
    }

    mutating func read(_ source: String, of file: String) {
        let text = Self.withoutCommentsAndTexts(source)
        noteDeclarations(text)
        for line in text.split(separator: "\n") { noteBindings(String(line)) }
        for match in text.matches(of: /(?:^|[^0-9A-Za-z_])([A-Za-z_][A-Za-z0-9_]*)/) {
            uses[String(match.output.1), default: []].insert(file)
        }
    }

    private mutating func noteDeclarations(_ text: String) {
        let words =
            /\b(?:func|var|let|case|struct|enum|class|actor|protocol|typealias|associatedtype|import)\s+`?([A-Za-z_]\w*)/
        for match in text.matches(of: words) { declared.insert(String(match.output.1)) }
        let heads =
            /\b(?:func\s+(?:[A-Za-z_]\w*|[<>=]+)|init\??|subscript|case\s+[A-Za-z_]\w*)(?:<[^>\n]*>)?\(/
        for match in text.matches(of: heads) {
            var depth = 1
            let rest = text[match.range.upperBound...].prefix { character in
                if character == "(" { depth += 1 }
                if character == ")" { depth -= 1 }
                return depth > 0
            }
            for label in rest.matches(of: /([A-Za-z_]\w*)(?: ([A-Za-z_]\w*))?\s*:/) {
                declared.insert(String(label.output.1))
                if let inner = label.output.2 { declared.insert(String(inner)) }
            }
        }
    }

    /// What a line binds: cases, arguments of closures, loops and tuples.
    private mutating func noteBindings(_ line: String) {
        let trimmed = line.trimmingCharacters(in: .whitespaces)
        if trimmed.hasPrefix("case "), !trimmed.hasSuffix(":") {
            note(Self.pattern(trimmed).components(separatedBy: " = ")[0])
        }
        if let end = line.range(of: #"\bin\b"#, options: .regularExpression) {
            let head = line[..<end.lowerBound]
            let start = [
                head.range(of: "{", options: .backwards)?.upperBound,
                head.range(of: "for ", options: .backwards)?.upperBound,
            ].compactMap(\.self).max()
            note(String(head[(start ?? head.startIndex)...]))
        }
        if let tuple = line.firstMatch(of: /\b(?:let|var) \(([^)]*)\)/) {
            note(String(tuple.output.1))
        }
    }

    /// The line up to the colon after which a case's statements follow, where they do on the same line.
    private static func pattern(_ line: String) -> String {
        var depth = 0
        return String(
            line.prefix { character in
                if "([".contains(character) { depth += 1 }
                if ")]".contains(character) { depth -= 1 }
                return depth > 0 || character != ":"
            })
    }

    private mutating func note(_ text: String) {
        for match in text.matches(of: /[A-Za-z_]\w*/) { declared.insert(String(match.output)) }
    }

    /// The source without comments and string literals; what is interpolated goes with them.
    static func withoutCommentsAndTexts(_ source: String) -> String {
        let bytes = Array(source.utf8)
        let (slash, quote) = (UInt8(ascii: "/"), UInt8(ascii: "\""))
        var kept: [UInt8] = []
        var place = 0
        func starts(_ mark: [UInt8]) -> Bool { bytes[place...].starts(with: mark) }
        while place < bytes.count {
            if starts([slash, slash]) {
                while place < bytes.count, bytes[place] != UInt8(ascii: "\n") { place += 1 }
            } else if starts([quote, quote, quote]) {
                place += 3
                while place < bytes.count, !starts([quote, quote, quote]) { place += 1 }
                place += 3
            } else if bytes[place] == quote {
                place = endOfText(bytes, from: place + 1)
            } else {
                kept.append(bytes[place])
                place += 1
            }
        }
        return String(decoding: kept, as: UTF8.self)
    }

    private static func endOfText(_ bytes: [UInt8], from start: Int) -> Int {
        var place = start
        var depth = 0
        while place < bytes.count {
            switch bytes[place] {
            case UInt8(ascii: "\\"):
                if place + 1 < bytes.count, bytes[place + 1] == UInt8(ascii: "(") { depth += 1 }
                place += 1
            case UInt8(ascii: "(") where depth > 0: depth += 1
            case UInt8(ascii: ")") where depth > 0: depth -= 1
            case UInt8(ascii: "\"") where depth == 0: return place + 1
            default: break
            }
            place += 1
        }
        return place
    }

    /// The words of the language itself.
    static let language: Set<String> = [
        "Any", "Self", "actor", "any", "as", "associatedtype", "async", "await", "break", "case",
        "catch", "class", "continue", "convenience", "defer", "default", "deinit", "do", "else",
        "enum", "extension", "false", "fileprivate", "final", "for", "func", "guard", "if",
        "import", "in", "indirect", "init", "inout", "internal", "is", "isolated", "lazy", "let",
        "mutating", "nil", "nonisolated", "open", "operator", "override", "prefix", "postfix",
        "private", "protocol", "public", "repeat", "rethrows", "return", "self", "set", "get",
        "some", "static", "struct", "subscript", "super", "switch", "throw", "throws", "true",
        "try", "typealias", "unowned", "var", "weak", "where", "while", "discardableResult",
        "escaping", "available", "canImport", "elseif", "endif", "os", "unchecked", "unknown",
        "Sendable", "autoclosure", "sending", "consuming", "borrowing", "each", "iOS", "macOS",
        "tvOS", "watchOS", "visionOS", "Linux", "Type", "compiler",
    ]
}
