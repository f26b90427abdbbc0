public import AppStoreModel
public import CryptoPrimitives
public import TillLedger

/// Everything that `till serve` is told: read once, checked whole, never changed while it runs.
public struct ServerConfiguration: Sendable {
    /// Where the server listens.
    public var listen: ListenAddress
    /// Where the ledger lives.
    public var database: DatabaseLocation
    /// Keys with which backends call; at least one, unless only customers call.
    public var secretKeys: [SecretText]
    /// How customers' tokens are signed; `nil` when only backends call.
    public var customerTokens: CustomerTokenConfiguration?
    /// How answers about entitlements are signed; `nil` when they are not.
    public var entitlementSigning: EntitlementSigning?
    /// The apps, at least one.
    public var apps: [AppConfiguration]
    /// `POST /verifyReceipt`.
    public var verifyReceipt: VerifyReceiptConfiguration
    /// How long an order waits for its payment, in milliseconds.
    public var orderLifetimeMilliseconds: Int64
    /// How the log is written.
    public var logFormat: LogFormat
    /// Whether every request is worth a line; refusals and faults always are.
    public var logsRequests: Bool
    /// Development mode: loopback alone, unsigned tokens `dev:<customer>`, a database in memory if wanted.
    ///
    /// Cannot be combined with `Production`.
    public var isDevelopment: Bool
    /// What a careful operator should hear at the start: one line each.
    public var warnings: [String]

    /// The app of that bundle.
    public func app(_ bundleID: BundleID) -> AppConfiguration? {
        apps.first { $0.bundleID == bundleID }
    }
}

/// The key that signs what customers may use.
public struct EntitlementSigning: Sendable {
    /// P-256.
    public var key: PrivateKey
    /// How long a signed answer may be believed.
    public var lifetimeSeconds: Int64

    /// Puts the two together.
    public init(key: PrivateKey, lifetimeSeconds: Int64) {
        self.key = key
        self.lifetimeSeconds = lifetimeSeconds
    }
}

/// Host and port.
public struct ListenAddress: Sendable, Hashable {
    /// A name or address, IPv6 without brackets.
    public var host: String
    /// The port; 0 lets the system choose.
    public var port: Int

    /// Makes an address.
    public init(host: String, port: Int) {
        self.host = host
        self.port = port
    }

    /// Reads `host:port`, `[v6]:port` or `:port` (every address).
    public init?(_ text: String) {
        guard let colon = text.lastIndex(of: ":"),
            let port = UInt16(text[text.index(after: colon)...])
        else { return nil }
        var host = String(text[..<colon])
        if host.hasPrefix("["), host.hasSuffix("]") {
            host = String(host.dropFirst().dropLast())
        } else if host.contains(":") {
            return nil
        }
        guard host.isVisibleASCII else { return nil }
        self.init(host: host.isEmpty ? "0.0.0.0" : host, port: Int(port))
    }

    /// Whether only this machine can reach it.
    public var isLoopback: Bool {
        if host == "localhost" || host == "::1" { return true }
        let parts = host.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4 && parts[0] == "127" && parts.allSatisfy { UInt8($0) != nil }
    }

    /// The host as a URL writes it.
    public var urlHost: String { host.contains(":") ? "[\(host)]" : host }
}

/// Where the ledger lives.
public enum DatabaseLocation: Sendable, Hashable {
    /// An SQLite file.
    case sqlite(path: String)
    /// A PostgreSQL database.
    case postgres(PostgresAddress)
    /// In memory, gone when the server stops; development alone.
    case memory
}

/// How log lines look.
public enum LogFormat: String, Sendable, Hashable, CaseIterable {
    /// One JSON object a line.
    case json
    /// Words and `key=value`.
    case text
}

/// How customers' tokens are signed and what they must say.
public struct CustomerTokenConfiguration: Sendable {
    /// HS256 secrets; several while one is being replaced.
    public var secrets: [SecretText]
    /// What `iss` must be, where it matters.
    public var issuer: String?
    /// What `aud` must name, where it matters.
    public var audience: String?
    /// Whether a token without `exp` is refused.
    public var requiresExpiry: Bool
}

/// `POST /verifyReceipt`.
public struct VerifyReceiptConfiguration: Sendable, Hashable {
    /// Whether the endpoint is there.
    public var isEnabled: Bool
    /// Which of Apple's two addresses it stands for: production or sandbox.
    public var environment: AppStoreEnvironment
    /// Whether it answers for every app's genuine receipt, as Apple does, or for the configured ones alone.
    public var answersAnyApp: Bool
}

/// One app.
public struct AppConfiguration: Sendable {
    /// Its bundle identifier.
    public var bundleID: BundleID
    /// Its number in App Store Connect; always there when `Production` is admitted.
    public var appAppleID: Int64?
    /// The environments whose proofs count.
    public var environments: [AppStoreEnvironment]
    /// Roots of test stores; never together with `Production`.
    public var trustedRoots: [TrustedRoot]
    /// The intermediates that iOS 6 transaction receipts do not carry.
    public var intermediates: [Certificate]
    /// Keys that an app ships with; they name the app and prove nothing.
    public var publishableKeys: [String]
    /// The shared secret that `verifyReceipt` callers must send for subscriptions.
    public var sharedSecret: SecretText?
    /// How Apple may be asked; `nil` when it may not.
    public var appStore: AppleAccess?
    /// Whether a refund never takes a wallet below zero, and the rest is recorded as a debt.
    public var keepsWalletsAboveZero = false
    /// The catalog.
    public var products: [ProductID: ProductRule]
    /// How offers are signed; `nil` where they are not.
    public var offers: OfferConfiguration?
    /// The endpoints of its backend that hear what happens.
    public var webhooks: [WebhookConfiguration]
    /// What becomes of a purchase that a second customer shows.
    public var owners = OwnerPolicy.refuse
    /// What becomes of proofs from environments that are not listed.
    public var otherEnvironments = OtherEnvironments.record
}

/// A root that a test store signs under.
public struct TrustedRoot: Sendable {
    /// The file it came from, for messages.
    public var name: String
    /// The certificate.
    public var certificate: Certificate
}
