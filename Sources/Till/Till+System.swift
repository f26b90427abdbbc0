import AppStoreModel

extension Till {
    /// Makes a till that stands on this device's StoreKit, network, clock and storage.
    public init(_ configuration: TillConfiguration) {
        var configuration = configuration
        if configuration.bundleID == nil {
            configuration.bundleID = AppFacts.bundleID.map { BundleID($0) }
        }
        let name = configuration.bundleID?.rawValue ?? "app"
        let folder = configuration.folder ?? AppFacts.folder(for: name)
        let disk = FileDisk(folder: folder)
        let fetcher = Fetcher.system()
        let desk: any Desk
        switch configuration.counter {
        case .server(let address, let publishableKey):
            desk = ServerDesk(address: address, publishableKey: publishableKey, fetcher: fetcher)
        case .unsafeDevelopment(let verifier):
            desk = DevelopmentDesk(
                verifier: verifier, bundleID: configuration.bundleID, fetcher: fetcher, disk: disk)
        }
        self.init(
            configuration: configuration,
            surroundings: Surroundings(
                front: SystemStore.front(configuration.storeKit), desk: desk, disk: disk,
                secrets: Homes.system(service: "till.\(name)", folder: folder),
                clock: SystemClock(), wakeUps: { WakeUps.system() }))
    }
}
