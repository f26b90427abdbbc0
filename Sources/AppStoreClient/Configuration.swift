public import AppStoreModel
public import CryptoPrimitives

extension AppStoreClient {
    /// What one app's client is told; plain values that are checked when a client is made of them.
    public struct Configuration: Sendable {
        /// The app.
        public var bundleID: BundleID
        /// The key for the App Store Server API; without one only ``AppStoreClient/verifyReceipt(_:judgement:excludingOldTransactions:)``
        /// can be asked.
        public var serverKey: ServerKey?
        /// The password for `verifyReceipt`; receipts with subscriptions need it.
        public var sharedSecret: SecretText?
        /// The environments that may be asked, in the order in which they are asked where it is not
        /// known which one a thing belongs to.
        public var environments: [AppStoreEnvironment] = [.production, .sandbox]
        /// Where production is.
        public var production = Addresses.appleProduction
        /// Where the sandbox is.
        public var sandbox = Addresses.appleSandbox
        /// Whether secrets may travel over plain HTTP to another machine; to this one they always may.
        public var unsafelyAllowsPlainHTTP = false
        /// What one call may cost.
        public var limits = CallLimits()

        /// A client of Apple's own servers for one app.
        public init(
            bundleID: BundleID, serverKey: ServerKey? = nil, sharedSecret: SecretText? = nil
        ) {
            self.bundleID = bundleID
            self.serverKey = serverKey
            self.sharedSecret = sharedSecret
        }
    }

    /// Where an environment's servers are: scheme, host and perhaps a path, without a query.
    public struct Addresses: Sendable, Hashable {
        /// The base of the App Store Server API; `/inApps/…` follows.
        public var serverAPI: String
        /// The base of `verifyReceipt`; `/verifyReceipt` follows.
        public var verifyReceipt: String

        /// Two bases.
        public init(serverAPI: String, verifyReceipt: String) {
            self.serverAPI = serverAPI
            self.verifyReceipt = verifyReceipt
        }

        /// One base for both, as the local App Store has it.
        public init(both base: String) { self.init(serverAPI: base, verifyReceipt: base) }

        /// Apple's production.
        public static let appleProduction = Addresses(
            serverAPI: "https://api.storekit.apple.com",
            verifyReceipt: "https://buy.itunes.apple.com")
        /// Apple's sandbox, which serves TestFlight and App Review too.
        public static let appleSandbox = Addresses(
            serverAPI: "https://api.storekit-sandbox.apple.com",
            verifyReceipt: "https://sandbox.itunes.apple.com")
    }

    /// An In-App Purchase key out of App Store Connect.
    public struct ServerKey: Sendable {
        /// The issuer's UUID.
        public var issuerID: String
        /// The key's name of ten characters.
        public var keyID: String
        /// The content of the `.p8` file.
        public var privateKey: SecretText

        /// A key with its names.
        public init(issuerID: String, keyID: String, privateKey: SecretText) {
            self.issuerID = issuerID
            self.keyID = keyID
            self.privateKey = privateKey
        }
    }

    /// What one call may cost at the most; times in milliseconds.
    public struct CallLimits: Sendable, Hashable {
        /// Everything together: waiting for the budget, every attempt, every pause, the second environment.
        public var totalMilliseconds: Int64 = 60_000
        /// One attempt.
        public var attemptMilliseconds: Int64 = 15_000
        /// Connecting alone.
        public var connectMilliseconds: Int64 = 5_000
        /// The body of an answer, in bytes.
        public var responseBytes = 16 << 20
        /// How often a call is made again.
        public var repeats = 3
        /// The pause before the first repetition; each further one is twice as long.
        public var firstPauseMilliseconds: Int64 = 500
        /// The longest of those pauses.
        public var longestPauseMilliseconds: Int64 = 10_000
        /// The longest time that a `Retry-After` is believed.
        public var longestRatePauseMilliseconds: Int64 = 3_600_000

        /// The usual limits.
        public init() {}
    }
}

extension AppStoreClient.CallLimits {
    /// Above zero, and small enough that sums of them stay numbers.
    fileprivate var areSensible: Bool {
        let times = [
            totalMilliseconds, attemptMilliseconds, connectMilliseconds, firstPauseMilliseconds,
            longestPauseMilliseconds, longestRatePauseMilliseconds,
        ]
        return times.allSatisfy { (1...86_400_000).contains($0) }
            && (1...1 << 30).contains(responseBytes) && (0...100).contains(repeats)
    }
}

extension AppStoreClient.Configuration {
    func addresses(of environment: AppStoreEnvironment) -> AppStoreClient.Addresses {
        environment == .production ? production : sandbox
    }

    /// Whether a client could be made with it.
    ///
    /// - Throws: `invalidConfiguration`, naming the settings to correct.
    public func check() throws(AppStoreClientError) {
        let checked = try checked()
        if let key = checked.serverKey { _ = try TokenMaker(key, bundleID: checked.bundleID) }
    }

    /// The same with what is wrong found and addresses without a slash at their end.
    func checked() throws(AppStoreClientError) -> AppStoreClient.Configuration {
        var checked = self
        guard !bundleID.rawValue.isEmpty else {
            throw .configuration(.invalidConfiguration, [.bundleID], "no bundle identifier")
        }
        guard !environments.isEmpty, Set(environments).count == environments.count,
            environments.allSatisfy({ $0 == .production || $0 == .sandbox })
        else {
            throw .configuration(
                .invalidConfiguration, [.environments],
                "environments are Production, Sandbox or both")
        }
        guard limits.areSensible else {
            throw .configuration(
                .invalidConfiguration, [.limits],
                "times are 1 ms to a day, answers 1 byte to 1 GiB, repeats 0 to 100")
        }
        checked.production = try safe(production)
        checked.sandbox = try safe(sandbox)
        return checked
    }

    private func safe(
        _ addresses: AppStoreClient.Addresses
    ) throws(AppStoreClientError) -> AppStoreClient.Addresses {
        AppStoreClient.Addresses(
            serverAPI: try safe(addresses.serverAPI),
            verifyReceipt: try safe(addresses.verifyReceipt))
    }

    private func safe(_ address: String) throws(AppStoreClientError) -> String {
        var base = address
        while base.hasSuffix("/") { base.removeLast() }
        guard let colon = base.firstIndex(of: ":"), base[colon...].hasPrefix("://"),
            base.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "\\") }),
            !base.contains(where: { "?#@".contains($0) })
        else {
            throw .configuration(.invalidConfiguration, [.addresses], "an address is no URL")
        }
        let scheme = base[..<colon].lowercased()
        let host = Self.host(base[colon...].dropFirst(3))
        guard !host.isEmpty, scheme == "https" || scheme == "http" else {
            throw .configuration(.invalidConfiguration, [.addresses], "an address is no URL")
        }
        let isHere = host == "localhost" || host == "[::1]" || Self.isLoopback(host)
        guard scheme == "https" || isHere || unsafelyAllowsPlainHTTP else {
            throw .configuration(
                .invalidConfiguration, [.addresses], "plain HTTP to another machine")
        }
        return base
    }

    private static func host(_ rest: Substring) -> String {
        let authority = rest.prefix { $0 != "/" }
        if authority.first == "[" {
            return authority.firstIndex(of: "]").map { String(authority[...$0]) } ?? ""
        }
        return authority.prefix { $0 != ":" }.lowercased()
    }

    /// `127.x.x.x` in digits, and no name that begins like it.
    private static func isLoopback(_ host: String) -> Bool {
        let parts = host.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4 && parts[0] == "127" && parts.allSatisfy { UInt8($0) != nil }
    }
}
