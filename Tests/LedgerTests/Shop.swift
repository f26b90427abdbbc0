import AppStoreModel
import LedgerMemory
import LedgerPostgres
import LedgerSQLite
import PostgresDriver
import Synchronization
import TestKit
import Testing
import TillLedger

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The stores that pass the suite.
enum StoreKind: String, Sendable, CaseIterable, CustomTestStringConvertible {
    case memory
    case sqlite
    case postgres

    /// All of them, without PostgreSQL where no server is installed.
    static let allCases: [StoreKind] =
        [.memory, .sqlite] + (PostgresServer.isInstalled ? [.postgres] : [])

    var testDescription: String { rawValue }
}

/// A folder of its own for a test, removed afterwards.
final class Folder: Sendable {
    let path: String

    init() throws {
        path = FileManager.default.temporaryDirectory.path + "/till-\(UUID().uuidString)"
        try FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    func file(_ name: String) -> String { path + "/" + name }
}

extension PostgresLedgerStore.Options {
    /// Makes every time limit so long that none is met by chance, with all tests running at once.
    mutating func waitAsLongAsABusyMachineNeeds() {
        connectTime = .seconds(60)
        statementTime = .seconds(60)
        lockTime = .seconds(60)
        callTime = .seconds(120)
    }
}

/// An empty schema of a test's own in the tests' database.
struct PostgresSchema: Sendable {
    private static let count = Mutex(0)

    let server: PostgresServer
    let name: String
    var address: String { server.address(schema: name) }

    init(on server: PostgresServer? = nil) throws {
        let server = try server ?? PostgresServer.shared.get()
        self.server = server
        let number = Self.count.withLock { count in
            count += 1
            return count
        }
        name = "ledger_\(number)"
        try execute("CREATE SCHEMA \(name)")
    }

    /// Runs a script in the schema, past the ledger.
    func execute(_ script: String) throws {
        var options = PostgresConnection.Options()
        options.connectTime = .seconds(60)
        options.callTime = .seconds(300)
        var connection = try PostgresConnection(address: address, options: options)
        try connection.execute(script)
    }

    /// The first column of every row, as text.
    func texts(_ sql: String) throws -> [String] {
        var connection = try PostgresConnection(address: address)
        let rows = try connection.run(sql)
        var texts: [String] = []
        while rows.step() { texts.append(rows.text()) }
        return texts
    }
}

/// A ledger over an empty store, and customers who use it.
struct Shop: Sendable {
    let ledger: Ledger
    let store: any LedgerStore
    private let folder: Folder?
    /// The database's schema, where there is one.
    let schema: PostgresSchema?
    /// The database's file, where there is one.
    var path: String? { folder?.file("till.db") }

    init(_ kind: StoreKind, catalog: Catalog = Sale.catalog) async throws {
        switch kind {
        case .memory:
            folder = nil
            schema = nil
            store = MemoryLedgerStore()
        case .sqlite:
            let folder = try Folder()
            self.folder = folder
            schema = nil
            store = try await SQLiteLedgerStore.open(path: folder.file("till.db"))
        case .postgres:
            folder = nil
            let schema = try PostgresSchema()
            self.schema = schema
            var options = PostgresLedgerStore.Options()
            options.readers = 1
            options.waitAsLongAsABusyMachineNeeds()
            store = try await PostgresLedgerStore.open(
                address: schema.address, options: options)
        }
        ledger = Self.ledger(on: store, catalog: catalog)
    }

    /// The same store under another catalog.
    func with(_ catalog: Catalog) -> Ledger { Self.ledger(on: store, catalog: catalog) }

    static func ledger(on store: any LedgerStore, catalog: Catalog = Sale.catalog) -> Ledger {
        let orders = OrderNames()
        return Ledger(store: store, catalog: catalog) { orders.next() }
    }

