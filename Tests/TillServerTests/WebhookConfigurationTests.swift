import AppStoreModel
import Foundation
import Testing
import TillLedger

@testable import TillServer

/// `apps[].webhooks`.
@Suite struct WebhookConfigurationTests {
    private static let secret = WebhookShop.secret

    private func read(_ webhooks: String) throws -> ServerConfiguration {
        let folder = try TemporaryFolder()
        try TestAuthority.shared.writeRoots(to: folder)
        let text = TestShop.configuration(app: #", "webhooks": \#(webhooks)"#)
        return try ServerConfiguration.read(
            Data(text.utf8), folder: folder.path, environment: ["HOOK_SECRET": Self.secret])
    }

    @Test func `an endpoint has a name, an address, keys and what it wants`() throws {
        let configuration = try read(
            """
            [{"name": "main", "url": "https://a.example/hook?x=1", "secrets": ["env:HOOK_SECRET"],
              "events": ["purchase.*", "order.paid"]},
             {"url": "http://10.0.0.1:8080/", "secrets": "\(Self.secret)",
              "allowPrivateNetwork": true}]
            """)
        let webhooks = try #require(configuration.apps.first).webhooks
        #expect(webhooks.count == 2)
        #expect(webhooks[0].name == "main")
        #expect(webhooks[0].events.map(\.text) == ["purchase.*", "order.paid"])
        #expect(!webhooks[0].allowsPrivateNetwork)
        #expect(webhooks[0].secrets == webhooks[1].secrets)
        #expect(webhooks[1].name.rawValue.hasPrefix("10.0.0.1-"))
        #expect(webhooks[1].allowsPrivateNetwork)
        let rules = try #require(configuration.catalog.apps[TestShop.bundleID]).webhooks
        #expect(rules.map(\.name) == webhooks.map(\.name))
        #expect(rules[0].wants(.orderPaid) && !rules[0].wants(.orderExpired))
        #expect(rules[1].wants(.orderExpired))
        #expect(!"\(webhooks)".contains("MfKQ9"))
    }

    @Test func `the same address has the same name at every start, another has another`() throws {
        func name(_ url: String) throws -> WebhookName? {
            try read(#"[{"url": "\#(url)", "secrets": "\#(Self.secret)"}]"#).apps.first?.webhooks
                .first?.name
        }
        #expect(try name("https://a.example/x") == name("https://a.example/x"))
        #expect(try name("https://a.example/x") != name("https://a.example/y"))
    }

    @Test(arguments: [
        (#"{"url": "https://a.example"}"#, "[0].secrets"),
        (#"{"secrets": "S"}"#, "[0].url"),
        (#"{"url": "http://a.example", "secrets": "S"}"#, "[0].url"),
        (#"{"url": "ftp://a.example", "secrets": "S"}"#, "[0].url"),
        (#"{"url": "https://", "secrets": "S"}"#, "[0].url"),
        (#"{"url": "https://u:p@a.example/", "secrets": "S"}"#, "[0].url"),
        (#"{"url": "https://a.example/#x", "secrets": "S"}"#, "[0].url"),
        (#"{"url": "https://a.example/ x", "secrets": "S"}"#, "[0].url"),
        (#"{"url": "https://a.example", "secrets": []}"#, "[0].secrets"),
        (
            #"{"url": "https://a.example", "secrets": "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"}"#,
            "[0].secrets"
        ),
        (#"{"url": "https://a.example", "secrets": "whsec_AAAA"}"#, "[0].secrets"),
        (#"{"url": "https://a.example", "secrets": "whsec_???"}"#, "[0].secrets"),
        (#"{"url": "https://a.example", "secrets": "S", "events": []}"#, "[0].events"),
        (
            #"{"url": "https://a.example", "secrets": "S", "events": ["purchase.grant"]}"#,
            "[0].events[0]"
        ),
        (#"{"url": "https://a.example", "secrets": "S", "name": "a b"}"#, "[0].name"),
        (#"{"url": "https://a.example", "secrets": "S", "event": ["*"]}"#, "[0].event"),
        (
            #"{"url": "https://a.example", "secrets": "S"}, {"url": "https://a.example", "secrets": "S"}"#,
            "[1]"
        ),
        (#""https://a.example""#, "[0]"),
    ])
    func `what is unsafe or a slip of the pen is refused at its place`(
        webhook: String, place: String
    ) throws {
        let text = webhook.replacing(#""S""#, with: "\"\(Self.secret)\"")
        let error = #expect(throws: ConfigurationError.self) { try read("[\(text)]") }
        #expect(error?.faults.map(\.path) == ["apps[0].webhooks\(place)"])
        #expect(error?.description.contains("MfKQ9") == false)
    }
}
