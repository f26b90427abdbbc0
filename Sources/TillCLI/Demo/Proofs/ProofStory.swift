import AppStoreModel
import Foundation
import TillAPI
import TillLedger

/// The demonstration as it happens: every verdict comes from the server, over HTTP.
struct ProofStory {
    private let proofs: [DemoProof]
    private let shop: DemoShop
    private let client: DemoClient
    private let stage: Stage
    /// Who owns which app's purchases.
    private var customers: [BundleID: CustomerID] = [:]
    /// Which laws were broken; none, it is hoped.
    private var faults: [String] = []
    /// How many transactions were granted so far.
    private var granted = 0

    private static let names = [
        "anna", "ben", "carla", "david", "emil", "fatima", "gustav", "hana", "ivan", "jun",
        "kofi", "lena", "mira", "noor", "otto", "pia", "quinn", "rosa", "sami", "tara",
    ]

    init(proofs: [DemoProof], shop: DemoShop, client: DemoClient, stage: Stage) {
        self.proofs = proofs
        self.shop = shop
        self.client = client
        self.stage = stage
        for (index, app) in shop.apps.enumerated() {
            let round = index / Self.names.count
            let name = Self.names[index % Self.names.count] + (round == 0 ? "" : "\(round + 1)")
            customers[app.bundleID] = CustomerID(rawValue: name)
        }
    }

    /// Plays all of it and returns the laws that were broken.
    mutating func tell() async throws -> [String] {
        stage.heading(1, "Customers hand in their proofs")
        try await handIn(isRepeat: false)
        stage.heading(2, "The apps send everything again, as they do after a crash")
        try await handIn(isRepeat: true)
        stage.heading(3, "Somebody else shows the same proofs")
        try await showAsStranger()
        stage.heading(4, "Forged and foreign ones")
        try await tryForgeries()
        stage.heading(5, "What the customers have now")
        try await showCustomers()
        return faults
    }

    /// The genuine proofs that a server may admit, and whose they are.
    private var genuine: [(proof: DemoProof, look: DemoProof.Look, owner: CustomerID)] {
        proofs.compactMap { proof in
            guard let look = proof.genuine, let owner = customers[look.bundleID] else { return nil }
            return (proof, look, owner)
        }
    }

    // MARK: Handing in

    private mutating func handIn(isRepeat: Bool) async throws {
        var ordered: Set<BundleID> = []
        var count = 0
        for (proof, look, owner) in genuine {
            var request = proof.request
            var order: UUID?
            // The first purchase in each app goes the whole way: order, payment, proof.
            if !isRepeat, let product = look.purchases.first?.product,
                ordered.insert(look.bundleID).inserted
            {
                order = try await openOrder(product, of: look.bundleID, by: owner)
                request.orderID = order
            }
            let outcome = try await client.purchase(request, by: owner)
            guard case .value(let response) = outcome else {
                report(proof, look, owner, problem: outcome)
                faults.append("\(proof.name) is genuine and was refused")
                continue
            }
            let fresh = response.results.count { $0.outcome == .granted }
            granted += isRepeat ? 0 : fresh
            count += response.results.count
            if isRepeat {
                if fresh > 0 { faults.append("\(proof.name) was granted twice") }
            } else {
                report(proof, look, owner, response)
                if let order { try await report(order, by: owner) }
            }
        }
        if isRepeat {
            stage.line(
                "   \(count) transactions in \(genuine.count) proofs: 0 granted, all known. "
                    + "Each answer says again: finish.", .known)
        }
    }

    private func openOrder(
        _ product: ProductID, of bundle: BundleID, by customer: CustomerID
    ) async throws -> UUID? {
        guard
            case .value(let order) = try await client.openOrder(product, of: bundle, by: customer)
        else { return nil }
        return order.orderID
    }

    private func report(_ order: UUID, by customer: CustomerID) async throws {
        guard case .value(let document) = try await client.order(order, by: customer) else {
            return
        }
        let id = document.orderID.uuidString.lowercased().prefix(8)
        let paid = document.transactionID.map { ", paid by \($0)" } ?? ""
        stage.row([("", 8)], "order \(id)… is \(document.status.rawValue)\(paid)", .faint)
    }

