import AppStoreModel
import Foundation
import TillServer

extension TillCommand {
    static let serve = Command(
        syntax: CommandSyntax(
            name: "serve",
            summary: "take orders and proofs of payment over HTTP, hand out the goods once",
            options: [
                .value("--config", "FILE", "the configuration, JSON; see docs/server.md"),
                .flag("--check", "read and check the configuration, and stop"),
            ],
            notes: """
                Prints "listening on http://HOST:PORT" once it takes requests; logs to standard error.
                SIGTERM and SIGINT stop it when running requests are done.
                Exit codes: 0 stopped, 64 usage, 69 cannot listen, 74 no database, 78 configuration.
                """)
    ) { words in
        guard let path = words.value("--config") else {
            throw UsageError("--config FILE is missing")
        }
        return await ServeCommand.run(path: path, checksOnly: words.has("--check"))
    }
}

/// `till serve`.
enum ServeCommand {
    /// The exit codes of `till serve` beside those that every command has (sysexits.h).
    private enum Exit {
        static let unavailable: Int32 = 69
        static let database: Int32 = 74
        static let configuration: Int32 = 78
    }

    static func run(path: String, checksOnly: Bool) async -> Int32 {
        let configuration: ServerConfiguration
        do throws(ConfigurationError) {
            configuration = try ServerConfiguration.read(
                contentsOf: path, environment: ProcessInfo.processInfo.environment)
            _ = try configuration.trust()
        } catch {
            complain(of: error, in: path)
            return Exit.configuration
        }
        warn(of: configuration)
        if checksOnly {
            Terminal.print("\(path): ok, \(Self.size(of: configuration))")
            return 0
        }
        let signals = await StopSignals()
        let log = ServerLog(
            format: configuration.logFormat, clock: SystemClock.now,
            write: { Terminal.complain($0) })
        let server: RunningServer
        do throws(ServerStartError) {
            server = try await RunningServer.start(configuration, log: log)
        } catch {
            Terminal.complain("till serve: \(error.text)")
            return switch error.cause {
            case .configuration: Exit.configuration
            case .database: Exit.database
            case .listener: Exit.unavailable
            }
        }
        Terminal.print("listening on \(server.url)")
        log.write(
            .info, "started",
            [
                "url": .string(server.url), "apps": .integer(Int64(configuration.apps.count)),
                "database": .string(configuration.database.text),
            ])
        let name = await signals.next()
        log.write(.info, "stopping", ["signal": .string(name)])
        await server.stop()
        log.write(.info, "stopped")
        return 0
    }

    private static func complain(of error: ConfigurationError, in path: String) {
        let count = error.faults.count
        Terminal.complain(
            "till serve: \(path) is refused, \(count == 1 ? "one fault" : "\(count) faults"):")
        for fault in error.faults { Terminal.complain("  \(fault)") }
    }

    /// What must not go unnoticed, before the first request is taken.
    private static func warn(of configuration: ServerConfiguration) {
        if configuration.isDevelopment {
            Terminal.complain(
                "WARNING: development mode: anybody on this machine is any customer "
                    + "(Authorization: Bearer dev:NAME); never for real customers")
        }
        for app in configuration.apps where !app.trustedRoots.isEmpty {
            let roots = Set(app.trustedRoots.map(\.name)).sorted().joined(separator: ", ")
            Terminal.complain(
                "WARNING: \(app.bundleID) believes test roots (\(roots)): whoever holds one of their "
                    + "keys can make purchases; never for real customers")
        }
        for warning in configuration.warnings { Terminal.complain("WARNING: \(warning)") }
    }

    private static func size(of configuration: ServerConfiguration) -> String {
        let products = configuration.apps.map(\.products.count).reduce(0, +)
        let apps = configuration.apps.count
        return "\(apps) \(apps == 1 ? "app" : "apps"), "
            + "\(products) \(products == 1 ? "product" : "products")"
    }
}

/// The system's time.
enum SystemClock {
    @Sendable static func now() -> Timestamp {
        Timestamp(milliseconds: Int64(Date().timeIntervalSince1970 * 1_000))
    }
}

extension DatabaseLocation {
    /// As the configuration writes it.
    var text: String {
        switch self {
        case .sqlite(let path): "sqlite:\(path)"
        case .postgres(let address): address.description
        case .memory: "memory:"
        }
    }
}
