import AppStoreModel
import AppStoreTrust
import Foundation
import LedgerSQLite
import Synchronization
import TillLedger

/// A ledger in a file with so many recorded transactions, ten for each customer.
final class GrownLedger: Sendable {
    /// What is measured.
    enum Work: String, CaseIterable, Sendable {
        case purchase
        case entitlements = "a customer's entitlements"
        case notification
    }

    private static let book = Book(
        bundleID: ProofSamples.bundleID, environment: .sandbox, anchor: "trustedRoots")
    private static let coins: ProductID = "com.example.coins600"
    private static let monthly: ProductID = "com.example.pro.monthly"
    private static let start: Int64 = 1_600_000_000_000
    private static let perCustomer = 10

    let store: SQLiteLedgerStore
    let secondsToFill: Double
    let bytesPerRow: Int
    private let ledger: Ledger
    private let rows: Int
    private let path: String
    private let samples: ProofSamples
    private let verifier: ProofVerifier
    private let next = Mutex(0)

    /// - Parameters:
    ///   - rows: How many transactions are recorded before anything is measured.
    ///   - samples: Whose proofs are shown.
    ///   - kept: A file with a ledger filled so before, made if it is missing; a copy is worked with.
    /// - Throws: What keeps the file from being written.
    init(rows: Int, samples: ProofSamples, kept: String? = nil) async throws {
        self.rows = rows
        self.samples = samples
        path =
            FileManager.default.temporaryDirectory.path + "/till-rows-\(UUID().uuidString).db"
        let clock = ContinuousClock.now
        if let kept {
            if !FileManager.default.fileExists(atPath: kept) {
                try await Self.fill(kept, rows: rows)
            }
            try FileManager.default.copyItem(atPath: kept, toPath: path)
        } else {
            try await Self.fill(path, rows: rows)
        }
        secondsToFill = (ContinuousClock.now - clock) / .seconds(1)
        bytesPerRow = Self.size(path) / max(1, rows)
        store = try await SQLiteLedgerStore.open(path: path)
        let rules = AppRules(
            products: [
                Self.coins: ProductRule(kind: .consumable, credits: ["coins": 600]),
                Self.monthly: ProductRule(kind: .autoRenewable, entitlements: ["pro"]),
            ], environments: [.sandbox])
        ledger = Ledger(
            store: store, catalog: Catalog(apps: [ProofSamples.bundleID: rules]),
            newOrderID: { preconditionFailure("nobody orders") })
        verifier = ProofVerifier(
            configuration: try TrustConfiguration(apps: [
                TrustedApp(
                    bundleID: ProofSamples.bundleID, environments: [.sandbox],
                    extraRoots: [
                        ExtraRoot(name: "trustedRoots", certificate: samples.valueRoot)
                    ])
            ]))
    }

    /// Records facts as the rules would, many together; while some are written, the next are made.
    private static func fill(_ path: String, rows: Int) async throws {
        let store = try await SQLiteLedgerStore.open(path: path)
        let size = 10_000
        var batch = facts(of: 0..<min(size, rows))
        for first in stride(from: 0, to: rows, by: size) {
            let following = min(first + size, rows)..<min(first + 2 * size, rows)
            async let next = facts(of: following)
            let facts = batch
            try await store.transact(reading: FactQuery()) { _ in
                Decision(facts: facts, answer: ())
            }
            batch = await next
        }
        await store.close()
    }

    private static func facts(of numbers: Range<Int>) -> [Fact] {
        numbers.flatMap { facts(of: $0) }
    }

