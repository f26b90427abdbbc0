import AppStoreModel
import CryptoPrimitives
import Foundation
import HTTPFetch
import HTTPMessage
import Synchronization
import TestKit
import Testing
import TillAPI
import TillLedger

@testable import TillServer

/// `till serve` as its operator meets it.
@Suite(.serialized) struct ServeProcessTests {
    /// A folder with the shop's configuration and roots.
    private func folder(_ configuration: String = TestShop.configuration()) throws
        -> TemporaryFolder
    {
        let folder = try TemporaryFolder()
        try TestAuthority.shared.writeRoots(to: folder)
        try folder.write(configuration, to: "till.json")
        return folder
    }

    @Test func `it starts, answers over HTTP and stops when asked`() async throws {
        let folder = try folder()
        let server = try ServeProcess(configuration: folder.file("till.json"))
        let client = ShopClient(url: server.url)
        #expect(try await client.send(.get, "/healthz", as: nil).status == .ok)
        let answer = try await client.purchase([try signed("1")], by: "anna")
        #expect(answer.results.first?.outcome == .granted)
        #expect(server.terminate() == 0)
    }

    @Test func `its metrics count every response, also of what is at no route`() async throws {
        let folder = try folder()
        let server = try ServeProcess(configuration: folder.file("till.json"))
        let client = ShopClient(url: server.url)
        #expect(try await client.send(.get, "/nothing", as: nil).status.rawValue == 404)
        let answer = try await client.send(
            .get, "/metrics", as: nil,
            fields: ["Authorization": "Bearer \(TestShop.secretKey)"])
        let lines = String(decoding: answer.body, as: UTF8.self).split(separator: "\n")
        #expect(lines.contains(#"till_http_responses_total{status="404"} 1"#))
        #expect(lines.contains { $0.hasPrefix("till_http_connections ") })
        #expect(lines.contains { $0.hasPrefix("process_resident_memory_bytes ") })
        #expect(lines.contains { $0.hasPrefix(#"till_info{version=""#) && !$0.contains(#""""#) })
        #expect(server.terminate() == 0)
    }

    @Test func `what was granted before a stop is there after the next start`() async throws {
        let folder = try folder()
        let first = try ServeProcess(configuration: folder.file("till.json"))
        _ = try await ShopClient(url: first.url).purchase([try signed("1")], by: "anna")
        #expect(first.terminate() == 0)
        let second = try ServeProcess(configuration: folder.file("till.json"))
        let answer = try await ShopClient(url: second.url).purchase([try signed("1")], by: "anna")
        #expect(answer.results.first?.outcome == .alreadyGranted)
        #expect(answer.customer.balances == ["coins": 600])
    }

    #if os(Linux)
        @Test(.timeLimit(.minutes(1)), arguments: 1...8)
        func `a signal is never ignored, however early it comes`(round: Int) throws {
            let folder = try folder()
            let process = Process()
            process.executableURL = try ServeProcess.program()
            process.arguments = ["serve", "--config", folder.file("till.json")]
            process.standardOutput = FileHandle.nullDevice
            process.standardError = FileHandle.nullDevice
            try process.run()
            defer { kill(process.processIdentifier, SIGKILL) }
            // As soon as the process does anything with the signal but to die of it.
            while process.isRunning, try !hasTakenOver(SIGTERM, process.processIdentifier) {}
            process.terminate()
            process.waitUntilExit()
            #expect(process.terminationReason == .exit)
            #expect(process.terminationStatus == 0)
        }

