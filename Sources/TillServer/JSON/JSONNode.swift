import AppStoreModel

/// A place in a configuration file: its value, and its path for messages
/// (`apps[0].products["x"].credits.coins`).
struct JSONNode {
    let path: String
    let value: JSONValue

    /// The member's path: `a.b`, or `a["b c"]` where the name is no plain word.
    func memberPath(_ name: String) -> String {
        let isWord = name.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"):
                true
            default: false
            }
        }
        guard isWord, !name.isEmpty else { return "\(path)[\"\(name)\"]" }
        return path.isEmpty ? name : "\(path).\(name)"
    }

    subscript(name: String) -> JSONNode? {
        guard let member = value[name], member != .null else { return nil }
        return JSONNode(path: memberPath(name), value: member)
    }

    /// What kind of JSON it is, for messages.
    var kind: String {
        switch value {
        case .null: "null"
        case .bool: "a boolean"
        case .integer, .number: "a number"
        case .string: "a string"
        case .array: "a list"
        case .object: "an object"
        }
    }
}

/// Collects everything that is wrong with a file, so that one start shows it all.
struct FaultList {
    private(set) var faults: [ConfigurationFault] = []

    mutating func add(_ path: String, _ text: String) {
        faults.append(ConfigurationFault(path: path, text: text))
    }

    // MARK: Reading with a complaint where the kind is another

    mutating func object(_ node: JSONNode) -> [String: JSONNode] {
        guard case .object(let members) = node.value else {
            add(node.path, "expected an object, found \(node.kind)")
            return [:]
        }
        return Dictionary(
            uniqueKeysWithValues: members.map { name, value in
                (name, JSONNode(path: node.memberPath(name), value: value))
            })
    }

    mutating func list(_ node: JSONNode?) -> [JSONNode] {
        guard let node else { return [] }
        guard case .array(let values) = node.value else {
            add(node.path, "expected a list, found \(node.kind)")
            return []
        }
        return values.enumerated().map { index, value in
            JSONNode(path: "\(node.path)[\(index)]", value: value)
        }
    }

    mutating func string(_ node: JSONNode?) -> String? {
        guard let node else { return nil }
        guard let text = node.value.string else {
            add(node.path, "expected a string, found \(node.kind)")
            return nil
        }
        guard !text.isEmpty else {
            add(node.path, "must not be empty")
            return nil
        }
        return text
    }

    mutating func flag(_ node: JSONNode?, default standard: Bool) -> Bool {
        guard let node else { return standard }
        guard let flag = node.value.bool else {
            add(node.path, "expected true or false, found \(node.kind)")
            return standard
        }
        return flag
    }

    mutating func integer(_ node: JSONNode?, in range: ClosedRange<Int64>) -> Int64? {
        guard let node else { return nil }
        guard let whole = node.value.integer, range.contains(whole) else {
            add(
                node.path,
                "expected a whole number from \(range.lowerBound) to \(range.upperBound)")
            return nil
        }
        return whole
    }

    /// Complains of every member that is none of `known`, with the nearest of them.
    ///
    /// Names that begin with `$`, `//` or `x-` are left to the reader's own use.
    mutating func refuseUnknown(in node: JSONNode, known: [String]) {
        guard case .object(let members) = node.value else { return }
        for name in members.keys.sorted() where !known.contains(name) {
            if name.hasPrefix("$") || name.hasPrefix("//") || name.hasPrefix("x-") { continue }
            add(node.memberPath(name), "unknown key" + Self.suggestion(for: name, among: known))
        }
    }

    /// `; did you mean "x"?` where something near is known.
    static func suggestion(for name: String, among known: [String]) -> String {
        let ranked = known.map { ($0, EditDistance.between(name.lowercased(), $0.lowercased())) }
        guard let (best, distance) = ranked.min(by: { $0.1 < $1.1 }),
            distance <= max(2, name.count / 3)
        else { return "; known here: \(known.joined(separator: ", "))" }
        return "; did you mean \"\(best)\"?"
    }
}

/// How many letters must change to make one word of another (Levenshtein).
enum EditDistance {
    static func between(_ left: String, _ right: String) -> Int {
        let (left, right) = (Array(left.prefix(64)), Array(right.prefix(64)))
        var row = Array(0...right.count)
        for (index, letter) in left.enumerated() {
            var diagonal = row[0]
            row[0] = index + 1
            for (column, other) in right.enumerated() {
                let change = diagonal + (letter == other ? 0 : 1)
                diagonal = row[column + 1]
                row[column + 1] = min(change, row[column] + 1, diagonal + 1)
            }
        }
        return row[right.count]
    }
}
