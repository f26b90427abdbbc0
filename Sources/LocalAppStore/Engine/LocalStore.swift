public import AppStoreModel
public import HTTPMessage
import StoreWire

/// How a local store is set up.
public struct LocalStoreConfiguration: Sendable {
    /// What it sells.
    public var catalog: Catalog
    /// The app.
    public var bundleID: BundleID
    /// The app's number.
    public var appAppleID: Int64
    /// The app's name for people.
    public var appName: String
    /// Where all names and choices come from.
    public var seed: UInt64
    /// What the clock shows at first; the machine's time when nothing.
    public var start: Timestamp?
    /// How many seconds pass in a real one at first; 0 to stand.
    public var rate: Double
    /// The file that keeps the state; nothing keeps none.
    public var stateFile: String?
    /// Where notifications go at first, in both environments.
    public var notificationURL: String?

    /// Makes a setting; the defaults are those of a store in memory that follows the machine's clock.
    public init(
        catalog: Catalog = .builtIn, bundleID: BundleID = "com.example.app",
        appAppleID: Int64 = 1_234_567_890, appName: String = "Example", seed: UInt64 = 1,
        start: Timestamp? = nil, rate: Double = 1, stateFile: String? = nil,
        notificationURL: String? = nil
    ) {
        self.catalog = catalog
        self.bundleID = bundleID
        self.appAppleID = appAppleID
        self.appName = appName
        self.seed = seed
        self.start = start
        self.rate = rate
        self.stateFile = stateFile
        self.notificationURL = notificationURL
    }
}

/// An App Store in one process: one store for all environments, each account and transaction in one of them.
///
/// Every change is a command to a value, in order, on the store's clock; what is signed is made when it is
/// asked for. The actor keeps the file, the clock and the deliveries.
public actor LocalStore {
    var state: StoreState
    var clock: StoreClock
    let signer: any StoreSigner
    let fetcher: (any HTTPFetching)?
    let wall: @Sendable () -> Timestamp
    let file: StoreFile?
    /// The names and keys that a server needs.
    public nonisolated let keys: StoreKeys
    var waiters: [Waiter] = []
    var nextWaiter = 0
    var calls: [CallRecord] = []
    var lastCall: Int64 = 0
    var isDelivering = false
    var settlers: [CheckedContinuation<Void, Never>] = []
    var pump: Task<Void, Never>?
    var saveFailure: String?

    /// Opens the store, from its file if there is one.
    ///
    /// Throws when the file is damaged, with its line, or no key can be made.
    public init(
        _ configuration: LocalStoreConfiguration, signer: any StoreSigner,
        fetcher: (any HTTPFetching)? = nil, keys: StoreKeys? = nil,
        wall: @escaping @Sendable () -> Timestamp
    ) throws {
        self.signer = signer
        self.fetcher = fetcher
        self.wall = wall
        let file = configuration.stateFile.map { StoreFile(path: $0) }
        self.file = file
        let wallNow = wall()
        if let saved = try file?.load() {
            var state = saved.head.state
            var clock = saved.head.clock
            for (place, line) in saved.lines.enumerated() {
                state.run(until: line.at, stopsForDeliveries: false)
                if let moved = line.clock { clock = moved }
                guard let command = line.command else { continue }
                do {
                    _ = try state.apply(command)
                } catch {
                    throw StoreFile.Damage(
                        path: configuration.stateFile ?? "", line: place + 2, reason: "\(error)")
                }
            }
            // A clock that follows the machine goes on; another one stood while the store was closed.
            if clock.rate != 1 {
                clock = StoreClock(base: state.now, wall: wallNow, rate: clock.rate)
            }
            self.state = state
            self.clock = clock
            self.keys = saved.head.keys
        } else {
            let start = configuration.start ?? wallNow
            let app = StoreApp(
                bundleID: configuration.bundleID, appleID: configuration.appAppleID,
                name: configuration.appName, version: "1")
            var state = StoreState(
                seed: configuration.seed, now: start, app: app, catalog: configuration.catalog)
            if let url = configuration.notificationURL {
                for environment in [AppStoreEnvironment.sandbox, .production] {
                    state.settings.update(environment) { $0.notificationURL = url }
                }
            }
            self.state = state
            clock = StoreClock(base: start, wall: wallNow, rate: configuration.rate)
            self.keys = try keys ?? StoreKeys.generate(seed: configuration.seed)
        }
        try file?.write(
            StoreFile.Head(format: StoreState.format, keys: self.keys, clock: clock, state: state))
    }

    /// Carries out a command at the time that the clock shows now.
    ///
    /// When it returns, the command is in the file.
    @discardableResult
    func perform(_ command: StoreCommand) throws(StoreProblem) -> StoreOutcome {
        catchUp()
        let outcome = try state.apply(command)
        try save(.init(at: state.now, command: command))
        wakeWaiters()
        kick()
        return outcome
    }

    /// Does what fell due since anybody looked.
    func catchUp() {
        let now = max(state.now, clock.time(at: wall()))
        state.run(until: now, stopsForDeliveries: false)
    }

    func save(_ line: StoreFile.Line) throws(StoreProblem) {
        guard let file else { return }
        do {
            try file.append(line)
            if file.lines >= StoreFile.compaction { try writeWhole() }
        } catch {
            saveFailure = "\(error)"
            throw StoreProblem(.internalFault, detail: "the state cannot be saved: \(error)")
        }
    }

    /// How many commands stand in the file after the whole state.
    var linesSinceWhole: Int { file?.lines ?? 0 }

    private func writeWhole() throws {
        try file?.write(
            StoreFile.Head(format: StoreState.format, keys: keys, clock: clock, state: state))
    }

    /// Ends the background work and writes the state as a whole.
    public func close() throws {
        pump?.cancel()
        pump = nil
        catchUp()
        for waiter in waiters { waiter.continuation.resume() }
        waiters = []
        try writeWhole()
    }

    /// Asks whether something goes wrong on an occasion; counts it.
    func strike(_ occasion: FaultOccasion) -> [FaultRule] {
        guard state.faults.couldStrike(occasion) else { return [] }
        guard case .faults(let rules) = try? perform(.strike(occasion)) else { return [] }
        return rules
    }
}
