import AppStoreModel
import LedgerMemory
import LedgerSQLite
import Synchronization
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

/// A ledger over an empty store, and customers who use it.
struct Shop: Sendable {
    let ledger: Ledger
    let store: any LedgerStore
    private let folder: Folder?
    /// The database's file, where there is one.
    var path: String? { folder?.file("till.db") }

    init(_ kind: StoreKind, catalog: Catalog = Sale.catalog) async throws {
        switch kind {
        case .memory:
            folder = nil
            store = MemoryLedgerStore()
        case .sqlite:
            let folder = try Folder()
            self.folder = folder
            store = try await SQLiteLedgerStore.open(path: folder.file("till.db"))
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

    /// Hands in signed transactions.
    @discardableResult
    func show(
        _ sales: Sale..., by customer: CustomerID = .anna, order: OrderID? = nil,
        at now: Timestamp = Sale.noon
    ) async throws -> [TransactionResult] {
        let submission = PurchaseSubmission(
            customer: customer, proofs: sales.map(\.proof), orderID: order)
        return try await ledger.record(submission, now: now).results
    }

    /// Hands in one receipt.
    @discardableResult
    func showReceipt(
        _ sales: [Sale], by customer: CustomerID = .anna, order: OrderID? = nil,
        claiming ids: [TransactionID] = [], created: Timestamp = Sale.noon.later(minutes: 2),
        at now: Timestamp = Sale.noon
    ) async throws -> PurchaseAnswer {
        let submission = PurchaseSubmission(
            customer: customer, proofs: [Sale.receipt(sales, created: created)], orderID: order,
            transactionIDs: ids)
        return try await ledger.record(submission, now: now)
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
        var bytes = [UInt8](repeating: 0, count: 15)
        bytes.append(number)
        guard let id = OrderID(randomBytes: bytes) else { preconditionFailure("no order id") }
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
