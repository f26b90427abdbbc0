import AppStoreModel
import CryptoPrimitives
import TillLedger

extension ConfigurationReader {
    mutating func apps(_ node: JSONNode?, isDevelopment: Bool) -> [AppConfiguration] {
        guard let node else {
            faults.add("apps", "required: at least one app")
            return []
        }
        let nodes = faults.list(node)
        if nodes.isEmpty, case .array = node.value {
            faults.add(node.path, "at least one app is needed")
        }
        var apps: [AppConfiguration] = []
        var keys: Set<String> = []
        for node in nodes {
            guard let app = app(node, isDevelopment: isDevelopment) else { continue }
            if apps.contains(where: { $0.bundleID == app.bundleID }) {
                faults.add(node.memberPath("bundleId"), "\(app.bundleID) is there twice")
            }
            for key in app.publishableKeys where !keys.insert(key).inserted {
                faults.add(node.memberPath("publishableKeys"), "a key belongs to one app alone")
            }
            apps.append(app)
        }
        return apps
    }

    private mutating func app(_ node: JSONNode, isDevelopment: Bool) -> AppConfiguration? {
        guard case .object = node.value else {
            faults.add(node.path, "expected an object, found \(node.kind)")
            return nil
        }
        faults.refuseUnknown(
            in: node,
            known: [
                "bundleId", "appAppleId", "environments", "trustedRoots", "intermediates",
                "publishableKeys", "sharedSecret", "products", "offers", "refunds", "appStore",
                "webhooks",
            ] + Self.policyKeys)
        guard let bundle = node["bundleId"] else {
            faults.add(node.memberPath("bundleId"), "required")
            return nil
        }
        guard let bundleText = faults.string(bundle) else { return nil }
        if bundleText.utf8.count > 155 || !bundleText.isVisibleASCII || bundleText.contains("/") {
            faults.add(
                bundle.path, "a bundle id has 1 to 155 visible ASCII characters and no slash")
        }
        let bundleID = BundleID(bundleText)
        let environments = environments(node["environments"], in: node)
        let roots = certificates(node["trustedRoots"])
        let appleID = faults.integer(node["appAppleId"], in: 1...Int64.max)
        check(environments, appleID: appleID, in: node, isDevelopment: isDevelopment)
        let keys = faults.list(node["publishableKeys"]).compactMap { headerText($0) }
        let products = products(node["products"], bundleID: bundleID)
        return AppConfiguration(
            bundleID: bundleID, appAppleID: appleID, environments: environments,
            trustedRoots: roots,
            intermediates: certificates(node["intermediates"]).map(\.certificate),
            publishableKeys: keys, sharedSecret: node["sharedSecret"].flatMap { secret($0) },
            appStore: appleAccess(node["appStore"], of: bundleID),
            keepsWalletsAboveZero: keepsWalletsAboveZero(node["refunds"]), products: products,
            offers: offers(node["offers"], products: products.mapValues(\.kind)),
            webhooks: webhooks(node["webhooks"]), owners: owners(node["owners"]),
            otherEnvironments: otherEnvironments(in: node))
    }

    /// What a refund may do to a wallet.
    private mutating func keepsWalletsAboveZero(_ node: JSONNode?) -> Bool {
        guard let node, let word = faults.string(node) else { return false }
        let words = ["belowZero", "neverBelowZero"]
        if !words.contains(word) {
            faults.add(
                node.path,
                "unknown policy \"\(word)\"" + FaultList.suggestion(for: word, among: words))
        }
        return word == "neverBelowZero"
    }

    private mutating func environments(
        _ node: JSONNode?, in app: JSONNode
    ) -> [AppStoreEnvironment] {
        guard let node else { return [.production] }
        let known: [AppStoreEnvironment] = [.production, .sandbox, .xcode, .localTesting]
        var environments: [AppStoreEnvironment] = []
        for place in faults.list(node) {
            guard let word = faults.string(place) else { continue }
            // One spelling alone, so that a file says what it means.
            guard let environment = known.first(where: { $0.rawValue == word }) else {
                let words = known.map(\.rawValue)
                faults.add(
                    place.path,
                    "unknown environment \"\(word)\""
                        + FaultList.suggestion(for: word, among: words))
                continue
            }
            if !environments.contains(environment) { environments.append(environment) }
        }
        if environments.isEmpty { faults.add(node.path, "at least one environment is needed") }
        return environments
    }

    /// The rules that keep test money out of production.
    private mutating func check(
        _ environments: [AppStoreEnvironment], appleID: Int64?, in app: JSONNode,
        isDevelopment: Bool
    ) {
        let local = environments.filter { $0 == .xcode || $0 == .localTesting }
        if environments.contains(.production) {
            if app["trustedRoots"] != nil {
                faults.add(
                    app.memberPath("trustedRoots"),
                    "roots of test stores cannot stand beside Production: whoever holds one of "
                        + "their keys could make proofs")
            }
            for environment in local {
                faults.add(
                    app.memberPath("environments"),
                    "\(environment) cannot stand beside Production: its proofs are not Apple's")
            }
            if isDevelopment {
                faults.add(
                    app.memberPath("environments"),
                    "Production cannot be admitted in development mode")
            }
            if appleID == nil, app["appAppleId"] == nil {
                faults.add(
                    app.memberPath("appAppleId"),
                    "required with Production: the app's number in App Store Connect")
            }
        } else if !local.isEmpty, namesNoRoot(app["trustedRoots"]) {
            faults.add(
                app.memberPath("trustedRoots"),
                "required with \(local.map(\.rawValue).joined(separator: " and ")): "
                    + "their proofs are not signed by Apple")
        }
    }

