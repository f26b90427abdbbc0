import AppStoreModel
import AppStoreSigning
import AppStoreTrust
import CryptoPrimitives
import Foundation
import HTTPMessage
import StoreKit
import StoreWire
import Synchronization
import Testing

@testable import LocalAppStore

/// A store, a device and the app on it, which can be killed and launched again.
final class TestDevice: Sendable {
    /// Made once, since RSA keys take their time.
    static let authority = Result { try SigningAuthority.make() }

    let store: LocalStore
    let table: StoreTable
    let folder: URL

    init(catalog: Catalog = .builtIn) throws {
        store = try LocalStore(
            LocalStoreConfiguration(catalog: catalog, seed: 7),
            signer: AuthoritySigner(try TestDevice.authority.get()),
            wall: { Timestamp(milliseconds: Int64(Date().timeIntervalSince1970 * 1_000)) })
        table = StoreTable(store)
        folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("till-device-\(UUID().uuidString)", isDirectory: true)
        launch()
    }

    /// Another device of the same store; the app runs on one at a time.
    init(beside other: TestDevice) throws {
        store = other.store
        table = other.table
        folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("till-device-\(UUID().uuidString)", isDirectory: true)
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    /// Kills the app, if it runs, and launches it, with an account signed in and a person before the screen.
    func launch(account: String? = nil, _ person: LocalStorePerson = .usual) {
        var connection = LocalStoreConnection(url: "http://store", fetcher: table, folder: folder)
        connection.bundleID = nil
        connection.accountID = account
        connection.person = person
        LocalStoreLaunch.begin(connection)
    }

    /// Launches the app before a person who answers every sheet alike, but pays where money is asked for.
    func launch(answering answer: LocalStorePerson.Answer) {
        launch(
            LocalStorePerson { sheet in
                if case .payment = sheet { .agrees } else { answer }
            })
    }

    func quit() { LocalStoreLaunch.end() }

    /// Waits until the store knows the device.
    func isLaunched() async { _ = await StoreKit.Storefront.current }

    /// The name under which the store knows the device.
    func id() async throws -> DeviceID {
        try #require(await store.devicesInfo().devices.first).deviceID
    }

    func change(_ change: AccountRequest) async throws {
        await isLaunched()
        _ = try await store.changeAccount("default", change)
    }

    /// Ends the wait of the only purchase that waits.
    func decide(_ decision: WaitingDecisionKind) async throws {
        let waiting = try #require(await store.waitingPurchases().purchases.first)
        _ = try await store.decide(waiting.itemID, WaitingDecision(decision: decision))
    }

    /// Lets a call of StoreKit's fail, or all of them succeed again.
    func fail(_ api: SimulatedAPI?, with code: String = "") async throws {
        let errors = api.map { [SimulatedErrorInfo(api: $0, code: code)] } ?? []
        _ = try await store.setSimulatedErrors(SimulatedErrorsInfo(errors: errors))
    }

    func strike(_ kind: FaultKind) async throws {
        _ = try await store.setFaults(FaultPlan(rules: [FaultRule(kind: kind)]))
    }

    /// Does something to a subscription, as the store's page does.
    func act(
        _ action: SubscriptionActionKind, on transactionID: UInt64,
        _ fill: (inout SubscriptionAction) -> Void = { _ in }
    ) async throws {
        var wanted = SubscriptionAction(action: action)
        fill(&wanted)
        _ = try await store.act(on: TransactionID(String(transactionID)), wanted)
    }

    /// Lets the store's time pass until it does the next thing on its own.
    func passToNextEvent() async throws {
        _ = try await store.moveClock(ClockChange(toNextEvent: true))
    }

    func giveGrace(days: Int) async throws {
        _ = try await store.changeEnvironment(.sandbox, EnvironmentChange(gracePeriodDays: days))
    }

    /// A code for an offer of a product's.
    func offerCode(_ productID: String, _ offerID: String) async throws -> String {
        await isLaunched()
        let answer = try await store.makeCodes(
            OfferCodesRequest(productID: ProductID(productID), offerID: offerID))
        return try #require(answer.codes.first)
    }

    /// What the app's server signs for an offer, with the key that the store shows.
    func signature(
        offer: String, productID: String, user: String
    ) async throws -> StoreKit.Product.SubscriptionOffer.Signature {
        let info = try await store.info()
        let key = try PrivateKey(pem: info.apiKey.privateKey)
        let nonce = UUID()
        let timestamp = Int(info.clock.now.milliseconds)
        let message = [
            info.bundleID.rawValue, info.apiKey.keyID, productID, offer, user,
            nonce.uuidString.lowercased(), String(timestamp),
        ].joined(separator: "\u{2063}")
        let der = try key.sign(Array(message.utf8), as: .ecdsa(.sha256))
        return .init(
            keyID: info.apiKey.keyID, nonce: nonce, timestamp: timestamp, signature: Data(der))
    }

    /// Shares the purchases of the account that is signed in first with a new one.
    func makeFamily(with name: String) async throws {
        await isLaunched()
        let member = AccountID(name)
        _ = try await store.makeAccount(
            AccountRequest(accountID: member, environment: .sandbox))
        _ = try await store.setFamily(FamilyRequest(organizer: "default", members: [member]))
    }

    func endFamily() async throws {
        _ = try await store.setFamily(FamilyRequest(organizer: "default", members: []))
    }

    func refund(_ transactionID: String) async throws {
        _ = try await store.act(
            on: TransactionID(transactionID), TransactionAction(action: .refund, reason: 1))
    }

    func tapPromoted(_ productID: String) async throws {
        _ = try await store.promote(
            PromoteRequest(deviceID: try await id(), productID: ProductID(productID)))
    }

    /// Whether the account has nothing that waits to be finished, as the store sees it.
    func hasFinishedEverything() async -> Bool {
        await store.state.transactions.rows.allSatisfy(\.isFinished)
    }

    /// Buys on the App Store's page, so that the app hears of it on its own.
    func buyOutside(_ productID: String) async throws {
        _ = try await store.buy(
            ControlBuyRequest(
                productID: ProductID(productID), deviceID: try await id(), outsideApp: true))
    }

    /// The transactions in the receipt file, if it is genuine under the store's root.
    func receipt() throws -> [String] {
        let place = try #require(Bundle.main.appStoreReceiptURL)
        let root = try Self.authority.get().root
        let configuration = try TrustConfiguration.unsafeAnyApp(extraRoots: [
            ExtraRoot(name: "store", certificate: root)
        ])
        return try ProofVerifier(configuration: configuration)
            .verifyReceipt(Array(try Data(contentsOf: place))).value.inApp.map(
                \.transactionID.rawValue)
    }
}
