import AppStoreModel
import CryptoPrimitives
import Foundation

/// Purchases through HTTP into committed SQLite rows, against a FastAPI server that does the same.
enum PurchasesBenchmark {
    private static let rounds = 5
    /// Purchases a round: each server gets about a second of work.
    private static let counts = (till: 4_000, peer: 240)

    static func run() throws -> Bool {
        print("purchases through HTTP, connections kept alive, every core")
        let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("till-bench-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let samples = try ProofSamples()
        guard let till = try PurchasesServer.till(root: samples.valueRoot.der, in: folder) else {
            print("  skipped, no till beside till-bench (swift build -c release --product till)")
            return true
        }
        let peer = try PurchasesServer.peer(root: samples.valueRoot.der, in: folder)
        if peer == nil { print("  the peer is skipped, no \(PythonPeer.python) (make peers)") }
        var driver = PurchasesDriver(samples: samples)
        // A round that does not count: certificates are learnt, pages allocated, workers awake.
        _ = try driver.rate(of: till, purchases: 400)
        if let peer { _ = try driver.rate(of: peer, purchases: 64) }
        var ours: [PurchasesRound] = []
        var theirs: [PurchasesRound] = []
        for _ in 0..<rounds {
            ours.append(try driver.rate(of: till, purchases: counts.till))
            if let peer { theirs.append(try driver.rate(of: peer, purchases: counts.peer)) }
        }
        report(till, ours)
        guard let peer else { return true }
        report(peer, theirs)
        return Goal(name: "  till serve : \(peer.name)", bound: .atLeast(20))
            .report(Spread(zip(ours, theirs).map { $0.rate / $1.rate }))
    }

    static func report(_ server: PurchasesServer, _ rounds: [PurchasesRound]) {
        print(
            "  \(server.name), \(server.connections) connections, purchases/s  "
                + Spread(rounds.map(\.rate)).text)
        let driver = Spread(rounds.map(\.driverMicroseconds)).text
        print("    processor time a purchase in microseconds: driver \(driver)")
        let used = rounds.compactMap(\.serverMicroseconds)
        if !used.isEmpty { print("    and server \(Spread(used).text)") }
    }
}

/// What a round of purchases came to.
struct PurchasesRound {
    /// Purchases a second of real time.
    let rate: Double
    /// Processor time of the driver for each.
    let driverMicroseconds: Double
    /// Processor time of the server for each; `nil` where that cannot be told.
    let serverMicroseconds: Double?
}

/// Opens orders, signs payments for them and posts them, each once.
struct PurchasesDriver {
    static let secretKey = "sk_benchmark"
    static let product = "com.example.coins600"

    let samples: ProofSamples
    private var number = 0

    init(samples: ProofSamples) { self.samples = samples }

    /// Purchases for a second of real time; orders and signatures are made before the clock starts.
    mutating func rate(
        of server: PurchasesServer, purchases count: Int
    ) throws -> PurchasesRound {
        let first = number
        number += count
        let orders = try PurchasesTraffic.post(
            (0..<count).map {
                Self.request(
                    "/v1/orders", customer: first + $0, body: #"{"productId":"\#(Self.product)"}"#)
            }, to: server.port, connections: server.connections)
        let requests = try orders.bodies.enumerated().map { index, body in
            struct Order: Decodable { let orderId: String }
            let order = try JSONDecoder().decode(Order.self, from: Data(body)).orderId
            let proof = try samples.jws(
                Self.transaction(first + index, order: order), samples.valueChain)
            return Self.request(
                "/v1/purchases", customer: first + index,
                body: #"{"signedTransactions":["\#(proof)"]}"#)
        }
        let before = server.processorSeconds
        let outcome = try PurchasesTraffic.post(
            requests, to: server.port, connections: server.connections)
        let after = server.processorSeconds
        let granted = Array(#""granted""#.utf8)
        for body in outcome.bodies where !Self.contains(body, granted) {
            throw ProofBenchmarks.Failure(what: String(decoding: body.prefix(300), as: UTF8.self))
        }
        let micro = 1e6 / Double(count)
        return PurchasesRound(
            rate: Double(count) / outcome.seconds,
            driverMicroseconds: outcome.processorSeconds * micro,
            serverMicroseconds: before.flatMap { before in after.map { ($0 - before) * micro } })
    }

    private static func contains(_ bytes: [UInt8], _ word: [UInt8]) -> Bool {
        bytes.indices.contains { bytes[$0...].starts(with: word) }
    }

    private static func request(_ path: String, customer: Int, body: String) -> [UInt8] {
        Array(
            ("POST \(path) HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                + "Authorization: Bearer \(secretKey)\r\nTill-Customer: customer-\(customer)\r\n"
                + "Content-Length: \(body.utf8.count)\r\n\r\n\(body)").utf8)
    }

    private static func transaction(_ number: Int, order: String) -> [UInt8] {
        let id = 2_000_000_000_000_000 + number
        return Array(
            """
            {"transactionId":"\(id)","originalTransactionId":"\(id)",\
            "bundleId":"\(ProofSamples.bundleID)","productId":"\(product)",\
            "purchaseDate":1700000000000,"originalPurchaseDate":1700000000000,"quantity":1,\
            "type":"Consumable","appAccountToken":"\(order)","inAppOwnershipType":"PURCHASED",\
            "signedDate":1700000000000,"environment":"Sandbox","transactionReason":"PURCHASE",\
            "storefront":"USA","storefrontId":"143441","price":9990,"currency":"USD",\
            "appTransactionId":"704346128375263741"}
            """.utf8)
    }
}