    func remove() {
        for end in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + end) }
    }

    private static func size(_ path: String) -> Int {
        ["", "-wal"].reduce(0) { sum, end in
            let facts = try? FileManager.default.attributesOfItem(atPath: path + end)
            return sum + ((facts?[.size] as? NSNumber)?.intValue ?? 0)
        }
    }

    private static func customer(_ number: Int) -> CustomerID {
        guard let id = CustomerID(rawValue: "customer-\(number)") else {
            preconditionFailure("a plain name")
        }
        return id
    }

    private static func id(_ number: Int) -> TransactionID {
        TransactionID("\(1_000_000_000_000_000 + number)")
    }

    /// One recorded purchase as the rules would have it; every tenth is a period of a subscription.
    private static func facts(of number: Int) -> [Fact] {
        let isPeriod = number % perCustomer == 0
        let id = id(number)
        let date = Timestamp(milliseconds: start + Int64(number) * 1_000)
        let end = isPeriod ? date.advanced(byMilliseconds: 30 * 86_400_000) : nil
        let customer = customer(number / perCustomer)
        let key = GrantKey(
            originalTransactionID: id, webOrderLineItemID: nil, purchaseDate: date,
            expires: isPeriod)
        let product = isPeriod ? monthly : coins
        var fields = ObservedFields(source: .transaction)
        fields.originalPurchaseDate = date
        fields.expiresDate = end
        fields.ownership = .purchased
        fields.price = 9_990
        fields.currency = "USD"
        fields.storefront = "USA"
        guard
            let digest = ProofDigest(rawValue: [UInt8](repeating: UInt8(number & 0xFF), count: 32))
        else { preconditionFailure("thirty-two bytes") }
        let grant = Grant(
            key: key, transactionID: id, customer: customer, productID: product,
            kind: isPeriod ? .autoRenewable : .consumable, quantity: 1, purchaseDate: date,
            credits: isPeriod ? [:] : ["coins": 600], entitlements: isPeriod ? ["pro"] : [],
            duration: nil, orderID: nil, grantedAt: date)
        var facts: [Fact] = [
            .transaction(
                book,
                RecordedTransaction(
                    id: id, originalID: id, grantKey: key, productID: product, quantity: 1,
                    purchaseDate: date, webOrderLineItemID: nil, customer: customer,
                    binding: .uploader, orderID: nil, recordedAt: date)),
            .ownership(
                book,
                Ownership(
                    originalID: id, number: 0, customer: customer, binding: .uploader,
                    since: date)),
            .observation(
                book, id, Observation(number: 0, signedAt: date, fields: fields, proof: digest)),
            .grant(book, grant),
        ]
        if !isPeriod {
            facts.append(
                .walletEntry(
                    book,
                    WalletEntry(
                        customer: customer, currency: "coins", amount: 600, key: key, turn: 0,
                        at: date)))
        }
        return facts
    }

    // MARK: Measuring

    /// What one piece of work costs, in seconds.
    struct Cost {
        let real: Double
        /// Of all threads of this process.
        let processor: Double
    }

    /// What one of so many costs, sixteen under way at once; proofs are made before.
    func time(_ work: Work, count: Int) async throws -> Cost {
        let first = next.withLock { value in
            defer { value += count }
            return value
        }
        var jobs: [@Sendable () async throws -> Void] = []
        for number in first..<(first + count) { jobs.append(try job(work, number)) }
        let clock = ContinuousClock.now
        let processor = Self.processorTime()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (place, job) in jobs.enumerated() {
                if place >= 16 { try await group.next() }
                group.addTask { try await job() }
            }
            try await group.waitForAll()
        }
        return Cost(
            real: (ContinuousClock.now - clock) / .seconds(count),
            processor: (Self.processorTime() - processor) / Double(count))
    }

    private static func processorTime() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    private func job(_ work: Work, _ number: Int) throws -> @Sendable () async throws -> Void {
        // Spread over the whole ledger, the same for every run.
        let place = Int((UInt64(number) &* 0x9E37_79B9_7F4A_7C15) % UInt64(rows))
        let customer = Self.customer(place / Self.perCustomer)
        let now = Timestamp(seconds: 1_700_000_000)
        let ledger = ledger
        switch work {
        case .purchase:
            let proof = VerifiedProof(
                try verifier.verifyTransaction(
                    try samples.jws(
                        Self.transaction(rows + number, revoked: false), samples.valueChain)))
            return {
                let answer = try await ledger.record(
                    PurchaseSubmission(customer: customer, proofs: [proof]), now: now)
                guard answer.results.first?.outcome == .granted else {
                    throw ProofBenchmarks.Failure(what: "\(answer)")
                }
            }
        case .entitlements:
            return { _ = try await ledger.customer(customer, now: now) }
        case .notification:
            let text = try samples.jws(
                Self.notification(
                    number,
                    try samples.jws(
                        Self.transaction(
                            place - place % Self.perCustomer + 1 + number % 9, revoked: true),
                        samples.valueChain)),
                samples.valueChain)
            guard
                let notification = NotificationSubmission(
                    try verifier.verifyNotification(text))
            else { throw ProofBenchmarks.Failure(what: "no notification") }
            return { _ = try await ledger.record(notification, now: now) }
        }
    }

    /// What a purchase that the rules recorded takes in a file, with the proof that was kept of it.
    static func bytesPerPurchase(_ samples: ProofSamples) async throws -> Int {
        let (filled, recorded) = (1_000, 4_000)
        let ledger = try await GrownLedger(rows: filled, samples: samples)
        defer { ledger.remove() }
        _ = try await ledger.time(.purchase, count: recorded)
        await ledger.store.close()
        return (size(ledger.path) - filled * ledger.bytesPerRow) / recorded
    }

    /// Recomputes everything from the facts; what was filled in must be what the rules would have recorded.
    func audit() async throws -> Int {
        let report = try await ledger.rebuild()
        guard report.discrepancies.isEmpty else {
            throw ProofBenchmarks.Failure(what: "\(report.discrepancies.prefix(3))")
        }
        return report.purchases
    }

    private static func transaction(_ number: Int, revoked: Bool) -> [UInt8] {
        let id = id(number)
        let date = start + Int64(number) * 1_000
        let end = revoked ? ",\"revocationDate\":1700000000000,\"revocationReason\":0" : ""
        return Array(
            """
            {"transactionId":"\(id)","originalTransactionId":"\(id)",\
            "bundleId":"\(ProofSamples.bundleID)","productId":"\(coins)",\
            "purchaseDate":\(date),"originalPurchaseDate":\(date),"quantity":1,\
            "type":"Consumable","inAppOwnershipType":"PURCHASED","signedDate":1700000000000,\
            "environment":"Sandbox","transactionReason":"PURCHASE","storefront":"USA",\
            "storefrontId":"143441","price":9990,"currency":"USD"\(end)}
            """.utf8)
    }

    private static func notification(_ number: Int, _ transaction: String) -> [UInt8] {
        Array(
            """
            {"notificationType":"REFUND","notificationUUID":"00000000-0000-4000-8000-\
            \(String(1_000_000_000_000 + number).suffix(12))","version":"2.0",\
            "signedDate":1700000000000,"data":{"bundleId":"\(ProofSamples.bundleID)",\
            "environment":"Sandbox","signedTransactionInfo":"\(transaction)"}}
            """.utf8)
    }
}
