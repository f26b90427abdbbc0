import AppStoreModel
import HTTPMessage
import SignedDataCoding
import StoreWire
import Synchronization

@testable import LocalAppStore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Writes payloads in the form of a JWS without signing them: for tests of what is said, not of how.
struct PlainSigner: StoreSigner {
    let tokenRoot: [UInt8] = Array("root of tokens".utf8)
    let receiptRoot: [UInt8] = Array("root of receipts".utf8)

    private func token(_ payload: some Encodable, _ flaws: SigningFlaws) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let signature = flaws.kinds.map(\.rawValue).sorted().joined(separator: ",")
        return CompactJWS(
            header: Array("{\"alg\":\"none\"}".utf8), payload: Array(try encoder.encode(payload)),
            signature: Array(signature.utf8)
        ).text
    }

    func sign(_ payload: TransactionPayload, flaws: SigningFlaws) throws -> String {
        try token(payload, flaws)
    }
    func sign(_ payload: RenewalPayload, flaws: SigningFlaws) throws -> String {
        try token(payload, flaws)
    }
    func sign(_ payload: NotificationPayload, flaws: SigningFlaws) throws -> String {
        try token(payload, flaws)
    }
    func sign(_ payload: AppTransactionPayload, flaws: SigningFlaws) throws -> String {
        try token(payload, flaws)
    }
    func sign(
        _ receipt: AppReceipt, deviceIdentifier: [UInt8], flaws: SigningFlaws
    ) throws -> [UInt8] {
        let lines = receipt.inApp.map { "\($0.productID) \($0.transactionID)" }
        return Array("\(receipt.creationDate.milliseconds)\n\(lines.joined(separator: "\n"))".utf8)
    }
    func sign(_ receipt: LegacyReceipt, flaws: SigningFlaws) throws -> [UInt8] {
        Array(receipt.transactionID.rawValue.utf8)
    }
}

/// Reads what a plain signer wrote.
func opened<Payload: Decodable>(_ token: String, as type: Payload.Type = Payload.self) throws
    -> Payload
{
    try JSONDecoder().decode(Payload.self, from: Data(CompactJWS(decoding: token).payload))
}

/// A server on the other side: answers as it is told and remembers what came.
final class ListeningServer: HTTPFetching {
    enum Answer {
        case status(Int)
        case failure(HTTPFetchError.Code)
    }
    private struct Memory {
        var answers: [Answer] = []
        var bodies: [String] = []
    }
    private let memory = Mutex(Memory())

    /// The next answers, statuses or failures; 200 when there are no more.
    func answer(_ answers: [Answer]) {
        memory.withLock { $0.answers = answers }
    }

    var bodies: [String] { memory.withLock { $0.bodies } }

    /// The types of what came, as `TYPE/SUBTYPE`.
    func heard() throws -> [String] {
        try bodies.map { body in
            let payload = try notification(body)
            return payload.notificationType.rawValue
                + (payload.subtype.map { "/" + $0.rawValue } ?? "")
        }
    }

    func notification(_ body: String) throws -> NotificationPayload {
        struct Envelope: Decodable { let signedPayload: String }
        let envelope = try JSONDecoder().decode(Envelope.self, from: Data(body.utf8))
        return try opened(envelope.signedPayload)
    }

    func fetch(
        _ request: HTTPRequest, limits: HTTPFetchLimits
    ) async throws(HTTPFetchError) -> HTTPResponse {
        let answer = memory.withLock { memory -> Answer in
            memory.bodies.append(String(decoding: request.body, as: UTF8.self))
            return memory.answers.isEmpty ? .status(200) : memory.answers.removeFirst()
        }
        switch answer {
        case .status(let status): return HTTPResponse(status: HTTPStatus(rawValue: status))
        case .failure(let code): throw HTTPFetchError(code)
        }
    }
}

/// A machine's clock that a test moves.
final class TestClock: Sendable {
    private let time: Mutex<Timestamp>
    init(_ time: Timestamp = StoreWorld.start) { self.time = Mutex(time) }
    var now: Timestamp { time.withLock { $0 } }
    func pass(milliseconds: Int64) {
        time.withLock { $0 = $0.advanced(byMilliseconds: milliseconds) }
    }
}

extension LocalStore {
    /// A store for tests: its clock stands, its server listens.
    static func forTests(
        server: ListeningServer? = nil, file: String? = nil, seed: UInt64 = 7, rate: Double = 0,
        clock: TestClock = TestClock(), keys: StoreKeys? = nil, catalog: Catalog = .builtIn
    ) throws -> LocalStore {
        try LocalStore(
            LocalStoreConfiguration(
                catalog: catalog, seed: seed, start: StoreWorld.start, rate: rate, stateFile: file,
                notificationURL: server.map { _ in "http://server.test/notify" }),
            signer: PlainSigner(), fetcher: server, keys: keys, wall: { clock.now })
    }

    /// Launches the app for an account, which is made when it is new.
    func testDevice(
        _ account: AccountID = "anna", _ environment: AppStoreEnvironment = .production
    ) throws -> DeviceID {
        if state.accounts[account] == nil {
            _ = try makeAccount(AccountRequest(accountID: account, environment: environment))
        }
        return try launch(LaunchRequest(accountID: account), port: environment).deviceID
    }

    func advance(days: Int64) async throws {
        _ = try await moveClock(ClockChange(advanceMilliseconds: days * StoreWorld.day))
    }
}
