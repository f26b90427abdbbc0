public import AppStoreModel

/// Names an endpoint of an app's backend within the app.
public struct WebhookName: AppStoreIdentifier {
    /// The name in the configuration, or one made of the address.
    public let rawValue: String
    /// Takes the text as it is.
    public init(_ text: String) { rawValue = text }
}

/// Where an endpoint belongs.
public struct WebhookPlace: Sendable, Hashable, Comparable {
    /// The app.
    public let bundleID: BundleID
    /// The endpoint within it.
    public let name: WebhookName

    /// Names an endpoint.
    public init(bundleID: BundleID, name: WebhookName) {
        self.bundleID = bundleID
        self.name = name
    }

    /// Orders by text, for stable output only.
    public static func < (left: WebhookPlace, right: WebhookPlace) -> Bool {
        (left.bundleID, left.name) < (right.bundleID, right.name)
    }
}

/// Which kinds of event an endpoint wants: one by name, a group as `purchase.*`, or all as `*`.
public struct EventPattern: Sendable, Hashable {
    /// The pattern as it was written.
    public let text: String
    private let prefix: String?

    /// Takes a pattern that fits at least one of the known kinds; else nil.
    public init?(_ text: String, among known: [EventKind] = EventKind.known) {
        self.text = text
        if text == "*" {
            prefix = ""
        } else if text.hasSuffix(".*") {
            prefix = String(text.dropLast())
        } else {
            prefix = nil
        }
        guard known.contains(where: fits) else { return nil }
    }

    /// Every kind.
    public static let everything = EventPattern(prefix: "")

    private init(prefix: String) {
        text = "*"
        self.prefix = prefix
    }

    /// Whether events of that kind are wanted.
    public func fits(_ kind: EventKind) -> Bool {
        guard let prefix else { return kind.rawValue == text }
        return kind.rawValue.hasPrefix(prefix)
    }
}

/// What the ledger knows of an endpoint: its name and what it wants; never its address or secrets.
public struct WebhookRule: Sendable, Hashable {
    /// The endpoint.
    public var name: WebhookName
    /// What it wants to hear of.
    public var events: [EventPattern]

    /// Makes a rule; without patterns the endpoint hears of everything.
    public init(name: WebhookName, events: [EventPattern] = [.everything]) {
        self.name = name
        self.events = events
    }

    /// Whether events of that kind are wanted.
    public func wants(_ kind: EventKind) -> Bool { events.contains { $0.fits(kind) } }
}

extension Catalog {
    /// The endpoints of an app that want events of a kind.
    func endpoints(of bundleID: BundleID, wanting kind: EventKind) -> [WebhookName] {
        (apps[bundleID]?.webhooks ?? []).filter { $0.wants(kind) }.map(\.name)
    }
}
