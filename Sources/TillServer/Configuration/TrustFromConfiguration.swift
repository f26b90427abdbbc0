import AppStoreModel
public import AppStoreTrust
import CryptoPrimitives
public import TillLedger

extension ServerConfiguration {
    /// What the verifier trusts; the verifier's own rules are checked once more.
    public func trust() throws(ConfigurationError) -> TrustConfiguration {
        // One root may lie in two files; the verifier wants one name for it.
        var names: [[UInt8]: String] = [:]
        let trusted = apps.map { app in
            TrustedApp(
                bundleID: app.bundleID, appAppleID: app.appAppleID,
                environments: Set(app.environments),
                extraRoots: app.trustedRoots.map { root in
                    let fingerprint = root.certificate.fingerprint
                    let name = names[fingerprint] ?? root.name
                    names[fingerprint] = name
                    return ExtraRoot(name: name, certificate: root.certificate)
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
            catalog.apps[app.bundleID] = AppRules(
                products: app.products, environments: Set(app.environments),
                orderLifetime: orderLifetimeMilliseconds)
        }
        return catalog
    }
}
