import Foundation

/// A PgBouncer of a test's own in transaction mode before a PostgreSQL server; ends with its owner.
public final class PgBouncer: Sendable {
    private static let program = "/usr/sbin/pgbouncer"

    /// Whether PgBouncer is installed; where it is not, the tests that need it say so and are skipped.
    public static var isInstalled: Bool {
        if FileManager.default.isExecutableFile(atPath: program), PostgresServer.isInstalled {
            return true
        }
        FileHandle.standardError.write(
            Data("SKIPPED: no PgBouncer is installed (Debian: pgbouncer)\n".utf8))
        return false
    }

    private let folder: String
    private let leash: Pipe

    /// Starts one before a server's database `postgres`, with so many connections to the server.
    public init(before server: PostgresServer, connections: Int) throws {
        folder = server.folder
        let settings = """
            [databases]
            ledger = host=\(folder) dbname=postgres user=postgres
            [pgbouncer]
            listen_addr =
            listen_port = 6432
            unix_socket_dir = \(folder)
            auth_type = any
            pool_mode = transaction
            default_pool_size = \(connections)
            max_client_conn = 200
            logfile = \(folder)/pgbouncer.log
            """
        let file = folder + "/pgbouncer.ini"
        try Data(settings.utf8).write(to: URL(fileURLWithPath: file))
        let process = Process()
        let leash = Pipe()
        // As with the server: the shell waits for a line that never comes, and the end of the tests ends that.
        let script = """
            "$0" -q "$1" & pooler=$!
            read -r line; kill -KILL $pooler 2>/dev/null
            """
        let command = PostgresServer.unprivileged + ["/bin/sh", "-c", script, Self.program, file]
        process.executableURL = URL(fileURLWithPath: command[0])
        process.arguments = Array(command.dropFirst())
        process.standardInput = leash
        process.currentDirectoryURL = URL(fileURLWithPath: folder)
        try process.run()
        self.leash = leash
        for _ in 0..<500 {
            // It says so once it listens; the socket's file is there a moment before.
            let log = try? String(contentsOfFile: folder + "/pgbouncer.log", encoding: .utf8)
            if log?.contains("process up") == true { return }
            usleep(20_000)
        }
        let log = try? String(contentsOfFile: folder + "/pgbouncer.log", encoding: .utf8)
        throw PostgresServer.Failure(description: "PgBouncer did not start: \(log ?? "")")
    }

    deinit { try? leash.fileHandleForWriting.close() }

    /// The address of the ledger's database behind it.
    public var address: String { "postgres://postgres@/ledger?host=\(folder)&port=6432" }
}
