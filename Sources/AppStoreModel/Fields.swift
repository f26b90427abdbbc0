/// A JSON name.
struct FieldName: CodingKey, Hashable {
    let stringValue: String
    var intValue: Int? { nil }
    init(_ name: String) { stringValue = name }
    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
}

/// One walk over an object's fields, either reading or writing: each type lists its fields once, for both.
///
/// Written by hand since a synthesized `Codable` cannot keep unknown names, refuses Apple's strings
/// where it once sent numbers, and is dear to compile.
public struct FieldPass {
    private var source: KeyedDecodingContainer<FieldName>?
    private var target: KeyedEncodingContainer<FieldName>?
    private var names: [String] = []
    private var found = 0

    init(reading decoder: any Decoder) throws {
        source = try decoder.container(keyedBy: FieldName.self)
        names.reserveCapacity(40)
    }

    init(writing encoder: any Encoder) {
        target = encoder.container(keyedBy: FieldName.self)
    }

    /// Whether this pass reads; else it writes.
    var isReading: Bool { source != nil }

    /// Whether a name is there, in a pass that reads.
    func has(_ name: String) -> Bool { source?.contains(FieldName(name)) ?? false }

    /// Notes a name as known and gives the container if there is something to read under it.
    private mutating func claim(_ key: FieldName) throws -> KeyedDecodingContainer<FieldName>? {
        guard let source else { return nil }
        names.append(key.stringValue)
        guard source.contains(key) else { return nil }
        found += 1
        return try source.decodeNil(forKey: key) ? nil : source
    }

    /// Decodes one field; a fault names it, though Foundation forgets the place of a number that does not fit.
    private static func decode<Value: Decodable>(
        _ source: KeyedDecodingContainer<FieldName>, _ key: FieldName
    ) throws -> Value {
        do {
            return try source.decode(Value.self, forKey: key)
        } catch let error where !(error is DecodingError) {
            throw DecodingError.dataCorruptedError(
                forKey: key, in: source, debugDescription: "\(key.stringValue) does not fit")
        }
    }

    /// A field that may be absent and decides nothing about goods: what cannot be read stays among the
    /// names that this program does not know, so that a form which Apple invents costs nobody a purchase.
    mutating func harmless<Value: Codable>(_ name: String, _ value: inout Value?) throws {
        guard isReading else { return try self(name, &value) }
        do { try self(name, &value) } catch { disclaim() }
    }

    /// The same for a scalar, in any form that Apple has sent it in.
    mutating func harmless<Value: LenientScalar>(_ name: String, _ value: inout Value?) throws {
        guard isReading else { return try self(name, &value) }
        do { try self(name, &value) } catch { disclaim() }
    }

    /// Takes back the last claim.
    private mutating func disclaim() {
        names.removeLast()
        found -= 1
    }

    /// A field that may be absent.
    mutating func callAsFunction<Value: Codable>(_ name: String, _ value: inout Value?) throws {
        let key = FieldName(name)
        if isReading {
            value = try claim(key).map { try Self.decode($0, key) }
        } else if let value {
            try target?.encode(value, forKey: key)
        }
    }

    /// A scalar that may be absent, in any form that Apple has sent it in.
    mutating func callAsFunction<Value: LenientScalar>(
        _ name: String, _ value: inout Value?
    ) throws {
        let key = FieldName(name)
        if isReading {
            value = try claim(key).flatMap { try Value.read($0, key) }
        } else if let value {
            try target?.encode(value, forKey: key)
        }
    }

    /// A field without which the value is useless.
    mutating func required<Value: Codable>(_ name: String, _ value: inout Value) throws {
        var optional: Value? = isReading ? nil : value
        try self(name, &optional)
        value = try filled(optional, name)
    }

    /// A scalar without which the value is useless.
    mutating func required<Value: LenientScalar>(_ name: String, _ value: inout Value) throws {
        var optional: Value? = isReading ? nil : value
        try self(name, &optional)
        value = try filled(optional, name)
    }

    /// A field whose absence means that it equals another.
    mutating func fallingBack<Value: Codable>(
        _ name: String, _ value: inout Value, to fallback: Value
    ) throws {
        var optional: Value? = isReading ? nil : value
        try self(name, &optional)
        value = optional ?? fallback
    }

    private func filled<Value>(_ value: Value?, _ name: String) throws -> Value {
        guard let value else {
            throw DecodingError.keyNotFound(
                FieldName(name), .init(codingPath: [], debugDescription: "\(name) is missing"))
        }
        return value
    }

    /// A scalar that Apple writes as a string whatever it holds, in bodies that prove nothing.
    mutating func spelled<Value: LenientScalar>(_ name: String, _ value: inout Value?) throws {
        if isReading {
            try harmless(name, &value)
        } else if let value {
            try target?.encode(value.spelling, forKey: FieldName(name))
        }
    }

    /// A flag that Apple writes as "1" or "0".
    mutating func digit(_ name: String, _ value: inout Bool?) throws {
        if isReading {
            try harmless(name, &value)
        } else if let value {
            try target?.encode(value ? "1" : "0", forKey: FieldName(name))
        }
    }

    /// A list for which Apple has also sent a single object.
    ///
    /// Where the style asks for it, a list of one is written as that object.
    mutating func list<Value: Codable>(
        _ name: String, _ value: inout [Value]?, oneAsObject: Bool = false
    ) throws {
        let key = FieldName(name)
        if isReading {
            value = try claim(key).map { source in
                if (try? source.nestedUnkeyedContainer(forKey: key)) != nil {
                    return try source.decode([Value].self, forKey: key)
                }
                return [try source.decode(Value.self, forKey: key)]
            }
        } else if oneAsObject, let value, let only = value.first, value.count == 1 {
            try target?.encode(only, forKey: key)
        } else if let value {
            try target?.encode(value, forKey: key)
        }
    }

    /// Everything whose name no other call of this pass mentioned; must be the last call.
    mutating func others(_ fields: inout [String: JSONValue]) throws {
        if let source {
            let keys = source.allKeys
            guard keys.count > found else { return }
            let known = Set(names)
            for key in keys where !known.contains(key.stringValue) {
                fields[key.stringValue] = try source.decode(JSONValue.self, forKey: key)
            }
        } else {
            for (name, value) in fields { try target?.encode(value, forKey: FieldName(name)) }
        }
    }
}

/// An object of Apple's whose fields are listed once for reading and writing.
public protocol AppStoreObject: Sendable, Hashable, Codable {
    /// Names that this program does not know, with what stood under them; written back as they came.
    var otherFields: [String: JSONValue] { get set }
    /// An object with nothing in it, to be filled by a pass.
    init(unfilled: ())
    /// Reads or writes every field.
    mutating func fields(_ pass: inout FieldPass) throws
}

extension AppStoreObject {
    /// Decodes leniently: numbers or strings, unknown names kept; a wrong shape is an error.
    public init(from decoder: any Decoder) throws {
        self.init(unfilled: ())
        var pass = try FieldPass(reading: decoder)
        try fields(&pass)
        try pass.others(&otherFields)
    }

    /// Encodes under Apple's names, the unknown ones included.
    public func encode(to encoder: any Encoder) throws {
        var pass = FieldPass(writing: encoder)
        var copy = self
        try copy.fields(&pass)
        try pass.others(&copy.otherFields)
    }
}
