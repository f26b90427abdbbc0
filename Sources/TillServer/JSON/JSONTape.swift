import AppStoreModel

/// JSON that ``StrictJSON`` read: its values in the order in which they stand, over the bytes themselves.
///
/// An object's members and a list's elements follow it; `next` leads past all of them.
struct JSONTape {
    /// What kind of value it is.
    enum Kind {
        case null, yes, no, number, array, object
        /// Text without an escape, which is the bytes between its quotes.
        case plainText
        case escapedText
    }

    struct Node {
        let kind: Kind
        /// Of text what is between the quotes, of a number its digits.
        let range: Range<Int>
        /// The place behind the value and everything in it.
        var next: Int
        /// The list or object in which it stands; of the whole, -1.
        let parent: Int32
        /// How many elements, or names and values, stand before it there.
        let index: Int32
    }

    let bytes: [UInt8]
    var nodes: [Node] = []

    /// The text at a place; nil where something else is.
    func text(at place: Int) -> String? {
        switch nodes[place].kind {
        case .plainText: String(decoding: bytes[nodes[place].range], as: UTF8.self)
        case .escapedText: StrictJSON.text(of: bytes[nodes[place].range])
        default: nil
        }
    }

    /// Whether the text at a place is `name`.
    func isText(at place: Int, _ name: String) -> Bool {
        let node = nodes[place]
        guard node.kind == .plainText else { return text(at: place) == name }
        guard node.range.count == name.utf8.count else { return false }
        var byte = node.range.lowerBound
        for letter in name.utf8 {
            guard bytes[byte] == letter else { return false }
            byte += 1
        }
        return true
    }

    /// The digits at a place; nil where something else is.
    func number(at place: Int) -> ArraySlice<UInt8>? {
        nodes[place].kind == .number ? bytes[nodes[place].range] : nil
    }

    /// The places of a list's elements, or of an object's names and values in turn.
    func children(of place: Int) -> [Int] {
        var children: [Int] = []
        var child = place + 1
        while child < nodes[place].next {
            children.append(child)
            child = nodes[child].next
        }
        return children
    }

    /// Whether a list or an object has more than so many nodes in it; of what is in those it counts nothing.
    func hasMore(than most: Int, at place: Int) -> Bool {
        var count = 0
        var child = place + 1
        while child < nodes[place].next {
            count += 1
            if count > most { return true }
            child = nodes[child].next
        }
        return false
    }

    /// The places of an object's names and of their values.
    func members(of place: Int) -> [(name: Int, value: Int)] {
        let children = children(of: place)
        return stride(from: 0, to: children.count, by: 2).map {
            (children[$0], children[$0 + 1])
        }
    }

    /// The value at a place, whole.
    func value(at place: Int = 0) -> JSONValue {
        switch nodes[place].kind {
        case .null: return .null
        case .yes: return .bool(true)
        case .no: return .bool(false)
        case .plainText, .escapedText: return .string(text(at: place) ?? "")
        case .number:
            let digits = String(decoding: bytes[nodes[place].range], as: UTF8.self)
            return Int64(digits).map { .integer($0) } ?? .number(Double(digits) ?? 0)
        case .array: return .array(children(of: place).map { value(at: $0) })
        case .object:
            var found: [String: JSONValue] = [:]
            for member in members(of: place) {
                found[text(at: member.name) ?? ""] = value(at: member.value)
            }
            return .object(found)
        }
    }
}
