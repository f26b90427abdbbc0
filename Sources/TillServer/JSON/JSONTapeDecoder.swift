/// Decodes values from a ``JSONTape``: what Foundation's decoder does with its own reading of the bytes,
/// over the one reading that was strict.
struct JSONTapeDecoder: Decoder {
    let tape: JSONTape
    let place: Int
    let codingPath: [any CodingKey]
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    /// Decodes the whole.
    static func decode<Value: Decodable>(_ type: Value.Type, _ tape: JSONTape) throws -> Value {
        try type.init(from: JSONTapeDecoder(tape: tape, place: 0, codingPath: []))
    }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        try expect(.object, of: [String: Any].self)
        return KeyedDecodingContainer(
            KeyedTape(tape: tape, members: TapeMembers(tape, place), codingPath: codingPath))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        try expect(.array, of: [Any].self)
        return ListedTape(tape: tape, places: tape.children(of: place), codingPath: codingPath)
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
        return try type.init(from: self)
    }

    private func unfit(_ type: Any.Type) -> DecodingError {
        .dataCorrupted(
            .init(codingPath: codingPath, debugDescription: "the number is no \(type)"))
    }
}

/// A place in a list, for the path that errors tell.
private struct ListPlace: CodingKey {
    let index: Int

    init(_ index: Int) { self.index = index }
    init(intValue: Int) { index = intValue }
    init?(stringValue: String) { nil }

    var intValue: Int? { index }
    var stringValue: String { "Index \(index)" }
}

/// Where an object's members stand.
private struct TapeMembers {
    /// Objects of more members are indexed: looking through them for each name would take its square.
    private static let few = 16

    private let tape: JSONTape
    private let children: [Int]
    private let index: [String: Int]?

    init(_ tape: JSONTape, _ place: Int) {
        self.tape = tape
        children = tape.children(of: place)
        index =
            children.count <= 2 * Self.few
            ? nil
            : Dictionary(
                stride(from: 0, to: children.count, by: 2).map { [children] in
                    (tape.text(at: children[$0]) ?? "", children[$0 + 1])
                }, uniquingKeysWith: { first, _ in first })
    }

    func find(_ name: String) -> Int? {
        if let index { return index[name] }
        for member in stride(from: 0, to: children.count, by: 2)
        where tape.isText(at: children[member], name) {
            return children[member + 1]
        }
        return nil
    }

    var names: [String] {
        stride(from: 0, to: children.count, by: 2).map { tape.text(at: children[$0]) ?? "" }
    }
}

/// An object's members.
private struct KeyedTape<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let tape: JSONTape
    let members: TapeMembers
    let codingPath: [any CodingKey]

    var allKeys: [Key] { members.names.compactMap { Key(stringValue: $0) } }
    func contains(_ key: Key) -> Bool { members.find(key.stringValue) != nil }

    private func member(_ key: any CodingKey) throws -> JSONTapeDecoder {
        guard let place = members.find(key.stringValue) else {
            throw DecodingError.keyNotFound(
                key, .init(codingPath: codingPath, debugDescription: "no such member"))
        }
        return JSONTapeDecoder(tape: tape, place: place, codingPath: codingPath + [key])
    }

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
    let places: [Int]
    let codingPath: [any CodingKey]
    private(set) var currentIndex = 0

    init(tape: JSONTape, places: [Int], codingPath: [any CodingKey]) {
        self.tape = tape
        self.places = places
        self.codingPath = codingPath
    }

    var count: Int? { places.count }
    var isAtEnd: Bool { currentIndex >= places.count }

    private func element(_ type: Any.Type) throws -> JSONTapeDecoder {
        let path = codingPath + [ListPlace(currentIndex)]
        guard currentIndex < places.count else {
            throw DecodingError.valueNotFound(
                type, .init(codingPath: path, debugDescription: "the list ends here"))
        }
        return JSONTapeDecoder(tape: tape, place: places[currentIndex], codingPath: path)
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
