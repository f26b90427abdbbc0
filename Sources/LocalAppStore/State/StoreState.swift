import AppStoreModel
import StoreWire

/// Everything that the store knows: one value, changed by commands alone.
///
/// The same seed, the same clock and the same commands make the same value; nothing in here asks the
/// machine for the time or for chance.
struct StoreState: Codable, Sendable {
    /// The form of the saved state.
    static let format = 1

    let seed: UInt64
    var ids: IDSource
    /// Up to when everything that was due has been done.
    var now: Timestamp
    var app: StoreApp
    var catalog: Catalog
    var settings: Table<EnvironmentSettings>
    var accounts = Table<Account>()
    var devices = Table<Device>()
    var transactions = Table<StoreTransaction>()
    var subscriptions = Table<Subscription>()
    var payments = Table<Payment>()
    var notifications = Table<StoreNotification>()
    var massExtensions = Table<MassExtension>()
    var codes = Table<OfferCode>()
    /// Further names of transactions: restored ones and the second names of a period.
    var aliases: [TransactionID: TransactionID] = [:]
    var orders: [String: [TransactionID]] = [:]
    /// Signatures and nonces that were used.
    var nonces: Set<String> = []
    var schedule = Schedule()
    /// The notifications that still have an attempt before them, in the order in which they arose.
    var openNotifications: [String] = []
    /// Counts every change of a transaction.
    var revision: Int64 = 0
    var log: [StoreEventRecord] = []
    var lastLogged: Int64 = 0
    var errors: [String: String] = [:]
    var faults: FaultState
    /// The most transactions that the store holds: a clock that is moved by years under a rate of seconds
    /// comes to an end here and not in the machine's memory.
    var transactionLimit = 250_000

    /// The most lines of the log that are kept.
    static let logLimit = 5_000

    init(seed: UInt64, now: Timestamp, app: StoreApp, catalog: Catalog) {
        self.seed = seed
        self.now = now
        self.app = app
        self.catalog = catalog
        ids = IDSource(seed: seed)
        faults = FaultState(seed: seed)
        settings = Table()
        settings.append(
            EnvironmentSettings(
                id: .sandbox, renewalRate: catalog.settings.renewalRate ?? .sandbox5Minutes))
        settings.append(EnvironmentSettings(id: .production, renewalRate: .realTime))
        settings.append(
            EnvironmentSettings(id: .xcode, renewalRate: catalog.settings.renewalRate ?? .realTime))
        errors = catalog.settings.errors
        if catalog.settings.hasGracePeriod {
            for id in [AppStoreEnvironment.sandbox, .xcode] {
                settings.update(id) { $0.graceDays = 16 }
            }
        }
    }

    /// The rate at which an account's subscriptions run; production runs in real time.
    func rate(_ account: Account) -> RenewalRate {
        if account.environment == .production {
            return settings[.production]?.renewalRate ?? .realTime
        }
        return account.renewalRate ?? settings[account.environment]?.renewalRate ?? .realTime
    }

    func storefront(_ account: Account) -> Storefront {
        Storefront(countryCode: account.storefront) ?? .usa
    }

    /// A transaction by any of its names.
    func transaction(_ id: TransactionID) -> StoreTransaction? {
        transactions[id] ?? aliases[id].flatMap { transactions[$0] }
    }

    /// Writes a line of the log.
    mutating func note(
        _ kind: String, _ transaction: StoreTransaction? = nil, account: AccountID? = nil,
        environment: AppStoreEnvironment? = nil, product: ProductID? = nil, _ detail: String? = nil
    ) {
        lastLogged += 1
        log.append(
            StoreEventRecord(
                sequence: lastLogged, date: now, kind: kind,
                environment: environment ?? transaction?.environment,
                accountID: account ?? transaction?.account, transactionID: transaction?.id,
                productID: product ?? transaction?.productID, detail: detail))
        if log.count > Self.logLimit + 500 { log.removeFirst(500) }
    }

    /// Changes a transaction and counts the change.
    mutating func change(_ id: TransactionID, _ change: (inout StoreTransaction) -> Void) {
        revision += 1
        let revision = revision
        transactions.update(id) {
            change(&$0)
            $0.revision = revision
        }
        if let account = transactions[id]?.account {
            let now = now
            accounts.update(account) { $0.changed = now }
        }
    }

    /// Changes a subscription and sees to it that it is woken when something is due.
    mutating func change(subscription id: TransactionID, _ change: (inout Subscription) -> Void) {
        subscriptions.update(id, change)
        if let due = subscriptions[id]?.due { schedule.add(.subscription(id), at: due) }
    }
}

/// The app that the store sells for.
struct StoreApp: Codable, Sendable, Hashable {
    var bundleID: BundleID
    var appleID: Int64
    var name: String
    var version: String
    var developerID: Int64 = 1_200_000_001
}

/// How one environment is set.
struct EnvironmentSettings: TableRow {
    let id: AppStoreEnvironment
    var notificationURL: String?
    var notificationVersion = 2
    var renewalRate: RenewalRate
    var graceDays: Int?
    var graceExcludesTrials = false
}

/// A request to extend all subscribers of a product.
struct MassExtension: TableRow {
    struct Key: Codable, Hashable, Sendable {
        let environment: AppStoreEnvironment
        let requestID: String
    }

    let id: Key
    let productID: ProductID
    let days: Int
    let reason: ExtendReasonCode
    let storefronts: [String]?
    let due: Timestamp
    var completed: Timestamp?
    var succeeded: Int64 = 0
    var failed: Int64 = 0
}

/// A code that gives an offer.
struct OfferCode: TableRow {
    let id: String
    let productID: ProductID
    let offerID: String
    var usesLeft: Int
    var redeemers: [AccountID] = []
}
