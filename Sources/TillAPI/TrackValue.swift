/// One value of `track`, a scalar: what an app's analytics want to travel with a purchase.
public enum TrackValue: Sendable, Hashable, Codable {
    /// A text.
    case text(String)
    /// A whole number.
    case integer(Int64)
    /// Any other number.
    case number(Double)
    /// True or false.
    case flag(Bool)

    /// Decodes any JSON scalar but null.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if let flag = try? container.decode(Bool.self) {
            self = .flag(flag)
        } else if let integer = try? container.decode(Int64.self) {
            self = .integer(integer)
        } else if let number = try? container.decode(Double.self) {
            self = .number(number)
        } else {
            let text = try container.decode(String.self)
            guard text.utf8.count <= APILimits.trackTextBytes else {
                throw DecodingError.dataCorruptedError(
                    in: container,
                    debugDescription: "a text has at most \(APILimits.trackTextBytes) bytes")
            }
            self = .text(text)
        }
    }

    /// Encodes the scalar.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .text(let value): try container.encode(value)
        case .integer(let value): try container.encode(value)
        case .number(let value): try container.encode(value)
        case .flag(let value): try container.encode(value)
        }
    }
}
