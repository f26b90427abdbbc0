/// A scalar that is read in each form that Apple has sent it in, numbers as strings and back.
protocol LenientScalar: Codable, Sendable {
    /// Nothing for a text without anything in it, where text is not what is wanted: Apple's receipts have
    /// dates and numbers that are present and empty.
    static func read(_ source: KeyedDecodingContainer<FieldName>, _ key: FieldName) throws -> Self?
    /// The value as text, for bodies that write everything as strings.
    var spelling: String { get }
}

private func misfit(
    _ source: KeyedDecodingContainer<FieldName>, _ key: FieldName, _ expected: String
) -> DecodingError {
    .dataCorruptedError(
        forKey: key, in: source, debugDescription: "\(key.stringValue) is not \(expected)")
}

extension String: LenientScalar {
    static func read(_ source: KeyedDecodingContainer<FieldName>, _ key: FieldName) throws -> Self?
    {
        if let text = try? source.decode(String.self, forKey: key) { return text }
        if let whole = try? source.decode(Int64.self, forKey: key) { return String(whole) }
        if let flag = try? source.decode(Bool.self, forKey: key) { return flag ? "true" : "false" }
        if let number = try? source.decode(Double.self, forKey: key) { return "\(number)" }
        throw misfit(source, key, "text")
    }
    var spelling: String { self }
}

extension Int64: LenientScalar {
    static func read(_ source: KeyedDecodingContainer<FieldName>, _ key: FieldName) throws -> Self?
    {
        if let whole = try? source.decode(Int64.self, forKey: key) { return whole }
        if let text = try? source.decode(String.self, forKey: key) {
            if text.isEmpty { return nil }
            if DecimalText.isNumber(text), let whole = Int64(text) { return whole }
        } else if let flag = try? source.decode(Bool.self, forKey: key) {
            return flag ? 1 : 0
        }
        throw misfit(source, key, "a whole number")
    }
    var spelling: String { String(self) }
}

extension Bool: LenientScalar {
    static func read(_ source: KeyedDecodingContainer<FieldName>, _ key: FieldName) throws -> Self?
    {
        if let flag = try? source.decode(Bool.self, forKey: key) { return flag }
        let word: String
        if let text = try? source.decode(String.self, forKey: key) {
            if text.isEmpty { return nil }
            word = text.lowercased()
        } else if let whole = try? source.decode(Int64.self, forKey: key) {
            word = String(whole)
        } else {
            throw misfit(source, key, "true or false")
        }
        switch word {
        case "true", "1", "yes": return true
        case "false", "0", "no": return false
        default: throw misfit(source, key, "true or false")
        }
    }
    var spelling: String { self ? "true" : "false" }
}

extension Timestamp: LenientScalar {
    static func read(_ source: KeyedDecodingContainer<FieldName>, _ key: FieldName) throws -> Self?
    {
        if let whole = try? source.decode(Int64.self, forKey: key) {
            if let moment = Timestamp(received: whole) { return moment }
        } else if let number = try? source.decode(Double.self, forKey: key) {
            if let moment = Timestamp(fractionalMilliseconds: number) { return moment }
        } else if let text = try? source.decode(String.self, forKey: key) {
            if text.isEmpty { return nil }
            if let moment = Timestamp(millisecondsText: text) { return moment }
        }
        throw misfit(source, key, "a time in milliseconds")
    }
    var spelling: String { String(milliseconds) }
}

extension Timestamp {
    /// Reads milliseconds since 1970 in decimal digits, with a fraction or without.
    init?(millisecondsText text: String) {
        guard DecimalText.isNumber(text) else { return nil }
        if let whole = Int64(text) {
            self.init(received: whole)
        } else if let number = Double(text) {
            self.init(fractionalMilliseconds: number)
        } else {
            return nil
        }
    }
}

/// Numbers as people write them: a sign at most, digits, a point at most.
///
/// The standard library also takes hexadecimal, powers and `nan`, which no sender means.
enum DecimalText {
    static func isNumber(_ text: String) -> Bool {
        var digits = 0
        var points = 0
        for (place, byte) in text.utf8.enumerated() {
            switch byte {
            case 0x30...0x39: digits += 1
            case UInt8(ascii: "."): points += 1
            case UInt8(ascii: "-") where place == 0: continue
            default: return false
            }
        }
        return digits > 0 && points <= 1
    }
}
