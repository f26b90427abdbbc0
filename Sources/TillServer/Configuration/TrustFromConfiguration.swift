import AppStoreModel
public import AppStoreTrust
import CryptoPrimitives
public import TillLedger

extension ServerConfiguration {
    /// What every proof under a configured root is marked with.
    ///
    /// One name for all: a test store has several roots, as Apple has, and a purchase that a receipt shows
    /// under one and a signed transaction under another is one purchase, recorded once.
    static let testStore = "trustedRoots"

    /// What the verifier trusts; the verifier's own rules are checked once more.
    ///
    /// - Parameter listedAlone: Whether proofs of environments that an app does not list are refused, even
    ///   where they would be recorded.
    /// - Returns: The trust.
    /// - Throws: ``ConfigurationError`` where the verifier finds it unsafe.
    public func trust(listedAlone: Bool = false) throws(ConfigurationError) -> TrustConfiguration {
        let trusted = apps.map { app in
            TrustedApp(
                bundleID: app.bundleID, appAppleID: app.appAppleID,
                environments: listedAlone ? Set(app.environments) : app.verifiedEnvironments,
                extraRoots: app.trustedRoots.map {
                    ExtraRoot(name: Self.testStore, certificate: $0.certificate)
                })
        }
        do throws(TrustConfigurationError) {
            return try TrustConfiguration(
                apps: trusted, legacyCertificates: legacyCertificates)
        } catch {
            throw ConfigurationError(faults: [.init(path: "apps", text: error.detail)])
        }
    }

    /// The certificates that iOS 6 receipts do not carry, each once.
    var legacyCertificates: [Certificate] {
        var certificates: [[UInt8]: Certificate] = [:]
        for certificate in apps.flatMap(\.intermediates) {
            certificates[certificate.fingerprint] = certificate
        }
        return certificates.values.sorted {
            $0.fingerprint.lexicographicallyPrecedes($1.fingerprint)
        }
    }

    /// What the ledger knows of the apps.
    public var catalog: Catalog {
        var catalog = Catalog(apps: [:])
        for app in apps {
            var rules = AppRules(
                products: app.products, environments: Set(app.environments),
                orderLifetime: orderLifetimeMilliseconds,
                keepsWalletsAboveZero: app.keepsWalletsAboveZero,
                webhooks: app.webhooks.map(\.rule))
            rules.apple = AppleWork(
                asks: app.appStore != nil,
                answersConsumption: app.appStore?.consumption != nil)
            rules.owners = app.owners
            rules.otherEnvironments = app.otherEnvironments
            catalog.apps[app.bundleID] = rules
        }
        return catalog
    }

    /// The book of what has no proof, such as a spend: a test store's where the app has one.
    func book(of bundleID: BundleID, in environment: AppStoreEnvironment) -> Book {
        let hasTestStore = app(bundleID)?.trustedRoots.isEmpty == false
        return Book(
            bundleID: bundleID, environment: environment,
            anchor: hasTestStore ? Self.testStore : nil)
    }
}

extension AppConfiguration {
    /// Whose purchases are handed out, to testers at least: what such an environment's wallet holds can be spent.
    var grantingEnvironments: Set<AppStoreEnvironment> {
        guard case .testers = otherEnvironments else { return Set(environments) }
        return verifiedEnvironments
    }

    /// The environments whose proofs are looked at: those listed, and what is recorded beside them.
    ///
    /// Only what Apple signs is recorded unasked. Production needs the app's number, and never stands beside
    /// the roots of a test store.
    var verifiedEnvironments: Set<AppStoreEnvironment> {
        var verified = Set(environments)
        guard otherEnvironments != .refuse else { return verified }
        if verified.contains(.production) { verified.insert(.sandbox) }
        let takesProduction =
            appAppleID != nil && trustedRoots.isEmpty
            && verified.isSubset(of: [.production, .sandbox])
        if takesProduction { verified.insert(.production) }
        return verified
    }
}
