import AppStoreModel
import StoreWire
import Testing

@testable import LocalAppStore

/// A store's state with a person at the controls: no clock but the test's, no signatures, no network.
struct StoreWorld {
    var state: StoreState
    private var heard = 0

    /// 2026-01-01T00:00:00Z.
    static let start = Timestamp(seconds: 1_767_225_600)
    static let day: Int64 = 86_400_000

    init(seed: UInt64 = 7, catalog: Catalog = .builtIn) {
        let app = StoreApp(
            bundleID: "com.example.app", appleID: 1_234_567_890, name: "Example", version: "1")
        state = StoreState(seed: seed, now: Self.start, app: app, catalog: catalog)
    }

    /// Installs the app for an account, which is made when it is new.
    mutating func device(
        _ account: AccountID = "anna", _ environment: AppStoreEnvironment = .production
    ) throws -> DeviceID {
        if state.accounts[account] == nil {
            _ = try state.apply(
                .makeAccount(AccountRequest(accountID: account, environment: environment)))
        }
        let request = LaunchRequest(environment: environment, accountID: account)
        return DeviceID(try state.apply(.launch(request, environment)).name)
    }

    /// Buys; answers with the payment.
    @discardableResult
    mutating func buy(
        _ product: ProductID, on device: DeviceID, quantity: Int = 1, token: AppAccountToken? = nil,
        offer: (OfferType, String)? = nil, outcome: SimulatedOutcome = .purchase
    ) throws -> Payment {
        var order = PurchaseOrder(product)
        order.quantity = quantity
        order.token = token
        order.offerKind = offer?.0
        order.offerID = offer?.1
        var setting = PurchaseSetting(device: device)
        setting.outcome = outcome
        let name = try state.apply(.purchase(order, setting)).name
        return try #require(state.payments[name])
    }

    /// Buys and answers with the transaction.
    @discardableResult
    mutating func bought(
        _ product: ProductID, on device: DeviceID, offer: (OfferType, String)? = nil
    ) throws -> StoreTransaction {
        let payment = try buy(product, on: device, offer: offer)
        return try #require(payment.transaction.flatMap { state.transactions[$0] })
    }

    mutating func pass(days: Int64) {
        state.run(
            until: state.now.advanced(byMilliseconds: days * Self.day), stopsForDeliveries: false)
    }

    /// Lets time pass up to a day of 2026 (or later years), at midnight.
    mutating func pass(to month: Int, _ day: Int, _ year: Int = 2026) {
        let days = CivilDate(year: year, month: month, day: day).daysSinceEpoch
        state.run(
            until: Timestamp(seconds: Int64(days) * 86_400), stopsForDeliveries: false)
    }

    mutating func act(
        _ action: SubscriptionActionKind, on id: TransactionID,
        _ fill: (inout SubscriptionAction) -> Void = { _ in }
    ) throws {
        var wanted = SubscriptionAction(action: action)
        fill(&wanted)
        _ = try state.apply(.actOnSubscription(id, wanted))
    }

    mutating func act(
        _ action: TransactionActionKind, on id: TransactionID,
        _ fill: (inout TransactionAction) -> Void = { _ in }
    ) throws {
        var wanted = TransactionAction(action: action)
        fill(&wanted)
        _ = try state.apply(.actOnTransaction(id, wanted))
    }

    mutating func set(
        _ environment: AppStoreEnvironment = .production,
        _ fill: (inout EnvironmentChange) -> Void
    ) throws {
        var change = EnvironmentChange()
        fill(&change)
        _ = try state.apply(.changeEnvironment(environment, change))
    }

    /// What the server was told since it was asked last, as `TYPE/SUBTYPE`.
    mutating func told(of account: AccountID? = nil) -> [String] {
        let new = state.notifications.rows.dropFirst(heard)
        heard = state.notifications.count
        return new.filter { account == nil || $0.account == account }.map(\.words)
    }

    func subscription(_ transaction: StoreTransaction) throws -> Subscription {
        try #require(state.subscriptions[transaction.originalID])
    }

    func current(_ transaction: StoreTransaction) throws -> StoreTransaction {
        try #require(state.currentTransaction(transaction.originalID))
    }
}

extension StoreNotification {
    var words: String {
        versionOneType ?? type.rawValue + (subtype.map { "/" + $0.rawValue } ?? "")
    }
}

/// Midnight of a day.
func midnight(_ month: Int, _ day: Int, _ year: Int = 2026) -> Timestamp {
    Timestamp(
        seconds: Int64(CivilDate(year: year, month: month, day: day).daysSinceEpoch) * 86_400)
}
