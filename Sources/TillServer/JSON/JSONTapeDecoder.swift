/// Decodes values from a ``JSONTape``: what Foundation's decoder does with its own reading of the bytes,
/// over the one reading that was strict.
struct JSONTapeDecoder: Decoder {
    let tape: JSONTape
    let place: Int
    var codingPath: [any CodingKey] { tape.path(to: place) }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    /// Decodes the whole.
    static func decode<Value: Decodable>(_ type: Value.Type, _ tape: JSONTape) throws -> Value {
        try type.init(from: JSONTapeDecoder(tape: tape, place: 0))
    }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        try expect(.object, of: [String: Any].self)
        return KeyedDecodingContainer(KeyedTape(members: TapeMembers(tape, place)))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        try expect(.array, of: [Any].self)
        return ListedTape(tape: tape, place: place)
    }

    func singleValueContainer() -> any SingleValueDecodingContainer { SingleTape(decoder: self) }

    private func expect(_ kind: JSONTape.Kind, of type: Any.Type) throws {
        guard tape.nodes[place].kind != kind else { return }
        throw mismatch(type)
    }

    // MARK: Single values

    var isNull: Bool { tape.nodes[place].kind == .null }

    /// The error of a value of another kind, or of none.
    func mismatch(_ type: Any.Type) -> DecodingError {
        let context = DecodingError.Context(
            codingPath: codingPath, debugDescription: "expected \(type)")
        return isNull ? .valueNotFound(type, context) : .typeMismatch(type, context)
    }

    func text() throws -> String {
        guard let text = tape.text(at: place) else { throw mismatch(String.self) }
        return text
    }

    func flag() throws -> Bool {
        switch tape.nodes[place].kind {
        case .yes: return true
        case .no: return false
        default: throw mismatch(Bool.self)
        }
    }

    func real<Number: BinaryFloatingPoint & LosslessStringConvertible>(
        _ type: Number.Type
    ) throws -> Number {
        guard let digits = tape.number(at: place) else { throw mismatch(type) }
        guard let number = Number(String(decoding: digits, as: UTF8.self)), number.isFinite else {
            throw unfit(type)
        }
        return number
    }

    func whole<Number: FixedWidthInteger>(_ type: Number.Type) throws -> Number {
        guard let digits = tape.number(at: place) else { throw mismatch(type) }
        let text = String(decoding: digits, as: UTF8.self)
        if let number = Number(text) { return number }
        // `1.0` and `1e3` are whole numbers as well.
        guard digits.contains(where: { !(0x30...0x39).contains($0) && $0 != 0x2D }),
            let real = Double(text), let number = Number(exactly: real)
        else { throw unfit(type) }
        return number
    }

    func value<Value: Decodable>(_ type: Value.Type) throws -> Value {
        if type == String.self, let text = try text() as? Value { return text }
        if type == [String].self, let texts = tape.texts(at: place) as? Value { return texts }
        return try type.init(from: self)
    }

    private func unfit(_ type: Any.Type) -> DecodingError {
        .dataCorrupted(
            .init(codingPath: codingPath, debugDescription: "the number is no \(type)"))
    }
}

/// A name or a place in a list, for the path that errors tell.
private struct TapeKey: CodingKey {
    let stringValue: String
    let intValue: Int?

    init(_ index: Int) {
        stringValue = "Index \(index)"
        intValue = index
    }
    init(stringValue: String) {
        self.stringValue = stringValue
        intValue = nil
    }
    init(intValue: Int) { self.init(intValue) }
}

extension JSONTape {
    /// The names and places that lead to a value.
    ///
    /// Whoever tries several types makes an error with each, so this costs no more than the value is deep: it looks
    /// at no neighbour, and copies no long name.
    fileprivate func path(to place: Int) -> [any CodingKey] {
        var path: [any CodingKey] = []
        var node = place
        while nodes[node].parent >= 0 {
            let parent = Int(nodes[node].parent)
            path.append(
                nodes[parent].kind == .object
                    ? TapeKey(stringValue: shortText(at: node - 1))
                    : TapeKey(Int(nodes[node].index)))
            node = parent
        }
        return path.reversed()
    }

    /// A name, of which a long one's beginning.
    private func shortText(at place: Int) -> String {
        let range = nodes[place].range
        guard range.count > 256 else { return text(at: place) ?? "" }
        return String(decoding: bytes[range.prefix(256)], as: UTF8.self) + "…"
    }

    /// A list's texts; nil where something else is, or is in it.
    fileprivate func texts(at place: Int) -> [String]? {
        guard nodes[place].kind == .array else { return nil }
        var texts: [String] = []
        for child in children(of: place) {
            guard let text = text(at: child) else { return nil }
            texts.append(text)
        }
        return texts
    }
}

