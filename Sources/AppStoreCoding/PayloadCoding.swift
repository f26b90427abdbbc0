public import AppStoreModel
public import SignedDataCoding

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension AppStoreObject {
    /// Reads the JSON of a payload or of a message.
    ///
    /// Numbers may be strings, unknown names are kept, a wrong shape is `malformedPayload`.
    public init(decodingJSON json: [UInt8]) throws(SignedDataError) {
        self = try JSONCoding.decode(Self.self, json)
    }

    /// The JSON in a stable order of names.
    public func encodedJSON() throws(SignedDataError) -> [UInt8] {
        try JSONCoding.encode(self)
    }
}

extension TransactionPayload {
    /// Reads the payload of a signed transaction: by a scanner of our own where the JSON is plain, which
    /// real ones are, and else by Foundation; both give the same.
    public init(decodingPayload json: [UInt8]) throws(SignedDataError) {
        if let scanned = TransactionScanner.scan(json) {
            self = scanned
        } else {
            self = try JSONCoding.decode(Self.self, json)
        }
    }
}

/// Foundation's coders, in one place.
enum JSONCoding {
    /// The most bytes of one payload.
    static let maximumBytes = 1 << 20

    static func decode<Value: Decodable>(
        _ type: Value.Type, _ json: [UInt8], limit: Int = maximumBytes
    ) throws(SignedDataError) -> Value {
        guard json.count <= limit else { throw SignedDataError(.tooLarge) }
        // Foundation takes a byte order mark, UTF-16 and UTF-32, which no signed payload is in.
        guard let first = json.first(where: { ![0x20, 0x09, 0x0a, 0x0d].contains($0) }),
            first == UInt8(ascii: "{") || first == UInt8(ascii: "["), !json.contains(0)
        else { throw SignedDataError(.malformedPayload, detail: "no JSON") }
        do {
            return try JSONDecoder().decode(type, from: Data(json))
        } catch let error as DecodingError {
            throw SignedDataError(.malformedPayload, detail: explanation(error))
        } catch {
            throw SignedDataError(.malformedPayload)
        }
    }

    static func encode(_ value: some Encodable) throws(SignedDataError) -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        do { return Array(try encoder.encode(value)) } catch {
            throw SignedDataError(.malformedPayload, detail: "cannot be encoded")
        }
    }

    /// Names the field, never its content.
    private static func explanation(_ error: DecodingError) -> String {
        switch error {
        case .keyNotFound(let key, _): return "\(key.stringValue) is missing"
        case .typeMismatch(_, let context), .valueNotFound(_, let context),
            .dataCorrupted(let context):
            let path = context.codingPath.map(\.stringValue).joined(separator: ".")
            return path.isEmpty ? "no JSON" : "\(path) has another shape"
        @unknown default: return "no JSON"
        }
    }
}
