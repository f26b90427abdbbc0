import AppStoreModel
import Foundation
import LocalAppStore
import TillLedger
import TillServer

extension TillCommand {
    static let doctor = Command(
        syntax: CommandSyntax(
            name: "doctor",
            summary: "look over a configuration, its catalog and its ledger, and say what is wrong",
            options: [
                .value("--config", "FILE", "the server's configuration"),
                .value(
                    "--storekit", "FILE",
                    "an Xcode StoreKit configuration whose products the catalog should have"),
                .value("--bundle-id", "ID", "the app of the --storekit file; the only one"),
            ],
            notes: """
                Each line begins with ok, warning or fault. Reads alone, beside a running server.
                Exit codes: 0 no fault, 1 a fault, 74 no database, 78 configuration.
                """)
    ) { words in
        guard let path = words.value("--config") else {
            throw UsageError("--config FILE is missing")
        }
        return try await OpenLedger.with("doctor", path) { open in
            var doctor = Doctor(open)
            doctor.lookAtConfiguration()
            if let file = words.value("--storekit") {
                try doctor.compare(file, bundleID: words.value("--bundle-id"))
            }
            try await doctor.lookAtLedger()
            return doctor.foundFault ? 1 : 0
        }
    }
}

/// Looks things over and prints a line for each.
private struct Doctor {
    private enum Word: String {
        case ok
        case warning
        case fault
    }

    private let open: OpenLedger
    private(set) var foundFault = false

    init(_ open: OpenLedger) { self.open = open }

    private mutating func say(_ word: Word, _ text: String) {
        if word == .fault { foundFault = true }
        Terminal.print("\(word.rawValue): \(text)")
    }

    mutating func lookAtConfiguration() {
        let configuration = open.configuration
        say(.ok, "the configuration can be used, \(configuration.apps.count) app(s)")
        for warning in configuration.warnings { say(.warning, warning) }
        if configuration.isDevelopment {
            say(.warning, "development mode: anybody on this machine is any customer")
        }
        for app in configuration.apps {
            if !app.trustedRoots.isEmpty {
                say(.warning, "\(app.bundleID) believes the roots of a test store")
            }
            for (id, rule) in app.products.sorted(by: { $0.key < $1.key })
            where rule.kind == .nonRenewing && rule.duration == nil && !rule.entitlements.isEmpty {
                say(.warning, "\(id) is nonRenewing without a duration: it entitles for ever")
            }
        }
    }

    /// Holds the catalog against the products that Xcode sells in tests.
    mutating func compare(_ file: String, bundleID: String?) throws {
        guard let bytes = FileManager.default.contents(atPath: file) else {
            throw UsageError("\(file) cannot be read")
        }
        let apps = open.configuration.apps
        guard
            let app = bundleID.map({ id in apps.first { $0.bundleID.rawValue == id } })
                ?? (apps.count == 1 ? apps.first : nil)
        else { throw UsageError("--bundle-id must name one of the configuration's apps") }
        let sold: LocalAppStore.Catalog
        do throws(CatalogError) {
            sold = try LocalAppStore.Catalog(storekit: [UInt8](bytes), source: file)
        } catch {
            say(.fault, "\(file): \(error)")
            return
        }
        for product in sold.products {
            guard let rule = app.products[product.id] else {
                say(.fault, "\(product.id) is sold in \(file) and missing in the catalog")
                continue
            }
            let kind = ProductKind(product.type)
            guard kind == rule.kind else {
                say(
                    .fault,
                    "\(product.id) is \(rule.kind.rawValue) in the catalog and "
                        + "\(kind?.rawValue ?? product.type.rawValue) in \(file)")
                continue
            }
            say(.ok, "\(product.id) is \(rule.kind.rawValue) in both")
        }
        let names = Set(sold.products.map(\.id))
        for id in app.products.keys.sorted() where !names.contains(id) {
            say(.warning, "\(id) is in the catalog and not in \(file)")
        }
    }

    mutating func lookAtLedger() async throws(LedgerError) {
        let report = try await open.ledger.rebuild()
        for discrepancy in report.discrepancies.prefix(20) { say(.fault, "\(discrepancy)") }
        if report.discrepancies.isEmpty {
            say(.ok, "\(report.purchases) purchases: everything follows from the facts")
        }
        var waiting: [String: Int] = [:]
        var unclaimed = 0
        var place: PurchasePlace?
        while true {
            let purchases = try await open.store.purchases(after: place, limit: 500)
            guard let last = purchases.last else { break }
            place = PurchasePlace(book: last.book, key: last.key)
            for purchase in purchases where purchase.grant == nil {
                guard let transaction = purchase.transactions.first,
                    purchase.state?.isRevoked == false
                else { continue }
                if transaction.holder == nil {
                    unclaimed += 1
                } else {
                    waiting["\(transaction.productID) of \(purchase.book)", default: 0] += 1
                }
            }
        }
        for (product, count) in waiting.sorted(by: { $0.key < $1.key }) {
            say(.fault, "\(count) paid and not handed out: no catalog has \(product)")
        }
        if unclaimed > 0 { say(.warning, "\(unclaimed) purchases wait for whoever claims them") }
    }
}

extension ProductKind {
    /// The kind as Apple spells its type; nil for a type that is not known.
    fileprivate init?(_ type: ProductType) {
        switch type {
        case .consumable: self = .consumable
        case .nonConsumable: self = .nonConsumable
        case .nonRenewing: self = .nonRenewing
        case .autoRenewable: self = .autoRenewable
        default: return nil
        }
    }
}
