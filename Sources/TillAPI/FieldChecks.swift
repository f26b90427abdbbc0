#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Checks at the edge: what does not pass is a `DecodingError` that names the field.
enum FieldCheck {
    /// An identifier that came from outside: not empty, bounded, without control characters.
    static func isIdentifier(_ text: String) -> Bool {
        let bytes = text.utf8
        return !bytes.isEmpty && bytes.count <= APILimits.identifierBytes
            && bytes.allSatisfy { $0 >= 0x20 && $0 != 0x7F }
    }
}

extension KeyedDecodingContainer {
    /// The identifier at `key`, `nil` when it is absent or null.
    func identifier<Name: RawRepresentable & Decodable>(
        _ type: Name.Type, at key: Key
    ) throws -> Name? where Name.RawValue == String {
        guard let value = try decodeIfPresent(Name.self, forKey: key) else { return nil }
        try require(FieldCheck.isIdentifier(value.rawValue), at: key, Self.identifierRule)
        return value
    }

    /// The list of identifiers at `key`, empty when it is absent or null.
    func identifiers<Name: RawRepresentable & Decodable>(
        _ type: Name.Type, at key: Key, limit: Int
    ) throws -> [Name] where Name.RawValue == String {
        guard let values = try decodeIfPresent([Name].self, forKey: key) else { return [] }
        try require(values.count <= limit, at: key, "at most \(limit) entries")
        for value in values {
            try require(FieldCheck.isIdentifier(value.rawValue), at: key, Self.identifierRule)
        }
        return values
    }

    /// The UUID at `key`, in either case, `nil` when it is absent or null.
    func uuid(at key: Key) throws -> UUID? {
        guard let text = try decodeIfPresent(String.self, forKey: key) else { return nil }
        guard let value = UUID(uuidString: text) else {
            throw DecodingError.dataCorruptedError(
                forKey: key, in: self, debugDescription: "expected a UUID")
        }
        return value
    }

    /// Throws with `rule` unless `holds`.
    func require(_ holds: Bool, at key: Key, _ rule: String) throws {
        guard holds else {
            throw DecodingError.dataCorruptedError(forKey: key, in: self, debugDescription: rule)
        }
    }

    private static var identifierRule: String {
        "an identifier has 1 to \(APILimits.identifierBytes) bytes and no control characters"
    }
}

extension KeyedEncodingContainer {
    /// Writes the UUID in lower case, as StoreKit signs it.
    mutating func encode(lowercased value: UUID, forKey key: Key) throws {
        try encode(value.lowercasedText, forKey: key)
    }

    /// Writes the UUID in lower case when there is one.
    mutating func encodeIfPresent(lowercased value: UUID?, forKey key: Key) throws {
        if let value { try encode(lowercased: value, forKey: key) }
    }
}

extension UUID {
    /// The text in lower case.
    fileprivate var lowercasedText: String {
        var text: [UInt8] = []
        text.reserveCapacity(36)
        withUnsafeBytes(of: uuid) { bytes in
            for (place, byte) in bytes.enumerated() {
                if place == 4 || place == 6 || place == 8 || place == 10 {
                    text.append(UInt8(ascii: "-"))
                }
                text.append(Self.hexDigit(byte >> 4))
                text.append(Self.hexDigit(byte & 0xF))
            }
        }
        return String(decoding: text, as: UTF8.self)
    }

    private static func hexDigit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10
    }
}
