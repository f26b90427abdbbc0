import AppStoreModel
import Foundation
import HTTPFetch
import HTTPMessage
import StoreWire
import Testing
import TillAPI

@testable import Till

/// `till store` and `till serve` as processes, apps as processes, and wires between them.
final class ProcessShop: Sendable {
    /// One of the two that can be killed and begun again.
    enum Side: Sendable {
        case store, server
    }

    /// What became of one launch of an app.
    struct Launch: Sendable {
        var wasKilled: Bool
        var status: Int32
        var lines: [String]
    }

    /// Somebody with an app on a phone.
    struct Person: Sendable {
        var name: String
        var storeKit: TillConfiguration.StoreKitChoice
        var folder: String
    }

    let folder: URL
    let storeWire: Wire
    let serverWire: Wire
    private let store: Locked<RunningProcess>
    private let server: Locked<RunningProcess>

    init() async throws {
        folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("till-processes-\(UUID().uuidString)", isDirectory: true)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let root = try RunningProcess(
            "till",
            [
                "store", "root", "--state", "\(folder.path)/store", "--der",
                "\(folder.path)/root.der",
            ]
        )
        #expect(await root.end().status == 0)
        try Data(Self.configuration.utf8).write(to: folder.appendingPathComponent("till.json"))
        let store = try Self.begin(.store, in: folder)
        let server = try Self.begin(.server, in: folder)
        storeWire = try Wire(to: try await store.address())
        serverWire = try Wire(to: try await server.address())
        self.store = Locked(store)
        self.server = Locked(server)
    }

    func close() async {
        process(.store).kill()
        process(.server).kill()
        await storeWire.close()
        await serverWire.close()
        try? FileManager.default.removeItem(at: folder)
    }

    private static let configuration = """
        {
          "listen": "127.0.0.1:0", "database": "sqlite:till.db", "development": true,
          "log": {"requests": false},
          "apps": [{
            "bundleId": "com.example.app", "environments": ["Sandbox"],
            "trustedRoots": ["root.der"],
            "products": {
              "com.example.coins600": {"type": "consumable", "credits": {"coins": 600}},
              "com.example.lifetime": {"type": "nonConsumable", "entitlements": ["forever"]},
              "com.example.pro.monthly": {"type": "autoRenewable", "entitlements": ["pro"]}
            }
          }]
        }
        """

    private static func begin(_ side: Side, in folder: URL) throws -> RunningProcess {
        switch side {
        case .store:
            try RunningProcess(
                "till",
                [
                    "store", "--state", "\(folder.path)/store", "--port", "0", "--production-port",
                    "0",
                ])
        case .server:
            try RunningProcess("till", ["serve", "--config", "\(folder.path)/till.json"])
        }
    }

    func process(_ side: Side) -> RunningProcess {
        switch side {
        case .store: store.withLock { $0 }
        case .server: server.withLock { $0 }
        }
    }

    /// Begins a side again that was killed, over what it has on disk.
    func beginAgain(_ side: Side) async throws {
        process(side).kill()
        _ = await process(side).end()
        let again = try Self.begin(side, in: folder)
        let address = try await again.address()
        switch side {
        case .store:
            store.withLock { $0 = again }
            storeWire.lead(to: address)
        case .server:
            server.withLock { $0 = again }
            serverWire.lead(to: address)
        }
    }

    /// A customer of the app, with an Apple account of the same name and a new phone.
    func person(
        _ name: String, _ storeKit: TillConfiguration.StoreKitChoice
    ) async throws -> Person {
        let made: AccountInfo = try await ask(
            .makeAccount, body: AccountRequest(accountID: AccountID(name)))
        #expect(made.accountID.rawValue == name)
        return Person(name: name, storeKit: storeKit, folder: "\(folder.path)/\(name)")
    }

    /// Begins an app on a person's phone.
    func begin(
        _ words: [String], by person: Person, app: String = "CoinShopWithTill"
    ) throws -> RunningProcess {
        try RunningProcess(
            app, words,
            environment: [
                "TILL_STORE_URL": storeWire.url, "TILL_STORE_BUNDLE_ID": "com.example.app",
                "TILL_STORE_ACCOUNT": person.name, "TILL_STORE_DEVICE": "\(person.folder)/device",
                "TILL_SERVER_URL": serverWire.url, "TILL_SHOP_CUSTOMER": person.name,
                "TILL_SHOP_FOLDER": "\(person.folder)/till",
                "TILL_SHOP_STOREKIT": person.storeKit == .original ? "1" : "2",
            ])
    }