        /// Whether a process ignores a signal or handles it; see proc_pid_status(5).
        private func hasTakenOver(_ signal: Int32, _ process: Int32) throws -> Bool {
            let status = try String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)
            return status.split(separator: "\n").contains { line in
                let words = line.split(separator: "\t")
                guard words.count == 2, words[0] == "SigIgn:" || words[0] == "SigCgt:",
                    let mask = UInt64(words[1], radix: 16)
                else { return false }
                return mask & (1 << UInt64(signal - 1)) != 0
            }
        }
    #endif

    @Test func `an unsafe configuration does not start, and says where it is unsafe`() throws {
        let folder = try folder(
            TestShop.configuration(
                environments: #"["Production"]"#, app: #", "appAppleId": 1"#))
        let (code, errors) = try ServeProcess.run(configuration: folder.file("till.json"))
        #expect(code == 78)
        #expect(errors.contains("apps[0].trustedRoots: "))
        let missing = try ServeProcess.run(configuration: folder.file("none.json"))
        #expect(missing.code == 78)
    }

    @Test func `a database that is none does not start`() throws {
        let folder = try folder()
        try folder.write(String(repeating: "no database ", count: 1_000), to: "till.db")
        let (code, errors) = try ServeProcess.run(configuration: folder.file("till.json"))
        #expect(code == 74)
        #expect(errors.contains("cannot open sqlite:"))
    }

    @Test func `a port that is taken does not start`() throws {
        let taken = try #require(RawSocket.listening())
        let folder = try folder(TestShop.configuration(listen: "127.0.0.1:\(taken.port)"))
        let (code, errors) = try ServeProcess.run(configuration: folder.file("till.json"))
        #expect(code == 69)
        #expect(errors.contains("somebody else listens there"))
    }

    @Test func `a body of five megabytes is refused before it is sent`() async throws {
        let folder = try folder()
        let server = try ServeProcess(configuration: folder.file("till.json"))
        let port = try #require(server.url.split(separator: ":").last.flatMap { Int($0) })
        let answer = await offPool { () -> String? in
            guard let socket = RawSocket.connect(port: port) else { return nil }
            socket.send(
                "POST /v1/purchases HTTP/1.1\r\nHost: x\r\nContent-Length: 5000000\r\n\r\n")
            return socket.receive().map { String(decoding: $0, as: UTF8.self) }
        }
        #expect(answer?.hasPrefix("HTTP/1.1 413 ") == true)
        #expect(answer?.contains(#""code":"contentTooLarge""#) == true)
    }

    @Test(arguments: [UInt64(20)])
    func `killed ten times during a thousand purchases, it keeps each that it acknowledged, once`(
        seed: UInt64
    ) async throws {
        var random = SeededRandom(seed: seed)
        let folder = try folder()
        let book = try PurchaseBook(customers: 20, each: 50)
        for _ in 0..<10 {
            let server = try ServeProcess(configuration: folder.file("till.json"))
            let target = book.acknowledgedCount + Int.random(in: 20...90, using: &random)
            let client = ShopClient(url: server.url)
            await withTaskGroup(of: Void.self) { group in
                for _ in 0..<8 {
                    book.enter()
                    group.addTask { await book.buyUntilCut(client) }
                }
                await book.wait(for: target)
                server.kill()
            }
        }
        let server = try ServeProcess(configuration: folder.file("till.json"))
        let client = ShopClient(url: server.url)
        let acknowledged = book.acknowledged
        #expect(acknowledged.count >= 200)
        for (name, purchases) in book.byCustomer {
            let before = try await client.customer(name)
            let recorded = Set(before.transactions.map(\.transactionID))
            for (id, _) in purchases where acknowledged.contains(id) {
                #expect(recorded.contains(id), "\(id) was acknowledged and is lost")
            }
            let answer = try await client.purchase(purchases.map(\.1), by: name)
            for report in answer.results where acknowledged.contains(report.transactionID) {
                #expect(report.outcome == .alreadyGranted, "\(report.transactionID)")
            }
            #expect(answer.customer.balances == ["coins": Int64(600 * purchases.count)])
        }
        #expect(server.terminate() == 0)
    }

    private func signed(_ id: TransactionID) throws -> String {
        try TestAuthority.shared.sign(TestShop.transaction(id))
    }
}

/// Calls a server over HTTP as the customers' apps would.
struct ShopClient: Sendable {
    let url: String
    private let fetcher = CurlFetcher()

    init(url: String) { self.url = url }

    func send(
        _ method: HTTPMethod, _ path: String, _ body: Data = Data(), as customer: String?,
        fields: HTTPFields = [:]
    ) async throws -> HTTPResponse {
        var request = HTTPRequest(
            method: method, target: url + path, fields: fields, body: body)
        if let customer {
            let id = try #require(CustomerID(rawValue: customer))
            let end = Timestamp(seconds: Int64(Date().timeIntervalSince1970) + 3_600)
            let issuer = CustomerTokenIssuer(secret: SecretText(TestShop.tokenSecret))
            request.fields["Authorization"] = "Bearer \(issuer.token(for: id, until: end))"
        }
        return try await fetcher.fetch(request, limits: HTTPFetchLimits(totalMilliseconds: 60_000))
    }

    func purchase(_ proofs: [String], by customer: String) async throws -> PurchaseResponse {
        let body = try JSONEncoder().encode(PurchaseRequest(signedTransactions: proofs))
        let response = try await send(.post, APIWire.purchases, body, as: customer)
        try #require(response.status == .ok)
        return try JSONDecoder().decode(PurchaseResponse.self, from: response.body)
    }

    func customer(_ name: String) async throws -> CustomerDocument {
        let response = try await send(.get, "\(APIWire.customers)/\(name)", as: name)
        try #require(response.status == .ok)
        return try JSONDecoder().decode(CustomerDocument.self, from: response.body)
    }
}

/// A thousand purchases, and which of them a server has acknowledged.
final class PurchaseBook: Sendable {
    private struct State {
        var open: [(String, TransactionID, String)]
        var acknowledged: Set<TransactionID> = []
        var buyers = 0
        var waiter: (target: Int, continuation: CheckedContinuation<Void, Never>)?
    }

    /// Each customer's purchases, signed.
    let byCustomer: [String: [(TransactionID, String)]]
    private let state: Mutex<State>

    init(customers: Int, each: Int) throws {
        var byCustomer: [String: [(TransactionID, String)]] = [:]
        var open: [(String, TransactionID, String)] = []
        for customer in 0..<customers {
            for number in 0..<each {
                let id = TransactionID("\(customer * each + number + 1)")
                let proof = try TestAuthority.shared.sign(TestShop.transaction(id))
                byCustomer["customer-\(customer)", default: []].append((id, proof))
                open.append(("customer-\(customer)", id, proof))
            }
        }
        self.byCustomer = byCustomer
        state = Mutex(State(open: open))
    }

    var acknowledged: Set<TransactionID> { state.withLock { $0.acknowledged } }
    var acknowledgedCount: Int { acknowledged.count }

    /// One buyer more.
    func enter() { state.withLock { $0.buyers += 1 } }

    /// Buys one after the other until the server is gone or nothing is left.
    func buyUntilCut(_ client: ShopClient) async {
        while let next = state.withLock({ $0.open.popLast() }) {
            guard let answer = try? await client.purchase([next.2], by: next.0),
                let outcome = answer.results.first?.outcome,
                outcome == .granted || outcome == .alreadyGranted
            else {
                // Not acknowledged: it is shown again to the next server.
                state.withLock { $0.open.insert(next, at: 0) }
                break
            }
            note(next.1)
        }
        state.withLock { $0.buyers -= 1 }
        release()
    }

    private func note(_ id: TransactionID) {
        state.withLock { _ = $0.acknowledged.insert(id) }
        release()
    }

    /// Waits until so many are acknowledged in all, or nobody buys any more.
    func wait(for target: Int) async {
        await withCheckedContinuation { continuation in
            let isThere = state.withLock { state in
                if state.acknowledged.count >= target || state.buyers == 0 { return true }
                state.waiter = (target, continuation)
                return false
            }
            if isThere { continuation.resume() }
        }
    }

    private func release() {
        let waiter = state.withLock { state -> CheckedContinuation<Void, Never>? in
            guard let waiter = state.waiter,
                state.buyers == 0 || state.acknowledged.count >= waiter.target
            else { return nil }
            state.waiter = nil
            return waiter.continuation
        }
        waiter?.resume()
    }
}
