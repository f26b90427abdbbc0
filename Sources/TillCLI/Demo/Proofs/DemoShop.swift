import AppStoreModel
import Foundation

/// The server's configuration for the demonstration, made from what the proofs hold.
struct DemoShop {
    /// One app and what was seen of it.
    struct App {
        let bundleID: BundleID
        var appAppleID: Int64?
        var environments: Set<AppStoreEnvironment> = []
        var products: [ProductID: ProductType] = [:]
    }

    private(set) var apps: [App] = []

    /// Collects the apps and products of the genuine proofs.
    init(_ proofs: [DemoProof]) {
        var apps: [BundleID: App] = [:]
        for look in proofs.compactMap(\.genuine) {
            var app = apps[look.bundleID] ?? App(bundleID: look.bundleID)
            app.environments.insert(look.environment)
            if look.environment == .production, let number = look.appAppleID {
                app.appAppleID = number
            }
            for purchase in look.purchases {
                // Old receipts do not tell the kind; what expires renews.
                app.products[purchase.product] =
                    purchase.type ?? app.products[purchase.product]
                    ?? (purchase.expires ? .autoRenewable : .consumable)
            }
            apps[look.bundleID] = app
        }
        self.apps = apps.values.sorted { $0.bundleID < $1.bundleID }
    }

    /// How many products all apps have.
    var productCount: Int { apps.map(\.products.count).reduce(0, +) }

    /// The configuration file.
    func configuration(secret: String, rootFile: String?) -> JSONValue {
        [
            "listen": "127.0.0.1:0", "database": "sqlite:till.db",
            "customerTokens": ["hs256": .string(secret), "requireExpiry": true],
            "log": ["requests": false],
            "apps": .array(apps.map { app(of: $0, rootFile: rootFile) }),
        ]
    }

    private func app(of app: App, rootFile: String?) -> JSONValue {
        var object: [String: JSONValue] = [
            "bundleId": .string(app.bundleID.rawValue),
            "environments": .array(app.environments.map(\.rawValue).sorted().map { .string($0) }),
            "products": .object(
                Dictionary(
                    uniqueKeysWithValues: app.products.map {
                        ($0.key.rawValue, Self.rule(of: $0.key, $0.value))
                    })),
        ]
        if app.environments.contains(.production) {
            // A signed transaction does not carry the number; any will do when no receipt told it.
            object["appAppleId"] = .integer(app.appAppleID ?? 1)
        } else if let rootFile {
            object["trustedRoots"] = [.string(rootFile)]
        }
        return .object(object)
    }

    /// A consumable gives a hundred coins, anything else the right that its name ends in.
    private static func rule(of product: ProductID, _ type: ProductType) -> JSONValue {
        let right = product.rawValue.split(separator: ".").last.map(String.init) ?? "access"
        return switch type {
        case .consumable: ["type": "consumable", "credits": ["coins": 100]]
        case .nonConsumable: ["type": "nonConsumable", "entitlements": [.string(right)]]
        case .nonRenewing:
            ["type": "nonRenewing", "entitlements": [.string(right)], "duration": "P30D"]
        default: ["type": "autoRenewable", "entitlements": [.string(right)]]
        }
    }
}
