import AppStoreModel
import AppStoreSigning
import Foundation
import HTTPFetch
import HTTPServer
import LocalAppStore
import StoreWire

extension TillCommand {
    static let store = Command(
        syntax: CommandSyntax(
            name: "store",
            summary: "an App Store on this machine: products, payments, proofs, notifications",
            options: [
                .value(
                    "--port", "P",
                    "sandbox, device and control API, page; \(StoreServer.usualPort), 0 for any"),
                .value("--production-port", "P", "production; one above, 0 for any"),
                .value("--host", "ADDRESS", "where to listen; 127.0.0.1"),
                .value(
                    "--catalog", "FILE", "a .storekit file; without it a small built-in catalog"),
                .value("--state", "DIR", "where keys and state are kept; see below"),
                .flag("--ephemeral", "keep neither keys nor state"),
                .value(
                    "--clock", "now|DATE",
                    "what the clock shows, as 2026-01-01 or 2026-01-01T12:00:00Z"),
                .value("--rate", "N", "how many seconds pass in a real one; 1, and 0 to stand"),
                .value("--notify", "URL", "where server notifications go, of both environments"),
                .value("--seed", "N", "what all names and random choices come from"),
                .value("--bundle-id", "ID", "the app that a new store sells for; com.example.app"),
                .value("--app-apple-id", "N", "that app's number; 1234567890"),
            ],
            notes: """
                Prints "listening on http://HOST:PORT" for each port once it takes calls.
                Without --state and --ephemeral the state is in $XDG_STATE_HOME/till/store, or in
                ~/.local/state/till/store. A state that is there goes on where it stopped; --catalog,
                --clock, --rate and --notify change it, --seed, --bundle-id and --app-apple-id are for
                new ones alone.
                SIGTERM and SIGINT stop it. Exit codes: 0 stopped, 64 usage, 65 a broken catalog,
                69 cannot listen, 74 the state cannot be used.
                """)
    ) { words in
        try await StoreCommand.run(try StoreOptions(words))
    }
}

/// `till store`.
enum StoreCommand {
    private enum Exit {
        static let catalog: Int32 = 65
        static let unavailable: Int32 = 69
        static let state: Int32 = 74
    }

    static func run(_ options: StoreOptions) async throws -> Int32 {
        let catalog: Catalog?
        do {
            catalog = try options.catalog.map { try Self.catalog(at: $0) }
        } catch {
            complain("\(options.catalog ?? ""): \(error)")
            return Exit.catalog
        }
        let signals = await StopSignals()
        let folder: StoreFolder?
        let store: LocalStore
        do {
            folder = options.isEphemeral ? nil : try StoreFolder(path: options.folder)
            store = try await open(options, catalog, folder)
        } catch {
            complain("\(error)")
            return Exit.state
        }
        let server: StoreServer
        do throws(HTTPListenerError) {
            server = try await StoreServer(
                store, host: options.host, port: options.port,
                productionPort: options.productionPort)
        } catch {
            complain("cannot listen on \(options.host), port \(options.port): \(error.detail)")
            return Exit.unavailable
        }
        try await introduce(server, folder)
        _ = await signals.next()
        try await server.stop()
        withExtendedLifetime(folder) {}
        return 0
    }

    private static func complain(_ text: String) { Terminal.complain("till store: \(text)") }

    private static func catalog(at path: String) throws -> Catalog {
        guard let bytes = FileManager.default.contents(atPath: path) else {
            throw StoreFileUnreadable()
        }
        return try Catalog(storekit: [UInt8](bytes), source: path)
    }

    private struct StoreFileUnreadable: Error, CustomStringConvertible {
        let description = "cannot be read"
    }

    /// Opens the store, from its state if there is one, and puts the wishes of the command line to it.
    private static func open(
        _ options: StoreOptions, _ catalog: Catalog?, _ folder: StoreFolder?
    ) async throws -> LocalStore {
        var configuration = LocalStoreConfiguration(
            catalog: catalog ?? .builtIn, start: options.clock, rate: options.rate ?? 1,
            stateFile: folder?.stateFile, notificationURL: options.notificationURL)
        if let bundleID = options.bundleID { configuration.bundleID = bundleID }
        if let appleID = options.appAppleID { configuration.appAppleID = appleID }
        if let seed = options.seed { configuration.seed = seed }
        let authority = try folder?.authority() ?? SigningAuthority.make()
        let store = try LocalStore(
            configuration, signer: AuthoritySigner(authority), fetcher: CurlFetcher(),
            wall: SystemClock.now)
        guard folder?.hadState == true else { return store }
        for (option, isGiven) in [
            ("--seed", options.seed != nil), ("--bundle-id", options.bundleID != nil),
            ("--app-apple-id", options.appAppleID != nil),
        ] where isGiven {
            complain("\(option) is for a new store; the state in \(options.folder) has its own")
        }
        try await store.adjust(
            catalog: catalog, now: options.clock, rate: options.rate,
            notificationURL: options.notificationURL)
        return store
    }

    private static func introduce(_ server: StoreServer, _ folder: StoreFolder?) async throws {
        let info = try await server.store.information()
        let count = info.products.count
        Terminal.print(
            """
            listening on \(server.url) (sandbox, device and control API)
            listening on \(server.productionURL) (production)
            page         \(server.url)/
            app          \(info.bundleID) (\(info.appAppleID)), \(count) products
            root         SHA-256 \(Fingerprint.text(info.rootFingerprint))
            state        \(folder?.path ?? "none, everything is forgotten at the end")
            """)
    }
}

/// A fingerprint as people compare it.
enum Fingerprint {
    /// Pairs of capital digits with colons between them, of plain hexadecimal.
    static func text(_ hexadecimal: String) -> String {
        let digits = Array(hexadecimal.uppercased())
        return stride(from: 0, to: digits.count, by: 2)
            .map { String(digits[$0..<min($0 + 2, digits.count)]) }.joined(separator: ":")
    }
}
