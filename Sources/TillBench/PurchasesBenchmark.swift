import AppStoreModel
import CryptoPrimitives
import Foundation

/// Purchases through HTTP into committed SQLite rows, against a FastAPI server that does the same.
enum PurchasesBenchmark {
    private static let rounds = 5
    private static let connections = 16
    /// Purchases a round: each server gets about a second of work.
    private static let counts = (till: 4_000, peer: 240)

    static func run() throws -> Bool {
        print("purchases through HTTP, \(connections) connections kept alive, both cores")
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
        var driver = PurchasesDriver(samples: samples, connections: connections)
        // A round that does not count: certificates are learnt, pages allocated, workers awake.
        _ = try driver.rate(of: till, purchases: 400)
        if let peer { _ = try driver.rate(of: peer, purchases: 64) }
        var ours: [Double] = []
        var theirs: [Double] = []
        for _ in 0..<rounds {
            ours.append(try driver.rate(of: till, purchases: counts.till))
            if let peer { theirs.append(try driver.rate(of: peer, purchases: counts.peer)) }
        }
        print("  \(till.name), purchases/s  \(Spread(ours).text)")
        guard let peer else { return true }
        print("  \(peer.name), purchases/s  \(Spread(theirs).text)")
        return Goal(name: "  till serve : \(peer.name)", bound: .atLeast(20))
            .report(Spread(zip(ours, theirs).map { $0 / $1 }))
    }
}

/// Opens orders, signs payments for them and posts them, each once.
struct PurchasesDriver {
    static let secretKey = "sk_benchmark"
    static let product = "com.example.coins600"

    let samples: ProofSamples
    let connections: Int
    private var number = 0

    init(samples: ProofSamples, connections: Int) {
        self.samples = samples
        self.connections = connections
    }

    /// Purchases for a second of real time; orders and signatures are made before the clock starts.
    mutating func rate(of server: PurchasesServer, purchases count: Int) throws -> Double {
        let first = number
        number += count
        let orders = try Self.post(
            (0..<count).map {
                Self.request(
                    "/v1/orders", customer: first + $0, body: #"{"productId":"\#(Self.product)"}"#)
            }, to: server.port, connections: connections)
        let requests = try orders.bodies.enumerated().map { index, body in
            struct Order: Decodable { let orderId: String }
            let order = try JSONDecoder().decode(Order.self, from: Data(body)).orderId
            let proof = try samples.jws(
                Self.transaction(first + index, order: order), samples.valueChain)
            return Self.request(
                "/v1/purchases", customer: first + index,
                body: #"{"signedTransactions":["\#(proof)"]}"#)
        }
        let answers = try Self.post(requests, to: server.port, connections: connections)
        let granted = Array(#""granted""#.utf8)
        for body in answers.bodies where !Self.contains(body, granted) {
            throw ProofBenchmarks.Failure(what: String(decoding: body.prefix(300), as: UTF8.self))
        }
        return Double(count) / answers.seconds
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

    // MARK: Posting

    /// What one thread did.
    private final class Share: @unchecked Sendable {
        // Sendable because one thread alone writes it, and it is read after that thread has ended.
        var bodies: [[UInt8]] = []
        var fault: (any Error)?
    }

    /// Posts every request once, over so many connections at the same time; the answers in their order.
    private static func post(
        _ requests: [[UInt8]], to port: Int, connections: Int
    ) throws -> (bodies: [[UInt8]], seconds: Double) {
        let shares = (0..<connections).map { _ in Share() }
        let group = DispatchGroup()
        let start = ContinuousClock.now
        for (offset, share) in shares.enumerated() {
            group.enter()
            let thread = Thread {
                do {
                    var connection = try PurchasesConnection(port: port)
                    for index in stride(from: offset, to: requests.count, by: connections) {
                        let (status, body) = try connection.exchange(requests[index])
                        guard status == 200 || status == 201 else {
                            throw ProofBenchmarks.Failure(
                                what: "\(status) "
                                    + String(decoding: body.prefix(300), as: UTF8.self))
                        }
                        share.bodies.append(body)
                    }
                } catch {
                    share.fault = error
                }
                group.leave()
            }
            thread.start()
        }
        group.wait()
        let seconds = (ContinuousClock.now - start) / .seconds(1)
        if let fault = shares.compactMap(\.fault).first { throw fault }
        let bodies = requests.indices.map { shares[$0 % connections].bodies[$0 / connections] }
        return (bodies, seconds)
    }
}
