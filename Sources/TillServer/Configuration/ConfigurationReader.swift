import AppStoreModel
import CryptoPrimitives

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

extension ServerConfiguration {
    /// The most bytes that a configuration file may have.
    public static let fileSizeLimit = 16 << 20

    /// Reads and checks a configuration file; relative paths in it are relative to its folder.
    ///
    /// Throws every fault at once. `environment` answers `env:NAME` secrets.
    public static func read(
        contentsOf path: String, environment: [String: String]
    ) throws(ConfigurationError) -> ServerConfiguration {
        let data: Data
        do {
            data = try Data(contentsOf: URL(fileURLWithPath: path))
        } catch {
            throw ConfigurationError(faults: [.init(path: "", text: "cannot read \(path)")])
        }
        let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
        return try read(data, folder: folder, environment: environment)
    }

    /// Reads and checks the bytes of a configuration file that lies in `folder`.
    public static func read(
        _ data: Data, folder: String, environment: [String: String]
    ) throws(ConfigurationError) -> ServerConfiguration {
        func whole(_ text: String) -> ConfigurationError {
            ConfigurationError(faults: [.init(path: "", text: text)])
        }
        guard data.count <= fileSizeLimit else {
            throw whole("the file has more than \(fileSizeLimit) bytes")
        }
        // Editors of Windows begin a file with a byte order mark.
        let data = data.starts(with: [0xEF, 0xBB, 0xBF]) ? Data(data.dropFirst(3)) : data
        let value: JSONValue
        do throws(JSONFault) {
            value = try StrictJSON.read(data, depth: 32).value()
        } catch {
            let text = error.text.replacing("the body", with: "it")
            throw whole("the file is no acceptable JSON: \(text)")
        }
        var reader = ConfigurationReader(folder: folder, environment: environment)
        let configuration = reader.server(JSONNode(path: "", value: value))
        guard let configuration, reader.faults.faults.isEmpty else {
            throw ConfigurationError(faults: reader.faults.faults)
        }
        return configuration
    }
}

/// Walks the file and collects faults; what it returns counts only when there are none.
struct ConfigurationReader {
    let folder: String
    let environment: [String: String]
    var faults = FaultList()
    var warnings: [String] = []

    init(folder: String, environment: [String: String]) {
        self.folder = folder
        self.environment = environment
    }

    mutating func server(_ root: JSONNode) -> ServerConfiguration? {
        faults.refuseUnknown(
            in: root,
            known: [
                "listen", "database", "secretKeys", "customerTokens", "apps", "verifyReceipt",
                "orders", "log", "development", "entitlementSigning",
            ])
        let isDevelopment = faults.flag(root["development"], default: false)
        let listen = listenAddress(root["listen"], isDevelopment: isDevelopment)
        let database = databaseLocation(root["database"], isDevelopment: isDevelopment)
        let secretKeys = secretKeys(root["secretKeys"])
        let tokens = root["customerTokens"].flatMap { customerTokens($0) }
        let apps = apps(root["apps"], isDevelopment: isDevelopment)
        if root["secretKeys"] == nil, root["customerTokens"] == nil, !isDevelopment {
            faults.add("", "nobody could call: name secretKeys, customerTokens or both")
        }
        refusePublished(secretKeys, in: apps)
        warnOfBrokenChains(in: apps)
        let lifetime = orderLifetime(root["orders"])
        let log = logging(root["log"])
        let endpoint = verifyReceipt(root["verifyReceipt"], apps: apps)
        guard let listen, let database else { return nil }
        return ServerConfiguration(
            listen: listen, database: database, secretKeys: secretKeys, customerTokens: tokens,
            entitlementSigning: entitlementSigning(root["entitlementSigning"]),
            apps: apps, verifyReceipt: endpoint, orderLifetimeMilliseconds: lifetime,
            logFormat: log.format, logsRequests: log.requests, isDevelopment: isDevelopment,
            warnings: warnings)
    }

    // MARK: The server's own

    private mutating func listenAddress(
        _ node: JSONNode?, isDevelopment: Bool
    ) -> ListenAddress? {
        guard let node else { return ListenAddress(host: "127.0.0.1", port: 8080) }
        guard let text = faults.string(node) else { return nil }
        guard let address = ListenAddress(text) else {
            faults.add(node.path, "expected host:port, such as 127.0.0.1:8080 or [::1]:8080")
            return nil
        }
        if isDevelopment, !address.isLoopback {
            faults.add(
                node.path,
                "development mode listens on loopback alone (127.0.0.1, ::1, localhost)")
        }
        return address
    }

