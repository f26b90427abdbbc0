import AppStoreModel
import AppStoreTrust
import Foundation

extension VerifyReport {
    /// The report as one line of JSON, without a line feed.
    var json: [UInt8] {
        var writer = JSONWriter()
        writer.openObject()
        writer.member("kind", kind?.rawValue)
        writer.member("valid", isValid)
        writer.member("reason", reason)
        if let sentence { writer.member("detail", sentence) }
        writer.member("retryable", isRetryable)
        writer.member("environment", environment)
        writer.member("bundleId", bundleID)
        if isValid { writer.member("signedBy", extraRoot ?? "Apple") }
        switch payload {
        case .nothing: writer.member("payload", nil)
        case .receipt(let receipt): writer.member("payload", receipt)
        case .json(let bytes): writer.member("payload", json: bytes)
        case .value(let value): writer.member("payload", value)
        }
        for (name, bytes) in inner { writer.member(name, json: bytes) }
        writer.closeObject()
        return writer.bytes
    }

    /// Reads JSON of any kind; nil where it is none.
    static func read(_ json: [UInt8]) -> JSONValue? {
        guard !json.contains(0) else { return nil }
        return try? JSONDecoder().decode(JSONValue.self, from: Data(json))
    }
}
