import Foundation
import Synchronization

/// A PostgreSQL server of the tests' own, in a folder of its own, reached through a socket in it.
///
/// It ends with the process that started it, however that ends. PostgreSQL refuses to run as root, so
/// root starts it as the user `postgres`, whom Debian's package makes.
public final class PostgresServer: Sendable {
    /// Why there is no server.
    public struct Failure: Error, CustomStringConvertible {
        /// In words.
        public let description: String
    }

    /// The one that most tests share; each makes a schema of its own in it.
    public static let shared: Result<PostgresServer, any Error> = Result { try PostgresServer() }

    /// Whether PostgreSQL is installed; where it is not, the tests that need it say so and are skipped.
    public static var isInstalled: Bool {
        if programs != nil { return true }
        FileHandle.standardError.write(
            Data("SKIPPED: no PostgreSQL server is installed (Debian: postgresql)\n".utf8))
        return false
    }

    /// The folder with data, socket and log.
    public let folder: String
    private let programs: String
    private let settings: [String]
    private let supervisor = Mutex<Supervisor?>(nil)

    private struct Supervisor: @unchecked Sendable {
        // Sendable because it is touched under the lock alone.
        let process: Process
        let leash: Pipe
    }

    /// Makes a server with an empty database `postgres` and starts it.
    ///
    /// - Parameter settings: Settings such as `max_connections=5`.
    /// - Throws: Why it did not start, with what it said.
    public init(settings: [String] = []) throws {
        guard let programs = Self.programs else {
            throw Failure(description: "no PostgreSQL server is installed")
        }
        self.programs = programs
        self.settings = settings
        // A socket's path has room for about a hundred bytes, so not the user's temporary folder.
        folder = "/tmp/till-pg-\(UUID().uuidString.prefix(13))"
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: false,
            attributes: [.posixPermissions: 0o777])
        if geteuid() == 0 { try Self.run(["/bin/chown", "postgres", folder]) }
        try Self.run(
            Self.unprivileged + [
                "\(programs)/initdb", "-D", "\(folder)/data", "-U", "postgres", "-A", "trust",
                "-E", "UTF8", "--locale=C.UTF-8", "-N",
            ])
        try start()
    }

    deinit {
        stop()
        try? FileManager.default.removeItem(atPath: folder)
    }

    /// The address of a database, with a schema before all others if one is named.
    public func address(database: String = "postgres", schema: String? = nil) -> String {
        let place = "postgres://postgres@/\(database)?host=\(folder)"
        return schema.map { "\(place)&options=-csearch_path%3D\($0)" } ?? place
    }

    /// Starts it after ``stop()`` or ``kill()``; takes connections when this returns.
    public func start() throws {
        let words =
            [
                "listen_addresses=", "unix_socket_directories=\(folder)", "max_connections=2000",
                "shared_buffers=64MB",
            ] + settings
        let process = Process()
        let leash = Pipe()
        // The shell waits for a line that never comes; the end of the tests ends that. It does not wait for
        // the server, since the threads that tests run on have signals blocked, and a shell inherits that.
        let script = """
            "$0/postgres" -D "$1/data" \(words.map { "-c '\($0)'" }.joined(separator: " ")) \
            >>"$1/log" 2>&1 & server=$!
            read -r line; kill -QUIT $server 2>/dev/null
            [ "$line" = keep ] || { sleep 1; rm -rf "$1"; }
            """
        let command = Self.unprivileged + ["/bin/sh", "-c", script, programs, folder]
        process.executableURL = URL(fileURLWithPath: command[0])
        process.arguments = Array(command.dropFirst())
        process.standardInput = leash
        process.currentDirectoryURL = URL(fileURLWithPath: folder)
        try process.run()
        supervisor.withLock { $0 = Supervisor(process: process, leash: leash) }
        for _ in 0..<3_000 {
            if status == "ready" { return }
            usleep(20_000)
        }
        let log = (try? String(contentsOfFile: "\(folder)/log", encoding: .utf8)) ?? ""
        throw Failure(description: "PostgreSQL did not start: \(log.suffix(2_000))")
    }

    /// Ends it at once, as PostgreSQL's immediate shutdown does.
    public func stop() {
        let pid = pidFile.first.flatMap { Int32($0) }
        letGo()
        if let pid { Self.waitForEnd(of: [pid]) }
    }

    /// Ends the server and everything that works for it with SIGKILL, as a power cut would.
    public func kill() {
        guard let pid = pidFile.first.flatMap({ Int32($0) }) else { return }
        let list =
            (try? String(contentsOfFile: "/proc/\(pid)/task/\(pid)/children", encoding: .utf8))
        let children = (list ?? "").split(separator: " ").compactMap { Int32($0) }
        for process in [pid] + children { Foundation.kill(process, SIGKILL) }
        letGo()
        Self.waitForEnd(of: [pid] + children)
        // What is left of a killed process may still bear its number, and the locks name that.
        for lock in ["data/postmaster.pid", ".s.PGSQL.5432.lock", ".s.PGSQL.5432"] {
            try? FileManager.default.removeItem(atPath: "\(folder)/\(lock)")
        }
    }

    private func letGo() {
        let last = supervisor.withLock { supervisor in
            defer { supervisor = nil }
            return supervisor
        }
        guard let last else { return }
        try? last.leash.fileHandleForWriting.write(contentsOf: Data("keep\n".utf8))
        try? last.leash.fileHandleForWriting.close()
        last.process.waitUntilExit()
    }

    /// Waits until processes are gone, or nothing but their names is left.
    private static func waitForEnd(of processes: [Int32]) {
        for _ in 0..<3_000 where processes.contains(where: isRunning) { usleep(10_000) }
    }

    private static func isRunning(_ process: Int32) -> Bool {
        guard Foundation.kill(process, 0) == 0 else { return false }
        let state = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8)
        // The state follows the program's name, which is in parentheses.
        return state?.split(separator: ")").last?.hasPrefix(" Z") != true
    }

    private var pidFile: [String] {
        let text = try? String(contentsOfFile: "\(folder)/data/postmaster.pid", encoding: .utf8)
        return (text ?? "").split(separator: "\n", omittingEmptySubsequences: false)
            .map { $0.trimmingCharacters(in: .whitespaces) }
    }

    private var status: String? {
        let lines = pidFile
        return lines.count > 7 ? lines[7] : nil
    }

    // MARK: Programs

    /// The folder of the newest server's programs.
    private static let programs: String? = {
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
    }()

    static var unprivileged: [String] {
        geteuid() == 0
            ? [
                "/usr/bin/setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups", "--",
            ] : ["/usr/bin/env"]
    }

    private static func run(_ command: [String]) throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: command[0])
        process.arguments = Array(command.dropFirst())
        process.standardOutput = FileHandle.nullDevice
        let errors = Pipe()
        process.standardError = errors
        try process.run()
        let said = errors.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw Failure(
                description: "\(command.joined(separator: " ")): "
                    + String(decoding: said, as: UTF8.self))
        }
    }
}