    private mutating func databaseLocation(
        _ node: JSONNode?, isDevelopment: Bool
    ) -> DatabaseLocation? {
        guard let node else {
            faults.add("database", "required, such as \"sqlite:till.db\"")
            return nil
        }
        // An address with a password in it may stand elsewhere, as every secret may.
        guard let secret = secret(node) else { return nil }
        let text = String(decoding: secret.bytes, as: UTF8.self)
        if text == "memory:" {
            guard isDevelopment else {
                faults.add(
                    node.path,
                    "\"memory:\" forgets every purchase; it needs \"development\": true")
                return nil
            }
            return .memory
        }
        if let file = text.removing(prefix: "sqlite:"), !file.isEmpty {
            guard !file.hasPrefix("//") || file.hasPrefix("///") else {
                faults.add(
                    node.path,
                    "write \"sqlite:FILE\" for a file beside this one, or \"sqlite:/FILE\"")
                return nil
            }
            return .sqlite(path: resolved(file))
        }
        if let address = PostgresAddress(text) { return .postgres(address) }
        faults.add(
            node.path,
            "expected \"sqlite:FILE\", \"postgres://…\", or \"memory:\" in development mode")
        return nil
    }

    /// Keys go into a header field, and whoever guesses one is every customer.
    private mutating func secretKeys(_ node: JSONNode?) -> [SecretText] {
        var keys: [SecretText] = []
        for place in secretPlaces(node) {
            guard let key = secret(place) else { continue }
            if !String(decoding: key.bytes, as: UTF8.self).isVisibleASCII {
                faults.add(place.path, "a key has visible ASCII characters alone, no spaces")
            } else if key.bytes.count < 16 {
                warnings.append(
                    "\(place.path): a key of \(key.bytes.count) characters can be guessed; "
                        + "take 32 or more")
            }
            keys.append(key)
        }
        return keys
    }

    /// Receipts of iOS 6 carry their leaf alone, so whoever gives the intermediate has to give its root too.
    private mutating func warnOfBrokenChains(in apps: [AppConfiguration]) {
        let given = apps.flatMap { $0.intermediates + $0.trustedRoots.map(\.certificate) }
        for app in apps {
            for certificate in app.intermediates
            where !given.contains(where: { $0.subjectDER == certificate.issuerDER }) {
                warnings.append(
                    "\(app.bundleID) names the intermediate \(certificate.subject) without the "
                        + "certificate of \(certificate.issuer), which belongs into "
                        + "intermediates too: iOS 6 receipts under it are refused")
            }
        }
    }

    /// What an app sends in a header field.
    mutating func headerText(_ node: JSONNode) -> String? {
        guard let text = faults.string(node) else { return nil }
        guard text.isVisibleASCII else {
            faults.add(node.path, "expected visible ASCII characters alone, no spaces")
            return nil
        }
        return text
    }

    private mutating func customerTokens(_ node: JSONNode) -> CustomerTokenConfiguration? {
        faults.refuseUnknown(
            in: node, known: ["hs256", "issuer", "audience", "requireExpiry"])
        guard case .object = node.value else {
            faults.add(node.path, "expected an object, found \(node.kind)")
            return nil
        }
        guard let key = node["hs256"] else {
            faults.add(node.memberPath("hs256"), "required: the secret that signs the tokens")
            return nil
        }
        let secrets = secrets(key, called: key.path)
        for secret in secrets where secret.bytes.count < 32 {
            warnings.append(
                "\(key.path) has \(secret.bytes.count) bytes; RFC 7518 asks for 32 or more, "
                    + "and a short one can be guessed from any token")
        }
        return CustomerTokenConfiguration(
            secrets: secrets, issuer: faults.string(node["issuer"]),
            audience: faults.string(node["audience"]),
            requiresExpiry: faults.flag(node["requireExpiry"], default: false))
    }

    private mutating func orderLifetime(_ node: JSONNode?) -> Int64 {
        let standard: Int64 = 24 * 60
        guard let node else { return standard * 60_000 }
        faults.refuseUnknown(in: node, known: ["lifetimeMinutes"])
        _ = faults.object(node)
        let minutes = faults.integer(node["lifetimeMinutes"], in: 1...525_600)
        return (minutes ?? standard) * 60_000
    }

    private mutating func logging(_ node: JSONNode?) -> (format: LogFormat, requests: Bool) {
        guard let node else { return (.text, true) }
        faults.refuseUnknown(in: node, known: ["format", "requests"])
        _ = faults.object(node)
        let requests = faults.flag(node["requests"], default: true)
        guard let place = node["format"], let text = faults.string(place) else {
            return (.text, requests)
        }
        guard let format = LogFormat(rawValue: text) else {
            faults.add(place.path, "expected \"json\" or \"text\"")
            return (.text, requests)
        }
        return (format, requests)
    }

