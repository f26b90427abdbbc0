public import AppStoreModel
import TillAPI

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The cash register of an app: buys, delivers exactly once, restores, and knows what is open.
///
/// Make one for the whole life of the app, and call `start()` as early as possible, before anybody
/// logs in: what the store brings meanwhile is kept. Every call is safe from anywhere and at any time.
public actor Till {
    let configuration: TillConfiguration
    let front: any StoreFront
    let desk: any Desk
    let journal: Journal
    let shelf: CustomerShelf
    let secrets: TwoHomes
    let clock: any Timekeeping
    let makeUUID: @Sendable () -> UUID
    let jitter: @Sendable () -> Double
    let wakeUps: @Sendable () -> AsyncStream<WakeUp>
    let hub: EventHub

    var starting: Task<Void, Never>?
    var session: Session?
    var memory: CustomerMemory?
    /// Whether the server answered in this launch.
    var isMemoryFresh = false
    var answers = AnswerOrder()
    /// Whether answers crossed, so that what is remembered may lack something.
    var isBehind = false
    var catchingUp: Task<Bool, Never>?
    /// Why the newest answer was not believed.
    var distrust: EntitlementDistrust?
    var products: [ProductID: TillProduct] = [:]
    var lanes: [ProductID: Lane] = [:]
    var joins: [Join: Task<PurchaseOutcome, Never>] = [:]
    var restoring: Task<RestoreOutcome, Never>?
    /// Orders whose payment a call of `buy` follows right now.
    ///
    /// Each with the moment at which it began.
    var liveOrders: [OrderID: Int] = [:]
    var inFlight: [String: Task<ParcelResult, Never>] = [:]
    var settled = SettledTransactions()
    /// News of the store that its queue may not hold, as the revocation of something finished.
    var news: [String: StoreTransaction] = [:]
    /// Keys of requests of which nobody knows whether they arrived, by fingerprint.
    var repeatKeys: [UInt64: String] = [:]
    var unclaimed: [UnclaimedPurchase] = []
    var promoted: [PromotedPurchase] = []
    /// Whether the receipt has news that the server has not seen.
    var owesReceipt = false
    var sweeping: Task<Void, Never>?
    var sweepsAgain = false
    var asksForOrders = true
    var failures = 0
    var retry: Task<Void, Never>?
    /// Until when the server wants to be left alone.
    var heldUntil: Uptime?
    /// Customers who are to become part of others.
    var merging: [PendingMerge] = []
    /// How those of this launch ended.
    var mergesEnded: [PendingMerge: MergeOutcome] = [:]
    let mergeLane = Lane()
    var renewals: [String: Task<String?, Never>] = [:]
    var told: Set<String> = []

    init(configuration: TillConfiguration, surroundings: Surroundings) {
        self.configuration = configuration
        front = surroundings.front
        desk = surroundings.desk
        journal = Journal(disk: surroundings.disk)
        shelf = CustomerShelf(disk: surroundings.disk)
        secrets = surroundings.secrets
        clock = surroundings.clock
        makeUUID = surroundings.makeUUID
        jitter = surroundings.jitter
        wakeUps = surroundings.wakeUps
        hub = EventHub(configuration.onEvent)
    }

    /// What happens from now on; each listener gets everything, when its own task comes to it.
    ///
    /// A program that has to have heard everything before it goes on, as one without a screen, gives
    /// `TillConfiguration.onEvent`.
    public nonisolated var events: AsyncStream<TillEvent> { hub.listen() }

    /// Names this device: kept in the Keychain and in the user defaults, each healing the other.
    public nonisolated var deviceID: String { DeviceIdentity(homes: secrets).deviceID(makeUUID) }

    /// The customer who is logged in.
    public var customerID: String? { session?.customerID }

    /// Begins to listen to the store and to look after what is unfinished.
    ///
    /// Calling it again is safe.
    public func start() async {
        if let starting {
            await starting.value
            return
        }
        let task = Task { await self.begin() }
        starting = task
        await task.value
    }

    private func begin() async {
        let signals = await front.open()
        if session == nil, let kept = DeviceIdentity(homes: secrets).session() {
            session = kept
            memory = await remembered(of: kept.customerID)
        }
        merging = DeviceIdentity(homes: secrets).merges()
        Task { [weak self] in
            for await signal in signals { await self?.take(signal) }
        }
        let wakeUps = wakeUps()
        Task { [weak self] in
            for await wakeUp in wakeUps { await self?.wake(wakeUp) }
        }
        recoverInBackground()
    }

    /// Takes the customer's token, as the app's backend made it, and delivers what waits for this
    /// customer.
    ///
    /// Whoever was logged in before is logged out.
    ///
    /// The customer's id is the token's `sub` unless it is given.
    public func login(customerToken: String, customerID: String? = nil) async throws(LoginError) {
        let session = try Session(token: customerToken, customerID: customerID)
        let id = session.customerID
        await start()
        if self.session?.customerID != id { forgetCustomer() }
        self.session = session
        DeviceIdentity(homes: secrets).keep(session)
        if memory == nil {
            let kept = await remembered(of: id)
            if memory == nil, self.session?.customerID == id { memory = kept }
        }
        startOver()
        recoverInBackground()
    }

    /// Forgets the customer and its token.
    ///
    /// What it has paid for and not received stays in the store's queue and in the journal, for
    /// this customer alone, until it logs in again.
    public func logout() async {
        await start()
        session = nil
        forgetCustomer()
        DeviceIdentity(homes: secrets).forgetSession()
        await shelf.clear()
    }

    private func forgetCustomer() {
        memory = nil
        isMemoryFresh = false
        isBehind = false
        distrust = nil
        told = []
    }

    /// The products of these ids that the store sells, in the order in which they were asked for.
    public func products(_ ids: [ProductID]) async throws(TillFailure) -> [TillProduct] {
        await start()
        let missing = Set(ids.filter { products[$0] == nil })
        if !missing.isEmpty {
            do throws(StoreFault) {
                for product in try await front.products(missing) { products[product.id] = product }
            } catch {
                throw error.failure(at: .askingStore)
            }
        }
        var seen: Set<ProductID> = []
        return ids.filter { seen.insert($0).inserted }.compactMap { products[$0] }
    }
}

/// Calls of `buy` that one purchase answers.
struct Join: Hashable {
    var customerID: String
    var productID: ProductID
}
