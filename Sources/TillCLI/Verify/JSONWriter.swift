import AppStoreModel

/// Writes JSON straight into bytes: an archive of proofs is printed as fast as it is verified.
struct JSONWriter {
    /// What was written so far.
    private(set) var bytes: [UInt8] = []
    private var needsComma = false

    /// Opens an object, as a member of that name or as an element.
    mutating func openObject(_ name: StaticString? = nil) { open(name, UInt8(ascii: "{")) }
    /// Closes the innermost object.
    mutating func closeObject() { close(UInt8(ascii: "}")) }
    /// Opens a list, as a member of that name.
    mutating func openList(_ name: StaticString) { open(name, UInt8(ascii: "[")) }
    /// Closes the innermost list.
    mutating func closeList() { close(UInt8(ascii: "]")) }

    /// Writes a member whose value is text, or null.
    mutating func member(_ name: StaticString, _ text: String?) {
        begin(name)
        guard let text else { return append(word: "null") }
        JSONValue.append(quoted: text, to: &bytes)
    }

    /// Writes a member whose value is a truth.
    mutating func member(_ name: StaticString, _ flag: Bool) {
        begin(name)
        append(word: flag ? "true" : "false")
    }

    /// Writes a member whose value is a whole number.
    mutating func member(_ name: StaticString, _ number: Int64) {
        begin(name)
        bytes.append(contentsOf: String(number).utf8)
    }

    /// Writes a member whose value is JSON already, on one line.
    mutating func member(_ name: StaticString, json: some Sequence<UInt8>) {
        begin(name)
        bytes.append(contentsOf: json)
    }

    /// Writes a member whose value is any JSON, names in alphabetical order.
    mutating func member(_ name: StaticString, _ value: JSONValue) {
        begin(name)
        value.append(to: &bytes)
    }

    private mutating func begin(_ name: StaticString?) {
        if needsComma { bytes.append(UInt8(ascii: ",")) }
        needsComma = true
        guard let name else { return }
        bytes.append(UInt8(ascii: "\""))
        bytes.append(contentsOf: name.description.utf8)
        bytes.append(UInt8(ascii: "\""))
        bytes.append(UInt8(ascii: ":"))
    }

    private mutating func open(_ name: StaticString?, _ bracket: UInt8) {
        begin(name)
        bytes.append(bracket)
        needsComma = false
    }

    private mutating func close(_ bracket: UInt8) {
        bytes.append(bracket)
        needsComma = true
    }

    private mutating func append(word: String) {
        bytes.append(contentsOf: word.utf8)
    }
}
