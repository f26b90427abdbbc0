import AppStoreClient
public import AppStoreModel
public import CryptoPrimitives

/// How one app's server may ask Apple.
public struct AppleAccess: Sendable {
    /// The issuer of the App Store Server API key.
    public var issuerID: String
    /// The key's name.
    public var keyID: String
    /// The private key, PEM.
    public var privateKey: SecretText
    /// Where production is asked; Apple when nil.
    public var production: String?
    /// Where the sandbox is asked; Apple when nil.
    public var sandbox: String?
    /// Whether addresses of other machines may be plain HTTP.
    public var allowsPlainHTTP: Bool
    /// What Apple may be told about consumption; nil where the customers did not consent.
    public var consumption: ConsumptionPolicy?

    /// Puts the settings together.
    public init(
        issuerID: String, keyID: String, privateKey: SecretText, production: String? = nil,
        sandbox: String? = nil, allowsPlainHTTP: Bool = false,
        consumption: ConsumptionPolicy? = nil
    ) {
        self.issuerID = issuerID
        self.keyID = keyID
        self.privateKey = privateKey
        self.production = production
        self.sandbox = sandbox
        self.allowsPlainHTTP = allowsPlainHTTP
        self.consumption = consumption
    }
}

extension AppleAccess {
    /// How a client for an app is told all this.
    func client(of bundleID: BundleID) -> AppStoreClient.Configuration {
        var configuration = AppStoreClient.Configuration(
            bundleID: bundleID,
            serverKey: .init(issuerID: issuerID, keyID: keyID, privateKey: privateKey))
        if let production { configuration.production = .init(both: production) }
        if let sandbox { configuration.sandbox = .init(both: sandbox) }
        configuration.unsafelyAllowsPlainHTTP = allowsPlainHTTP
        return configuration
    }
}

/// What an app answers when Apple asks about a refund.
public struct ConsumptionPolicy: Sendable, Hashable {
    /// Whether a sample was there to be tried before.
    public var sampleContentProvided: Bool
    /// What the app would like Apple to decide about unused goods; nil for no wish.
    public var refundPreference: RefundPreference?

    /// Makes a policy.
    public init(sampleContentProvided: Bool, refundPreference: RefundPreference? = nil) {
        self.sampleContentProvided = sampleContentProvided
        self.refundPreference = refundPreference
    }
}

extension ConfigurationReader {
    /// The `appStore` member of an app.
    mutating func appleAccess(_ node: JSONNode?, of bundleID: BundleID) -> AppleAccess? {
        guard let node else { return nil }
        guard case .object = node.value else {
            faults.add(node.path, "expected an object, found \(node.kind)")
            return nil
        }
        faults.refuseUnknown(
            in: node,
            known: [
                "issuerId", "keyId", "privateKey", "production", "sandbox",
                "unsafelyAllowsPlainHTTP", "consumption",
            ])
        for name in ["issuerId", "keyId", "privateKey"] where node[name] == nil {
            faults.add(node.memberPath(name), "required")
        }
        let consumption = consumption(node["consumption"])
        guard let issuer = node["issuerId"].flatMap({ faults.string($0) }),
            let key = node["keyId"].flatMap({ faults.string($0) }),
            let secret = node["privateKey"].flatMap({ secret($0) })
        else { return nil }
        let access = AppleAccess(
            issuerID: issuer, keyID: key, privateKey: secret,
            production: node["production"].flatMap { faults.string($0) },
            sandbox: node["sandbox"].flatMap { faults.string($0) },
            allowsPlainHTTP: faults.flag(node["unsafelyAllowsPlainHTTP"], default: false),
            consumption: consumption)
        check(access, at: node, of: bundleID)
        return access
    }

    /// Asks the client itself, piece by piece, so that each fault has its place.
    private mutating func check(_ access: AppleAccess, at node: JSONNode, of bundleID: BundleID) {
        var (withKey, withProduction, withSandbox) = (access, access, access)
        (withKey.production, withKey.sandbox) = (nil, nil)
        withProduction.sandbox = nil
        withSandbox.production = nil
        do throws(AppStoreClientError) { try withKey.client(of: bundleID).check() } catch {
            faults.add(node.memberPath("privateKey"), error.detail)
            return
        }
        for (name, piece) in [("production", withProduction), ("sandbox", withSandbox)] {
            do throws(AppStoreClientError) { try piece.client(of: bundleID).check() } catch {
                faults.add(node.memberPath(name), error.detail)
            }
        }
    }

    private mutating func consumption(_ node: JSONNode?) -> ConsumptionPolicy? {
        guard let node else { return nil }
        faults.refuseUnknown(
            in: node, known: ["customerConsented", "sampleContentProvided", "refundPreference"])
        guard faults.flag(node["customerConsented"], default: false) else {
            warnings.append(
                "\(node.path): without \"customerConsented\": true nothing is told to Apple")
            return nil
        }
        let known: [RefundPreference] = [.decline, .grantFull, .grantProrated]
        var preference: RefundPreference?
        if let place = node["refundPreference"], let word = faults.string(place) {
            preference = known.first { $0.rawValue == word }
            if preference == nil {
                faults.add(
                    place.path,
                    "unknown preference \"\(word)\""
                        + FaultList.suggestion(for: word, among: known.map(\.rawValue)))
            }
        }
        return ConsumptionPolicy(
            sampleContentProvided: faults.flag(node["sampleContentProvided"], default: false),
            refundPreference: preference)
    }
}
