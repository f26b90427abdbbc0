import AppStoreModel
import CryptoPrimitives
import TillLedger

extension ConfigurationReader {
    /// The most endpoints of one app.
    private static let mostWebhooks = 16
    private static let longestURL = 2_048

    mutating func webhooks(_ node: JSONNode?) -> [WebhookConfiguration] {
        let nodes = faults.list(node)
        if nodes.count > Self.mostWebhooks, let node {
            faults.add(node.path, "more than \(Self.mostWebhooks) endpoints")
        }
        var webhooks: [WebhookConfiguration] = []
        for place in nodes.prefix(Self.mostWebhooks) {
            guard let webhook = webhook(place) else { continue }
            if webhooks.contains(where: { $0.name == webhook.name }) {
                faults.add(
                    place.path, "two endpoints have the name \"\(webhook.name)\"; name one of them")
            }
            webhooks.append(webhook)
        }
        return webhooks
    }

    private mutating func webhook(_ node: JSONNode) -> WebhookConfiguration? {
        guard case .object = node.value else {
            faults.add(node.path, "expected an object, found \(node.kind)")
            return nil
        }
        faults.refuseUnknown(
            in: node, known: ["name", "url", "secrets", "events", "allowPrivateNetwork"])
        let allowsPrivateNetwork = faults.flag(node["allowPrivateNetwork"], default: false)
        let secrets = webhookSecrets(node)
        let events = eventPatterns(node["events"])
        let url = webhookURL(node, allowsPrivateNetwork: allowsPrivateNetwork)
        let name = webhookName(node["name"])
        guard let url else { return nil }
        return WebhookConfiguration(
            name: name ?? Self.name(of: url), url: url, secrets: secrets, events: events,
            allowsPrivateNetwork: allowsPrivateNetwork)
    }

    private mutating func webhookURL(
        _ node: JSONNode, allowsPrivateNetwork: Bool
    ) -> String? {
        guard let place = node["url"] else {
            faults.add(node.memberPath("url"), "required: where events are sent")
            return nil
        }
        guard let url = faults.string(place) else { return nil }
        let isPlain = url.removing(prefix: "http://")
        guard let rest = url.removing(prefix: "https://") ?? isPlain,
            url.utf8.count <= Self.longestURL, url.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F })
        else {
            faults.add(place.path, "expected an https URL of at most \(Self.longestURL) bytes")
            return nil
        }
        let authority = rest.prefix { $0 != "/" && $0 != "?" && $0 != "#" }
        if authority.isEmpty || authority.contains("@") || authority.contains("\\")
            || rest.contains("#")
        {
            faults.add(place.path, "expected a host, no user, no fragment")
            return nil
        }
        if isPlain != nil, !allowsPrivateNetwork {
            faults.add(
                place.path,
                "http shows everybody on the way what was bought: use https, or allowPrivateNetwork "
                    + "for a network of your own")
            return nil
        }
        return url
    }

    private mutating func webhookSecrets(_ node: JSONNode) -> [WebhookSecret] {
        guard let place = node["secrets"] else {
            faults.add(node.memberPath("secrets"), "required: the keys that sign")
            return []
        }
        var secrets: [WebhookSecret] = []
        for text in self.secrets(place, called: place.path) {
            guard let secret = WebhookSecret(String(decoding: text.bytes, as: UTF8.self)) else {
                let sizes = WebhookSecret.sizes
                faults.add(
                    place.path,
                    "expected \"whsec_\" and \(sizes.lowerBound) to \(sizes.upperBound) random bytes "
                        + "in base64")
                continue
            }
            secrets.append(secret)
        }
        if secrets.count > 4 { faults.add(place.path, "more than four keys at once") }
        return secrets
    }

    private mutating func eventPatterns(_ node: JSONNode?) -> [EventPattern] {
        guard let node else { return [.everything] }
        var patterns: [EventPattern] = []
        let places = faults.list(node)
        if places.isEmpty, case .array = node.value {
            faults.add(node.path, "must not be empty; leave it out to hear of everything")
        }
        for place in places {
            guard let text = faults.string(place) else { continue }
            guard let pattern = EventPattern(text) else {
                let known = EventKind.known.map(\.rawValue)
                faults.add(
                    place.path,
                    "no event fits \"\(text)\"" + FaultList.suggestion(for: text, among: known))
                continue
            }
            patterns.append(pattern)
        }
        return patterns
    }

    private mutating func webhookName(_ node: JSONNode?) -> WebhookName? {
        guard let node, let text = faults.string(node) else { return nil }
        let isWord = text.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"),
                UInt8(ascii: "."):
                true
            default: false
            }
        }
        guard isWord, text.utf8.count <= 64 else {
            faults.add(node.path, "a name has 1 to 64 letters, digits, `-`, `_` and `.`")
            return nil
        }
        return WebhookName(text)
    }

    /// A name for an endpoint that has none: its host, and what tells its address from others.
    private static func name(of url: String) -> WebhookName {
        let host = url.drop { $0 != "/" }.drop { $0 == "/" }
            .prefix { $0 != "/" && $0 != "?" && $0 != ":" }
        let digest = SHA256.hash(Array(url.utf8)).prefix(4)
            .map { byte in
                let text = String(byte, radix: 16)
                return text.utf8.count == 2 ? text : "0" + text
            }
            .joined()
        return WebhookName("\(host)-\(digest)")
    }
}
