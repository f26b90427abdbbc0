/// A scalar that is read in each form that Apple has sent it in, numbers as strings and back.
protocol LenientScalar: Codable, Sendable {
    static func read(_ source: KeyedDecodingContainer<FieldName>, _ key: FieldName) throws -> Self
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
    static func read(_ source: KeyedDecodingContainer<FieldName>, _ key: FieldName) throws -> Self {
        if let text = try? source.decode(String.self, forKey: key) { return text }
        if let whole = try? source.decode(Int64.self, forKey: key) { return String(whole) }
        if let flag = try? source.decode(Bool.self, forKey: key) { return flag ? "true" : "false" }
        if let number = try? source.decode(Double.self, forKey: key) { return "\(number)" }
        throw misfit(source, key, "text")
    }
    var spelling: String { self }
}

extension Int64: LenientScalar {
    static func read(_ source: KeyedDecodingContainer<FieldName>, _ key: FieldName) throws -> Self {
        if let whole = try? source.decode(Int64.self, forKey: key) { return whole }
        if let text = try? source.decode(String.self, forKey: key) {
            if let whole = Int64(text) { return whole }
        } else if let flag = try? source.decode(Bool.self, forKey: key) {
            return flag ? 1 : 0
        }
        throw misfit(source, key, "a whole number")
    }
    var spelling: String { String(self) }
}

extension Bool: LenientScalar {
    static func read(_ source: KeyedDecodingContainer<FieldName>, _ key: FieldName) throws -> Self {
        if let flag = try? source.decode(Bool.self, forKey: key) { return flag }
        let word: String
        if let text = try? source.decode(String.self, forKey: key) {
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
    static func read(_ source: KeyedDecodingContainer<FieldName>, _ key: FieldName) throws -> Self {
        if let whole = try? source.decode(Int64.self, forKey: key) {
            return Timestamp(milliseconds: whole)
        }
        if let number = try? source.decode(Double.self, forKey: key),
            let moment = Timestamp(fractionalMilliseconds: number)
        {
            return moment
        }
        if let text = try? source.decode(String.self, forKey: key) {
            if let whole = Int64(text) { return Timestamp(milliseconds: whole) }
            if let number = Double(text), let moment = Timestamp(fractionalMilliseconds: number) {
                return moment
            }
        }
        throw misfit(source, key, "a time in milliseconds")
    }
    var spelling: String { String(milliseconds) }
}

extension Timestamp {
    /// Rounds down to whole milliseconds; nothing for what is no time.
    init?(fractionalMilliseconds number: Double) {
        guard number.isFinite, number.magnitude < 9e15 else { return nil }
        self.init(milliseconds: Int64(number.rounded(.down)))
    }
}
