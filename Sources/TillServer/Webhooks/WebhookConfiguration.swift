import CryptoPrimitives
public import TillLedger

/// An endpoint of an app's backend that hears what happens.
public struct WebhookConfiguration: Sendable {
    /// Its name, under which what waits for it is kept.
    public var name: WebhookName
    /// Its address, http or https.
    public var url: String
    /// The keys that sign, by the Standard Webhooks specification; all of them while one is being replaced.
    public var secrets: [WebhookSecret]
    /// What it wants to hear of.
    public var events: [EventPattern]
    /// Whether it may be on this machine or a private network.
    public var allowsPrivateNetwork: Bool

    /// What the ledger needs to know of it.
    var rule: WebhookRule { WebhookRule(name: name, events: events) }

    /// The address without its query, which may hold a token.
    var shownURL: String { String(url.prefix { $0 != "?" }) }
}

/// A key that signs webhooks.
public struct WebhookSecret: Sendable, Hashable {
    /// How many bytes a key has (Standard Webhooks, "Signature scheme").
    public static let sizes = 24...64

    /// The key in base64, shown nowhere.
    private let encoded: SecretText

    /// The key.
    var key: [UInt8] { StandardWebhook.decodedKey(encoded.bytes) ?? [] }

    /// Takes `whsec_` and the key in base64; nil for anything else, and for a key of the wrong size.
    public init?(_ text: String) {
        guard let encoded = text.removing(prefix: "whsec_"),
            let bytes = StandardWebhook.decodedKey(Array(encoded.utf8)),
            Self.sizes.contains(bytes.count)
        else { return nil }
        self.encoded = SecretText(encoded)
    }
}
