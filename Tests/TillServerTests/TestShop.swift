import AppStoreModel
import CryptoPrimitives
import Foundation
import HTTPMessage
import HTTPServer
import LedgerMemory
import SignedDataCoding
import Synchronization
import Testing
import TillAPI
import TillLedger

@testable import TillServer

/// A server without a socket, a store of one's own that signs, and customers who call.
final class TestShop: Sendable {
    static let bundleID: BundleID = "com.example.app"
    static let coins: ProductID = "com.example.coins600"
    static let gems: ProductID = "com.example.gems10"
    static let pro: ProductID = "com.example.pro"
    static let monthly: ProductID = "com.example.pro.monthly"
    static let secretKey = "sk_test"
    static let tokenSecret = "0123456789abcdef0123456789abcdef"

    let authority: TestAuthority
    let folder: TemporaryFolder
    let configuration: ServerConfiguration
    let store: any LedgerStore
    let ledger: Ledger
    let log: ServerLog
    let metrics = Metrics()
    let service: TillService
    let router: Router
    let clock: TestClock
    private let lines = LogLines()

    /// Makes a shop whose app takes sandbox purchases of the authority, on a ledger in memory.
    init(
        authority: TestAuthority = .shared, store: (any LedgerStore)? = nil,
        environments: String = #"["Sandbox"]"#, more: String = "", app: String = "",
        sender: WebhookSender = .none
    ) throws {
        let store: any LedgerStore = store ?? MemoryLedgerStore()
        self.authority = authority
        self.store = store
        folder = try TemporaryFolder()
        try authority.writeRoots(to: folder)
        configuration = try ServerConfiguration.read(
            Data(Self.configuration(environments: environments, more: more, app: app).utf8),
            folder: folder.path, environment: [:])
        let clock = TestClock()
        self.clock = clock
        let ids = IDSource()
        ledger = Ledger(
            store: store, catalog: configuration.catalog, newOrderID: { ids.next() })
        let lines = lines
        log = ServerLog(format: .json, clock: { clock.now }, write: { lines.append($0) })
        service = try TillService(
            configuration: configuration, ledger: ledger, clock: { clock.now }, log: log,
            metrics: metrics, sender: sender, readinessLimit: .seconds(60))
        router = service.router
    }

    /// The configuration of the shop, as its operator would write it.
    static func configuration(
        environments: String = #"["Sandbox"]"#, more: String = "", app: String = "",
        database: String = "sqlite:till.db", listen: String = "127.0.0.1:0"
    ) -> String {
        """
        {"listen": "\(listen)", "database": "\(database)",
         "secretKeys": ["\(secretKey)"], "customerTokens": {"hs256": "\(tokenSecret)"}\(more),
         "apps": [{
           "bundleId": "\(bundleID)", "environments": \(environments),
           "trustedRoots": ["receipts.der", "values.der"]\(app),
           "products": {
             "\(coins)": {"type": "consumable", "credits": {"coins": 600}},
             "\(gems)": {"type": "consumable", "credits": {"gems": 10}},
             "\(pro)": {"type": "nonConsumable", "entitlements": ["pro"]},
             "\(monthly)": {"type": "autoRenewable", "entitlements": ["pro"]}}}]}
        """
    }

    /// Everything that was logged.
    var logged: [String] { lines.all }

    // MARK: Calling

    /// A token of a customer, as the app's backend would sign it.
    func token(_ customer: String) throws -> String {
        let id = try #require(CustomerID(rawValue: customer))
        return CustomerTokenIssuer(secret: SecretText(Self.tokenSecret))
            .token(for: id, until: clock.now.advanced(byMilliseconds: 3_600_000))
    }

    func send(
        _ method: HTTPMethod, _ target: String, _ body: Data = Data(), as customer: String?,
        fields: KeyValuePairs<String, String> = [:]
    ) async throws -> HTTPResponse {
        var request = HTTPRequest(
            method: method, target: target, fields: HTTPFields(fields), body: body)
        if let customer { request.fields["Authorization"] = "Bearer \(try token(customer))" }
        return await router.respond(to: request, context: RequestContext(requestID: "test"))
    }

    /// Hands in proofs and expects an answer.
    @discardableResult
    func purchase(
        _ request: PurchaseRequest, by customer: String,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> PurchaseResponse {
        let response = try await send(
            .post, APIWire.purchases, try JSONEncoder().encode(request), as: customer)
        try #require(
            response.status == .ok, "\(String(decoding: response.body, as: UTF8.self))",
            sourceLocation: sourceLocation)
        return try JSONDecoder().decode(PurchaseResponse.self, from: response.body)
    }

