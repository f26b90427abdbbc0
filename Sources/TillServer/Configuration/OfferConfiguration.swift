public import AppStoreModel
public import CryptoPrimitives
import TillLedger

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// How an app's offers are signed, and which of them an app may ask for by itself.
public struct OfferConfiguration: Sendable {
    /// The key's name in App Store Connect.
    public var keyID: String
    /// The subscription key, or an In-App Purchase key.
    public var privateKey: PrivateKey
    /// The issuer of App Store Connect, a UUID; without it there are no JWS forms.
    public var issuerID: String?
    /// The promotional offers that customers' apps get; backends get any.
    public var promotional: [ProductID: Set<String>]
}

extension ConfigurationReader {
    /// `apps[].offers`.
    mutating func offers(
        _ node: JSONNode?, products: [ProductID: ProductKind]
    ) -> OfferConfiguration? {
        guard let node else { return nil }
        guard case .object = node.value else {
            faults.add(node.path, "expected an object, found \(node.kind)")
            return nil
        }
        faults.refuseUnknown(in: node, known: ["keyId", "privateKey", "issuerId", "promotional"])
        let keyID = keyID(node)
        let key = privateKey(node)
        let issuer = issuerID(node["issuerId"])
        let promotional = promotional(node["promotional"], products: products)
        guard let keyID, let key else { return nil }
        return OfferConfiguration(
            keyID: keyID, privateKey: key, issuerID: issuer, promotional: promotional)
    }

    private mutating func keyID(_ node: JSONNode) -> String? {
        guard let place = node["keyId"] else {
            faults.add(node.memberPath("keyId"), "required: the key's name in App Store Connect")
            return nil
        }
        guard let text = faults.string(place) else { return nil }
        // It stands between separators in what is signed.
        guard (1...64).contains(text.utf8.count), text.utf8.allSatisfy({ 0x21...0x7E ~= $0 })
        else {
            faults.add(place.path, "expected 1 to 64 visible ASCII characters")
            return nil
        }
        return text
    }

    private mutating func privateKey(_ node: JSONNode) -> PrivateKey? {
        guard let place = node["privateKey"] else {
            faults.add(node.memberPath("privateKey"), "required: as file:SubscriptionKey.p8")
            return nil
        }
        guard let secret = secret(place) else { return nil }
        guard let key = try? PrivateKey(pem: String(decoding: secret.bytes, as: UTF8.self) + "\n"),
            key.kind == .p256
        else {
            faults.add(place.path, "expected a P-256 key in PEM, as Apple's .p8 files are")
            return nil
        }
        return key
    }

    private mutating func issuerID(_ node: JSONNode?) -> String? {
        guard let node, let text = faults.string(node) else { return nil }
        guard UUID(uuidString: text) != nil else {
            faults.add(node.path, "expected a UUID, as App Store Connect shows it")
            return nil
        }
        return text
    }

    private mutating func promotional(
        _ node: JSONNode?, products: [ProductID: ProductKind]
    ) -> [ProductID: Set<String>] {
        guard let node else { return [:] }
        var offers: [ProductID: Set<String>] = [:]
        for (name, list) in faults.object(node).sorted(by: { $0.key < $1.key }) {
            let product = ProductID(name)
            if products[product] != .autoRenewable {
                faults.add(list.path, "\"\(name)\" is no autoRenewable product of this app")
            }
            offers[product] = Set(faults.list(list).compactMap { faults.string($0) })
        }
        return offers
    }
}
