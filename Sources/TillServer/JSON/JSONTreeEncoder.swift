/// Builds a ``JSONTree`` out of what a value encodes.
final class JSONTreeEncoder: Encoder {
    var tree: JSONTree?
    let codingPath: [any CodingKey] = []
    let userInfo: [CodingUserInfoKey: Any] = [:]

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        guard case .object(let members) = tree else {
            let members = JSONTree.Members()
            tree = .object(members)
            return KeyedEncodingContainer(KeyedJSON(members: members))
        }
        return KeyedEncodingContainer(KeyedJSON(members: members))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        guard case .array(let items) = tree else {
            let items = JSONTree.Items()
            tree = .array(items)
            return ListedJSON(items: items)
        }
        return ListedJSON(items: items)
    }

    func singleValueContainer() -> any SingleValueEncodingContainer { SingleJSON(encoder: self) }
}

/// An object's members.
private struct KeyedJSON<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let members: JSONTree.Members
    let codingPath: [any CodingKey] = []

    private func put(_ value: JSONTree, _ key: Key) { members.put(key.stringValue, value) }

    func encodeNil(forKey key: Key) { put(.null, key) }
    func encode(_ value: Bool, forKey key: Key) { put(.flag(value), key) }
    func encode(_ value: String, forKey key: Key) { put(.text(value), key) }
    func encode(_ value: Double, forKey key: Key) throws { put(try .real(value, [key]), key) }
    func encode(_ value: Float, forKey key: Key) throws {
        put(try .real(Double(value), [key]), key)
    }
    func encode(_ value: Int, forKey key: Key) { put(.integer(value), key) }
    func encode(_ value: Int8, forKey key: Key) { put(.integer(value), key) }
    func encode(_ value: Int16, forKey key: Key) { put(.integer(value), key) }
    func encode(_ value: Int32, forKey key: Key) { put(.integer(value), key) }
    func encode(_ value: Int64, forKey key: Key) { put(.integer(value), key) }
    func encode(_ value: UInt, forKey key: Key) { put(.integer(value), key) }
    func encode(_ value: UInt8, forKey key: Key) { put(.integer(value), key) }
    func encode(_ value: UInt16, forKey key: Key) { put(.integer(value), key) }
    func encode(_ value: UInt32, forKey key: Key) { put(.integer(value), key) }
    func encode(_ value: UInt64, forKey key: Key) { put(.integer(value), key) }
    func encode(_ value: some Encodable, forKey key: Key) throws { put(try .of(value), key) }

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type, forKey key: Key
    ) -> KeyedEncodingContainer<Nested> {
        let nested = JSONTree.Members()
        put(.object(nested), key)
        return KeyedEncodingContainer(KeyedJSON<Nested>(members: nested))
    }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
        let nested = JSONTree.Items()
        put(.array(nested), key)
        return ListedJSON(items: nested)
    }

    // A superclass's values stand among those of the class: nothing on the wire is a class.
    func superEncoder() -> any Encoder { superEncoder(of: "super") }
    func superEncoder(forKey key: Key) -> any Encoder { superEncoder(of: key.stringValue) }
    private func superEncoder(of name: String) -> any Encoder {
        let encoder = JSONTreeEncoder()
        let nested = JSONTree.Members()
        members.put(name, .object(nested))
        encoder.tree = .object(nested)
        return encoder
    }
}

/// A list's values.
private struct ListedJSON: UnkeyedEncodingContainer {
    let items: JSONTree.Items
    let codingPath: [any CodingKey] = []
    var count: Int { items.values.count }

    private func put(_ value: JSONTree) { items.values.append(value) }

    func encodeNil() { put(.null) }
    func encode(_ value: Bool) { put(.flag(value)) }
    func encode(_ value: String) { put(.text(value)) }
    func encode(_ value: Double) throws { put(try .real(value, codingPath)) }
    func encode(_ value: Float) throws { put(try .real(Double(value), codingPath)) }
    func encode(_ value: Int) { put(.integer(value)) }
    func encode(_ value: Int8) { put(.integer(value)) }
    func encode(_ value: Int16) { put(.integer(value)) }
    func encode(_ value: Int32) { put(.integer(value)) }
    func encode(_ value: Int64) { put(.integer(value)) }
    func encode(_ value: UInt) { put(.integer(value)) }
    func encode(_ value: UInt8) { put(.integer(value)) }
    func encode(_ value: UInt16) { put(.integer(value)) }
    func encode(_ value: UInt32) { put(.integer(value)) }
    func encode(_ value: UInt64) { put(.integer(value)) }
    func encode(_ value: some Encodable) throws { put(try .of(value)) }

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type
    ) -> KeyedEncodingContainer<Nested> {
        let nested = JSONTree.Members()
        put(.object(nested))
        return KeyedEncodingContainer(KeyedJSON<Nested>(members: nested))
    }

    func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
        let nested = JSONTree.Items()
        put(.array(nested))
        return ListedJSON(items: nested)
    }

    func superEncoder() -> any Encoder {
        let encoder = JSONTreeEncoder()
        let nested = JSONTree.Members()
        put(.object(nested))
        encoder.tree = .object(nested)
        return encoder
    }
}

/// A value that stands for itself.
private struct SingleJSON: SingleValueEncodingContainer {
    let encoder: JSONTreeEncoder
    let codingPath: [any CodingKey] = []

    private func put(_ value: JSONTree) { encoder.tree = value }

    func encodeNil() { put(.null) }
    func encode(_ value: Bool) { put(.flag(value)) }
    func encode(_ value: String) { put(.text(value)) }
    func encode(_ value: Double) throws { put(try .real(value, codingPath)) }
    func encode(_ value: Float) throws { put(try .real(Double(value), codingPath)) }
    func encode(_ value: Int) { put(.integer(value)) }
    func encode(_ value: Int8) { put(.integer(value)) }
    func encode(_ value: Int16) { put(.integer(value)) }
    func encode(_ value: Int32) { put(.integer(value)) }
    func encode(_ value: Int64) { put(.integer(value)) }
    func encode(_ value: UInt) { put(.integer(value)) }
    func encode(_ value: UInt8) { put(.integer(value)) }
    func encode(_ value: UInt16) { put(.integer(value)) }
    func encode(_ value: UInt32) { put(.integer(value)) }
    func encode(_ value: UInt64) { put(.integer(value)) }
    func encode(_ value: some Encodable) throws { put(try .of(value)) }
}
