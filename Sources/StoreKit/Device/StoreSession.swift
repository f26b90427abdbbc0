import AppStoreModel
import Foundation
import StoreWire

/// One launch of the app: the device's link to its store and everything that a launch remembers.
final class StoreSession: Sendable {
    /// What the store said when the app was launched.
    struct Launched: Sendable {
        let client: DeviceClient
        let trust: StoreTrust
    }

    private static let slot = Guarded<StoreSession?>(nil)

    /// The launch that runs; the first use of StoreKit begins one.
    static var current: StoreSession {
        slot.withLock { slot in
            if let session = slot { return session }
            let session = StoreSession(.fromEnvironment)
            slot = session
            return session
        }
    }

    static func replace(with session: StoreSession?) {
        let former = slot.withLock { slot in
            defer { slot = session }
            return slot
        }
        former?.end()
    }

    let connection: LocalStoreConnection
    let folder: DeviceFolder
    let promotions: PromotionBook
    let payments = PaymentBook()
    let transactions = Broadcast<VerificationResult<Transaction>>()
    let subscriptions = Broadcast<Product.SubscriptionInfo.Status>()
    let storefronts = Broadcast<Storefront>()
    let intents = Broadcast<PurchaseIntent>()
    let messages = Broadcast<Message>()

    /// Transactions that were on their way as events when a list brought them already.
    let broughtByList = Guarded(Set<Transaction>())
    /// Purchases under way, whose answer comes before the events that they cause.
    let answers = Gate()
    /// Intents and messages that the app got, by their names.
    let handedOver = Guarded(Set<String>())
    /// What the app let go of and the store has not heard of yet; later calls wait for it.
    let finishes = Gate()
    /// Guards the file of what is to be finished.
    let finishesOnDisk = Guarded<Void>(())
    /// The last answers, for when the store cannot be reached.
    let remembered = Guarded([CacheKey: [VerificationResult<Transaction>]]())

    private let launching = Guarded<Task<Result<Launched, StoreFault>, Never>?>(nil)
    private let device = Guarded<DeviceSession?>(nil)
    private let pump = Guarded<Task<Void, Never>?>(nil)
    private let isOver = Guarded(false)

    init(_ connection: LocalStoreConnection) {
        self.connection = connection
        folder = DeviceFolder(url: connection.folder)
        promotions = PromotionBook(folder: connection.folder)
    }

    /// What the store last said of the device.
    var standing: DeviceSession? { device.value }

    var hasEnded: Bool { isOver.value }

    /// Begins the launch in the background, if it has not begun.
    func wake() {
        guard !hasEnded else { return }
        pump.withLock { pump in
            guard pump == nil else { return }
            pump = Task(executorPreference: StoreExecutor.shared) { await self.pumpEvents() }
        }
    }

    /// The launched device; the store is asked again after a failure.
    func launched() async throws(StoreFault) -> Launched {
        wake()
        let task = launching.withLock { launching in
            if let launching { return launching }
            let task = Task(executorPreference: StoreExecutor.shared) { await self.launch() }
            launching = task
            return task
        }
        let result = await task.value
        if case .failure = result {
            launching.withLock { if $0 == task { $0 = nil } }
        }
        return try result.get()
    }

    private func launch() async -> Result<Launched, StoreFault> {
        let record = folder.record
        let former = record?.store == connection.url ? record?.deviceID : nil
        do throws(StoreFault) {
            let standing: DeviceSession
            do throws(StoreFault) {
                standing = try await DeviceClient.launch(
                    request(deviceID: former), over: connection)
            } catch {
                // A store that has forgotten the device gets a new one, as after a reset in Settings.
                guard former != nil, case .refused(let problem) = error,
                    problem.code == .deviceNotFound
                else { throw error }
                standing = try await DeviceClient.launch(request(deviceID: nil), over: connection)
            }
            let client = DeviceClient(
                connection: connection, deviceID: standing.deviceID.rawValue)
            await finishWhatWaits(client)
            let info = try await DeviceClient.storeInfo(over: connection)
            guard !hasEnded else { throw .noAddress }
            folder.write(
                DeviceFolder.Record(
                    deviceID: standing.deviceID.rawValue, store: connection.url,
                    environment: standing.environment.rawValue))
            device.withLock { $0 = standing }
            let launched = Launched(
                client: client, trust: StoreTrust(info: info, device: standing))
            if standing.hasReceipt {
                await fetchReceipt(launched)
            } else {
                folder.writeReceipt(nil)
            }
            return .success(launched)
        } catch {
            return .failure(error)
        }
    }

    private func request(deviceID: String?) -> LaunchRequest {
        LaunchRequest(
            deviceID: deviceID.map { .init($0) }, bundleID: connection.bundleID.map { .init($0) },
            accountID: connection.accountID.map { .init($0) }, appVersion: connection.appVersion,
            locale: connection.locale)
    }

    /// Asks how the device stands now.
    @discardableResult
    func refreshStanding() async throws(StoreFault) -> DeviceSession {
        let launched = try await launched()
        let standing = try await launched.client.call(.session, DeviceSession.self)
        device.withLock { $0 = standing }
        launched.trust.wantedFailure.withLock { $0 = standing.verificationFailure }
        return standing
    }

    /// Puts the store's receipt where the app reads it; the old one stays when the store is away.
    func fetchReceipt(_ launched: Launched) async {
        guard let answer = try? await launched.client.call(.receipt, ReceiptResponse.self),
            !hasEnded
        else { return }
        folder.writeReceipt(answer.receipt.flatMap { Data(base64Encoded: $0) })
    }

    private func end() {
        isOver.withLock { $0 = true }
        pump.withLock { $0?.cancel() }
        launching.withLock { $0?.cancel() }
        payments.forget()
        transactions.finish()
        subscriptions.finish()
        storefronts.finish()
        intents.finish()
        messages.finish()
    }
}
