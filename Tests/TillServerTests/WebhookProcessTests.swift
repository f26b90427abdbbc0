import AppStoreModel
import Foundation
import HTTPFetch
import HTTPMessage
import Synchronization
import TestKit
import Testing
import TillAPI
import TillLedger

@testable import TillServer

/// `till serve` and receivers over real HTTP.
@Suite(.serialized) struct WebhookProcessTests {
    /// A receiver in Python that checks with the specification's own library.
    ///
    /// `@unchecked Sendable`: one test waits for it at a time.
    private final class PythonReceiver: @unchecked Sendable {
        let port: Int
        private let process = Process()
        private let output = Pipe()

        static let python = PythonPeer.path(with: "standardwebhooks")

        init(secret: String, statuses: [Int]) throws {
            process.executableURL = URL(filePath: try #require(Self.python))
            process.arguments =
                [PythonPeer.script("webhook_receiver.py"), secret] + statuses.map(String.init)
            process.standardOutput = output
            try process.run()
            port = try #require(Int(try Self.line(output)))
        }

        deinit {
            // It was started from a thread that blocks SIGTERM, and so blocks it too.
            kill(process.processIdentifier, SIGKILL)
            process.waitUntilExit()
        }

        /// What came next.
        func next() throws -> JSONValue {
            try JSONDecoder().decode(JSONValue.self, from: Data(try Self.line(output).utf8))
        }

        private static func line(_ pipe: Pipe) throws -> String {
            var line = ""
            while let byte = try pipe.fileHandleForReading.read(upToCount: 1), !byte.isEmpty {
                if byte == Data([0x0A]) { return line }
                line += String(decoding: byte, as: UTF8.self)
            }
            throw Ended()
        }

        private struct Ended: Error {}
    }

    private func signed(_ id: TransactionID) throws -> String {
        try TestAuthority.shared.sign(TestShop.transaction(id))
    }

    private func folder(_ port: Int, more: String = "") throws -> TemporaryFolder {
        let folder = try TemporaryFolder()
        try TestAuthority.shared.writeRoots(to: folder)
        let webhooks = """
            , "webhooks": [{"name": "main", "url": "http://127.0.0.1:\(port)/hook",
              "secrets": ["\(WebhookShop.newSecret)", "\(WebhookShop.secret)"],
              "allowPrivateNetwork": true\(more)}]
            """
        try folder.write(TestShop.configuration(app: webhooks), to: "till.json")
        return folder
    }

    @Test(
        .enabled(
            if: PythonReceiver.python != nil,
            "skipped: no .venv with standardwebhooks; make peers makes it"))
    func `the specification's own library takes what till serve sends, also after a kill`()
        async throws
    {
        // The first attempt fails, so the kill comes between commit and delivery.
        let receiver = try PythonReceiver(secret: WebhookShop.secret, statuses: [500])
        let folder = try folder(receiver.port)
        let first = try ServeProcess(configuration: folder.file("till.json"))
        _ = try await ShopClient(url: first.url).purchase([try signed("1")], by: "anna")
        let refused = try #require(await offPool { try? receiver.next() })
        #expect(refused["status"] == .integer(500))
        // What the server still has to write down about it, it has a moment for.
        for _ in 0..<5 { _ = try await ShopClient(url: first.url).customer("anna") }
        first.kill()

        let second = try ServeProcess(configuration: folder.file("till.json"))
        _ = try await ShopClient(url: second.url).purchase([try signed("2")], by: "ben")
        var seen = [refused]
        for _ in 0..<2 { seen.append(try #require(await offPool { try? receiver.next() })) }
        #expect(seen.allSatisfy { $0["genuine"] == true && $0["forgedHolds"] == false }, "\(seen)")
        let again = seen.dropFirst().first { $0["id"] == refused["id"] }
        #expect(again?["event"] == refused["event"])
        #expect(
            Set(seen.compactMap { $0["event"]?["customerId"]?.string }) == ["anna", "ben"])
        #expect(seen.allSatisfy { $0["event"]?["type"] == "purchase.granted" })
        #expect(second.terminate() == 0)
    }

    @Test func `an endpoint on a private network is not connected to unless it is allowed`()
        async throws
    {
        let listening = try #require(RawSocket.listening())
        let sender = WebhookSender(
            publicFetcher: CurlFetcher(CurlFetcherConfiguration(allowedAddresses: .publicOnly)),
            privateFetcher: CurlFetcher())
        let message = WebhookMessage(
            testing: TestShop.bundleID, id: "x", at: Timestamp(milliseconds: 0))
        for host in [
            "127.0.0.1", "localhost", "[::1]", "[::ffff:127.0.0.1]", "0.0.0.0", "2130706433",
            "0x7f.1", "[::ffff:10.0.0.1]", "169.254.169.254", "10.0.0.1", "[fe80::1]",
        ] {
            let webhook = WebhookConfiguration(
                name: "x", url: "http://\(host):\(listening.port)/",
                secrets: [try #require(WebhookSecret(WebhookShop.secret))],
                events: [.everything], allowsPrivateNetwork: false)
            let answer = await sender.send(message, to: webhook, at: Timestamp(milliseconds: 0))
            guard case .nothing(let text)? = answer else {
                Issue.record("\(host) answered")
                continue
            }
            #expect(text.hasPrefix("cannotConnect"), "\(host): \(text)")
        }
    }
}
