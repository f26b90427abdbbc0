import AppStoreModel
import AppStoreSigning
import CryptoPrimitives
import Foundation
import Testing
import TillLedger

@testable import TillServer

/// What a configuration may say, and the words with which a wrong one is refused.
@Suite struct ConfigurationTests {
    private func read(
        _ text: String, folder: String = "/srv/till", environment: [String: String] = [:]
    ) throws -> ServerConfiguration {
        try ServerConfiguration.read(Data(text.utf8), folder: folder, environment: environment)
    }

    /// The faults of a configuration that must not be taken.
    private func faults(
        _ text: String, folder: String = "/srv/till", environment: [String: String] = [:]
    ) -> [String] {
        do {
            _ = try read(text, folder: folder, environment: environment)
            return []
        } catch let error as ConfigurationError {
            return error.faults.map(\.description)
        } catch {
            return ["\(error)"]
        }
    }

    private func server(_ app: String, _ more: String = "") -> String {
        """
        {"listen": "127.0.0.1:0", "database": "sqlite:till.db", "secretKeys": ["sk_test"],
         "apps": [{"bundleId": "com.example.app", \(app)}] \(more)}
        """
    }

    @Test func `every certificate of a file is taken`() throws {
        let folder = try TemporaryFolder()
        let roots = try ["One", "Two"].map { try SigningAuthority.make(named: $0).root }
        try folder.write(roots.map(\.pem).joined(), to: "roots.pem")
        let configuration = try read(
            server(
                #""environments": ["Sandbox"], "trustedRoots": ["roots.pem"], "products": {}"#),
            folder: folder.path)
        #expect(configuration.apps[0].trustedRoots.map(\.certificate) == roots)
    }

    @Test func `an intermediate without its root proves nothing, and that is told`() throws {
        let folder = try TemporaryFolder()
        let chain = try SigningAuthority.make(named: "Old").legacyCertificates
        try folder.write(chain[0].pem, to: "alone.pem")
        try folder.write(chain.map(\.pem).joined(), to: "both.pem")
        for (file, count) in [("alone.pem", 1), ("both.pem", 2)] {
            let configuration = try read(
                server(
                    #""environments": ["Sandbox"], "intermediates": ["\#(file)"], "products": {}"#),
                folder: folder.path)
            #expect(configuration.apps[0].intermediates.count == count)
            let isTold = configuration.warnings.contains {
                $0.hasPrefix("com.example.app names the intermediate \(chain[0].subject) without")
            }
            #expect(isTold == (count == 1))
        }
    }

    @Test func `the example of the documentation is taken`() throws {
        let configuration = try read(
            """
            {
              "listen": "127.0.0.1:8080",
              "database": "sqlite:till.db",
              "secretKeys": ["sk_live_0123456789abcdef"],
              "customerTokens": {"hs256": "0123456789abcdef0123456789abcdef"},
              "apps": [{
                "bundleId": "com.example.app", "appAppleId": 1234567890,
                "environments": ["Production", "Sandbox"],
                "products": {
                  "com.example.coins600": {"type": "consumable", "credits": {"coins": 600}},
                  "com.example.pro.monthly": {"type": "autoRenewable", "entitlements": ["pro"]}
                }
              }]
            }
            """)
        #expect(configuration.listen == ListenAddress(host: "127.0.0.1", port: 8080))
        #expect(configuration.database == .sqlite(path: "/srv/till/till.db"))
        #expect(configuration.warnings.isEmpty)
        let app = try #require(configuration.app("com.example.app"))
        #expect(app.appAppleID == 1_234_567_890)
        #expect(app.environments == [.production, .sandbox])
        #expect(app.products["com.example.coins600"]?.credits == ["coins": 600])
        #expect(app.products["com.example.pro.monthly"]?.kind == .autoRenewable)
        #expect(configuration.verifyReceipt.environment == .production)
    }

    @Test func `a wrong value is refused by its place`() {
        #expect(
            faults(
                server(
                    #""appAppleId": 1, "products": {"x y": {"type": "consumable", "credits": {"coins": -1}}}"#
                )) == [
                    #"apps[0].products["x y"].credits.coins: expected a whole number from 1 to 1000000000000"#
                ])
        #expect(
            faults(server(#""appAppleId": "1", "products": {}"#))
                .contains { $0.hasPrefix("apps[0].appAppleId: expected a whole number") })
    }

    @Test func `an unknown key is refused with its nearest neighbour`() {
        #expect(
            faults(server(#""appAppleID": 1, "appAppleId": 1, "products": {}"#)) == [
                #"apps[0].appAppleID: unknown key; did you mean "appAppleId"?"#
            ])
        #expect(
            faults(server(#""appAppleId": 1, "products": {}"#, #", "secretkeys": []"#)) == [
                #"secretkeys: unknown key; did you mean "secretKeys"?"#
            ])
        #expect(faults(server(#""appAppleId": 1, "products": {}"#, #", "//": "a remark""#)) == [])
    }

    @Test func `the rules of owners and of other environments are read`() throws {
        func app(_ more: String) throws -> AppConfiguration {
            let text = #""environments": ["Sandbox"], "products": {}"# + more
            return try #require(try read(server(text)).app("com.example.app"))
        }
        #expect(try app("").owners == .refuse)
        #expect(try app("").otherEnvironments == .record)
        #expect(try app(#", "owners": "refuse""#).owners == .refuse)
        #expect(try app(#", "owners": "transfer""#).owners == .transfer)
        #expect(try app(#", "owners": ["share", "transfer"]"#).owners == [.transfer, .share])
        #expect(try app(#", "otherEnvironments": "refuse""#).otherEnvironments == .refuse)
        let anna = try #require(CustomerID(rawValue: "anna"))
        let testers = try app(
            #", "otherEnvironments": "testers", "testers": ["anna"], "#
                + #""appReviewUntil": "2026-12-24T12:00:00Z""#)
        #expect(
            testers.otherEnvironments
                == .testers(
                    Testers(
                        customers: [anna], appReviewUntil: Timestamp(seconds: 1_798_113_600))))
    }

    @Test(arguments: [
        (#""owners": "trasnfer""#, "owners"), (#""owners": ["refuse", "share"]"#, "owners"),
        (#""owners": []"#, "owners"), (#""otherEnvironments": "all""#, "otherEnvironments"),
        (#""testers": ["anna"]"#, "testers"),
        (#""otherEnvironments": "record", "appReviewUntil": "2026-12-24T12:00:00Z""#, "appReview"),
        (#""otherEnvironments": "testers", "appReviewUntil": "soon""#, "appReviewUntil"),
        (#""otherEnvironments": "testers", "testers": [""]"#, "testers[0]"),
    ])
    func `a rule that means nothing is refused`(rule: String, place: String) {
        let found = faults(server(#""environments": ["Sandbox"], "products": {}, "# + rule))
        #expect(found.count == 1)
        #expect(found.first?.contains(place) == true, "\(found)")
    }

    @Test(arguments: [
        (#""environments": ["Production"], "appAppleId": 1"#, ["Production", "Sandbox"]),
        (#""environments": ["Sandbox"]"#, ["Sandbox"]),
        (#""environments": ["Sandbox"], "appAppleId": 1"#, ["Production", "Sandbox"]),
        (
            #""environments": ["Production"], "appAppleId": 1, "otherEnvironments": "refuse""#,
            ["Production"]
        ),
        (
            #""environments": ["Production", "Sandbox"], "appAppleId": 1"#,
            ["Production", "Sandbox"]
        ),
    ])
    func `Apple's other environment is looked at unless the app refuses it`(
        app: String, verified: [String]
    ) throws {
        let configuration = try read(server(app + #", "products": {}"#))
        let app = try #require(configuration.app("com.example.app"))
        #expect(app.verifiedEnvironments.map(\.rawValue).sorted() == verified)
        _ = try configuration.trust()
    }

    @Test(arguments: [
        (#""bundleId": " com.example.app""#, "apps[0].bundleId: a bundle id has"),
        (#""bundleId": "com/example""#, "apps[0].bundleId: a bundle id has"),
        (#""products": {" x": {"type": "consumable"}}"#, #"apps[0].products[" x"]: a product id"#),
        (
            #""products": {"x": {"type": "consumable", "credits": {"c\n": 1}}}"#,
            "apps[0].products.x.credits[\"c\n\"]: a currency's name"
        ),
        (
            #""products": {"x": {"type": "nonConsumable", "entitlements": ["pro "]}}"#,
            "apps[0].products.x.entitlements[0]: a name"
        ),
        (#""publishableKeys": ["pk one"]"#, "apps[0].publishableKeys[0]: expected visible"),
        (
            #""appStore": {"issuerId": "i", "keyId": "k", "privateKey": "no key"}"#,
            "apps[0].appStore.privateKey: the key is no PKCS#8 key"
        ),
    ])
    func `a name or key that could never be met is refused by its place`(
        member: String, fault: String
    ) {
        let bundle = member.contains("bundleId") ? "" : #""bundleId": "com.example.app", "#
        let found = faults(
            """
            {"database": "sqlite:till.db", "secretKeys": ["sk_test"],
             "apps": [{\(bundle)"environments": ["Sandbox"], \(member)}]}
            """)
        #expect(found.count == 1 && found[0].hasPrefix(fault), "\(found)")
    }

    @Test(arguments: [
        ("\"production\": \"http://example.com\"", "production: plain HTTP to another machine"),
        ("\"sandbox\": \"store\"", "sandbox: an address is no URL"),
    ])
    func `an address of Apple's that cannot be asked is refused by its place`(
        member: String, fault: String
    ) throws {
        let key = try PrivateKey.generate(.p256).pem
        let app =
            #""environments": ["Sandbox"], "products": {}, "#
            + #""appStore": {"issuerId": "i", "keyId": "k", "privateKey": "env:KEY", \#(member)}"#
        #expect(
            faults(server(app), environment: ["KEY": key]) == ["apps[0].appStore.\(fault)"])
    }

    @Test(arguments: ["sk test", "sk\\ntest", "sk_t\u{e9}st"])
    func `a secret key that no header field carries is refused`(key: String) {
        let text = server(#""environments": ["Sandbox"], "products": {}"#)
        #expect(
            faults(text.replacing("sk_test", with: key)) == [
                "secretKeys[0]: a key has visible ASCII characters alone, no spaces"
            ])
    }

    @Test func `a secret key that can be guessed starts with a warning`() throws {
        let short = server(#""environments": ["Sandbox"], "products": {}"#)
        #expect(try read(short).warnings.contains { $0.hasPrefix("secretKeys[0]: a key of 7") })
        let long = short.replacing("sk_test", with: "sk_test_0123456789")
        #expect(try read(long).warnings.isEmpty)
    }

    @Test func `a file's address is written without slashes before it`() {
        let text = server(#""environments": ["Sandbox"], "products": {}"#)
        #expect(
            faults(text.replacing("sqlite:till.db", with: "sqlite://till.db")).first?
                .hasPrefix("database: write \"sqlite:FILE\"") == true)
        #expect(faults(text.replacing("sqlite:till.db", with: "sqlite:///srv/till.db")).isEmpty)
    }

    @Test func `a byte order mark before the file changes nothing`() {
        #expect(
            faults("\u{feff}" + server(#""environments": ["Sandbox"], "products": {}"#)).isEmpty)
    }

    @Test func `entitlements without an end start with a warning`() throws {
        let season = #"{"type": "nonRenewing", "entitlements": ["season"]}"#
        let text = server(#""environments": ["Sandbox"], "products": {"season": \#(season)}"#)
        #expect(try read(text).warnings.contains { $0.contains("products.season has no duration") })
    }

    @Test func `all faults are told at once`() {
        let all = faults(#"{"listen": "nowhere", "database": "mysql:x", "apps": []}"#)
        #expect(all.count == 4)
        #expect(all.contains { $0.hasPrefix("listen: ") })
        #expect(all.contains { $0.hasPrefix("database: ") })
        #expect(all.contains { $0.hasPrefix("apps: ") })
        #expect(all.contains { $0.hasPrefix("nobody could call") })
    }

    @Test func `production needs the app's number, the sandbox does not`() {
        #expect(
            faults(server(#""environments": ["Production"], "products": {}"#)) == [
                "apps[0].appAppleId: required with Production: the app's number in App Store Connect"
            ])
        #expect(faults(server(#""environments": ["Sandbox"], "products": {}"#)) == [])
    }

    @Test(arguments: ["Xcode", "LocalTesting"])
    func `an environment of test stores never stands beside production`(word: String) {
        let text = server(
            #""appAppleId": 1, "environments": ["Production", "\#(word)"], "products": {}"#)
        #expect(
            faults(text) == [
                "apps[0].environments: \(word) cannot stand beside Production: its proofs are not Apple's"
            ])
    }

    @Test func `a test store's environment needs its own roots`() {
        #expect(
            faults(server(#""environments": ["Xcode"], "products": {}"#)) == [
                "apps[0].trustedRoots: required with Xcode: their proofs are not signed by Apple"
            ])
        #expect(
            faults(server(#""environments": ["Xcode"], "trustedRoots": [], "products": {}"#)) == [
                "apps[0].trustedRoots: required with Xcode: their proofs are not signed by Apple"
            ])
    }

    @Test func `a file of bytes that are no text is no secret`() throws {
        let folder = try TemporaryFolder()
        let text = server(#""environments": ["Sandbox"], "products": {}"#)
            .replacing(#"["sk_test"]"#, with: #""file:key""#)
        try Data([0x6B, 0xFF, 0xFE, 0x0A]).write(to: URL(fileURLWithPath: folder.file("key")))
        #expect(
            faults(text, folder: folder.path) == [
                "secretKeys: \(folder.file("key")) is no UTF-8: write random bytes in Base64 or "
                    + "hexadecimal"
            ])
        try folder.write("sk_file_0123456789\n", to: "key")
        #expect(faults(text, folder: folder.path) == [])
    }

    @Test func `a backend's key is no publishable one`() {
        func text(_ key: String) -> String {
            server(#""environments": ["Sandbox"], "publishableKeys": ["\#(key)"], "products": {}"#)
        }
        #expect(
            faults(text("sk_test")) == [
                "apps: a publishable key of com.example.app is a secret key"
            ])
        #expect(faults(text("pk_test")) == [])
    }

    @Test func `roots of test stores never stand beside production, even an empty list`() {
        let text = server(
            #""appAppleId": 1, "environments": ["Production"], "trustedRoots": [], "products": {}"#)
        #expect(
            faults(text).contains {
                $0.hasPrefix("apps[0].trustedRoots: roots of test stores cannot stand beside")
            })
    }

    @Test func `development mode stays on loopback and away from production`() {
        let sandbox = #""environments": ["Sandbox"], "products": {}"#
        let development = #", "development": true"#
        #expect(faults(server(sandbox, development)) == [])
        let open = server(sandbox, development).replacing("127.0.0.1:0", with: "0.0.0.0:8080")
        #expect(faults(open).contains { $0.hasPrefix("listen: development mode listens on") })
        let production = #""appAppleId": 1, "environments": ["Production"], "products": {}"#
        #expect(
            faults(server(production, development)) == [
                "apps[0].environments: Production cannot be admitted in development mode"
            ])
    }

    @Test func `a ledger in memory needs development mode`() {
        let text = server(
            #""environments": ["Sandbox"], "products": {}"#, #", "development": true"#
        )
        .replacing("sqlite:till.db", with: "memory:")
        #expect(faults(text) == [])
        #expect(
            faults(text.replacing(#""development": true"#, with: #""development": false"#)) == [
                #"database: "memory:" forgets every purchase; it needs "development": true"#
            ])
    }

    @Test func `a PostgreSQL database is named by its address, or where the address stands`() throws
    {
        let text = server(#""environments": ["Sandbox"], "products": {}"#)
        for address in ["postgres://u:p@h/d?x=y", "postgresql://h", "postgres:///d?host=/tmp"] {
            #expect(faults(text.replacing("sqlite:till.db", with: address)) == [])
        }
        let configuration = try ServerConfiguration.read(
            Data(text.replacing("sqlite:till.db", with: "env:DB").utf8), folder: "/srv",
            environment: ["DB": "postgres://u:p@h/d"])
        #expect(
            configuration.database == PostgresAddress("postgres://u:p@h/d").map { .postgres($0) })
        for address in ["postgres:h", "postgres", "mysql://h", "postgres://a b", "env:NONE", ""] {
            let faults = faults(text.replacing("sqlite:till.db", with: address))
            #expect(faults.count == 1)
            #expect(faults.first?.hasPrefix("database: ") == true, "\(address)")
        }
    }

    @Test(arguments: [
        ("postgres://h/d", "postgres://h/d"), ("postgres://u@h:1/d", "postgres://u@h:1/d"),
        ("postgresql://u:secret@h,g/d?a=b", "postgresql://u:…@h,g/d?…"),
        ("postgres://u:sec@secret@h/d", "postgres://u:…@h/d"),
        ("postgres://u:sec/secret@h/d", "postgres://u:…@h/d"),
        ("postgres://u:sec?secret@h/d", "postgres://…"),
        ("postgres://:secret@h", "postgres://:…@h"),
        ("postgres://h/d?password=secret", "postgres://h/d?…"),
        ("postgres://h/d?password=secret@secret", "postgres://…"),
    ])
    func `an address is shown without its password`(address: String, shown: String) throws {
        let address = try #require(PostgresAddress(address))
        #expect(address.description == shown)
        #expect("\(address)" == shown)
        var dumped = ""
        dump(address, to: &dumped)
        #expect(!dumped.contains("secret"))
    }

    @Test func `secrets come from the environment and from files, and never into a description`()
        throws
    {
        let folder = try TemporaryFolder()
        try folder.write("from-file\n", to: "key")
        let text = server(#""environments": ["Sandbox"], "products": {}"#)
            .replacing(#"["sk_test"]"#, with: #"["env:TILL_KEY", "file:key"]"#)
        let configuration = try read(
            text, folder: folder.path, environment: ["TILL_KEY": "from-env"])
        #expect(
            configuration.secretKeys.map { String(decoding: $0.bytes, as: UTF8.self) } == [
                "from-env", "from-file",
            ])
        #expect(!"\(configuration.secretKeys)".contains("from"))
        var dumped = ""
        dump(configuration.secretKeys, to: &dumped)
        #expect(!dumped.contains("from"))
        #expect(
            faults(text, folder: folder.path) == [
                "secretKeys[0]: the environment variable TILL_KEY is not set"
            ])
    }

    @Test func `a short token secret starts with a warning`() throws {
        let text = server(
            #""environments": ["Sandbox"], "products": {}"#,
            #", "customerTokens": {"hs256": "short"}"#)
        #expect(
            try read(text).warnings.contains { $0.hasPrefix("customerTokens.hs256 has 5 bytes") })
    }

    @Test(arguments: [
        ("127.0.0.1:80", true), ("[::1]:80", true), ("localhost:80", true), (":80", false),
        ("0.0.0.0:80", false), ("127.0.0.1.evil.example:80", false), ("10.0.0.1:80", false),
        ("[::]:80", false),
    ])
    func `loopback is told from every other address`(text: String, isLoopback: Bool) throws {
        #expect(try #require(ListenAddress(text)).isLoopback == isLoopback)
    }

    @Test(arguments: ["", "80", "host", "host:", "host:70000", "::1:80", "host:-1"])
    func `what is no address is refused`(text: String) {
        #expect(ListenAddress(text) == nil)
    }
}
