import AppStoreModel
import Foundation

/// A server under measurement: a child process that listens on a port of loopback.
final class PurchasesServer {
    let name: String
    let port: Int
    /// How many are open at once: the number with which it serves best.
    let connections: Int
    private let process: Process

    init(name: String, port: Int, connections: Int, process: Process) {
        self.name = name
        self.port = port
        self.connections = connections
        self.process = process
    }

    /// What the process and its workers have computed so far; `nil` where Linux does not tell.
    var processorSeconds: Double? {
        let id = process.processIdentifier
        let children = try? String(
            contentsOfFile: "/proc/\(id)/task/\(id)/children", encoding: .utf8)
        let all = ["\(id)"] + (children?.split(separator: " ").map(String.init) ?? [])
        let times = all.compactMap { Self.processorSeconds(of: $0) }
        return times.isEmpty ? nil : times.reduce(0, +)
    }

    private static func processorSeconds(of id: String) -> Double? {
        guard let text = try? String(contentsOfFile: "/proc/\(id)/stat", encoding: .utf8),
            // The program's name stands in brackets, and may have spaces.
            let fields = text.split(separator: ")").last?.split(separator: " "), fields.count > 12,
            let user = Double(fields[11]), let system = Double(fields[12])
        else { return nil }
        return (user + system) / Double(sysconf(Int32(_SC_CLK_TCK)))
    }

    deinit {
        process.terminate()
        process.waitUntilExit()
    }

    /// Starts `till serve` from beside this program, on a fresh SQLite file or another database; `nil` where it
    /// is not built.
    static func till(
        root: [UInt8], in folder: URL, database: String = "sqlite:till.db",
        name: String = "till serve"
    ) throws -> PurchasesServer? {
        let program = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
            .appendingPathComponent("till")
        guard FileManager.default.isExecutableFile(atPath: program.path) else { return nil }
        try Data(root).write(to: folder.appendingPathComponent("root.der"))
        let file = folder.appendingPathComponent("till.json")
        let configuration = """
            {"listen": "127.0.0.1:0", "database": "\(database)", "log": {"requests": false},
             "secretKeys": ["\(PurchasesDriver.secretKey)"],
             "apps": [{"bundleId": "\(ProofSamples.bundleID)", "environments": ["Sandbox"],
               "trustedRoots": ["root.der"], "products": {"\(PurchasesDriver.product)":
                 {"type": "consumable", "credits": {"coins": 600}}}}]}
            """
        try Data(configuration.utf8).write(to: file)
        let process = Process()
        process.executableURL = program
        process.arguments = ["serve", "--config", file.path]
        process.standardError = FileHandle.nullDevice
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let line = String(
            decoding: output.fileHandleForReading.availableData, as: UTF8.self)
        guard
            let word = line.split(separator: ":").last?.split(whereSeparator: \.isNewline).first,
            let port = Int(word)
        else { throw ProofBenchmarks.Failure(what: "the port of till serve") }
        return PurchasesServer(
            name: name, port: port, connections: 128, process: process)
    }

    /// Starts the FastAPI peer; `nil` where its packages are not installed.
    static func peer(root: [UInt8], in folder: URL) throws -> PurchasesServer? {
        guard FileManager.default.isExecutableFile(atPath: PythonPeer.python) else { return nil }
        let port = try freePort()
        let rootFile = folder.appendingPathComponent("root.der")
        try Data(root).write(to: rootFile)
        let process = Process()
        process.executableURL = URL(fileURLWithPath: PythonPeer.python)
        process.arguments = [
            "Benchmarks/peers/fastapi_server.py", "--port", "\(port)", "--root", rootFile.path,
            "--bundle-id", ProofSamples.bundleID.rawValue, "--workers", "2",
            "--database", folder.appendingPathComponent("peer.db").path,
            "--secret-key", PurchasesDriver.secretKey,
            "--product", "\(PurchasesDriver.product)=coins:600",
        ]
        process.standardOutput = FileHandle.nullDevice
        try process.run()
        for _ in 0..<300 {
            if (try? PurchasesConnection(port: port)) != nil {
                return PurchasesServer(
                    name: "FastAPI + Apple's library", port: port, connections: 16,
                    process: process)
            }
            Thread.sleep(forTimeInterval: 0.1)
        }
        process.terminate()
        throw ProofBenchmarks.Failure(what: "the FastAPI peer did not start")
    }

    /// A port that was free a moment ago: the peer cannot choose one and say which.
    private static func freePort() throws -> Int {
        for port in (20_000..<60_000).shuffled().prefix(64)
        where (try? PurchasesConnection(port: port)) == nil { return port }
        throw ProofBenchmarks.Failure(what: "a free port")
    }
}