    private mutating func verifyReceipt(
        _ node: JSONNode?, apps: [AppConfiguration]
    ) -> VerifyReceiptConfiguration {
        let admitsProduction = apps.contains { $0.environments.contains(.production) }
        let standard: AppStoreEnvironment = admitsProduction ? .production : .sandbox
        guard let node else {
            return VerifyReceiptConfiguration(
                isEnabled: true, environment: standard, answersAnyApp: true)
        }
        faults.refuseUnknown(in: node, known: ["enabled", "environment", "apps"])
        _ = faults.object(node)
        let isEnabled = faults.flag(node["enabled"], default: true)
        var environment = standard
        if let place = node["environment"], let word = faults.string(place) {
            environment = AppStoreEnvironment(rawValue: word)
            if environment != .production, environment != .sandbox {
                faults.add(place.path, "expected \"Production\" or \"Sandbox\"")
            } else if environment == .sandbox, admitsProduction {
                warnings.append(
                    "/verifyReceipt stands for Apple's sandbox address, though an app admits "
                        + "Production: production receipts get 21008")
            }
        }
        var answersAnyApp = true
        if let place = node["apps"], let word = faults.string(place) {
            answersAnyApp = word == "any"
            if word != "any", word != "configured" {
                faults.add(place.path, "expected \"any\" or \"configured\"")
            }
        }
        return VerifyReceiptConfiguration(
            isEnabled: isEnabled, environment: environment, answersAnyApp: answersAnyApp)
    }

    /// The key that signs answers about entitlements.
    mutating func entitlementSigning(_ node: JSONNode?) -> EntitlementSigning? {
        guard let node else { return nil }
        faults.refuseUnknown(in: node, known: ["key", "lifetimeMinutes"])
        let minutes = faults.integer(node["lifetimeMinutes"], in: 1...525_600) ?? 1_440
        guard let place = node["key"] else {
            faults.add(node.memberPath("key"), "required: a P-256 key, such as file:signing.p8")
            return nil
        }
        guard let secret = secret(place) else { return nil }
        guard let key = try? PrivateKey(pem: String(decoding: secret.bytes, as: UTF8.self)),
            key.kind == .p256
        else {
            faults.add(place.path, "expected an unencrypted P-256 private key in PEM")
            return nil
        }
        return EntitlementSigning(key: key, lifetimeSeconds: minutes * 60)
    }

    // MARK: Secrets and files

    /// A backend's key in the place of a publishable one would be in every copy of the app.
    private mutating func refusePublished(_ secretKeys: [SecretText], in apps: [AppConfiguration]) {
        for app in apps {
            for key in app.publishableKeys where secretKeys.contains(SecretText(key)) {
                faults.add("apps", "a publishable key of \(app.bundleID) is a secret key")
            }
        }
    }

    /// One secret or a list of them.
    mutating func secrets(_ node: JSONNode?, called name: String) -> [SecretText] {
        secretPlaces(node).compactMap { secret($0) }
    }

    private mutating func secretPlaces(_ node: JSONNode?) -> [JSONNode] {
        guard let node else { return [] }
        guard case .array = node.value else { return [node] }
        let places = faults.list(node)
        if places.isEmpty { faults.add(node.path, "must not be empty") }
        return places
    }

    /// A secret as it stands, `env:NAME` or `file:PATH`.
    mutating func secret(_ node: JSONNode) -> SecretText? {
        guard let text = faults.string(node) else { return nil }
        if let name = text.removing(prefix: "env:") {
            guard let value = environment[name], !value.isEmpty else {
                faults.add(node.path, "the environment variable \(name) is not set")
                return nil
            }
            return SecretText(value)
        }
        if let file = text.removing(prefix: "file:") {
            guard let bytes = contents(of: file, limit: 64 << 10) else {
                faults.add(node.path, "cannot read \(resolved(file))")
                return nil
            }
            // Another system would sign with the bytes, and this one with what stands for them.
            guard var value = String(validating: bytes, as: UTF8.self) else {
                faults.add(
                    node.path,
                    "\(resolved(file)) is no UTF-8: write random bytes in Base64 or hexadecimal")
                return nil
            }
            // Editors end a file with a line feed; no secret does.
            while let last = value.last, last.isNewline { value.removeLast() }
            guard !value.isEmpty else {
                faults.add(node.path, "\(resolved(file)) is empty")
                return nil
            }
            return SecretText(value)
        }
        return SecretText(text)
    }

    func resolved(_ path: String) -> String {
        path.hasPrefix("/") ? path : "\(folder)/\(path)"
    }

    func contents(of path: String, limit: Int) -> [UInt8]? {
        guard let data = try? Data(contentsOf: URL(fileURLWithPath: resolved(path))),
            data.count <= limit
        else { return nil }
        return [UInt8](data)
    }
}

extension String {
    /// Whether a header field or a path can carry it as it is.
    var isVisibleASCII: Bool { utf8.allSatisfy { (0x21...0x7E).contains($0) } }

    /// The text after `prefix`, `nil` when it does not begin so.
    func removing(prefix: String) -> String? {
        hasPrefix(prefix) ? String(dropFirst(prefix.count)) : nil
    }
}