    /// Opens an order that must be opened.
    func order(
        _ product: ProductID = Sale.coins600, by customer: CustomerID = .anna, quantity: Int64 = 1,
        at now: Timestamp = Sale.noon
    ) async throws -> OrderFacts {
        let request = OrderRequest(
            bundleID: Sale.app, customer: customer, productID: product, quantity: quantity)
        let answer = try await ledger.openOrder(request, now: now)
        guard case .opened(let order) = answer else { throw Unexpected(what: "\(answer)") }
        return order
    }

    /// Hands in signed transactions; `alone` where nobody else does so for that customer meanwhile.
    @discardableResult
    func show(
        _ sales: Sale..., by customer: CustomerID = .anna, order: OrderID? = nil,
        at now: Timestamp = Sale.noon, alone: Bool = true
    ) async throws -> [TransactionResult] {
        let submission = PurchaseSubmission(
            customer: customer, proofs: sales.map(\.proof), orderID: order)
        return try await record(submission, of: customer, at: now, alone: alone).results
    }

    /// Hands in one receipt; `alone` where nobody else does so for that customer meanwhile.
    @discardableResult
    func showReceipt(
        _ sales: [Sale], by customer: CustomerID = .anna, order: OrderID? = nil,
        claiming ids: [TransactionID] = [], created: Timestamp = Sale.noon.later(minutes: 2),
        at now: Timestamp = Sale.noon, alone: Bool = true
    ) async throws -> PurchaseAnswer {
        let submission = PurchaseSubmission(
            customer: customer, proofs: [Sale.receipt(sales, created: created)], orderID: order,
            transactionIDs: ids)
        return try await record(submission, of: customer, at: now, alone: alone)
    }

    /// Records, and holds what is told of the customer with the answer against what is recorded then.
    private func record(
        _ submission: PurchaseSubmission, of customer: CustomerID, at now: Timestamp, alone: Bool
    ) async throws -> PurchaseAnswer {
        let (answer, told) = try await ledger.record(
            submission, thenHoldingsOf: customer, now: now)
        if alone { #expect(try await ledger.holdings(of: customer, now: now) == told) }
        return answer
    }

    func customer(
        _ id: CustomerID = .anna, at now: Timestamp = Sale.noon
    ) async throws -> CustomerSnapshot {
        try await ledger.customer(id, now: now)
    }

    /// What a customer has of a currency in the production book.
    func balance(
        _ id: CustomerID = .anna, _ currency: WalletCurrency = "coins",
        environment: AppStoreEnvironment = .production
    ) async throws -> Int64 {
        try await customer(id).balances
            .first { $0.currency == currency && $0.book.environment == environment }?.amount ?? 0
    }

    /// The entitlements that hold, by name.
    func active(
        _ id: CustomerID = .anna, at now: Timestamp = Sale.noon
    ) async throws -> [EntitlementName] {
        try await customer(id, at: now).entitlements.filter(\.isActive).map(\.entitlement)
    }

    /// Fails the test when a record does not follow from the facts.
    func expectSound(sourceLocation: SourceLocation = #_sourceLocation) async throws {
        let report = try await ledger.rebuild()
        #expect(report.discrepancies == [], sourceLocation: sourceLocation)
    }
}

/// Something that a test did not reckon with.
struct Unexpected: Error {
    let what: String
}

/// Makes the names of orders: one after the other, so that a run repeats.
private final class OrderNames: Sendable {
    private let count = Mutex<UInt8>(0)

    func next() -> OrderID {
        let number = count.withLock { count in
            count &+= 1
            return count
        }
        var bytes = [UInt8](repeating: 0, count: 9)
        bytes.append(number)
        guard let id = OrderID(randomBytes: bytes, at: Timestamp(milliseconds: 0)) else {
            preconditionFailure("no order id")
        }
        return id
    }
}

extension CustomerID {
    static let anna = named("anna")
    static let ben = named("ben")
    static let cleo = named("cleo")

    static func named(_ name: String) -> CustomerID {
        guard let id = CustomerID(rawValue: name) else { preconditionFailure("no customer") }
        return id
    }
}

extension TransactionOutcome {
    static let revoked = Self.refused(.revoked)
    static let anothers = Self.refused(.belongsToAnother)
    static let unknownProduct = Self.refused(.productUnknown)
}
