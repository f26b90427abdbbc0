import AppStoreModel
import CryptoPrimitives
import HTTPMessage
import SignedDataCoding
import TillLedger

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The Standard Webhooks specification: three header fields, of which one signs the other two and the body.
///
/// <https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md>
enum StandardWebhook {
    static let idField = "webhook-id"
    static let timestampField = "webhook-timestamp"
    static let signatureField = "webhook-signature"

    static func decodedKey(_ text: [UInt8]) -> [UInt8]? { Base64.decodeStandard(text) }

    /// `v1,` and the HMAC-SHA256 of `id.timestamp.body` in base64, one for each key, spaces between.
    static func signature(
        id: String, seconds: Int64, body: [UInt8], secrets: [WebhookSecret]
    ) -> String {
        let signed = Array("\(id).\(seconds).".utf8) + body
        return secrets.map {
            "v1," + Base64.encode(HMACSHA256.authenticationCode(for: signed, key: $0.key))
        }
        .joined(separator: " ")
    }

    /// The request that tells a message; the time is that of the attempt.
    static func request(
        _ message: WebhookMessage, to webhook: WebhookConfiguration, at now: Timestamp
    ) -> HTTPRequest {
        let seconds = now.seconds
        return HTTPRequest(
            method: .post, target: webhook.url,
            fields: [
                "Content-Type": "application/json", idField: message.id,
                timestampField: String(seconds),
                signatureField: signature(
                    id: message.id, seconds: seconds, body: message.body,
                    secrets: webhook.secrets),
            ], body: Data(message.body))
    }
}

/// What is sent: an id that stays the same with every attempt, and a body.
struct WebhookMessage: Sendable, Hashable {
    let id: String
    let body: [UInt8]

    /// An event, as `docs/webhooks.md` describes it.
    init(_ numbered: NumberedEvent) {
        let event = numbered.event
        let data = try? JSONDecoder().decode(JSONValue.self, from: Data(event.data.utf8))
        var body: [String: JSONValue] = [
            "id": .string(event.id.rawValue), "type": .string(event.kind.rawValue),
            "timestamp": .string(LogTime.text(event.at)),
            "bundleId": .string(event.bundleID.rawValue),
            "customerId": .string(event.customer.rawValue),
            "sequence": .integer(numbered.sequence), "data": data ?? .object([:]),
        ]
        body["environment"] = event.environment.map { .string($0.rawValue) }
        self.init(id: event.id.rawValue, body)
    }

    /// A message that says nothing, to see whether an endpoint answers.
    init(testing app: BundleID, id: String, at now: Timestamp) {
        self.init(
            id: id,
            [
                "id": .string(id), "type": "webhook.test", "timestamp": .string(LogTime.text(now)),
                "bundleId": .string(app.rawValue), "data": .object([:]),
            ])
    }

    private init(id: String, _ members: [String: JSONValue]) {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        self.id = id
        // Values of JSON encode; there is nothing else in it.
        body = (try? encoder.encode(JSONValue.object(members))).map { [UInt8]($0) } ?? []
    }
}