    /// Hands in proofs and expects a problem.
    func refusal(
        _ request: PurchaseRequest, by customer: String,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> ProblemDocument {
        let response = try await send(
            .post, APIWire.purchases, try JSONEncoder().encode(request), as: customer)
        try #require(!response.status.isSuccess, sourceLocation: sourceLocation)
        return try problem(response)
    }

    func problem(_ response: HTTPResponse) throws -> ProblemDocument {
        #expect(response.fields["Content-Type"] == APIWire.problemMediaType)
        return try JSONDecoder().decode(ProblemDocument.self, from: response.body)
    }

    func openOrder(_ product: ProductID, by customer: String) async throws -> OrderDocument {
        let body = try JSONEncoder().encode(TillAPI.OrderRequest(productID: product))
        let response = try await send(.post, APIWire.orders, body, as: customer)
        try #require(response.status == .created)
        return try JSONDecoder().decode(OrderDocument.self, from: response.body)
    }

    func order(_ id: UUID, by customer: String) async throws -> OrderDocument {
        let response = try await send(
            .get, "\(APIWire.orders)/\(id.uuidString)", as: customer)
        try #require(response.status == .ok)
        return try JSONDecoder().decode(OrderDocument.self, from: response.body)
    }

    func customer(_ name: String) async throws -> CustomerDocument {
        let response = try await send(.get, "\(APIWire.customers)/\(name)", as: name)
        try #require(response.status == .ok)
        return try JSONDecoder().decode(CustomerDocument.self, from: response.body)
    }

    // MARK: Buying

    /// A transaction as the store would sign it, one field at a time to be changed.
    static func transaction(
        _ id: TransactionID, _ product: ProductID = coins, order: UUID? = nil,
        type: ProductType = .consumable, change: (inout TransactionPayload) -> Void = { _ in }
    ) -> TransactionPayload {
        var transaction = TransactionPayload(
            transactionID: id, bundleID: bundleID, productID: product)
        transaction.purchaseDate = TestClock.start
        transaction.originalPurchaseDate = TestClock.start
        transaction.signedDate = TestClock.start
        transaction.quantity = 1
        transaction.type = type
        transaction.environment = .sandbox
        transaction.inAppOwnershipType = .purchased
        transaction.appAccountToken = order.map { AppAccountToken($0.uuidString) }
        change(&transaction)
        return transaction
    }

    /// The signed transaction in compact form.
    func signed(
        _ id: TransactionID, _ product: ProductID = coins, order: UUID? = nil,
        type: ProductType = .consumable, change: (inout TransactionPayload) -> Void = { _ in }
    ) throws -> String {
        try authority.sign(
            Self.transaction(id, product, order: order, type: type, change: change))
    }

    /// A receipt of these purchases in base64, the purchase dates a second apart.
    func receipt(
        _ purchases: [(TransactionID, ProductID)],
        change: (inout AppReceipt) -> Void = { _ in }
    ) throws -> String {
        var receipt = AppReceipt(
            bundleID: Self.bundleID, creationDate: TestClock.start,
            receiptType: .productionSandbox)
        receipt.applicationVersion = "1"
        receipt.inApp = purchases.map { id, product in
            var purchase = InAppPurchase(productID: product, transactionID: id)
            purchase.quantity = 1
            purchase.purchaseDate = TestClock.start
            purchase.originalPurchaseDate = TestClock.start
            return purchase
        }
        change(&receipt)
        return Base64.encode(try authority.sign(receipt))
    }
}

/// Time that tests move.
final class TestClock: Sendable {
    static let start = Timestamp(seconds: 1_790_000_000)
    private let value = Mutex(TestClock.start)

    var now: Timestamp { value.withLock { $0 } }

    func advance(seconds: Int64) {
        value.withLock { $0 = $0.advanced(byMilliseconds: seconds * 1_000) }
    }
}

/// Order ids in a fixed sequence.
final class IDSource: Sendable {
    private let count = Mutex<UInt8>(0)
    private let round = Mutex<UInt8>(0)

    func next() -> OrderID {
        let low = count.withLock { value -> UInt8 in
            value &+= 1
            return value
        }
        if low == 0 { round.withLock { $0 &+= 1 } }
        let bytes = [UInt8](repeating: 7, count: 8) + [round.withLock { $0 }, low]
        guard let id = OrderID(randomBytes: bytes, at: Timestamp(milliseconds: 0)) else {
            preconditionFailure("ten bytes")
        }
        return id
    }
}

/// Lines of a log, from any thread.
final class LogLines: Sendable {
    private let lines = Mutex<[String]>([])

    var all: [String] { lines.withLock { $0 } }

    func append(_ line: String) { lines.withLock { $0.append(line) } }
}