/// Where an object's members stand.
private struct TapeMembers {
    /// Objects of more members are indexed: looking through them for each name would take its square.
    private static let few = 16

    let tape: JSONTape
    let place: Int
    private let index: [String: Int]?

    init(_ tape: JSONTape, _ place: Int) {
        self.tape = tape
        self.place = place
        index =
            tape.hasMore(than: 2 * Self.few, at: place)
            ? Dictionary(
                tape.members(of: place).map { (tape.text(at: $0.name) ?? "", $0.value) },
                uniquingKeysWith: { first, _ in first }) : nil
    }

    func find(_ name: String) -> Int? {
        if let index { return index[name] }
        let end = tape.nodes[place].next
        var member = place + 1
        while member < end {
            // A name is followed by its value.
            if tape.isText(at: member, name) { return member + 1 }
            member = tape.nodes[member + 1].next
        }
        return nil
    }

    var names: [String] { tape.members(of: place).map { tape.text(at: $0.name) ?? "" } }
}

/// An object's members.
private struct KeyedTape<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let members: TapeMembers
    var codingPath: [any CodingKey] { members.tape.path(to: members.place) }

    var allKeys: [Key] { members.names.compactMap { Key(stringValue: $0) } }
    func contains(_ key: Key) -> Bool { members.find(key.stringValue) != nil }

    private func member(_ key: any CodingKey) throws -> JSONTapeDecoder {
        guard let place = members.find(key.stringValue) else {
            throw DecodingError.keyNotFound(
                key, .init(codingPath: codingPath, debugDescription: "no such member"))
        }
        return JSONTapeDecoder(tape: members.tape, place: place)
    }

    /// The member, unless it is absent or null.
    private func present(_ key: Key) -> JSONTapeDecoder? {
        guard let place = members.find(key.stringValue) else { return nil }
        let member = JSONTapeDecoder(tape: members.tape, place: place)
        return member.isNull ? nil : member
    }

    func decodeIfPresent(_ type: Bool.Type, forKey key: Key) throws -> Bool? {
        try present(key)?.flag()
    }
    func decodeIfPresent(_ type: String.Type, forKey key: Key) throws -> String? {
        try present(key)?.text()
    }
    func decodeIfPresent<Value: Decodable>(
        _ type: Value.Type, forKey key: Key
    ) throws -> Value? { try present(key)?.value(type) }

    func decodeNil(forKey key: Key) throws -> Bool { try member(key).isNull }
    func decode(_ type: Bool.Type, forKey key: Key) throws -> Bool { try member(key).flag() }
    func decode(_ type: String.Type, forKey key: Key) throws -> String { try member(key).text() }
    func decode(_ type: Double.Type, forKey key: Key) throws -> Double {
        try member(key).real(type)
    }
    func decode(_ type: Float.Type, forKey key: Key) throws -> Float { try member(key).real(type) }
    func decode(_ type: Int.Type, forKey key: Key) throws -> Int { try member(key).whole(type) }
    func decode(_ type: Int8.Type, forKey key: Key) throws -> Int8 { try member(key).whole(type) }
    func decode(_ type: Int16.Type, forKey key: Key) throws -> Int16 { try member(key).whole(type) }
    func decode(_ type: Int32.Type, forKey key: Key) throws -> Int32 { try member(key).whole(type) }
    func decode(_ type: Int64.Type, forKey key: Key) throws -> Int64 { try member(key).whole(type) }
    func decode(_ type: UInt.Type, forKey key: Key) throws -> UInt { try member(key).whole(type) }
    func decode(_ type: UInt8.Type, forKey key: Key) throws -> UInt8 { try member(key).whole(type) }
    func decode(_ type: UInt16.Type, forKey key: Key) throws -> UInt16 {
        try member(key).whole(type)
    }
    func decode(_ type: UInt32.Type, forKey key: Key) throws -> UInt32 {
        try member(key).whole(type)
    }
    func decode(_ type: UInt64.Type, forKey key: Key) throws -> UInt64 {
        try member(key).whole(type)
    }
    func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
        try member(key).value(type)
    }

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<Nested> { try member(key).container(keyedBy: type) }
    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        try member(key).unkeyedContainer()
    }

    // A superclass's values stand among those of the class: nothing on the wire is a class.
    func superDecoder() throws -> any Decoder { try member(SuperName()) }
    func superDecoder(forKey key: Key) throws -> any Decoder { try member(key) }
}

/// The name under which a superclass's values would stand.
private struct SuperName: CodingKey {
    init() {}
    init?(stringValue: String) { nil }
    init?(intValue: Int) { nil }
    var intValue: Int? { nil }
    var stringValue: String { "super" }
}

