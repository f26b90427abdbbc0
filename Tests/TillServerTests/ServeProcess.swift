import Foundation
import Testing

/// `till serve` as a process of its own, as an operator runs it.
final class ServeProcess {
    /// Where it listens: `http://127.0.0.1:PORT`.
    let url: String
    private let process: Process

    enum Failure: Error {
        case noProgram(String)
        case notListening(String)
    }

    /// The built program, beside the tests' own.
    static func program() throws -> URL {
        var folders = [URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()]
        if let own = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe") {
            folders.append(URL(fileURLWithPath: own).deletingLastPathComponent())
        }
        var root = URL(fileURLWithPath: #filePath)
        for _ in 0..<3 { root.deleteLastPathComponent() }
        folders.append(root.appendingPathComponent(".build/debug"))
        for folder in folders {
            let program = folder.appendingPathComponent("till")
            if FileManager.default.isExecutableFile(atPath: program.path) { return program }
        }
        throw Failure.noProgram(folders.map(\.path).joined(separator: ", "))
    }

    /// Starts it and waits until it listens.
    init(configuration: String) throws {
        process = Process()
        process.executableURL = try Self.program()
        process.arguments = ["serve", "--config", configuration]
        let output = Pipe()
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        var line = ""
        while !line.hasSuffix("\n") {
            guard let byte = try output.fileHandleForReading.read(upToCount: 1), !byte.isEmpty
            else {
                process.waitUntilExit()
                throw Failure.notListening("exit \(process.terminationStatus)")
            }
            line += String(decoding: byte, as: UTF8.self)
        }
        guard line.hasPrefix("listening on ") else { throw Failure.notListening(line) }
        url = String(line.dropFirst("listening on ".count).dropLast())
    }

    deinit { kill() }

    /// Ends it as a power cut would.
    func kill() {
        guard process.isRunning else { return }
        Foundation.kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }

    /// Asks it to stop, and returns its exit code.
    func terminate() -> Int32 {
        process.terminate()
        process.waitUntilExit()
        return process.terminationStatus
    }

    /// Runs `till serve` to its end and returns its exit code and what it said on standard error.
    static func run(configuration: String) throws -> (code: Int32, errors: String) {
        let process = Process()
        process.executableURL = try program()
        process.arguments = ["serve", "--config", configuration]
        let errors = Pipe()
        process.standardOutput = FileHandle.nullDevice
        process.standardError = errors
        try process.run()
        let text = errors.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return (process.terminationStatus, String(decoding: text, as: UTF8.self))
    }
}