    /// One launch to its end.
    func launch(
        _ words: String..., by person: Person, app: String = "CoinShopWithTill"
    ) async throws -> Launch {
        await (try begin(words, by: person, app: app)).end()
    }

    /// One launch that is killed at a moment of an exchange on one of the wires.
    func launch(
        _ words: String..., by person: Person, app: String = "CoinShopWithTill",
        killedAt step: Step
    ) async throws -> Launch {
        let victim = Locked<RunningProcess?>(nil)
        wire(step).trap(step.path, step.phase) {
            // On the wire's own thread, which waits for the process to be known.
            while victim.withLock({ $0 }) == nil { usleep(100) }
            victim.withLock { $0 }?.kill()
        }
        let running = try begin(words, by: person, app: app)
        victim.withLock { $0 = running }
        return await running.end()
    }

    /// Opens the app and asks it for nothing until something holds, and kills it then.
    func open(
        by person: Person, until holds: () async throws -> Bool
    ) async throws {
        let running = try begin(["open"], by: person)
        defer { running.kill() }
        _ = try await running.line { $0.hasPrefix("you have") }
        while try await !holds() {
            guard !Task.isCancelled else {
                Issue.record("\(person.name): it never came true")
                return
            }
            try await Task.sleep(nanoseconds: 20_000_000)
        }
    }

    func wire(_ step: Step) -> Wire { step.side == .store ? storeWire : serverWire }

    /// Orders that the phone has not closed.
    func openOrders(of person: Person) -> Int {
        let names = try? FileManager.default.contentsOfDirectory(atPath: "\(person.folder)/till")
        return (names ?? []).filter { $0.hasPrefix("order-") }.count
    }

    // MARK: Asking both sides

    /// What the store has sold to an account.
    func sales(to person: Person) async throws -> [TransactionRecord] {
        let page: TransactionsPage = try await ask(
            .transactions, query: "?account=\(person.name)")
        return page.transactions
    }

    /// What the server says that a customer has.
    func customer(_ person: Person) async throws -> CustomerDocument {
        try await fetch(
            HTTPRequest(
                method: .get, target: "\(serverWire.url)\(APIWire.customers)/\(person.name)",
                fields: ["Authorization": "Bearer dev:\(person.name)"]))
    }

    /// Says something on the store's control API.
    func ask<Answer: Decodable>(
        _ route: ControlRoute, _ parameters: [String: String] = [:], query: String = "",
        body: (any Encodable)? = nil
    ) async throws -> Answer {
        var request = HTTPRequest(
            method: HTTPMethod(rawValue: route.method),
            target: storeWire.url + route.path(parameters) + query)
        if let body {
            request.fields["Content-Type"] = "application/json"
            request.body = try JSONEncoder().encode(body)
        }
        return try await fetch(request)
    }

    private func fetch<Answer: Decodable>(_ request: HTTPRequest) async throws -> Answer {
        let response = try await CurlFetcher().fetch(request, limits: HTTPFetchLimits())
        try #require(
            response.status.isSuccess, "\(String(decoding: response.body, as: UTF8.self))")
        return try JSONDecoder().decode(Answer.self, from: response.body)
    }
}

/// A moment of a purchase, as it is seen on a wire.
struct Step: Sendable, CustomStringConvertible {
    var side: ProcessShop.Side
    var path: String
    var phase: Wire.Phase
    /// Whether the store has been paid once this moment has come.
    var isPaid: Bool

    var description: String { "\(phase.rawValue) \(path) at the \(side)" }

    /// Every exchange from "buy" to "finished", before and after the other side's work.
    static let buying: [Step] = [
        Step(side: .store, path: "/products", phase: .after, isPaid: false),
        Step(side: .server, path: APIWire.orders, phase: .before, isPaid: false),
        Step(side: .server, path: APIWire.orders, phase: .after, isPaid: false),
        Step(side: .store, path: "/purchases", phase: .before, isPaid: false),
        Step(side: .store, path: "/purchases", phase: .after, isPaid: true),
        Step(side: .server, path: APIWire.purchases, phase: .before, isPaid: true),
        Step(side: .server, path: APIWire.purchases, phase: .after, isPaid: true),
        Step(side: .store, path: "/finish", phase: .before, isPaid: true),
        Step(side: .store, path: "/finish", phase: .after, isPaid: true),
    ]
}
