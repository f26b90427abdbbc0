public import TillLedger

extension ServerConfiguration {
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