/// A list's elements.
private struct ListedTape: UnkeyedDecodingContainer {
    let tape: JSONTape
    let place: Int
    private let places: [Int]
    var codingPath: [any CodingKey] { tape.path(to: place) }
    private(set) var currentIndex = 0

    init(tape: JSONTape, place: Int) {
        self.tape = tape
        self.place = place
        places = tape.children(of: place)
    }

    var count: Int? { places.count }
    var isAtEnd: Bool { currentIndex >= places.count }

    private func element(_ type: Any.Type) throws -> JSONTapeDecoder {
        guard currentIndex < places.count else {
            throw DecodingError.valueNotFound(
                type,
                .init(
                    codingPath: codingPath + [TapeKey(currentIndex)],
                    debugDescription: "the list ends here"))
        }
        return JSONTapeDecoder(tape: tape, place: places[currentIndex])
    }

    /// An element that cannot be decoded stays the next one.
    private mutating func next<Value>(
        _ read: (JSONTapeDecoder) throws -> Value
    ) throws -> Value {
        let value = try read(element(Value.self))
        currentIndex += 1
        return value
    }

    mutating func decodeNil() throws -> Bool {
        guard try element(Never?.self).isNull else { return false }
        currentIndex += 1
        return true
    }
    mutating func decode(_ type: Bool.Type) throws -> Bool { try next { try $0.flag() } }
    mutating func decode(_ type: String.Type) throws -> String { try next { try $0.text() } }
    mutating func decode(_ type: Double.Type) throws -> Double { try next { try $0.real(type) } }
    mutating func decode(_ type: Float.Type) throws -> Float { try next { try $0.real(type) } }
    mutating func decode(_ type: Int.Type) throws -> Int { try next { try $0.whole(type) } }
    mutating func decode(_ type: Int8.Type) throws -> Int8 { try next { try $0.whole(type) } }
    mutating func decode(_ type: Int16.Type) throws -> Int16 { try next { try $0.whole(type) } }
    mutating func decode(_ type: Int32.Type) throws -> Int32 { try next { try $0.whole(type) } }
    mutating func decode(_ type: Int64.Type) throws -> Int64 { try next { try $0.whole(type) } }
    mutating func decode(_ type: UInt.Type) throws -> UInt { try next { try $0.whole(type) } }
    mutating func decode(_ type: UInt8.Type) throws -> UInt8 { try next { try $0.whole(type) } }
    mutating func decode(_ type: UInt16.Type) throws -> UInt16 { try next { try $0.whole(type) } }
    mutating func decode(_ type: UInt32.Type) throws -> UInt32 { try next { try $0.whole(type) } }
    mutating func decode(_ type: UInt64.Type) throws -> UInt64 { try next { try $0.whole(type) } }
    mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        try next { try $0.value(type) }
    }

    mutating func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type
    ) throws -> KeyedDecodingContainer<Nested> { try next { try $0.container(keyedBy: type) } }
    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
        try next { try $0.unkeyedContainer() }
    }
    mutating func superDecoder() throws -> any Decoder { try next { $0 } }
}

/// A value that stands for itself.
private struct SingleTape: SingleValueDecodingContainer {
    let decoder: JSONTapeDecoder
    var codingPath: [any CodingKey] { decoder.codingPath }

    func decodeNil() -> Bool { decoder.isNull }
    func decode(_ type: Bool.Type) throws -> Bool { try decoder.flag() }
    func decode(_ type: String.Type) throws -> String { try decoder.text() }
    func decode(_ type: Double.Type) throws -> Double { try decoder.real(type) }
    func decode(_ type: Float.Type) throws -> Float { try decoder.real(type) }
    func decode(_ type: Int.Type) throws -> Int { try decoder.whole(type) }
    func decode(_ type: Int8.Type) throws -> Int8 { try decoder.whole(type) }
    func decode(_ type: Int16.Type) throws -> Int16 { try decoder.whole(type) }
    func decode(_ type: Int32.Type) throws -> Int32 { try decoder.whole(type) }
    func decode(_ type: Int64.Type) throws -> Int64 { try decoder.whole(type) }
    func decode(_ type: UInt.Type) throws -> UInt { try decoder.whole(type) }
    func decode(_ type: UInt8.Type) throws -> UInt8 { try decoder.whole(type) }
    func decode(_ type: UInt16.Type) throws -> UInt16 { try decoder.whole(type) }
    func decode(_ type: UInt32.Type) throws -> UInt32 { try decoder.whole(type) }
    func decode(_ type: UInt64.Type) throws -> UInt64 { try decoder.whole(type) }
    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value { try decoder.value(type) }
}