    private func namesNoRoot(_ node: JSONNode?) -> Bool {
        guard let node else { return true }
        return node.value == .array([])
    }

    /// Every certificate of every file that is named.
    private mutating func certificates(_ node: JSONNode?) -> [TrustedRoot] {
        var roots: [TrustedRoot] = []
        for place in faults.list(node) {
            guard let file = faults.string(place) else { continue }
            guard let bytes = contents(of: file, limit: Certificate.sizeLimit) else {
                faults.add(place.path, "cannot read the certificate \(resolved(file))")
                continue
            }
            do throws(CryptoError) {
                roots += try Certificate.all(pemOrDER: bytes).map {
                    TrustedRoot(name: file, certificate: $0)
                }
            } catch {
                faults.add(place.path, "\(resolved(file)) is no certificate in DER or PEM")
            }
        }
        return roots
    }

    // MARK: The catalog

    private mutating func products(
        _ node: JSONNode?, bundleID: BundleID
    ) -> [ProductID: ProductRule] {
        guard let node else {
            warnings.append("\(bundleID) has no products: every purchase will wait")
            return [:]
        }
        var products: [ProductID: ProductRule] = [:]
        for (name, node) in faults.object(node).sorted(by: { $0.key < $1.key }) {
            checkName(name, "a product id", longest: 255, at: node)
            products[ProductID(name)] = product(node)
        }
        return products
    }

    private mutating func product(_ node: JSONNode) -> ProductRule? {
        guard case .object = node.value else {
            faults.add(node.path, "expected an object, found \(node.kind)")
            return nil
        }
        faults.refuseUnknown(in: node, known: ["type", "credits", "entitlements", "duration"])
        guard let kind = productKind(node["type"], in: node) else { return nil }
        let credits = credits(node["credits"])
        let entitlements = entitlements(node["entitlements"])
        if credits.isEmpty, entitlements.isEmpty, node["credits"] == nil {
            warnings.append("\(node.path) gives nothing: no credits, no entitlements")
        }
        if kind == .nonRenewing, !entitlements.isEmpty, node["duration"] == nil {
            warnings.append("\(node.path) has no duration: its entitlements never end")
        }
        return ProductRule(
            kind: kind, credits: credits, entitlements: entitlements,
            duration: duration(node["duration"], of: kind))
    }

    /// Names that no person can tell from others are slips of the pen.
    private mutating func checkName(
        _ name: String, _ what: String, longest: Int, at node: JSONNode
    ) {
        if name.isEmpty || name.utf8.count > longest {
            faults.add(node.path, "\(what) has 1 to \(longest) bytes")
        } else if name.first == " " || name.last == " "
            || name.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F })
        {
            faults.add(node.path, "\(what) has no space around it and no control characters")
        }
    }

    private mutating func credits(_ node: JSONNode?) -> [WalletCurrency: Int64] {
        guard let node else { return [:] }
        var credits: [WalletCurrency: Int64] = [:]
        for (currency, amount) in faults.object(node).sorted(by: { $0.key < $1.key }) {
            checkName(currency, "a currency's name", longest: 64, at: amount)
            credits[WalletCurrency(currency)] = faults.integer(
                amount, in: 1...ProductRule.greatestCredit)
        }
        return credits
    }

    private mutating func entitlements(_ node: JSONNode?) -> [EntitlementName] {
        var names: [EntitlementName] = []
        for place in faults.list(node) {
            guard let text = faults.string(place) else { continue }
            let name = EntitlementName(text)
            checkName(text, "a name", longest: 255, at: place)
            if names.contains(name) { faults.add(place.path, "\"\(text)\" is there twice") }
            names.append(name)
        }
        return names
    }

    private mutating func duration(_ node: JSONNode?, of kind: ProductKind) -> ServicePeriod? {
        guard let node, let text = faults.string(node) else { return nil }
        guard kind == .nonRenewing else {
            faults.add(node.path, "only a nonRenewing product has a duration of its own")
            return nil
        }
        guard let period = ServicePeriod(iso8601: text) else {
            faults.add(node.path, "expected an ISO 8601 duration in days or longer, such as P30D")
            return nil
        }
        return period
    }

    private mutating func productKind(_ place: JSONNode?, in product: JSONNode) -> ProductKind? {
        let words = ProductKind.allCases.map(\.rawValue)
        guard let place else {
            faults.add(
                product.memberPath("type"), "required: one of \(words.joined(separator: ", "))")
            return nil
        }
        guard let word = faults.string(place) else { return nil }
        if let kind = ProductKind(rawValue: word) { return kind }
        faults.add(
            place.path,
            "unknown type \"\(word)\"" + FaultList.suggestion(for: word, among: words))
        return nil
    }
}
