public import AppStoreModel
public import CryptoPrimitives

/// One app whose proofs are taken.
public struct TrustedApp: Sendable, Hashable {
    /// The app; compared exactly.
    public let bundleID: BundleID
    /// The app's number in the App Store; needed where production is admitted.
    public let appAppleID: Int64?
    /// The environments whose proofs are taken; the rest is refused.
    public let environments: Set<AppStoreEnvironment>
    /// Roots beside Apple's; never together with production.
    public let extraRoots: [ExtraRoot]

    /// Describes an app; `TrustConfiguration` checks it.
    public init(
        bundleID: BundleID, appAppleID: Int64? = nil, environments: Set<AppStoreEnvironment>,
        extraRoots: [ExtraRoot] = []
    ) {
        self.bundleID = bundleID
        self.appAppleID = appAppleID
        self.environments = environments
        self.extraRoots = extraRoots
    }
}

/// Whose proofs a verifier takes, and under which roots; a configuration that exists is a safe one.
public struct TrustConfiguration: Sendable {
    /// The most apps of one configuration.
    public static let appLimit = 1_000
    /// The most extra roots of one app.
    public static let extraRootLimit = 16
    /// The most certificates for iOS 6 receipts.
    public static let legacyCertificateLimit = 16

    /// The apps by bundle id; nil where any app is taken.
    let apps: [BundleID: TrustedApp]?
    /// Every extra root of any app, by fingerprint.
    let extraRoots: [[UInt8]: ExtraRoot]
    let legacyCertificates: [Certificate]
    let alsoValidAt: Timestamp?

    /// Takes the proofs of these apps alone.
    ///
    /// - Parameters:
    ///   - apps: The apps, at least one.
    ///   - legacyCertificates: Intermediate and root of iOS 6 receipts, which carry their leaf alone.
    ///     Giving a root here trusts nothing: the pin and the extra roots still decide.
    ///   - alsoValidAt: A moment at which certificates must be valid beside that of signing; it can
    ///     only refuse more.
    /// - Throws: `TrustConfigurationError` for a configuration that would trust too much or nothing.
    public init(
        apps: [TrustedApp], legacyCertificates: [Certificate] = [],
        alsoValidAt: Timestamp? = nil
    ) throws(TrustConfigurationError) {
        guard !apps.isEmpty else { throw TrustConfigurationError(.noApp, "no app is named") }
        guard apps.count <= TrustConfiguration.appLimit else {
            throw TrustConfigurationError(.tooMany, "more than \(TrustConfiguration.appLimit) apps")
        }
        var byBundleID: [BundleID: TrustedApp] = [:]
        for app in apps {
            try TrustConfiguration.check(app)
            guard byBundleID.updateValue(app, forKey: app.bundleID) == nil else {
                throw TrustConfigurationError(.appNamedTwice, "\(app.bundleID) is named twice")
            }
        }
        try self.init(
            byBundleID: byBundleID, extraRoots: apps.flatMap(\.extraRoots),
            legacyCertificates: legacyCertificates, alsoValidAt: alsoValidAt)
    }

    /// Takes the proofs of any app in any environment: for looking at proofs, never for granting.
    ///
    /// Signatures, chains and pins are checked all the same. Whatever an extra root proves is marked.
    public static func unsafeAnyApp(
        extraRoots: [ExtraRoot] = [], legacyCertificates: [Certificate] = [],
        alsoValidAt: Timestamp? = nil
    ) throws(TrustConfigurationError) -> TrustConfiguration {
        try TrustConfiguration(
            byBundleID: nil, extraRoots: extraRoots, legacyCertificates: legacyCertificates,
            alsoValidAt: alsoValidAt)
    }

    private init(
        byBundleID: [BundleID: TrustedApp]?, extraRoots: [ExtraRoot],
        legacyCertificates: [Certificate], alsoValidAt: Timestamp?
    ) throws(TrustConfigurationError) {
        guard legacyCertificates.count <= TrustConfiguration.legacyCertificateLimit else {
            throw TrustConfigurationError(
                .tooMany, "more than \(TrustConfiguration.legacyCertificateLimit) old certificates")
        }
        var given = legacyCertificates
        var roots: [[UInt8]: ExtraRoot] = [:]
        for root in extraRoots {
            given.append(root.certificate)
            let fingerprint = root.certificate.fingerprint
            // Apple's own roots are always trusted; to mark what they prove would be a lie.
            if fingerprint == AppleRoot.receipts || fingerprint == AppleRoot.signedValues {
                continue
            }
            if let earlier = roots[fingerprint], earlier.name != root.name {
                throw TrustConfigurationError(
                    .rootNamedTwice, "one root is named \(earlier.name) and \(root.name)")
            }
            roots[fingerprint] = root
        }
        apps = byBundleID
        self.extraRoots = roots
        self.legacyCertificates = given
        self.alsoValidAt = alsoValidAt
    }

    private static func check(_ app: TrustedApp) throws(TrustConfigurationError) {
        guard !app.bundleID.rawValue.isEmpty else {
            throw TrustConfigurationError(.noApp, "an app has no bundle id")
        }
        guard !app.environments.isEmpty else {
            throw TrustConfigurationError(.noEnvironment, "\(app.bundleID) admits no environment")
        }
        if let unknown = app.environments.first(where: { !$0.isKnown }) {
            throw TrustConfigurationError(
                .unknownEnvironment, "\(app.bundleID) admits \(unknown), which Apple does not have")
        }
        guard app.extraRoots.count <= extraRootLimit else {
            throw TrustConfigurationError(.tooMany, "more than \(extraRootLimit) extra roots")
        }
        guard app.environments.contains(.production) else { return }
        if let root = app.extraRoots.first {
            throw TrustConfigurationError(
                .extraRootInProduction,
                "\(app.bundleID) admits Production and trusts \(root.name): whoever holds that root "
                    + "could make payments")
        }
        guard let number = app.appAppleID, number > 0 else {
            throw TrustConfigurationError(
                .appAppleIDMissing,
                "\(app.bundleID) admits Production and has no app Apple ID, which every production "
                    + "proof is held against")
        }
    }
}

/// Why a configuration is refused before anything is verified.
public struct TrustConfigurationError: Error, Sendable, Hashable, CustomStringConvertible {
    /// What is wrong with it, stable across releases.
    public enum Code: String, Sendable, Hashable, CaseIterable {
        /// No app is named, or one without a bundle id.
        case noApp
        /// Two apps have one bundle id.
        case appNamedTwice
        /// An app admits nothing.
        case noEnvironment
        /// An app admits an environment that Apple does not have.
        case unknownEnvironment
        /// Production is admitted together with an extra root.
        case extraRootInProduction
        /// Production is admitted without an app Apple ID.
        case appAppleIDMissing
        /// One root has two names.
        case rootNamedTwice
        /// More of something than the limit.
        case tooMany
    }

    /// The stable code.
    public let code: Code
    /// What is wrong, for the person who wrote the configuration.
    public let detail: String

    init(_ code: Code, _ detail: String) {
        self.code = code
        self.detail = detail
    }

    /// Code and detail in one line.
    public var description: String { "\(code.rawValue): \(detail)" }
}
