import AppStoreModel
import AppStoreSigning
import CryptoPrimitives
import Foundation
import HTTPMessage
import LocalAppStore

/// The local store's purchases, each with a signed transaction and a signed notification delivered, against the
/// signatures alone and against PyJWT with `cryptography` making the same signatures.
enum StoreBenchmark {
    private static let rounds = 7
    /// Purchases a round; each round has a store of its own, since customers remember what they bought.
    private static let purchases = 100
    /// What a purchase signs with P-256: the transaction for the app, the same for the server, the notification.
    private static let signatures = 3.0

    static func run() throws -> Bool {
        let authority = try SigningAuthority.make()
        let key = try PrivateKey.generate(.p256)
        let message = [UInt8](repeating: 0x61, count: 5_000)
        let samples = try Shop(authority).samples()
        let peer = try JWTSigner.start(authority, samples)
        defer { peer?.stop() }
        var ours: [Double] = []
        var raw: [Double] = []
        var theirs: [Double] = []
        for _ in 0..<rounds {
            ours.append(try Shop(authority).rate(of: purchases))
            let signed = try Measurement.compare(
                [Contender(name: "P-256") { _ = try key.signES256(message) }], rounds: 1,
                seconds: 0.2)
            raw.append(signed.rate(0).middle)
            if let peer { theirs.append(try peer.rate()) }
        }
        print("  purchases with transaction and notification/s  \(Spread(ours).text)")
        print("  P-256 signatures of 5,000 bytes/s  \(Spread(raw).text)")
        var met = Goal(name: "  purchase : its \(Int(signatures)) signatures alone", bound: nil)
            .report(Spread(zip(ours, raw).map { $0 * signatures / $1 }))
        guard peer != nil else {
            print("  PyJWT: skipped, no \(PythonPeer.python) (make peers)")
            return met
        }
        print("  PyJWT with cryptography, the signatures of a purchase/s  \(Spread(theirs).text)")
        met =
            Goal(name: "  purchase : PyJWT making its signatures alone", bound: nil)
            .report(Spread(zip(ours, theirs).map { $0 / $1 })) && met
        return met
    }
}

/// A store without sockets, its notifications going to nobody who takes time.
private struct Shop {
    private struct Sink: HTTPFetching {
        func fetch(
            _ request: HTTPRequest, limits: HTTPFetchLimits
        ) async throws(HTTPFetchError) -> HTTPResponse { HTTPResponse(status: .ok) }
    }

    private struct Session: Decodable { let deviceId: String }

    private let store: LocalStore
    private let service: StoreService

    init(_ authority: SigningAuthority) throws {
        store = try LocalStore(
            LocalStoreConfiguration(
                start: Timestamp(seconds: 1_767_225_600), rate: 0,
                notificationURL: "http://127.0.0.1:9/"),
            signer: AuthoritySigner(authority), fetcher: Sink(),
            wall: { Timestamp(seconds: 1_767_225_600) })
        service = StoreService(store: store, environment: .sandbox)
    }

    private func post(_ path: String, _ body: String) async -> Data {
        await service.respond(
            to: HTTPRequest(method: .post, target: path, body: Data(body.utf8))
        ).body
    }

    private func device() async throws -> String {
        try JSONDecoder().decode(Session.self, from: await post("/device/v1/launch", "{}")).deviceId
    }

    private static let order = #"{"productId":"com.example.coins600"}"#

    /// Purchases for a second of the process's time; each is bought and finished, as apps do.
    func rate(of count: Int) throws -> Double {
        try waiting {
            let device = try await device()
            let start = Self.processorTime()
            for _ in 0..<count {
                let answer = await post("/device/v1/\(device)/purchases", Self.order)
                guard answer.count > 5_000 else {
                    throw ProofBenchmarks.Failure(what: String(decoding: answer, as: UTF8.self))
                }
            }
            await store.settle()
            return Double(count) / (Self.processorTime() - start)
        }
    }

    /// The payloads of a transaction and of the notification that goes with it, as JSON.
    func samples() throws -> (transaction: JSONValue, notification: JSONValue) {
        let answer = try waiting {
            await post("/device/v1/\(try await device())/purchases", Self.order)
        }
        let bought = try JSONDecoder().decode(JSONValue.self, from: answer)
        let token = bought["item"]?["transaction"]?["signedTransactionInfo"]?.string ?? ""
        let parts = token.split(separator: ".")
        guard parts.count == 3 else { throw ProofBenchmarks.Failure(what: "a token") }
        let standard = String(parts[1].map { $0 == "-" ? "+" : $0 == "_" ? "/" : $0 })
        let padded = standard + String(repeating: "=", count: (4 - standard.count % 4) % 4)
        guard let payload = Data(base64Encoded: padded) else {
            throw ProofBenchmarks.Failure(what: "a payload")
        }
        let transaction = try JSONDecoder().decode(JSONValue.self, from: payload)
        let notification: JSONValue = [
            "notificationType": "ONE_TIME_CHARGE", "version": "2.0",
            "notificationUUID": "11111111-2222-4333-8444-555555555555",
            "signedDate": 1_767_225_600_000,
            "data": ["bundleId": "com.example.app", "environment": "Sandbox"],
        ]
        return (transaction, notification)
    }

    /// Seconds that all threads of this process have computed.
    private static func processorTime() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    /// Benchmarks are called one after the other on the main thread; this waits there for asynchronous work.
    private func waiting<Value: Sendable>(
        _ work: @escaping @Sendable () async throws -> Value
    ) throws -> Value {
        let box = Box<Value>()
        let done = DispatchSemaphore(value: 0)
        Task {
            do { box.result = .success(try await work()) } catch { box.result = .failure(error) }
            done.signal()
        }
        done.wait()
        guard let result = box.result else { throw ProofBenchmarks.Failure(what: "no result") }
        return try result.get()
    }

    private final class Box<Value>: @unchecked Sendable {
        // Sendable because it is read only after the task that writes it has signalled.
        var result: Result<Value, any Error>?
    }
}

/// PyJWT in a process of its own.
private enum JWTSigner {
    static func start(
        _ authority: SigningAuthority, _ samples: (transaction: JSONValue, notification: JSONValue)
    ) throws -> PythonPeer.Peer? {
        guard FileManager.default.isExecutableFile(atPath: PythonPeer.python) else { return nil }
        let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("till-bench-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let chain = JSONValue.array(
            authority.signedValueChain.certificates.map {
                .string(Data($0.der).base64EncodedString())
            })
        var arguments = ["Benchmarks/peers/jwt_signer.py"]
        for (name, value) in [
            ("chain", chain), ("transaction", samples.transaction),
            ("notification", samples.notification),
        ] {
            let file = folder.appendingPathComponent("\(name).json")
            try JSONEncoder().encode(value).write(to: file)
            arguments.append(file.path)
        }
        return try PythonPeer.Peer(arguments: arguments)
    }
}
