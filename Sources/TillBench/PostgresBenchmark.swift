import CryptoPrimitives
import Foundation

/// Purchases through HTTP into committed rows of PostgreSQL, against the same into SQLite.
enum PostgresBenchmark {
    private static let rounds = 5
    private static let purchases = 2_000

    static func run() throws -> Bool {
        print("purchases through HTTP into PostgreSQL, on the same machine, and into SQLite")
        let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("till-bench-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        var places: [URL] = []
        for name in ["sqlite", "postgres"] {
            let place = folder.appendingPathComponent(name)
            try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
            places.append(place)
        }
        guard let database = try BenchmarkDatabase() else {
            print("  skipped, no PostgreSQL server is installed (Debian: postgresql)")
            return true
        }
        let samples = try ProofSamples()
        let root = samples.valueRoot.der
        guard
            let sqlite = try PurchasesServer.till(
                root: root, in: places[0], name: "till serve over SQLite"),
            let postgres = try PurchasesServer.till(
                root: root, in: places[1], database: database.address,
                name: "till serve over PostgreSQL")
        else {
            print("  skipped, no till beside till-bench (swift build -c release --product till)")
            return true
        }
        var driver = PurchasesDriver(samples: samples)
        for server in [sqlite, postgres] { _ = try driver.rate(of: server, purchases: 400) }
        var ours: [PurchasesRound] = []
        var theirs: [PurchasesRound] = []
        for _ in 0..<rounds {
            theirs.append(try driver.rate(of: sqlite, purchases: purchases))
            ours.append(try driver.rate(of: postgres, purchases: purchases))
        }
        PurchasesBenchmark.report(sqlite, theirs)
        PurchasesBenchmark.report(postgres, ours)
        return Goal(name: "  PostgreSQL : SQLite", bound: nil)
            .report(Spread(zip(ours, theirs).map { $0.rate / $1.rate }))
    }
}

/// A PostgreSQL server in a folder of its own, as it comes from its makers: every commit is on the disk.
///
/// It ends with the process that started it, however that ends. PostgreSQL refuses to run as root, so root
/// starts it as the user `postgres`, whom Debian's package makes.
private final class BenchmarkDatabase {
    private let folder: String
    private let process = Process()
    private let leash = Pipe()

    var address: String { "postgres://postgres@/postgres?host=\(folder)" }

    /// Nil where no server is installed.
    init?() throws {
        guard let programs = Self.programs else { return nil }
        // A socket's path has room for about a hundred bytes.
        folder = "/tmp/till-bench-pg-\(UUID().uuidString.prefix(8))"
        // The shell waits for a line that never comes: when this process ends, so does that wait.
        let script = """
            set -e
            "$0/initdb" -D "$1/data" -U postgres -A trust -E UTF8 --locale=C.UTF-8 -N >"$1/log" 2>&1
            "$0/postgres" -D "$1/data" -c listen_addresses= -c unix_socket_directories="$1" \
                >>"$1/log" 2>&1 & server=$!
            read -r line || true
            kill -INT $server
            wait $server || true
            rm -rf "$1"/*
            """
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: false,
            attributes: [.posixPermissions: 0o777])
        let user =
            geteuid() == 0
            ? ["/usr/bin/setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups", "--"]
            : ["/usr/bin/env"]
        let words = user + ["/bin/sh", "-c", script, programs, folder]
        process.executableURL = URL(fileURLWithPath: words[0])
        process.arguments = Array(words.dropFirst())
        process.standardInput = leash
        process.currentDirectoryURL = URL(fileURLWithPath: folder)
        try process.run()
        for _ in 0..<600 where !isReady { Thread.sleep(forTimeInterval: 0.1) }
        guard isReady else { throw ProofBenchmarks.Failure(what: "PostgreSQL did not start") }
    }

    deinit {
        try? leash.fileHandleForWriting.close()
        process.waitUntilExit()
        try? FileManager.default.removeItem(atPath: folder)
    }

    private var isReady: Bool {
        let text = try? String(contentsOfFile: "\(folder)/data/postmaster.pid", encoding: .utf8)
        return text?.split(separator: "\n").last?.hasPrefix("ready") == true
    }

    /// The folder of the newest server's programs.
    private static var programs: String? {
        let debian = "/usr/lib/postgresql"
        let versions = (try? FileManager.default.contentsOfDirectory(atPath: debian)) ?? []
        let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
        let folders =
            versions.sorted { (Int($0) ?? 0) > (Int($1) ?? 0) }.map { "\(debian)/\($0)/bin" }
            + path.split(separator: ":").map(String.init)
        return folders.first { folder in
            ["initdb", "postgres"].allSatisfy {
                FileManager.default.isExecutableFile(atPath: "\(folder)/\($0)")
            }
        }
    }
}
