/// A set of words that Apple can extend: known ones are named constants, an unknown one survives.
public protocol OpenText: RawRepresentable, Sendable, Hashable, Codable, CustomStringConvertible,
    ExpressibleByStringLiteral
where RawValue == String {
    /// Takes any word, known or not.
    init(rawValue: String)
}

extension OpenText {
    /// Takes the literal as it is.
    public init(stringLiteral value: String) { self.init(rawValue: value) }
    /// The word as Apple spells it.
    public var description: String { rawValue }

    /// Decodes a string, or the digits of a number.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if let text = try? container.decode(String.self) {
            self.init(rawValue: text)
        } else {
            self.init(rawValue: String(try container.decode(Int64.self)))
        }
    }

    /// Encodes the word.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(rawValue)
    }
}

/// A set of numbers that Apple can extend: known ones are named constants, an unknown one survives.
public protocol OpenNumber: RawRepresentable, Sendable, Hashable, Codable, CustomStringConvertible,
    ExpressibleByIntegerLiteral
where RawValue == Int64 {
    /// Takes any number, known or not.
    init(rawValue: Int64)
}

extension OpenNumber {
    /// Takes the literal as it is.
    public init(integerLiteral value: Int64) { self.init(rawValue: value) }
    /// The number in digits.
    public var description: String { String(rawValue) }

    /// Decodes a number, or a string of its digits.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if let whole = try? container.decode(Int64.self) {
            self.init(rawValue: whole)
            return
        }
        let text = try container.decode(String.self)
        guard let whole = Int64(text) else {
            throw DecodingError.dataCorruptedError(
                in: container, debugDescription: "not a whole number")
        }
        self.init(rawValue: whole)
    }

    /// Encodes the number.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(rawValue)
    }
}
