import AppStoreModel
import Foundation
import HTTPFetch
import StoreKit
import TestKit
import Testing

@testable import Till

/// `till store` and `till serve` as processes of their own, over HTTP.
private final class Processes: Sendable {
    let folder: URL
    let storeURL: String
    private let running: Locked<[Process]>

    /// The `till` that was built beside these tests.
    static let binary: URL? = {
        let built = URL(fileURLWithPath: CommandLine.arguments.first ?? "/")
            .deletingLastPathComponent()
        let checkout = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        return [built, checkout.appendingPathComponent(".build/debug")]
            .map { $0.appendingPathComponent("till") }
            .first { FileManager.default.isExecutableFile(atPath: $0.path) }
    }()

    init() throws {
        folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("till-processes-\(UUID().uuidString)", isDirectory: true)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        running = Locked([])
        let state = folder.appendingPathComponent("store").path
        _ = try Self.run(
            ["store", "root", "--state", state, "--der", "\(folder.path)/root.der"])
        let (store, url) = try Self.begin([
            "store", "--state", state, "--port", "0", "--production-port", "0",
        ])
        running.withLock { $0.append(store) }
        storeURL = url
        try Data(Self.configuration.utf8).write(to: folder.appendingPathComponent("till.json"))
    }

    deinit {
        for process in running.withLock({ $0 }) { process.terminate() }
        try? FileManager.default.removeItem(at: folder)
    }

    private static let configuration = """
        {
          "listen": "127.0.0.1:0", "database": "sqlite:till.db", "development": true,
          "apps": [{
            "bundleId": "com.example.app", "environments": ["Sandbox"],
            "trustedRoots": ["root.der"],
            "products": {
              "com.example.coins600": {"type": "consumable", "credits": {"coins": 600}},
              "com.example.lifetime": {"type": "nonConsumable", "entitlements": ["forever"]}
            }
          }]
        }
        """

    /// Begins the server and says where it listens.
    func serve() throws -> (Process, String) {
        let begun = try Self.begin(["serve", "--config", "\(folder.path)/till.json"])
        running.withLock { $0.append(begun.0) }
        return begun
    }

    /// `till store ctl` with `--json`.
    func control(_ words: String...) throws -> Data {
        try Self.run(["store", "ctl", "--url", storeURL, "--json"] + words)
    }

    private static func process(_ arguments: [String]) throws -> (Process, Pipe) {
        let process = Process()
        let till: URL = try #require(binary)
        process.executableURL = till
        process.arguments = arguments
        let pipe = Pipe()
        process.standardOutput = pipe
        process.standardError = FileHandle.nullDevice
        try process.run()
        return (process, pipe)
    }

    private static func run(_ arguments: [String]) throws -> Data {
        let (process, pipe) = try process(arguments)
        let output = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        #expect(process.terminationStatus == 0, "till \(arguments)")
        return output
    }

    /// Begins a process and reads what it prints until it says where it listens.
    private static func begin(_ arguments: [String]) throws -> (Process, String) {
        let (process, pipe) = try process(arguments)
        var text = ""
        while true {
            let bytes = pipe.fileHandleForReading.availableData
            try #require(!bytes.isEmpty, "till \(arguments) ended: \(text)")
            text += String(decoding: bytes, as: UTF8.self)
            if let match = text.firstMatch(of: /listening on (http:\S+)\s/) {
                return (process, String(match.output.1))
            }
        }
    }
}

@Suite(.serialized, .usesTheOneQueue, .timeLimit(.minutes(5))) struct ProcessTests {
    /// Launches the app, after killing the one that runs.
    private func launch(
        _ choice: TillConfiguration.StoreKitChoice, _ processes: Processes, server: String
    ) async throws -> Till {
        var connection = LocalStoreConnection(
            url: processes.storeURL,
            folder: processes.folder.appendingPathComponent(
                "device-\(choice)", isDirectory: true))
        connection.bundleID = "com.example.app"
        LocalStoreLaunch.begin(connection)
        _ = await StoreKit.Storefront.current
        var configuration = TillConfiguration(server: server)
        configuration.bundleID = "com.example.app"
        configuration.storeKit = choice
        configuration.attemptsWhileAttended = 1
        configuration.folder = processes.folder.appendingPathComponent("till-\(choice)").path
        // What an app calls, with nothing of a test in it.
        let till = Till(configuration)
        await till.start()
        try await till.login(customerToken: "dev:alice", customerID: "alice")
        await till.recover()
        return till
    }

    @Test(
        .enabled(if: Processes.binary != nil, "there is no till beside these tests"),
        arguments: [TillConfiguration.StoreKitChoice.original, .automatic])
    func `a purchase outlives the server's and the app's death between payment and delivery`(
        _ choice: TillConfiguration.StoreKitChoice
    ) async throws {
        let processes = try Processes()
        var (server, address) = try processes.serve()
        let first = try await launch(choice, processes, server: address)
        guard case .granted = await first.buy("com.example.lifetime") else {
            Issue.record("not granted")
            return
        }
        // Ask to Buy brings the payment at a moment of the test's choosing: while the server is dead.
        _ = try processes.control("account", "set", "default", "--ask-to-buy", "yes")
        #expect(await first.buy("com.example.coins600") == .pending(.approval))
        server.terminate()
        server.waitUntilExit()
        let waiting = try processes.control("waiting")
        let list = try JSONDecoder().decode(WaitingList.self, from: waiting)
        _ = try processes.control("approve", try #require(list.purchases.first).itemId)

        (server, address) = try processes.serve()
        let till = try await launch(choice, processes, server: address)
        await eventually {
            await till.recover()
            return await till.balance(of: "coins") == 600
        }
        guard case .restored(let restoration) = await till.restore() else {
            Issue.record("not restored")
            return
        }
        #expect(restoration.entitlements == ["forever"])
        #expect(await till.balance(of: "coins") == 600)
        LocalStoreLaunch.end()
    }

    private struct WaitingList: Decodable {
        struct Item: Decodable { var itemId: String }
        var purchases: [Item]
    }
}