    private func report(
        _ proof: DemoProof, _ look: DemoProof.Look, _ owner: CustomerID,
        _ response: PurchaseResponse
    ) {
        stage.row(
            [(owner.rawValue, 8), (proof.name, 40), (look.environment.rawValue, 10)],
            look.bundleID.rawValue)
        if response.results.isEmpty {
            stage.row([("", 8)], "genuine, and nothing was bought in it", .faint)
        }
        for (outcome, reports) in Self.grouped(response.results) {
            let tone: Stage.Tone =
                outcome.hasPrefix("granted") ? .good : outcome.hasPrefix("already") ? .known : .bad
            var products: [ProductID: Int] = [:]
            for report in reports { products[report.productID, default: 0] += 1 }
            let named = products.sorted { $0.key < $1.key }.map { product, count in
                let name = Self.short(product, of: look.bundleID)
                return count == 1 ? name : "\(name) ×\(count)"
            }
            stage.row([("", 8)], "\(outcome): \(named.joined(separator: ", "))", tone)
        }
    }

    /// The product's name without that of its app before it.
    private static func short(_ product: ProductID, of bundle: BundleID) -> String {
        let (name, prefix) = (product.rawValue, bundle.rawValue + ".")
        return name.hasPrefix(prefix) ? String(name.dropFirst(prefix.count)) : name
    }

    private func report(
        _ proof: DemoProof, _ look: DemoProof.Look, _ owner: CustomerID,
        problem: DemoClient.Answer<PurchaseResponse>
    ) {
        guard case .problem(let problem) = problem else { return }
        stage.row(
            [(owner.rawValue, 8), (proof.name, 40), (look.environment.rawValue, 10)],
            "\(problem.code.rawValue): \(problem.detail ?? problem.title)", .bad)
    }

    /// The reports by outcome and reason, in the order in which they first came.
    private static func grouped(
        _ reports: [TransactionReport]
    ) -> [(String, [TransactionReport])] {
        var order: [String] = []
        var groups: [String: [TransactionReport]] = [:]
        for report in reports {
            let name = report.outcome.rawValue + (report.reason.map { " (\($0))" } ?? "")
            if groups[name] == nil { order.append(name) }
            groups[name, default: []].append(report)
        }
        return order.map { ($0, groups[$0] ?? []) }
    }

    // MARK: Strangers

    private mutating func showAsStranger() async throws {
        guard let mallory = CustomerID(rawValue: "mallory") else { return }
        let shown = genuine.filter { !$0.look.purchases.isEmpty }.prefix(5)
        for (proof, _, owner) in shown {
            let answer = try await client.purchase(proof.request, by: mallory)
            guard case .value(let response) = answer else { continue }
            let taken = response.results.count {
                $0.outcome == .granted || $0.outcome == .alreadyGranted
            }
            if taken > 0 { faults.append("mallory got \(taken) purchases of \(owner)") }
            let reasons = Set(response.results.compactMap(\.reason)).sorted()
            stage.row(
                [("mallory", 8), ("with \(owner)'s \(proof.name)", 52)],
                "\(response.results.count) refused: \(reasons.joined(separator: ", "))", .bad)
        }
    }

    private mutating func tryForgeries() async throws {
        guard let mallory = CustomerID(rawValue: "mallory") else { return }
        var tries: [(name: String, request: PurchaseRequest)] = []
        for proof in proofs where proof.genuine == nil { tries.append((proof.name, proof.request)) }
        tries += Forgery.all(from: genuine.map(\.proof))
        if let (proof, _, _) = genuine.first(where: { !$0.look.purchases.isEmpty }) {
            var foreign = proof.request
            foreign.bundleID = "com.example.another"
            tries.append(("\(proof.name), said to be of another app", foreign))
        }
        for attempt in tries {
            switch try await client.purchase(attempt.request, by: mallory) {
            case .problem(let problem):
                stage.row(
                    [(attempt.name, 56)],
                    "\(problem.status) \(problem.code.rawValue)"
                        + (problem.mayFinish ? ", finish" : ", keep"), .bad)
            case .value(let response):
                let taken = response.results.count { $0.outcome == .granted }
                if taken > 0 { faults.append("\(attempt.name) was granted") }
                stage.row([(attempt.name, 56)], "taken, \(taken) granted", .plain)
            }
        }
    }

    // MARK: The end

    private mutating func showCustomers() async throws {
        var recorded = 0
        for app in shop.apps {
            guard let customer = customers[app.bundleID],
                case .value(let document) = try await client.customer(customer)
            else { continue }
            recorded += document.transactions.count { $0.outcome == .granted }
            var parts = document.balances.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }
            parts += document.entitlements.map {
                "\($0.entitlement) \($0.isActive ? "active" : "past")"
            }
            if parts.isEmpty { parts = ["nothing"] }
            stage.row(
                [(customer.rawValue, 8), (app.bundleID.rawValue, 40)],
                parts.joined(separator: ", "))
        }
        stage.line("   \(granted) purchases were granted, each once.", .good)
    }
}
